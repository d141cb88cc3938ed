from __future__ import annotations

from benchmarks import endpoints

FAULT = {"measure": "endless reply", "kind": "hang", "wanted": "EndpointProblem", "found": "EndpointProblem"}
ROWS = [
    {**FAULT, "seconds": 0.6},
    {"measure": "budget", "seed": 0, "threads": 1, "over": []},
    {"measure": "call", "kind": "plain", "cpu_ms": 2.0},
]


def met(rows):
    return [target.met for target in endpoints.targets_of(rows)]


def test_nothing_is_met_that_was_not_measured():
    assert met([]) == [False] * 4
    assert met(ROWS) == [True] * 4


def test_one_wrong_end_one_long_wait_or_one_overspent_run_is_a_miss():
    assert met([*ROWS, {**FAULT, "found": "reply", "seconds": 0.1}]) == [False, True, True, True]
    assert met([*ROWS, {**FAULT, "seconds": 3.0}]) == [True, False, True, True]
    assert met([*ROWS, {"measure": "budget", "seed": 1, "threads": 4, "over": ["money"]}]) == [True, True, False, True]


def test_budgets_are_tried_with_one_and_with_four_threads():
    rows = list(endpoints.budget_rows(3))
    assert [(row["threads"], row["over"]) for row in rows] == [(4, []), (1, []), (1, [])]
