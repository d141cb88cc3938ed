"""Groups that judge again: the error level follows what they have served, and some are kept back to confirm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.doubles import small_suite
from benchmarks.doubles.cheating import _record, _solves_more
from evolve.core.episodes import EpisodeRecord
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.tasks import Suite, Task
from evolve.trials.gate import (
    ComparisonPlan,
    DecisionRepository,
    ErrorBudget,
    ExactTest,
    Gate,
    GateLevel,
    Job,
    SequentialTest,
    Tally,
    VariantProposal,
    sign_test_p,
)
from evolve.trials.gate.error_budget import DRAWN, JUDGED, KEPT_BACK, LEAST, SHARE, GroupBlocks, divide_groups

NAMES = {"parent": "old", "suite": "s"}
LARGE = 5 * LEAST
"""Tasks of a suite whose gate is large enough to keep some groups back."""


@pytest.fixture
def db(tmp_path: Path):
    with Database(tmp_path / "memory.db", GATE) as opened:
        yield opened


@pytest.fixture
def gate(db: Database) -> Gate:
    return Gate(DecisionRepository(db))


def proposal(suite: Suite, variant: str, **more: object) -> VariantProposal:
    return replace(VariantProposal(run="r", parent="old", variant=variant, suite=suite), **more)


def no_better(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
    return [_record(job, True, 100) for job in jobs]


def only_on(groups: frozenset[str]):
    """Solves tasks of these groups, which the parent does not."""

    def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        return [_record(job, job.arm == "variant" and job.task.group in groups, 100) for job in jobs]

    return run


def divided(decisions: DecisionRepository, groups: Iterable[str], key: str) -> GroupBlocks:
    return divide_groups(groups, begun=decisions.served(key), served=decisions.times_served(JUDGED))


def judged(gate: Gate, suite: Suite, variant: str, run=no_better):
    found = gate.judge(proposal(suite, variant), ComparisonPlan(run=run))
    gate.decisions.save_finding(found)
    return found


@pytest.mark.slow
@given(st.lists(st.frozensets(st.integers(0, 5).map(str), min_size=1), max_size=25))
@settings(deadline=None, max_examples=30)
def test_the_levels_of_all_that_a_group_serves_never_sum_to_more_than_the_bound(used) -> None:
    with TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", GATE) as db:
        decisions, levels = DecisionRepository(db), []
        for number, groups in enumerate(used):
            suite = f"suite {number}"  # every suite by another name and digest
            begun = decisions.open({}, run="r", parent="old", variant=f"v{number}", suite=suite, groups=groups)
            levels.append((groups, begun.alpha))
    for group in "012345":
        assert sum(level for groups, level in levels if group in groups) <= 0.05 + 1e-12


def test_a_task_that_is_added_a_new_name_and_new_splits_reset_nothing(gate: Gate) -> None:
    before = small_suite(40)
    for number in range(3):
        judged(gate, before, f"v{number}")
    more = Suite(name="other", tasks=(*before.tasks, small_suite(1, seed=9).tasks[0]))
    assert more.digest != before.digest
    assert judged(gate, more, "v3").state.alpha == pytest.approx(0.05 / (4 * 5))

    class Resplit(Suite):
        splits = dict.fromkeys(before.splits, "gate") | {before.split("gate")[0].group: "train"}  # type: ignore

    again = Resplit(name="again", tasks=before.tasks[1:])
    assert judged(gate, again, "v4").state.alpha == pytest.approx(0.05 / (5 * 6))
    assert judged(gate, small_suite(40, seed=5), "v5").state.alpha == pytest.approx(0.05 / 2)


def test_what_older_versions_judged_counts_for_its_groups_as_far_as_they_are_known(db: Database) -> None:
    old = DecisionRepository(db)
    for number in range(2):
        state = SequentialTest().judge(Tally(losses=9))
        old.save_verdict(state, run="r1", variant=f"v{number}", **NAMES)
    now = DecisionRepository(db, earlier=lambda run: {"a", "b"} if run == "r1" else ())
    assert now.next_level("grown", ["b", "c"])[0] == 3
    assert now.next_level("grown", ["c"])[0] == 1
    # Where nobody knows the groups they count for the suite.
    assert old.next_level("s", ["c"])[0] == 3 and old.next_level("grown", ["b"])[0] == 1
    assert now.open_confirmation("k", "grown", ["b", "c"]).level == pytest.approx(0.05 / (3 * 4))


def test_what_is_kept_back_stays_so_when_tasks_are_added_and_after_a_break(gate: Gate) -> None:
    groups = [f"g{number}" for number in range(LEAST)]
    first = divided(gate.decisions, groups, "k")
    assert len(first.kept) == round(SHARE * LEAST) and first.judged | first.kept == set(groups)
    gate.decisions.open({}, run="r", variant="v", groups=first.judged, **NAMES)
    grown = divided(gate.decisions, [*groups, *(f"h{number}" for number in range(30))], "other")
    assert not grown.kept & first.judged and len(grown.kept & first.kept) > len(first.kept) / 2
    key = proposal(small_suite(6), "v").key
    gate.decisions.open({}, **proposal(small_suite(6), "v").identifying_names, groups=first.judged)
    assert divided(gate.decisions, groups, key) == first
    assert not divided(gate.decisions, groups[1:], "few").kept


@pytest.mark.slow
def test_a_gain_on_the_judged_problems_alone_is_not_confirmed(gate: Gate) -> None:
    suite = small_suite(LARGE)
    tried = divided(gate.decisions, {task.group for task in suite.evidence("gate")}, "")
    lucky = judged(gate, suite, "lucky", only_on(tried.judged))
    assert (lucky.state.verdict, lucky.accepted) == ("undecided", False)
    assert lucky.confirmation and not lucky.confirmation.confirmed and "not confirmed" in lucky.state.reason
    # Both have served once more, each in its own count.
    real = judged(gate, suite, "real", _solves_more)
    assert real.accepted and real.confirmation
    assert real.state.alpha == real.confirmation.level == pytest.approx(0.05 / (2 * 3))
    assert judged(gate, suite, "none").confirmation is None
    assert judged(gate, suite, "last", _solves_more).confirmation.number == 3
    assert [one.confirmation for one in gate.decisions.list_verdicts()][1] == real.confirmation


def test_a_small_suite_says_that_nothing_confirms_what_it_accepts(gate: Gate) -> None:
    found = judged(gate, small_suite(200), "real", _solves_more)
    assert found.accepted and found.confirmation is None
    assert found.state.reason.endswith("too few problems to confirm it on others")


@pytest.mark.slow
def test_a_suite_that_can_draw_confirms_on_problems_that_nobody_has_seen(gate: Gate) -> None:
    asked = []

    def draw(number: int, seed: int) -> tuple[Task, ...]:
        asked.append(seed)
        return (*suite.split("gate")[:5], *small_suite(number, seed=seed).tasks)

    suite = replace(small_suite(200), draw=draw)
    real = judged(gate, suite, "real", _solves_more)
    assert real.accepted and real.confirmation.source == DRAWN
    assert {task.group for task in suite.split("gate")} & {pair.group for pair in real.pairs}
    assert real.confirmation.planned <= 100
    first = GateLevel(level=real.confirmation.level, wealth=real.confirmation.wealth, accepted=True)
    known = {task.group for task in suite.split("gate")}
    lucky = judged(gate, suite, "lucky", only_on(known))
    assert not lucky.accepted and "not confirmed on" in lucky.state.reason
    # Nobody had seen them, so what the first one left comes back.
    assert lucky.confirmation.level == ErrorBudget().next_level([first])
    assert len(set(asked)) == 2
    gate.judge(proposal(suite, "lucky"), ComparisonPlan(run=only_on(known)))
    assert asked[-1] == asked[-2]


OUTCOMES = st.lists(st.sampled_from(["win", "loss", "tie", "withheld"]), min_size=1, max_size=40)


@pytest.mark.slow
@given(OUTCOMES, st.sampled_from([0.025, 0.1, 0.5]))
def test_a_test_of_fixed_size_stops_early_only_where_the_rest_could_not_turn_it(outcomes, alpha) -> None:
    test, tally, stopped = ExactTest(alpha=alpha), Tally(), []
    for number, outcome in enumerate(outcomes):
        tally = tally.with_outcome(outcome)
        state = test.judge(tally, left=len(outcomes) - number - 1)
        if state.stop:
            stopped.append(state.verdict)
    accepted = sign_test_p(tally.wins, tally.losses + tally.withheld) <= alpha
    assert set(stopped) == {"accept" if accepted else "reject"}


@pytest.mark.slow
@given(st.integers(0, 30), st.integers(0, 30))
def test_the_chance_of_so_many_wins_is_that_of_a_fair_coin(wins, losses) -> None:
    assert (
        sign_test_p(wins, losses) + sign_test_p(losses + 1, wins - 1) == pytest.approx(1)
        if wins
        else sign_test_p(0, losses) == 1
    )
    assert sign_test_p(wins + 1, losses) < sign_test_p(wins, losses) + 1e-12 <= sign_test_p(wins, losses + 1) + 2e-12


def test_kept_back_groups_that_judged_once_confirm_more_strictly(db: Database) -> None:
    decisions = DecisionRepository(db)
    decisions.open({}, run="r", variant="v", groups=["a"], **NAMES)
    assert decisions.open_confirmation("k", "s", ["a"]).number == 2
    assert decisions.open_confirmation("l", "s", ["b"]).number == 2  # the second one on the suite
    assert decisions.open_confirmation("k", "s", ["a"]) == decisions.served("k", KEPT_BACK)
