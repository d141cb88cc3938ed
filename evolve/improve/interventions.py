"""Tests of insights between episodes: the same tasks with one insight and without it, all else the same.

Where insights stand in a prompt, leaving one out is an intervention on exactly what it claims, that knowing the fact
helps. What a search learned is about operations and recalled to nobody there; its cause is taken out of the vocabulary
(:mod:`evolve.improve.removals`). So these tests are run for policies that read prompts, and for facts.

Only the first answer counts: an episode that sees what failed finds the fact out by itself. No skill is offered,
because one that rests on the same fact would hide whether the fact makes a difference. A pair that only the episode
with the insight solved agrees with the claim, one that only the other solved disagrees. Pairs that came out alike are
no evidence, and neither are faults.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from evolve.core.episodes import FACT, PROBE, Claim, Evidence
from evolve.core.failpoints import hit_failpoint
from evolve.improve.ablation import recalled_on, times_used
from evolve.improve.history import PLAN_STEP, TEST_STEP
from evolve.improve.schedule import INTERVENTIONS
from evolve.improve.session import Session
from evolve.memory import Insight, plan_test
from evolve.trials.comparisons import Change, by_success, claim_on
from evolve.trials.gate import Pair, one_per_group
from evolve.trials.jobs import Attempt
from evolve.trials.learned_state import PromptedLearner
from evolve.trials.pairs import PairedEpisodes, run_pairs

TESTS = 2
"""Insights that one round tests at most."""
PAIRS = 6
"""Problems on which one test is made at most: five that agree make a claim firm, and one may come out alike."""


def run_insight_tests(session: Session, number: int) -> int:
    """Tests the insights whose tests are worth most, within their part of the budget of round ``number``.

    Interrupted, the same call goes on, and nothing is paid twice.

    Returns:
        How many insights were tested.
    """
    if not isinstance(session.learner, PromptedLearner):
        return 0
    return sum(1 for _ in _tests(session, number, partial(session.has_room, number, INTERVENTIONS)))


def try_facts(session: Session, insight: str = "") -> Mapping[str, Any]:
    """The same at a person's wish, as far as the budget goes: how many problems needed each insight.

    Args:
        insight: Id of the only insight to test, or "" for those whose tests are worth most.
    """
    made = list(_tests(session, 1, lambda: not session.ledger.exhausted_bound, only=insight))
    return {"insights": {one["insight"]: {"tried": one["pairs"], "needed": one["agree"]} for one in made}}


def _tests(
    session: Session, number: int, may_go_on: Callable[[], bool], *, only: str = ""
) -> Iterator[Mapping[str, Any]]:
    """The tests of a round, run or run before, until one is not worth running or has no room."""
    for place in range(TESTS):
        name = f"{TEST_STEP}{number}:{place}"
        done = session.step_log.done(name)
        if done is None:
            if not may_go_on():
                return
            planned = session.step_log.once(f"{name}{PLAN_STEP}", partial(_make_plan, session, number, only))
            done = _run_test(session, name, planned, may_go_on) if planned["tasks"] else {}
        if not done:
            return
        yield done


def _plans(session: Session, number: int) -> Iterator[Mapping[str, Any]]:
    """The plans of this run so far, up to those of a round."""
    for earlier in range(1, number + 1):
        for place in range(TESTS):
            plan = session.step_log.done(f"{TEST_STEP}{earlier}:{place}{PLAN_STEP}")
            if plan is not None:
                yield plan


def _make_plan(session: Session, number: int, only: str) -> Mapping[str, Any]:
    """The insight to test and the tasks to test it on; no task where no test is worth running."""
    stores, arm = session.stores, session.stores.practice_state(session.workflow)
    before = {plan["insight"] for plan in _plans(session, number)}  # what came out alike would do so again
    own = arm.policy(session.learner).name
    known = [
        insight
        for insight in stores.memory.list_insights(policy=own)
        if insight.cause.startswith(FACT) and insight.id not in before and only in ("", insight.id)
    ]
    # Work in a folder can only be checked; what is recalled there is tried after a task, by one more answer.
    tasks = one_per_group(session.suite.evidence("train"))
    recalled = recalled_on(arm, session.learner, tasks) if any(insight.may_influence for insight in known) else {}
    uses = Counter({insight: len(recalled_tasks) for insight, recalled_tasks in recalled.items()}) + times_used(
        stores, recalled
    )
    chosen = plan_test(
        known,
        [row for insight in known for row in stores.memory.evidence(insight.id) if row.policy == own],
        uses=uses,
        groups={insight: [task.group for task in recalled_tasks] for insight, recalled_tasks in recalled.items()},
    )
    if chosen is None:
        return {"insight": "", "tasks": []}
    fresh = [task.id for task in recalled[chosen.insight.id] if task.group in chosen.groups]
    return {"insight": chosen.insight.id, "tasks": fresh[:PAIRS]}


def _run_test(session: Session, name: str, plan: Mapping[str, Any], may_go_on: Callable[[], bool]) -> Mapping[str, Any]:
    """Runs the pairs of one test; episodes and evidence are committed together."""
    if not session.stores.memory.has_insight(str(plan["insight"])):  # a person forgot it since it was planned
        return {}
    insight = session.stores.memory.get(str(plan["insight"]))
    whole = session.stores.practice_state(session.workflow)
    # A second answer or a skill could hide whether the insight makes a difference.
    whole = replace(whole, skills=(), workflow=whole.workflow.with_knobs(steps=1))
    if whole.memory is None:
        return {}
    names = f"{name} with {insight.id[:12]}", f"{name} without {insight.id[:12]}"
    change = Change(items=frozenset({insight.id}))
    ran: dict[str, Attempt] = {}

    def keep(attempts: Sequence[Attempt]) -> None:
        ran.update({attempt.record.episode: attempt for attempt in attempts})

    tasks = [session.suite.task(task_id) for task_id in plan["tasks"]]
    episodes = PairedEpisodes(run=session, split=PROBE, may_go_on=may_go_on, keep=keep)
    comparison = run_pairs(episodes, tasks, whole, change, names=names)
    claims = {pair.variant.episode: claim for pair in comparison.pairs if (claim := _claim(insight, pair)) is not None}
    hit_failpoint("insights.ran")
    if not ran:
        return {}
    directions = Counter(claim.evidence[0].direction for claim in claims.values())
    counts = {"insight": insight.id, "pairs": len(comparison.pairs), "agree": directions[1], "disagree": directions[-1]}
    with session.stores.db.transaction():
        known = session.stores.memory.has_insight(insight.id)
        for episode, attempt in ran.items():
            taught = (claims[episode],) if known and episode in claims else ()
            record = replace(attempt.record, claims=taught)
            session.commit(replace(attempt, record=record), task=session.suite.task(record.task))
        session.step_log.finish(name, counts)
    session.emit_event("tested", text=insight.text, **counts)
    return counts


def _claim(insight: Insight, pair: Pair) -> Claim | None:
    """The insight with what one pair says of it; None where it says nothing."""
    direction = by_success(pair)
    if direction is None:
        return None
    details = {1: "the first answer was right with it alone", -1: "the first answer was right without it alone"}
    return claim_on(
        insight,
        Evidence(task=pair.task, group=pair.group, kind="intervention", direction=direction, detail=details[direction]),
    )
