"""Searches without one operation or skill: whether solved problems need it, all else the same.

Taking a part out of one answer says that it occurs there. Whether the problem needs it is found by taking it out of
the vocabulary and searching again, with the same prices and skills, for at most :data:`MOST` times
what the search with it took. :func:`evolve.trials.comparisons.by_cost` says what that tells.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.core.episodes import PROBE, EpisodeRecord, Evidence, Limits, Relation
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.improve.practice import finished_practice
from evolve.improve.session import Session
from evolve.memory import Insight, plan_removals
from evolve.tasks import Suite, Task
from evolve.trials.comparisons import Change, PairEvidence, by_cost, claim_on
from evolve.trials.jobs import Attempt
from evolve.trials.learned_state import LearnedState
from evolve.trials.learner import Learner
from evolve.trials.pairs import ArmTrials
from evolve.trials.repositories import Repositories

SHARE = 0.1
"""What searches without a cause may cost at most, of what the round's practice took in candidates."""
ASKED = 500_000
"""Candidates of the searches that a person asked for without a budget."""
MOST = 4
"""How many times the first cost a search without the cause may take."""
_OCCURS = re.compile(" (occurs in answers to|is necessary for|stands in the way of) ")
_WORDS: Mapping[Relation, str] = {"necessary": "is necessary for", "prevents": "stands in the way of"}


def try_without(session: Session, number: int) -> Mapping[str, int]:
    """Searches again without the causes that are worth testing, after the practice of round ``number``.

    Interrupted, the same call goes on, and nothing is paid twice.

    Returns:
        ``tried`` pairs of a problem and a cause, in how many of them it was ``needed``, and both by insight; {} where
        the policy cannot do without a part.
    """
    records = finished_practice(session.stores.runs.episodes(run=session.run))
    most = int(SHARE * sum(record.cost.candidates for record in records))
    return _tested(session, number, records, most) or {}


def try_claims(session: Session, insight: str = "") -> Mapping[str, Any]:
    """The same at a person's wish: on all problems of the suite that any run has solved, as far as the budget goes.

    Args:
        insight: Id of the only insight to test, or "" for what the memory plans.

    Returns:
        As :func:`try_without`; {} also where no task of the suite was solved yet.
    """
    records = solved_of(session.stores, session.suite)
    budget = session.ledger.budget.candidates
    return _tested(session, 1, records, ASKED if budget is None else budget, insight) or {}


def solved_of(stores: Repositories, suite: Suite) -> list[EpisodeRecord]:
    """The episodes of any run that solved a train task of the suite, so that it can be searched again."""
    train = {task.id for task in suite.split("train")}
    return [one for one in finished_practice(stores.runs.episodes()) if one.task in train and one.verified]


def can_remove(learner: Learner, arm: LearnedState) -> bool:
    """Whether who works with this arm can do without a part of it."""
    return arm.policy(learner).without_causes(()) is not None


def _tested(
    session: Session, number: int, records: Sequence[EpisodeRecord], most: int, insight: str = ""
) -> Mapping[str, Any] | None:
    """What came of the tests.

    Args:
        records: Episodes with all causes, whose costs count.
        most: Candidates for all searches.
        insight: Id of the only one to test, or "".
    """
    name = f"needs:{number}"
    done = session.step_log.done(name)
    if done is not None:
        return dict(done)
    arm = session.stores.practice_state(session.workflow)
    if not can_remove(session.learner, arm):
        return None

    def make_plan() -> Mapping[str, Any]:
        _set_aside(session, arm)
        skills = sorted(skill.digest for skill in arm.skills)
        return {"pairs": _plan(session, records, most, insight), "skills": skills, "operations": _operations()}

    with session.stores.db.transaction():
        plan = session.step_log.once(f"{name}:plan", make_plan)
    pairs = [(str(insight), session.suite.task(str(task))) for insight, task in plan["pairs"]]
    trials = _run(session, number, arm, pairs)
    hit_failpoint("removals.ran")
    with session.stores.db.transaction():
        # What a person forgot meanwhile is not learned again by this.
        has = session.stores.memory.has_insight
        trials = [one if one.insight is None or has(one.insight.id) else replace(one, insight=None) for one in trials]
        found = _counted(trials)
        for trial in trials:
            session.commit(replace(trial.attempt, record=trial.taught()), task=trial.task)
        session.step_log.finish(name, found)
    if pairs:
        session.emit_event("needs", round=number, tried=found["tried"], needed=found["needed"])
    return found


def _set_aside(session: Session, arm: LearnedState) -> None:
    """Sets aside that a step is not needed where that was found with other means than there are, so that it is tried
    anew: with a skill that is gone, or with other operations."""
    memory, plans = session.stores.memory, dict[str, Mapping[str, Any]]()
    for name, plan in session.stores.runs.finished_steps("needs:"):
        if name.endswith(":plan"):
            plans.update((str(insight), plan) for insight, _ in plan["pairs"])
    now, operations = {skill.digest for skill in arm.skills}, _operations()
    for insight, need in memory.insight_needs():
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
    from evolve.policies.search.programs.operations import vocabulary

    return digest(canonical_json(sorted(operation.name for operation in vocabulary())))[:16]


def _counted(trials: Sequence[_Trial]) -> Mapping[str, Any]:
    told = [(trial.insight.id, found.is_cause_needed) for trial in trials if trial.insight and (found := trial.finding)]
    tried, missed = Counter(name for name, _ in told), Counter(name for name, was_needed in told if was_needed)
    each = {name: {"tried": tried[name], "needed": missed[name]} for name in sorted(tried)}
    return {"tried": tried.total(), "needed": missed.total(), "insights": each}


def _plan(session: Session, records: Sequence[EpisodeRecord], most: int, insight: str) -> list[tuple[str, str]]:
    """Pairs of an insight and a task on which it is to be tested; the task of a group is the one that cost least."""
    memory, train = session.stores.memory, {task.id: task for task in session.suite.split("train")}
    cheapest: dict[str, EpisodeRecord] = {}
    for record in records:
        own = cheapest.get(record.group)
        if record.verified and record.task in train and (own is None or _order(record) < _order(own)):
            cheapest[record.group] = record
    planned = plan_removals(
        [(one, need) for one, need in memory.insight_needs() if insight in ("", one.id)],
        costs={group: record.cost.candidates for group, record in cheapest.items()},
        times=MOST,
        most=most,
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
    def finding(self) -> PairEvidence | None:
        """What it is evidence on; None for nothing."""
        return None if self.insight is None else by_cost(self.first, self.attempt.record)

    def taught(self) -> EpisodeRecord:
        record, insight, found = self.attempt.record, self.insight, self.finding
        if insight is None or found is None:
            return replace(record, claims=(), drafts=())
        took = f"after {record.cost.candidates:,} candidates" if record.verified else "not found"
        seen = Evidence(
            task=record.task,
            group=record.group,
            kind="intervention",
            direction=found.direction,
            features=self.features,
            detail=f"searched without it: {took}, with it after {self.first:,}",
        )
        text = _OCCURS.sub(f" {_WORDS[found.relation]} ", insight.text, count=1)
        return replace(record, claims=(claim_on(insight, seen, relation=found.relation, text=text),), drafts=())


def _run(session: Session, number: int, arm: LearnedState, pairs: Sequence[tuple[str, Task]]) -> list[_Trial]:
    """The searches with everything first, then those without each cause; fewer where the budget ended."""
    tasks = {task.id: task for _, task in pairs}
    run = ArmTrials(run=session, split=PROBE, seed=session.plan.seed * 1000 + number)
    with_all = run.attempt_tasks(list(tasks.values()), arm, Change(), name=f"needs:{number} with all")
    trials = [_Trial(task=tasks[one.record.task], attempt=one) for one in with_all]
    first = {one.record.task: one.record.cost.candidates for one in with_all if one.record.verified}
    most, policy = session.plan.limits, arm.policy(session.learner)

    def bound(task: Task) -> Limits:
        return most.capped_by(Limits(candidates=MOST * first[task.id]))

    bounded = replace(run, most=bound)
    for name in dict.fromkeys(name for name, _ in pairs):
        if not session.stores.memory.has_insight(name):  # a person forgot it since it was planned
            continue
        insight = session.stores.memory.get(name)
        own = [task for other, task in pairs if other == name and first.get(task.id)]
        change = Change(causes=frozenset({insight.cause}))
        for attempt in bounded.attempt_tasks(own, arm, change, name=f"needs:{number} without {insight.id[:12]}"):
            task = tasks[attempt.record.task]
            features = tuple(policy.features(task.view()))
            trials.append(_Trial(task=task, attempt=attempt, insight=insight, first=first[task.id], features=features))
    return trials
