"""Intervals that reports print."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.trials.gate import ConfidenceInterval, PairedRow, clopper_pearson, cost_ratio, solved_difference


def row(group: str, parent: float | None, variant: float | None, task: str = "t") -> PairedRow:
    return PairedRow(
        task=task,
        group=group,
        parent_solved=parent is not None,
        variant_solved=variant is not None,
        parent_cost=parent or 0.0,
        variant_cost=variant or 0.0,
    )


def test_the_median_ratio_counts_only_tasks_both_solve() -> None:
    both = [
        row(f"{name}{number}", 100, cost) for number in range(2) for name, cost in (("a", 10), ("b", 20), ("c", 50))
    ]
    rows = [*both, row("b2", 100, 20), row("d", None, 1), row("e", 5, None)]
    found = cost_ratio(rows)
    assert (found.value, found.n) == (pytest.approx(0.2), 7)
    assert found.low is not None and found.high is not None
    assert 0.1 <= found.low <= 0.2 <= found.high <= 0.5


def test_the_bootstrap_median_equals_a_direct_one() -> None:
    rng = np.random.default_rng(3)
    groups = [f"g{number % 17}" for number in range(60)]
    ratios = np.exp(rng.normal(size=60))
    rows = [row(group, 1000.0, 1000.0 * ratio) for group, ratio in zip(groups, ratios, strict=True)]
    assert cost_ratio(rows).value == pytest.approx(float(np.exp(np.median(np.log(ratios)))))


def test_solved_shares_are_compared_by_group() -> None:
    rows = [row(f"g{number}", None, 1.0) for number in range(30)] + [row(f"h{number}", 1, 1) for number in range(30)]
    found = solved_difference(rows)
    assert found.value == pytest.approx(0.5)
    assert found.low is not None and 0.3 < found.low < 0.5
    assert found.n == 60


def test_repeating_tasks_of_a_group_does_not_narrow_the_interval() -> None:
    once = [row(f"g{number}", 100.0, 100.0 * (0.2 if number % 3 else 3.0)) for number in range(20)]
    often = [one for one in once for _ in range(10)]
    assert cost_ratio(often, seed=1) == cost_ratio(once, seed=1)
    assert solved_difference(often, seed=1) == solved_difference(once, seed=1)


@pytest.mark.parametrize(("groups", "bounded"), [(1, False), (5, False), (6, True)])
def test_a_few_groups_that_agree_are_no_certainty(groups: int, bounded: bool) -> None:
    rows = [row(f"g{number}", 100.0, 50.0) for number in range(groups)]
    for found in (cost_ratio(rows), solved_difference(rows)):
        assert found.value is not None and found.n == groups
        assert (found.low is not None) == (found.high is not None) == bounded


def test_nothing_to_compare_gives_no_figures() -> None:
    empty = ConfidenceInterval(value=None, low=None, high=None, n=0)
    assert cost_ratio([]) == cost_ratio([row("a", None, 3)]) == solved_difference([]) == empty
    assert clopper_pearson(0, 0) == empty


@pytest.mark.slow
def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    covered = 0
    for trial in range(200):
        gains = rng.random((40, 2)) < [0.4, 0.6]
        rows = [
            row(f"g{number}", 1.0 if before else None, 1.0 if after else None)
            for number, (before, after) in enumerate(gains)
        ]
        found = solved_difference(rows, resamples=400, seed=trial)
        assert found.low is not None and found.high is not None
        covered += found.low <= 0.2 <= found.high
    assert covered >= 176


def test_exact_bounds_against_known_values() -> None:
    # The rule of three in its exact form, and a published table value.
    assert clopper_pearson(0, 100).high == pytest.approx(1 - 0.025 ** (1 / 100), abs=1e-6)
    assert clopper_pearson(100, 100).low == pytest.approx(0.025 ** (1 / 100), abs=1e-6)
    half = clopper_pearson(5, 10)
    assert (half.low, half.high) == (pytest.approx(0.1871, abs=1e-4), pytest.approx(0.8129, abs=1e-4))
    with pytest.raises(ValueError):
        clopper_pearson(3, 2)


@pytest.mark.slow
@settings(max_examples=60)
@given(st.integers(1, 200).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_bounds_enclose_the_estimate_and_mirror(case: tuple[int, int]) -> None:
    successes, trials = case
    found, mirrored = clopper_pearson(successes, trials), clopper_pearson(trials - successes, trials)
    assert found.low is not None and found.value is not None and found.high is not None and mirrored.low is not None
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.high == pytest.approx(1 - mirrored.low, abs=1e-6)
