"""What judges were found to be worth, and from where on their opinion counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.trials.gate import DecisionRepository
from evolve.trials.gate.judges import BAR, Measurement


def found(model="m", prompt="p", **counts):
    numbers = {"sound": 40, "accepted_sound": 40, "wrong": 40, "accepted_wrong": 0, **counts}
    return Measurement(model=model, prompt=prompt, suite="s", kinds={"off by one": (1, 4)}, **numbers)


@pytest.mark.parametrize(
    ("counts", "standing"),
    [
        ({}, "measured"),
        ({"accepted_wrong": 3}, "measured"),
        ({"accepted_wrong": 5}, "below the bar"),
        ({"accepted_sound": 36}, "below the bar"),
        ({"accepted_sound": 10, "sound": 10}, "below the bar"),
        ({"accepted_sound": 0, "sound": 0, "wrong": 0}, "below the bar"),
    ],
)
def test_a_judge_counts_only_where_both_lower_bounds_reach_the_bar(counts, standing):
    assert found(**counts).calibration == standing


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_judge_that_accepts_one_more_wrong_answer_never_gains(sound, refused, wrong):
    better = found(sound=sound + refused, accepted_sound=sound, wrong=61, accepted_wrong=wrong)
    worse = found(sound=sound + refused, accepted_sound=sound, wrong=61, accepted_wrong=wrong + 1)
    assert (worse.calibration, better.standing) != ("measured", "below the bar")
    if better.calibration == "measured":
        assert better.precision.low >= BAR <= better.recall.low


def test_the_latest_measurement_counts_and_another_prompt_or_model_is_another_judge(tmp_path):
    with Database(tmp_path / "judges.db", GATE) as db:
        decisions = DecisionRepository(db, clock=lambda: 1.0)
        assert decisions.measurement("m", "p") is None
        kept = decisions.add_measurement(found(accepted_wrong=20))
        assert decisions.measurement("m", "p") == kept
        decisions.add_measurement(found())
        assert decisions.measurement("m", "p").calibration == "measured"
        assert decisions.measurement("m", "q") is decisions.measurement("n", "p") is None
