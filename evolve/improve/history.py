"""What a run has added to what was learned, and which tasks are left unsolved."""

from __future__ import annotations

from collections import Counter

from evolve.improve.practice import finished_practice
from evolve.improve.report import RunChanges, UnsolvedTask
from evolve.improve.session import Session
from evolve.memory import INFLUENTIAL

_BEGINNING = "beginning"
"""Step of the journal that keeps what was known when the run began."""
_NAMED = 5


def note_beginning(session: Session) -> None:
    """Keeps what is known before anything is practised; the first call of a run stands."""
    if session.journal.done(_BEGINNING) is None:
        skills = sorted(skill.digest for skill in session.stores.skills.active())
        session.journal.finish(_BEGINNING, {"skills": skills, "insights": _insights(session)})


def what_changed(session: Session) -> RunChanges:
    """What is new since :func:`note_beginning`, and what practice has never solved, in this run or before."""
    before = session.journal.done(_BEGINNING)
    new = () if before is None else _new_skills(session, before["skills"])
    tasks = {task.id for task in session.suite.tasks}
    records = [
        record
        for record in finished_practice(session.stores.runs.episodes())
        if record.task in tasks and record.policy in ("", session.learner.name)
    ]
    solved = {record.task for record in records if record.verified or record.checked}
    tries = Counter(record.task for record in records if record.task not in solved)
    hardest = sorted(tries, key=lambda task: (-tries[task], task))[:_NAMED]
    return RunChanges(
        skills=new,
        insights=0 if before is None else max(0, _insights(session) - before["insights"]),
        practised=len(solved) + len(tries),
        unsolved=len(tries),
        hardest=tuple(UnsolvedTask(task=task, tries=tries[task]) for task in hardest),
    )


def _insights(session: Session) -> int:
    claims = session.stores.memory.claims(policy=session.learner.name)
    return sum(insight.status in INFLUENTIAL for insight in claims)


def _new_skills(session: Session, before: list[str]) -> tuple[str, ...]:
    new = [skill for skill in session.stores.skills.active() if not skill.hidden and skill.digest not in before]
    return tuple(sorted(skill.name for skill in new))
