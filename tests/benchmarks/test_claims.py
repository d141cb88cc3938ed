"""The bar of remembered claims: its measure and its test; a memory that helps passes, one that does not fails."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.claims import Cell, corrected, differences, rows_of, signed_rank, targets_of

ARMS = ("guide+library", "no-recall", "other-claims")


def rows(spent, *, suite="few", solved=(True, True, True)):
    """A row per arm and task: one task per problem."""
    return [
        {
            "suite": suite,
            "practised": 12,
            "seed": 0,
            "task": f"t{place}",
            "group": f"g{place}",
            "arm": arm,
            "work": work,
            "solved": was,
        }
        for place, each in enumerate(spent)
        for arm, work, was in zip(ARMS, each, solved, strict=True)
    ]


@given(st.lists(st.integers(-6, 6).filter(bool), min_size=1, max_size=8))
def test_the_signed_rank_test_counts_every_assignment_of_signs(values):
    sizes = sorted(map(abs, values))
    rank = {size: (sizes.index(size) + len(sizes) - 1 - sizes[::-1].index(size)) / 2 + 1 for size in sizes}
    reached = sum(rank[abs(value)] for value in values if value > 0)
    sums = [
        sum(rank[abs(value)] for value, sign in zip(values, signs, strict=True) if sign)
        for signs in product((False, True), repeat=len(values))
    ]
    assert signed_rank(values) == pytest.approx(sum(total >= reached for total in sums) / len(sums))


def test_nothing_but_equal_pairs_proves_nothing():
    assert signed_rank([0.0, 0.0]) == 1.0
    assert signed_rank([]) == 1.0


def test_holm_multiplies_the_least_by_all_and_never_falls():
    assert corrected({"a": 0.01, "b": 0.03, "c": 0.02}) == pytest.approx({"a": 0.03, "c": 0.04, "b": 0.04})
    assert corrected({"a": 0.9, "b": 0.8}) == {"b": 1.0, "a": 1.0}


def test_a_task_that_only_the_memory_solves_counts_as_the_dearest_attempt_for_the_other():
    one = rows([(100, 50, 100)], solved=(True, False, True)) + rows([(100, 800, 100)] * 2)[3:]
    saved = differences(one, "no-recall")
    assert saved == [3.0, 3.0]
    assert differences(one, "other-claims") == [0.0, 0.0]


def test_a_memory_that_saves_passes_and_one_that_costs_does_not():
    helps = rows([(100, 200, 150)] * 8)
    harms = rows([(200, 100, 150)] * 8, suite="other")
    met = {target.name: target.met for target in targets_of([*helps, *harms])}
    assert met == {
        "few, 12 tasks, memory against memory off, p": True,
        "few, 12 tasks, memory against other claims, p": True,
        "other, 12 tasks, memory against memory off, p": False,
        "other, 12 tasks, memory against other claims, p": False,
    }


@pytest.mark.slow
def test_the_arms_share_tasks_and_differ_in_what_is_recalled_alone():
    found = rows_of(Cell(suite="strings", size=8, seed=0, budget=400, held_out=6))
    by_arm = {arm: [row for row in found if row["arm"] == arm] for arm in ARMS}
    assert len({tuple(row["task"] for row in own) for own in by_arm.values()}) == 1
    assert all(len(own) == 6 for own in by_arm.values())
