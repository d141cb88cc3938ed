"""Searches without one operation or skill: whether solved problems need it, all else the same.

Taking a part out of one answer says that it occurs there. Whether the problem needs it is found by taking it out of
the vocabulary and searching again, with the same prices and skills, for at most :data:`MOST` times
what the search with it took. It is needed where nothing is found without it, or at :data:`DEARER` times the cost or
more; what is found for the :data:`CHEAPER` share or less went better without it. Faults, and what the budget cut off,
say nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Literal

from evolve.episodes import PROBE, Claim, EpisodeRecord, Evidence, Relation
from evolve.failpoints import hit
from evolve.files import canonical_json, digest
from evolve.improve.jobs import Attempt, EpisodeJob
from evolve.improve.practice import practised
from evolve.improve.session import Session
from evolve.memory import Insight, plan_removals
from evolve.policies.protocol import Removing
from evolve.record.arms import Arm
from evolve.record.journal import finished
from evolve.record.learner import Learner
from evolve.record.stores import Stores
from evolve.tasks import Suite, Task

SHARE = 0.1
"""What searches without a cause may cost at most, of what the round's practice took in candidates."""
ASKED = 500_000
"""Candidates of the searches that a person asked for without a budget."""
MOST, DEARER, CHEAPER = 4, 2.0, 0.5
"""How many times the first cost a search without the cause may take, and what is told from it."""
_OCCURS = re.compile(" (occurs in answers to|is necessary for|stands in the way of) ")
_WORDS: Mapping[Relation, str] = {"necessary": "is necessary for", "prevents": "stands in the way of"}
_ENDED = frozenset({"solved", "unsolved", "budget"})
"""Ways to end that are the search's own doing."""


def try_without(session: Session, number: int) -> Mapping[str, int]:
    """Searches again without the causes that are worth testing, after the practice of round ``number``.

    Interrupted, the same call goes on, and nothing is paid twice.

    Returns:
        ``tried`` pairs of a problem and a cause, in how many of them it was ``needed``, and both by insight; {} where
        the policy cannot do without a part.
    """
    records = practised(session.stores.runs.episodes(run=session.run))
    most = int(SHARE * sum(record.cost.candidates for record in records))
    return _tested(session, number, _Wish(records=records, most=most)) or {}


def try_claims(session: Session, insight: str = "") -> Mapping[str, Any]:
    """The same at a person's wish: on all problems of the suite that any run has solved, as far as the budget goes.

    Args:
        insight: Id of the only insight to test, or "" for what the memory plans.

    Returns:
        As :func:`try_without`; {} also where no task of the suite was solved yet.
    """
    records = solved_of(session.stores, session.suite)
    budget = session.ledger.budget.candidates
    wish = _Wish(records=records, most=ASKED if budget is None else budget, insight=insight)
    return _tested(session, 1, wish) or {}


def solved_of(stores: Stores, suite: Suite) -> list[EpisodeRecord]:
    """The episodes of any run that solved a train task of the suite, so that it can be searched again."""
    train = {task.id for task in suite.split("train")}
    return [one for one in practised(stores.runs.episodes()) if one.task in train and one.verified]


def can_remove(learner: Learner, arm: Arm) -> bool:
    """Whether who works with this arm can do without a part of it."""
    return isinstance(arm.policy(learner), Removing)


@dataclass(frozen=True, kw_only=True)
class _Wish:
    """What is to be tested.

    Attributes:
        records: Episodes with all causes, whose costs count.
        most: Candidates for all searches.
        insight: Id of the only one, or "".
    """

    records: Sequence[EpisodeRecord]
    most: int
    insight: str = ""


def _tested(session: Session, number: int, wish: _Wish) -> Mapping[str, Any] | None:
    name = f"needs:{number}"
    done = session.journal.done(name)
    if done is not None:
        return dict(done)
    arm = session.stores.practice_arm(session.workflow)
    if not can_remove(session.learner, arm):
        return None
    plan = session.journal.done(f"{name}:plan")
    if plan is None:
        with session.stores.db.transaction():
            _set_aside(session, arm)
            skills = sorted(skill.digest for skill in arm.skills)
            plan = {"pairs": _plan(session, wish), "skills": skills, "operations": _operations()}
            session.journal.finish(f"{name}:plan", plan)
    pairs = [(str(insight), session.suite.task(str(task))) for insight, task in plan["pairs"]]
    trials = _run(session, number, arm, pairs)
    hit("removals.ran")
    found = _counted(trials)
    with session.stores.db.transaction():
        for trial in trials:
            session.commit(replace(trial.attempt, record=trial.taught()), task=trial.task)
        session.journal.finish(name, found)
    if pairs:
        session.tell("needs", round=number, tried=found["tried"], needed=found["needed"])
    return found


def _set_aside(session: Session, arm: Arm) -> None:
    """Sets aside that a step is not needed where that was found with other means than there are, so that it is tried
    anew: with a skill that is gone, or with other operations."""
    memory, plans = session.stores.memory, dict[str, Mapping[str, Any]]()
    for name, plan in finished(session.stores.db, "needs:"):
        if name.endswith(":plan"):
            plans.update((str(insight), plan) for insight, _ in plan["pairs"])
    now, operations = {skill.digest for skill in arm.skills}, _operations()
    for insight, need in memory.needs():
        negative = insight.relation in ("no_effect", "prevents") or insight.status == "refuted"
        if not (negative and need.known.tried and insight.id in plans):
            continue
        plan = plans[insight.id]
        if set(plan.get("skills", ())) - now:
            memory.expire(insight.id, "a skill that stood in for it is gone")
        elif plan.get("operations", operations) != operations:
            memory.expire(insight.id, "the search had other operations then")


def _operations() -> str:
    """The fingerprint of what programs are composed of, skills apart."""
    from evolve.programs.operations import vocabulary

    return digest(canonical_json(sorted(operation.name for operation in vocabulary())))[:16]


def _counted(trials: Sequence[_Trial]) -> Mapping[str, Any]:
    told = [(trial.insight.id, trial.missed) for trial in trials if trial.insight and trial.relation is not None]
    tried, missed = Counter(name for name, _ in told), Counter(name for name, was_missed in told if was_missed)
    each = {name: {"tried": tried[name], "needed": missed[name]} for name in sorted(tried)}
    return {"tried": tried.total(), "needed": missed.total(), "insights": each}


def _plan(session: Session, wish: _Wish) -> list[tuple[str, str]]:
    """Pairs of an insight and a task on which it is to be tested; the task of a group is the one that cost least."""
    memory, train = session.stores.memory, {task.id: task for task in session.suite.split("train")}
    cheapest: dict[str, EpisodeRecord] = {}
    for record in wish.records:
        own = cheapest.get(record.group)
        if record.verified and record.task in train and (own is None or _order(record) < _order(own)):
            cheapest[record.group] = record
    planned = plan_removals(
        [(one, need) for one, need in memory.needs() if wish.insight in ("", one.id)],
        costs={group: record.cost.candidates for group, record in cheapest.items()},
        times=MOST,
        most=wish.most,
    )
    return [(one.insight.id, cheapest[one.group].task) for one in planned]


def _order(record: EpisodeRecord) -> tuple[int, str]:
    return record.cost.candidates, record.task


@dataclass(frozen=True, kw_only=True)
class _Trial:
    """An episode of a test; the one with the cause has no insight and teaches nothing.

    Attributes:
        first: Candidates that the search with the cause took.
    """

    task: Task
    attempt: Attempt
    insight: Insight | None = None
    first: int = 0
    features: tuple[float, ...] = ()

    @property
    def relation(self) -> Relation | None:
        """What the episode is evidence on; None for nothing."""
        record = self.attempt.record
        if self.insight is None or record.status not in _ENDED:
            return None
        cheaper = record.verified and record.cost.candidates <= CHEAPER * self.first
        return "prevents" if cheaper else "necessary"

    @property
    def direction(self) -> Literal[1, -1]:
        """+1 the relation holds on this problem, -1 it does not."""
        record = self.attempt.record
        needed = not record.verified or record.cost.candidates >= DEARER * self.first
        return 1 if needed or self.relation == "prevents" else -1

    @property
    def missed(self) -> bool:
        """Whether the problem needs the cause."""
        return self.relation == "necessary" and self.direction > 0

    def taught(self) -> EpisodeRecord:
        """The record with what it says of the insight."""
        record, insight, relation = self.attempt.record, self.insight, self.relation
        if insight is None or relation is None:
            return replace(record, claims=(), drafts=())
        took = f"after {record.cost.candidates:,} candidates" if record.verified else "not found"
        seen = Evidence(
            task=record.task,
            group=record.group,
            kind="intervention",
            direction=self.direction,
            features=self.features,
            detail=f"searched without it: {took}, with it after {self.first:,}",
        )
        claim = Claim(
            cause=insight.cause,
            relation=relation,
            effect=insight.effect,
            scope=insight.scope,
            evidence=(seen,),
            text=_OCCURS.sub(f" {_WORDS[relation]} ", insight.text, count=1),
        )
        return replace(record, claims=(claim,), drafts=())


def _run(session: Session, number: int, arm: Arm, pairs: Sequence[tuple[str, Task]]) -> list[_Trial]:
    """The searches with everything first, then those without each cause; fewer where the budget ended."""
    tasks = {task.id: task for _, task in pairs}
    job = partial(_job, session, number)
    with_all = _attempts(session, f"needs:{number} with all", arm, [job(task) for task in tasks.values()])
    trials = [_Trial(task=tasks[one.record.task], attempt=one) for one in with_all]
    first = {one.record.task: one.record.cost.candidates for one in with_all if one.record.verified}
    policy = arm.policy(session.learner)
    for name in dict.fromkeys(name for name, _ in pairs):
        insight = session.stores.memory.get(name)
        own = [task for other, task in pairs if other == name and first.get(task.id)]
        jobs = [job(task, candidates=MOST * first[task.id]) for task in own]
        lacking = replace(arm, lacking=frozenset({insight.cause}))
        for attempt in _attempts(session, f"needs:{number} without {insight.id[:12]}", lacking, jobs):
            task = tasks[attempt.record.task]
            features = tuple(policy.features(task.view()))
            trials.append(_Trial(task=task, attempt=attempt, insight=insight, first=first[task.id], features=features))
    return trials


def _job(session: Session, number: int, task: Task, *, candidates: int | None = None) -> EpisodeJob:
    limits = session.plan.limits
    most = limits.candidates if candidates is None else min(candidates, limits.candidates or candidates)
    seed = session.plan.seed * 1000 + number
    return EpisodeJob(task=task, arm="", variant="", split=PROBE, seed=seed, limits=replace(limits, candidates=most))


def _attempts(session: Session, name: str, arm: Arm, jobs: Sequence[EpisodeJob]) -> list[Attempt]:
    if not jobs:
        return []
    session.workers.announce(name, arm)
    return session.attempt([replace(job, arm=name, variant=name) for job in jobs])
