"""Aggregates are what the rows say, worked out by hand."""

from __future__ import annotations

import math

import pytest

from benchmarks import figures
from tests.benchmarks.rows import row, unsolved, wrong

OLD, NEW = "unlearned", "guide+library"


def test_counts_of_an_arm_come_from_its_held_out_rows_alone():
    rows = [
        row("a", NEW, 300),
        row("b", NEW, 301),
        wrong("c", NEW, 10),
        unsolved("d", NEW),
        row("e", NEW, 5, split="train"),
        row("a", OLD, 7),
    ]
    found = figures.arm_figures(rows, NEW)
    assert (found.tasks, found.groups, found.solved_interactive, found.solved) == (4, 4, 1, 2)
    assert (found.claimed, found.wrong, found.checked) == (3, 1, 3)
    assert (found.candidates, found.cpu_s) == (300 + 301 + 10 + 1000, 1.611)


def test_candidate_ratio_is_the_median_over_tasks_both_solve():
    rows = [
        *(row(task, OLD, 100) for task in "abcefg"),
        unsolved("d", OLD),
        *(row(task, NEW, cost) for task, cost in zip("abcefgd", (10, 10, 20, 20, 200, 200, 1), strict=True)),
    ]
    found = figures.candidate_ratio(rows, OLD, NEW)
    assert found.value == pytest.approx(0.2)
    assert found.n == 6
    assert found.low == pytest.approx(0.1)
    assert found.high == pytest.approx(2.0)


def test_tasks_are_paired_within_a_split_and_not_across():
    rows = [
        row("a", OLD, 100, seed=0),
        row("a", OLD, 400, seed=1),
        row("a", NEW, 100, seed=1),
        row("a", NEW, 900, seed=2),
    ]
    found = figures.pairs(rows, OLD, NEW)
    assert [(one.parent_cost, one.variant_cost) for one in found] == [(400, 100)]


def test_the_same_problem_in_several_splits_is_one_group():
    rows = [row("a", arm, 100, seed=seed, group="same") for arm in (OLD, NEW) for seed in range(5)]
    assert figures.candidate_ratio(rows, OLD, NEW).n == 1


@pytest.mark.parametrize(("at", "gain", "relative"), [(None, 0.25, 1.5), (300, 0.5, 3.0)])
def test_solved_figures_at_the_budget_and_before(at, gain, relative):
    rows = [
        row("a", OLD, 300),
        row("b", OLD, 301),
        unsolved("c", OLD),
        unsolved("d", OLD),
        row("a", NEW, 3),
        row("b", NEW, 300),
        row("c", NEW, 299),
        unsolved("d", NEW),
    ]
    assert figures.solved_gain(rows, OLD, NEW, at=at).value == pytest.approx(gain)
    assert figures.relative_solved(rows, OLD, NEW, at=at).value == pytest.approx(relative)


def test_a_parent_that_solves_nothing_counts_as_solving_one():
    rows = [unsolved("a", OLD), unsolved("b", OLD), row("a", NEW, 5), row("b", NEW, 5)]
    assert figures.relative_solved(rows, OLD, NEW).value == 2.0


def test_doublings_saved_count_an_unsolved_task_at_the_budget():
    rows = [row("a", OLD, 80), unsolved("b", OLD), row("a", NEW, 10), row("b", NEW, 250)]
    assert figures.doublings_saved(rows, OLD, NEW).value == pytest.approx((3 + 2) / 2)


def test_a_wrong_answer_found_soon_saves_nothing():
    rows = [row("a", OLD, 500), wrong("a", NEW, 1)]
    assert figures.doublings_saved(rows, OLD, NEW).value == pytest.approx(-1.0)


def test_an_arm_with_a_larger_budget_is_compared_at_that_budget():
    rows = [unsolved("a", "unlearned-total", budget=4000), unsolved("a", NEW)]
    assert figures.doublings_saved(rows, "unlearned-total", NEW).value == 0.0


def test_wrong_share_has_exact_bounds():
    rows = [*(row(f"t{i}", NEW, 5) for i in range(19)), wrong("w", NEW, 5), unsolved("u", NEW)]
    found = figures.wrong_share(rows, NEW)
    assert found.value == pytest.approx(0.05)
    assert found.n == 20
    # Clopper and Pearson's bounds for 1 of 20.
    assert found.low == pytest.approx(1 - 0.975 ** (1 / 20), rel=1e-6)
    assert found.high == pytest.approx(0.24873, abs=1e-4)


def test_claims_without_further_unseen_rows_are_no_evidence_either_way():
    rows = [row("a", NEW, 5, correct_unseen=None), row("b", NEW, 5)]
    assert figures.wrong_share(rows, NEW).n == 1


def test_claimed_over_solved():
    rows = [row("a", NEW, 5), row("b", NEW, 5, claimed_verified=False), wrong("c", NEW, 5), unsolved("d", NEW)]
    assert figures.claimed_over_solved(rows, NEW).value == 1.0
    assert figures.claimed_over_solved([unsolved("a", NEW)], NEW).value is None


def test_no_rows_give_no_figures():
    for found in (
        figures.candidate_ratio([], OLD, NEW),
        figures.solved_gain([], OLD, NEW),
        figures.relative_solved([], OLD, NEW),
        figures.doublings_saved([], OLD, NEW),
        figures.wrong_share([], NEW),
    ):
        assert found.value is None


def test_the_bootstrap_resamples_groups():
    # One group holds all the gain: resampled alone it is drawn 0 to 3 times of 3, never in between.
    groups = ["a", "a", "b", "c"]
    found = figures.grouped_bootstrap(groups, [(1, 1), (1, 1), (0, 1), (0, 1)], lambda sums: sums[:, 0] / sums[:, 1])
    assert found.value == 0.5
    assert found.n == 3
    assert (found.low, found.high) == (0.0, 1.0)
    assert not math.isnan(found.low)
