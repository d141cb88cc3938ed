"""The arms that learning must beat besides the unlearned one: the same budget spent on more tries, and a placebo."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

from evolve.episodes import EpisodeRecord, Limits
from evolve.gate import Unaffordable, is_verified
from evolve.improve.arms import Arm
from evolve.improve.jobs import EpisodeJob
from evolve.improve.judgement import run_held_out
from evolve.improve.session import Session
from evolve.ledger import Spent
from evolve.tasks import Task

BEST_OF_N = "best-of-n at equal total budget"
PLACEBO = "placebo"
_MOST_TRIES = 16
_AT_ONCE = 8


@dataclass(frozen=True, kw_only=True)
class Control:
    """One control arm.

    Attributes:
        records: One per task, in the tasks' order; of several tries the first that solved, with the cost of all.
        note: How its budget was made equal, or why it was not run.
    """

    records: tuple[EpisodeRecord, ...] = ()
    note: str = ""


def run_controls(session: Session, tasks: Sequence[Task], spent: Spent) -> Mapping[str, Control]:
    """Runs both control arms on held-out tasks that were opened for this run.

    Args:
        spent: What the loop spent on learning, judging and testing; best-of-n may spend as much more.
    """
    return {BEST_OF_N: _best_of_n(session, tasks, spent), PLACEBO: _placebo(session, tasks)}


def _best_of_n(session: Session, tasks: Sequence[Task], spent: Spent) -> Control:
    """Unlearned, with the loop's spending shared out over the tasks.

    The embedded policy is deterministic: trying again under another seed repeats it, so its one try gets all the
    candidates. A model is asked again, as often as that buys.
    """
    session.workers.announce(BEST_OF_N, Arm(workflow=session.workflow))
    limits, count = session.plan.limits, max(1, len(tasks))
    if limits.tokens is None:
        base = limits.candidates or 0
        most = base + ceil(spent.candidates / count)
        found = _run(session, tasks, BEST_OF_N, replace(limits, candidates=most), session.plan.seed)
        return _control(found, tasks, f"{most:,} candidates a task")
    tries = min(_MOST_TRIES, 1 + ceil(spent.tokens / count / max(1, limits.tokens)))
    best: dict[str, EpisodeRecord] = {}
    for number in range(tries):
        left = [task for task in tasks if task.id not in best or not is_verified(best[task.id])]
        found = _run(session, left, BEST_OF_N, limits, session.plan.seed + number)
        for record in found or ():
            before = best.get(record.task)
            best[record.task] = record if before is None else replace(record, cost=before.cost + record.cost)
    listed = [best[task.id] for task in tasks if task.id in best]
    return _control(listed if len(listed) == len(tasks) else None, tasks, f"up to {tries} tries a task")


def _placebo(session: Session, tasks: Sequence[Task]) -> Control:
    """The learned arm with every task's evidence filed under another task."""
    stores = session.stores
    learned = stores.active_arm(session.workflow)
    if learned.memory is None:
        return Control(note="not run: nothing that was learned can be shuffled")
    shuffled = learned.memory.shuffled(session.plan.seed)
    views = [task.view() for task in session.suite.split("train")]
    guide = session.learner.fit(shuffled.experience(), views, learned.skills, session.plan.seed)
    session.workers.announce(PLACEBO, replace(learned, guide=guide, memory=shuffled))
    found = _run(session, tasks, PLACEBO, session.plan.limits, session.plan.seed)
    return _control(found, tasks, "evidence filed under other tasks")


def _control(records: Sequence[EpisodeRecord] | None, tasks: Sequence[Task], note: str) -> Control:
    if records is None or len(records) < len(tasks):
        return Control(note="not run: the budget ended")
    return Control(records=tuple(records), note=note)


def _run(session: Session, tasks: Sequence[Task], arm: str, limits: Limits, seed: int) -> list[EpisodeRecord] | None:
    """The arm on every task, or None where the budget ended before."""
    records: list[EpisodeRecord] = []
    for start in range(0, len(tasks), _AT_ONCE):
        jobs = [
            EpisodeJob(task=task, arm=arm, variant=arm, split="test", seed=seed, limits=limits)
            for task in tasks[start : start + _AT_ONCE]
        ]
        try:
            records += run_held_out(session, jobs)
        except Unaffordable:
            return None
        session.tell("test", done=len(records), total=len(tasks), arm=arm)
    return records
