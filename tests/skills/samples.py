"""Proposed skills, good and bad."""

from __future__ import annotations

from dataclasses import replace

from evolve.core.episodes import Row, SkillDraft

LARGE_EVENS = '''
def large_evens(xs: list[int], least: int) -> list[int]:
    """The even numbers that are at least as large as a bound, in order, without repeats."""
    kept = []
    for x in sorted(xs):
        if x % 2 == 0 and x >= least and x not in kept:
            kept.append(x)
    return kept
'''


def rows(*pairs) -> tuple[Row, ...]:
    return tuple(Row(input=tuple(given), output=expected) for given, expected in pairs)


GOOD = SkillDraft(
    name="large-evens",
    description="Keeps even numbers from a bound on.",
    entry="large_evens",
    signature="(xs: list[int], least: int) -> list[int]",
    code=LARGE_EVENS,
    tests=rows(
        (([4, 1, 8, 6, 3, 8], 4), [4, 6, 8]),
        (([2, 2, 5], 0), [2]),
        (([-4, -2, 7, 0], -3), [-2, 0]),
        (([9, 7], 1), []),
    ),
    source="task lists-1",
)
UNSEEN = rows((([10, 12, 3, 12], 11), [12]), (([], 5), []), (([6, 4, 2], 4), [4, 6]), (([1], 0), []))


def draft(**changes) -> SkillDraft:
    return replace(GOOD, **changes)
