"""What a suite is said to show before it is run, held against the test itself."""

from __future__ import annotations

import random
from functools import cache

import pytest

from evolve.trials.gate import SequentialTest, Tally
from evolve.trials.gate.power import PowerForecast


@cache
def accepts(level: float, tally: Tally) -> bool:
    return SequentialTest(alpha=level).judge(tally).verdict == "accept"


def accepted(problems: int, share: float, level: float, seed: int) -> bool:
    """Whether the sequential test accepts somewhere in so many pairs, of which this share is won and none lost."""
    drawn, tally = random.Random(seed), Tally()
    for _ in range(problems):
        tally = tally.with_outcome("win" if drawn.random() < share else "tie")
        if accepts(level, tally):
            return True
    return False


@pytest.mark.slow
@pytest.mark.parametrize("problems", [10, 24, 64])
def test_the_gain_that_is_promised_is_found_four_times_of_five(problems):
    share = PowerForecast.for_problems(problems, 0.025).share
    assert share is not None
    found = sum(accepted(problems, share, 0.025, seed) for seed in range(400)) / 400
    assert 0.74 < found < 0.86
    less = sum(accepted(problems, 0.7 * share, 0.025, seed) for seed in range(400)) / 400
    assert less < found


def test_fewer_problems_than_must_be_won_show_nothing():
    ahead = PowerForecast.for_problems(7, 0.025)
    assert ahead.needed == 8 and ahead.share is None
    assert PowerForecast.for_problems(8, 0.025).share == pytest.approx(0.8 ** (1 / 8), abs=0.002)


def test_so_many_are_enough_and_one_less_is_not():
    enough = PowerForecast.problems_needed(0.5, 0.025)
    assert PowerForecast.for_problems(enough, 0.025).share <= 0.5 < PowerForecast.for_problems(enough - 1, 0.025).share
