"""Intervals that hold at every look at once."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.trials.gate import (
    PairedRow,
    mean_confidence_sequence,
    saving_confidence_sequence,
    solved_confidence_sequence,
)

differences = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 0.3, -0.7]), min_size=1, max_size=40)


@settings(max_examples=30, deadline=None)
@given(differences)
def test_the_mean_lies_within_its_bounds_and_mirroring_mirrors_them(values: list[float]) -> None:
    one = mean_confidence_sequence(values)
    assert -1.0 <= one.low <= one.value <= one.high <= 1.0
    other = mean_confidence_sequence([-value for value in values])
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), abs=1e-9)


@pytest.mark.slow
def test_whoever_looks_after_every_pair_is_misled_at_most_as_often_as_said() -> None:
    misled = 0
    for seed in range(60):
        rng = random.Random(seed)
        values = [rng.choices((-1.0, 0.0, 1.0), (0.2, 0.5, 0.3))[0] for _ in range(80)]
        looks = (mean_confidence_sequence(values[:count]) for count in range(4, 81, 4))
        misled += any(not one.low <= 0.1 <= one.high for one in looks)
    assert misled <= 60 * 0.05 + 2 * (60 * 0.05 * 0.95) ** 0.5


def test_many_pairs_tell_a_gain_from_none() -> None:
    values = [1.0, 0.0, 1.0, -1.0, 1.0, 0.0, 1.0] * 20
    found = mean_confidence_sequence(values)
    assert found.low > 0.2 and found.high < 0.65 and found.n == 140


def test_no_pairs_give_no_figure_and_wild_ones_are_refused() -> None:
    assert mean_confidence_sequence([]).value is None
    with pytest.raises(ValueError):
        mean_confidence_sequence([1.5])


def row(group: str, *, solved: tuple[bool, bool], cost: tuple[float, float]) -> PairedRow:
    return PairedRow(
        task=f"{group}{cost}",
        group=group,
        parent_solved=solved[0],
        variant_solved=solved[1],
        parent_cost=cost[0],
        variant_cost=cost[1],
    )


def test_tasks_of_one_group_count_once() -> None:
    rows = [
        row("a", solved=(True, True), cost=(100, 50)),
        row("a", solved=(False, True), cost=(100, 80)),
        row("b", solved=(True, True), cost=(100, 200)),
    ]
    assert (solved_confidence_sequence(rows).value, solved_confidence_sequence(rows).n) == (0.25, 2)
    assert (saving_confidence_sequence(rows).value, saving_confidence_sequence(rows).n) == (0.0, 2)
