"""The figures on the language policy say what the rows say."""

from __future__ import annotations

import pytest

from benchmarks import language


def rows(first_on, first_off):
    return [
        {"measure": "curve", "arm": arm, "first": right, "solved": True, "tokens": 1_000}
        for arm, many in (("memory on, skills on", first_on), ("memory off, skills off", first_off))
        for right in [True] * many + [False] * (language.LAST - many)
    ]


@pytest.mark.parametrize(("on", "off", "met"), [(10, 0, True), (9, 4, True), (8, 4, False), (0, 0, False)])
def test_learning_counts_where_it_solves_more_than_twice_as_many(on, off, met):
    target = language.targets_of(rows(on, off))[0]
    assert (target.value, target.met) == (on - 2 * off, met)


def test_what_was_not_measured_is_not_met():
    assert [target.name for target in language.targets_of([]) if target.met] == []


def test_budgets_hold_in_a_few_episodes_and_a_passed_one_is_counted():
    found = list(language.budget_rows(5))
    assert [row["over"] for row in found] == [False] * 5
    budgets = {target.name: target for target in language.targets_of([*found, {**found[0], "over": True}])}
    assert budgets["budgets passed"].value == 1
