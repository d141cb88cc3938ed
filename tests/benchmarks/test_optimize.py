"""What the benchmark of the optimiser makes of its rows, and the landscapes it runs on."""

from __future__ import annotations

from itertools import product

import pytest

from benchmarks.landscapes import BITS, Landscape, bits, is_optimal
from benchmarks.optimize import gain, lead, targets_of
from benchmarks.optimize_search import climb
from evolve.agent.workflow import Workflow


def row(arm, seed, task, solved):
    held = {"measure": "held-out", "suite": "everyday", "arm": arm, "seed": seed}
    return {**held, "task": task, "group": task, "solved": solved}


ROWS = [
    *[row("shipped workflow", 0, task, True) for task in "abcd"],
    *[row("linked", 1, task, task != "d") for task in "abcd"],
    *[row("random search", 1, task, task == "a") for task in "abcd"],
    {"measure": "smooth", "arm": "linked", "seed": 1, "best": 0.9, "found": 0},
    {"measure": "smooth", "arm": "tpe", "seed": 1, "best": 1.0, "found": 40},
]


def test_rivals_are_paired_by_task_and_seed() -> None:
    assert gain(ROWS, "everyday", "random search").value == pytest.approx(0.5)
    assert gain(ROWS, "everyday", "tpe").value is None
    assert gain(ROWS, "lists", "random search").value is None
    assert lead(ROWS, "smooth", "tpe").value == pytest.approx(-0.1)


def test_what_was_not_measured_is_not_met() -> None:
    met = {target.name: target.met for target in targets_of(ROWS)}
    assert not met["everyday: groups solved, optimiser minus tpe"]
    assert not met["cheating optimisers accepted"]
    assert not met["deceptive landscape: optimum reached"]


def test_a_step_of_a_knob_on_its_grid_turns_one_bit() -> None:
    start = Workflow()
    assert len(bits(start)) == BITS
    for change in ({"steps": 8}, {"candidates": 25_000}, {"recall_k": 32}, {"withhold": 0.15}, {"branches": 2}):
        turned = [one != other for one, other in zip(bits(start), bits(start.with_knobs(**change)), strict=True)]
        assert sum(turned) == 1, change


def test_a_single_right_step_is_punished_on_the_deceptive_landscape_until_the_last() -> None:
    landscape = Landscape(kind="deceptive", seed=7)
    by_right = {right: landscape._block(right) for right in range(4)}
    assert by_right == {0: 2, 1: 1, 2: 0, 3: 3}
    assert not is_optimal(landscape.scores(landscape.start))


def test_a_sparse_landscape_says_nothing_of_a_block_until_it_is_right_and_deals_every_bit_twice() -> None:
    landscape = Landscape(kind="sparse", seed=7)
    assert [landscape._block(right) for right in range(4)] == [0, 0, 0, 3]
    dealt = landscape._drawn[1]
    assert landscape.blocks == 14 and all(dealt.count(place) == 2 for place in range(BITS))


@pytest.mark.slow
def test_climbs_are_the_same_again_and_keep_to_their_budget() -> None:
    for arm, kind in product(("linked", "random search"), ("smooth",)):
        first = climb(kind, arm, 901)
        assert first == climb(kind, arm, 901)
        assert first["scored"] <= Landscape(kind=kind, seed=901).budget
