"""Answers of known worth: as they are, and made wrong in ways that a judge should notice."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Row
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.tasks.verification.program_runs import try_rows
from evolve.testing import TrustingSandbox
from evolve_evaluators.corruptions import CORRUPTIONS, Trace
from evolve_evaluators.measuring import cases_of, measure, once

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


def test_nothing_is_asked_twice(tmp_path):
    cases, asked = cases_of(list(traces()), is_wrong), []

    def ask(case):
        asked.append(case)
        return not case.corruption

    with Database(tmp_path / "judges.db", GATE) as db:
        for _ in range(2):
            made = measure(cases, lambda case: once(db, case, "m", "p", ask), model="m", prompt="p", suite="s")
    assert len(asked) == len(cases) == 6
    assert (made.calibration, made.accepted_sound, made.accepted_wrong) == ("below the bar", 3, 0)
