"""Practice: attempts on ``train`` tasks and on tasks that a package proposes, and what they teach.

A loop hands out the tasks that it practises on and nothing of the others. What comes back is kept in the journal, so a
loop that goes on practises on the same, and is in the suite of the practice alone: no comparison can meet it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evolve.core.episodes import OWN, EpisodeRecord
from evolve.core.errors import TaskError
from evolve.core.extensions import extension_error, find
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.progress import report_activity
from evolve.improve.schedule import may_practise
from evolve.improve.session import BATCH, Proposer, Session
from evolve.skills import KEPT, Admission, Skill, with_called, worth_offering
from evolve.tasks import Suite, Task
from evolve.tasks.model import SplitName, row_json, row_key, task_json
from evolve.tasks.problem_traits import TELLING, every_trait, problem_traits
from evolve.tasks.reading.assemble import assemble_task
from evolve.tasks.reading.jsonl import parse_json
from evolve.tasks.reading.labels import is_uninformative
from evolve.trials.admitting import note_refusals, refused_skills
from evolve.trials.jobs import Attempt, EpisodeJob
from evolve.trials.learned_state import LearnedState, verified_pairings
from evolve.trials.skill_drafts import DraftJudge, SkillProposal, may_be_alike, rivals_of, store_proposal

_WORD = re.compile(r"\w+")


def _proposed_tasks(session: Session, number: int, episodes: Sequence[EpisodeRecord], seed: int) -> list[Task]:
    """What is proposed for a round, at most as many tasks as there are to practise on; none without a proposer.

    Raises:
        EnvironmentProblem: The package gave something else.
    """
    proposer, step = session.proposer, f"proposed:{number}"
    if proposer is None:
        return []
    kept = session.step_log.done(step)
    if kept is None:
        given = session.suite.split("train")
        found = find("proposers", proposer.name, Callable)(given, episodes, seed)
        usable = _usable(_read(proposer, found), given, proposer.suite)
        kept = {"tasks": [task_json(task) for task in usable[: len(given)]]}
        session.step_log.finish(step, kept)
        if len(usable) < len(found):
            why = "they are like one that is held out, have its name, or are of another kind"
            text = f"{len(found) - len(usable)} of {len(found)} tasks of {proposer.name} are not practised on: {why}"
            session.show("warning", text=text)
    return _tasks_of(kept["tasks"])


def _practising_also_on(session: Session, tasks: Sequence[Task]) -> Session:
    """The session with further tasks to practise on."""
    suite = session.suite
    further: dict[str, SplitName] = {task.group: "train" for task in tasks}
    assigned = {**suite.splits, **further}
    wider = Suite(name=suite.name, tasks=(*suite.tasks, *tasks), digest=suite.digest, assigned=assigned)
    return replace(session, suite=wider)


def _read(proposer: Proposer, found: object) -> list[Task]:
    """The tasks as a file would hold them, so that they are checked as those of a file are."""
    if not isinstance(found, Sequence) or not all(isinstance(task, Task) for task in found):
        raise extension_error("proposers", proposer.name, "gave no list of tasks")
    try:
        return _tasks_of(map(task_json, found))
    except (TaskError, TypeError, ValueError) as error:
        raise extension_error("proposers", proposer.name, f"gave a task that is none ({error})") from error


def _tasks_of(bodies: Iterable[object]) -> list[Task]:
    text = "".join(json.dumps(body) + "\n" for body in bodies)
    return [assemble_task(raw) for raw in parse_json(text, file="proposed", name="", lines=True)] if text else []


def _usable(tasks: Sequence[Task], given: Sequence[Task], suite: Suite) -> list[Task]:
    """Those of a kind with the given ones that have a name of their own and are like no other task of the suite."""
    kinds, names = {task.environment for task in given}, {task.id for task in suite.tasks}
    practised = {task.id for task in given}
    held = _traits(task for task in suite.tasks if task.id not in practised) - _traits(given)
    usable = []
    for task in tasks:
        fits = task.environment in kinds and not (task.folder or task.rubric or task.id in names)
        if fits and not _traits([task]) & held:
            names.add(task.id)
            usable.append(task)
    return usable


def _traits(tasks: Iterable[Task]) -> set[str]:
    return {trait for task in tasks for trait in (*problem_traits(task), *_further_traits(task))}


def _further_traits(task: Task) -> Iterator[str]:
    """By what a task is known under other names too: every row of it, arguments in any order, words without signs."""
    if not is_uninformative(task.instruction):
        yield f"words {_WORD.findall(task.instruction.casefold())}"
    if task.tests:
        yield f"tests {task.tests.split()}"
    if task.work is not None:
        yield f"work {canonical_json(task.work.as_json())}"
    for row in (*task.examples, *task.verify, *task.hidden):
        cells = sorted(map(canonical_json, row.input))
        yield canonical_json({**row_json(row), "input": cells})
        if len(row_key(row)) >= TELLING:
            yield f"input {cells}"


_AGAIN_OPEN = 64
_AGAIN_SOLVED = 32
"""Tasks that later rounds practise again: unsolved ones, and solved ones to see what has become easier."""


_FEWEST_FOR_IDLE = 12
"""Solved tasks from which on a skill that served none of them goes on being offered no more. One that serves a task in
four is missed by twelve once in thirty times; a single task says nothing of it."""


def run_practice_round(session: Session, number: int) -> Mapping[str, Any]:
    """One round of practice in batches; a batch is committed as a whole.

    Returns:
        Counts of the round: ``planned`` tasks, ``episodes``, ``solved``, ``skills``, and whether it was ``complete``.
    """
    name = f"practice:{number}"
    done = session.step_log.done(name)
    if done is not None:
        return dict(done)
    started_with = {skill.digest for skill in session.stores.skills.active()}
    records = finished_practice(session.stores.runs.episodes(run=session.run))
    proposed = _proposed_tasks(session, number, records, _seed(session, number))

    def plan() -> Mapping[str, Any]:
        tasks = (*_tasks_of_round(session, number), *proposed)
        return {"tasks": [task.id for task in tasks], "skills": sorted(started_with)}

    chosen = session.step_log.once(f"{name}:plan", plan)
    hit_failpoint("practice.planned")
    session = _practising_also_on(session, proposed)
    tasks = [session.suite.task(task_id) for task_id in chosen["tasks"]]
    totals: dict[str, Any] = dict.fromkeys(("episodes", "solved", "checked", "checkable", "skills", "parts"), 0)
    totals |= {"planned": len(tasks), "complete": True}
    for start in range(0, len(tasks), BATCH):
        counts = _batch(session, number, start, tasks[start : start + BATCH])
        if counts is None:
            totals["complete"] = False
            break
        for key, value in counts.items():
            totals[key] += value
        session.emit_event("practice", round=number, total=len(tasks), **totals)
        if counts["episodes"] < len(tasks[start : start + BATCH]):
            totals["complete"] = False
            break
    if number > 1 and totals["complete"]:
        with session.stores.db.transaction():
            totals["idle"] = _set_idle(session, number, chosen["skills"])
        hit_failpoint("practice.idle")
    session.step_log.finish(name, totals)
    return totals


def _tasks_of_round(session: Session, number: int) -> list[Task]:
    """Every task in the first round; later some of the unsolved, those least often tried first, and of the solved."""

    def place(task: Task) -> str:
        return digest(f"{session.plan.seed}:{number}:{task.id}")

    tasks = sorted(session.suite.split("train"), key=place)
    if number == 1:
        return tasks
    records = finished_practice(session.stores.runs.episodes(run=session.run))
    tries = Counter(record.task for record in records)
    solved = {record.task for record in records if record.verified or record.checked}
    unsolved = sorted((task for task in tasks if task.id not in solved), key=lambda task: (tries[task.id], place(task)))
    again = [task for task in tasks if task.id in solved]
    return sorted([*unsolved[:_AGAIN_OPEN], *again[:_AGAIN_SOLVED]], key=place)


def finished_practice(records: Sequence[EpisodeRecord]) -> list[EpisodeRecord]:
    """The episodes of practice that came to their own end."""
    return [record for record in records if record.split == "train" and record.status != "interrupted"]


def why_no_further_pass(session: Session, number: int, counts: Mapping[str, Any]) -> str:
    """Why another pass is not worth its price, in a clause; "" where it may bring something."""
    if counts["solved"] == counts["planned"]:
        passed = finished_practice(session.stores.runs.episodes(run=session.run))
        if any(record.cost.calls for record in passed if record.seed == _seed(session, number)):
            return "every task is solved, and another pass would ask the model the same"
    return "" if _brought_anything(session, number, counts) else "the last pass over the tasks brought nothing new"


def _brought_anything(session: Session, number: int, counts: Mapping[str, Any]) -> bool:
    """Whether a pass found a skill or a part, or solved a task that this policy had not solved before, in any run."""
    if counts["skills"] or counts["parts"]:
        return True
    solved, before = set[str](), set[str]()
    for record in finished_practice(session.stores.runs.episodes()):
        if record.policy in ("", session.learner.name) and (record.verified or record.checked):
            is_latest = record.run == session.run and record.seed == _seed(session, number)
            (solved if is_latest else before).add(record.task)
    return not solved <= before


def _seed(session: Session, number: int) -> int:
    return session.plan.seed * 1000 + number


def _batch(session: Session, number: int, start: int, tasks: Sequence[Task]) -> Mapping[str, int] | None:
    """Runs and commits one batch; None when the budget leaves no room for any of it."""
    name = f"practice:{number}:{start}"
    done = session.step_log.done(name)
    if done is not None:
        return dict(done)
    part: Mapping[str, int] | None = session.step_log.done(f"{name}:part")
    if not may_practise(session, number):
        return part
    if part is not None:  # the budget ended an earlier command within this batch
        over = {
            record.task
            for record in finished_practice(session.stores.runs.episodes(run=session.run))
            if record.seed == _seed(session, number)
        }
        tasks = [task for task in tasks if task.id not in over]
    arm = _arm(session)
    session.workers.announce(name, arm)
    seed = _seed(session, number)
    jobs = [
        EpisodeJob(task=task, arm=name, variant=arm.variant, split="train", seed=seed, limits=session.plan.limits)
        for task in tasks
    ]
    hit_failpoint("practice.begin")
    attempts = session.run_jobs(jobs)
    if not attempts:
        return part
    hit_failpoint("practice.ran")
    counts: dict[str, int] = {
        "episodes": len(attempts),
        "solved": sum(attempt.record.verified for attempt in attempts),
        "checked": sum(attempt.record.checked for attempt in attempts),
        "checkable": sum(session.suite.task(attempt.record.task).cannot_be_verified for attempt in attempts),
    }
    judged = _judged(session, attempts)
    # One transaction: a crash leaves a batch whole or not at all, so that a resumed loop learns the same.
    with report_activity("keep"), session.stores.db.transaction():
        for attempt in attempts:
            task = session.suite.task(attempt.record.task)
            session.commit(attempt, task=task)
            session.stores.decisions.meet(attempt.record.episode, every_trait(task))
        known, admitted = session.stores.skills.list(), _admit(session, attempts, judged)
        counts |= _news(admitted, known)
        if part is not None:
            counts = {key: value + part.get(key, 0) for key, value in counts.items()}
        session.step_log.finish(name, counts)
    hit_failpoint("practice.kept")
    for skill, source in [one for one in admitted if not one[0].is_hidden]:
        session.emit_event("admitted", skill=skill.name, task=source)
    return counts


def _arm(session: Session) -> LearnedState:
    """What practises: everything admitted that is verified for its policy here."""
    arm = session.stores.practice_state(session.workflow)
    skills = verified_pairings(session.stores.skills, arm.skills, session.learner.name, session.sandbox())
    return replace(arm, skills=tuple(skills))


def _news(admitted: Sequence[tuple[Skill, str]], known: Sequence[Skill]) -> Mapping[str, int]:
    """How many skills and parts of answers were not found before."""
    news = [skill for skill, source in admitted if _is_news(skill, source, known)]
    parts = sum(skill.is_hidden for skill in news)
    return {"skills": len(news) - parts, "parts": parts}


def _is_news(skill: Skill, source: str, known: Sequence[Skill]) -> bool:
    """Whether it was not found before. What fell out of use is found again each time its task is practised on."""
    if skill.part:
        return all(skill.tree != other.tree for other in known)
    return not any(other.came_from(source) for other in known if not other.part)


def _admit(
    session: Session, attempts: Sequence[Attempt], judged: Sequence[Sequence[SkillProposal]]
) -> list[tuple[Skill, str]]:
    """Keeps the skills of a batch that passed, one after the other; gives each with its task."""
    admitted = []
    for attempt, finals in zip(attempts, judged, strict=True):
        kept = [store_proposal(session.stores.skills, final) for final in finals]
        admitted += [(skill, attempt.record.task) for skill in kept if skill is not None]
        note_refusals(session.step_log, attempt.record.episode, refused_skills(finals))
    return admitted


def _judged(session: Session, attempts: Sequence[Attempt]) -> list[list[SkillProposal]]:
    """The skills of a batch, each compared with those before it, which its worker did not know.

    Outside of the transaction that keeps them: it takes seconds, and other processes wait for a transaction.
    """
    active = {skill.digest: skill for skill in session.stores.skills.active()}
    added: list[Skill] = []
    judged: list[list[SkillProposal]] = []
    for attempt in attempts:
        judged.append([])
        for proposal in attempt.skills:
            final = _judged_again(session, proposal, added, active)
            judged[-1].append(final)
            if final.verdict.admitted and not final.waits:
                added.append(replace(final.skill, status="admitted"))
                active.setdefault(final.skill.digest, added[-1])
                for replaced in final.replaces:
                    active.pop(replaced, None)
    return judged


def _judged_again(
    session: Session, proposal: SkillProposal, added: Sequence[Skill], active: Mapping[str, Skill]
) -> SkillProposal:
    """Compares a skill with those that were added since its batch began, unknown to its worker."""
    skill, verdict = proposal.skill, proposal.verdict
    if not (verdict.admitted and any(may_be_alike(other, skill) for other in added)):
        return proposal
    admission = Admission(session.sandbox(), interpret=session.learner.interpreter(list(active.values())))
    judge = DraftJudge(admission=admission, policy=verdict.policy, fingerprint=verdict.fingerprint)
    # One that was added may have taken the place of another since.
    rivals = rivals_of(skill, [active[other.digest] for other in added if other.digest in active])
    again = judge.judge(skill, proposal.unseen, rivals, shown=())
    return replace(again, replaces=(*proposal.replaces, *again.replaces), repaired=proposal.repaired)


def _set_idle(session: Session, number: int, candidates: Sequence[str]) -> int:
    """Stops offering learned skills that were on offer all round and never served a task but their own; how many.

    One that ever helped another task, or that the promoted variant was judged with, goes on being offered: that this
    round did not need it shows nothing against it. What a skill that stays is made of stays too, or the search could
    not read its tree. Where many helped, none is set idle (:func:`evolve.skills.worth_offering`).
    """
    stores, seed = session.stores, _seed(session, number)
    offered = stores.skills.active()
    solved = [
        record
        for record in finished_practice(stores.runs.episodes(run=session.run))
        if record.seed == seed and record.verified
    ]
    if len(solved) < _FEWEST_FOR_IDLE:
        return 0
    judged = {skill.digest for skill in stores.active_state(session.workflow).skills}
    stays = {
        skill.digest
        for skill in offered
        # No task that is verified can need a procedure.
        if skill.owner != "learned"
        or skill.environment
        or skill.digest in judged
        or skill.digest not in candidates
        # What a person's own work brought waits for their next table, whatever practice needs.
        or any(stores.runs.of_task(task, None, OWN) for task in skill.source.split(", "))
    }
    needed = with_called(stays, offered) | worth_offering(stores.skills.list(KEPT))
    idle = [skill for skill in offered if skill.digest not in needed]
    reason = f"on offer for {len(solved)} tasks that were solved in round {number} of {session.run}; used for none"
    for skill in idle:
        stores.skills.set_idle(skill.digest, reason)
    listed = [skill.name for skill in idle if not skill.is_hidden]
    if listed:
        session.emit_event("idle", round=number, skills=listed, reason=reason)
    return len(listed)
