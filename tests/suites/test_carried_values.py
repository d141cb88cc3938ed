"""The reference programs of carried values and columns, on rows worked out by hand."""

from __future__ import annotations

import random

import pytest

from benchmarks.suites import lists_carried
from evolve.core.episodes import Json
from evolve.tasks import equal

PROGRAMS = {p.text: p.fn for p in (f.make(random.Random(0)) for f in lists_carried.families())}
ROWS: list[tuple[str, list[Json], Json]] = [
    ("take every later value from the first and list what is left each time", [[10, 3, 2]], [10, 7, 5]),
    ("take the result so far from every value and list the results", [[4, 10, 7]], [4, 6, 1]),
    ("double the result so far before the next value is added and list the results", [[1, 3, 2]], [1, 5, 12]),
    ("multiply the result so far by ten before the next value is added", [[4, 0, 7]], 407),
    ("double the result so far before the next value is added", [[1, 0, 1]], 5),
    ("take the result so far from the next value", [[4, 10, 7]], 1),
    ("multiply every value by the next", [[2, 3, 5]], [6, 15]),
    ("begin with n, and double the result before every value is added", [5, [1, 2]], 24),
    ("begin with n, and take the result from every value", [10, [30, 45]], 25),
    ("divide n by every value in turn and go on with the remainder", [1234, [500, 48, 10]], 2),
    ("begin with n, and list what is left whenever a value was taken", [20, [3, 5]], [20, 17, 12]),
    ("take the second column from the first", [[9, 4], [2, 6]], [7, -2]),
    ("divide the first column by the second, rounding down", [[9, 4], [2, 6]], [4, 0]),
    ("give the remainders of the first column by the second", [[9, 4], [2, 6]], [1, 4]),
]


@pytest.mark.parametrize(("text", "arguments", "output"), ROWS, ids=[text for text, _, _ in ROWS])
def test_programs(text: str, arguments: list[Json], output: Json) -> None:
    assert equal(PROGRAMS[text](*arguments), output)


def test_every_program_has_a_row() -> None:
    assert sorted(PROGRAMS) == sorted(text for text, _, _ in ROWS)
