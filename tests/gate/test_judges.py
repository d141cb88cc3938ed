"""Judges are measured on answers of known worth before their opinion counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.episodes import Row
from evolve.gate.judges import BAR, CORRUPTIONS, JudgeRecord, Measurement, Trace, cases_of, measure
from evolve.record.schema import GATE
from evolve.store import Database
from evolve.tasks.verification.trials import try_rows
from evolve.testing import TrustingSandbox

ROWS = {
    "total": ("def total(xs):\n    found = sum(xs)\n    return found\n", [[1, 2], [4, 4, 4], [9]], sum),
    "joined": ("def joined(xs):\n    return '-'.join(xs)\n", [["a", "b"], ["qq", "r", "s"], ["tt"]], "-".join),
    "longest": (
        "def longest(xs):\n    return max(map(len, xs))\n",
        [["a", "bcd"], ["xy"]],
        lambda xs: max(map(len, xs)),
    ),
}


def traces():
    for name, (code, inputs, meaning) in ROWS.items():
        rows = tuple(Row(input=(value,), output=meaning(value)) for value in inputs)
        yield Trace(task=f"Write {name}.", group=name, entry=name, code=code, gave=rows)


def is_wrong(trace):
    _, inputs, meaning = ROWS[trace.entry]
    hidden = [*inputs, [*inputs[0], *inputs[1]], inputs[1][:1]]
    rows = [Row(input=(value,), output=meaning(value)) for value in hidden]
    return not try_rows(TrustingSandbox(), trace.code, trace.entry, rows).ok


@pytest.mark.parametrize("kind", CORRUPTIONS, ids=lambda one: one.name)
def test_every_corruption_makes_a_sound_answer_wrong_and_shows_it(kind):
    sound = list(traces())
    made = [kind.apply(one, sound[place - 1]) for place, one in enumerate(sound)]
    assert all(one is not None and one.shown != before.shown for one, before in zip(made, sound, strict=True))
    if kind.in_code:
        assert all(is_wrong(one) for one in made)
    assert not any(is_wrong(one) for one in sound)


def test_each_answer_is_judged_once_as_it_is_and_once_wrong_by_every_kind_in_turn():
    cases = cases_of(list(traces()) * 4, is_wrong)
    kinds = [case.corruption for case in cases]
    assert kinds[::2] == [""] * 12
    assert set(kinds[1::2]) == {one.name for one in CORRUPTIONS}


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
    assert found(**counts).standing == standing


@pytest.mark.slow
@given(st.integers(0, 60), st.integers(0, 60), st.integers(0, 60))
def test_a_judge_that_accepts_one_more_wrong_answer_never_gains(sound, refused, wrong):
    better = found(sound=sound + refused, accepted_sound=sound, wrong=61, accepted_wrong=wrong)
    worse = found(sound=sound + refused, accepted_sound=sound, wrong=61, accepted_wrong=wrong + 1)
    assert (worse.standing, better.standing) != ("measured", "below the bar")
    if better.standing == "measured":
        assert better.precision.low >= BAR <= better.recall.low


def test_nothing_is_asked_twice_and_another_prompt_or_model_is_another_judge(tmp_path):
    cases, asked = cases_of(list(traces()), is_wrong), []

    def ask(case):
        asked.append(case)
        return not case.corruption

    with Database(tmp_path / "judges.db", GATE) as db:
        record = JudgeRecord(db, clock=lambda: 1.0)
        for _ in range(2):
            made = measure(cases, lambda case: record.once(case, "m", "p", ask), model="m", prompt="p", suite="s")
        assert len(asked) == len(cases) == 6
        assert record.standing("m", "p") == "unmeasured"
        kept = record.keep(made)
        assert record.latest("m", "p") == kept
        assert (record.standing("m", "p"), kept.accepted_sound, kept.accepted_wrong) == ("below the bar", 3, 0)
        record.keep(found())
        assert record.standing("m", "p") == "measured"
        assert record.standing("m", "q") == record.standing("n", "p") == "unmeasured"
