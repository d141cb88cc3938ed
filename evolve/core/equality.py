"""When two JSON values count as the same answer."""

from __future__ import annotations

import math

from evolve.core.episodes import Json

# The default of math.isclose.
RELATIVE_TOLERANCE = 1e-9


def equal(a: Json, b: Json) -> bool:
    """Whether two JSON values are the same answer.

    Booleans are not numbers; an int equals a float when numerically equal; two floats are equal
    within a relative 1e-9; lists are ordered (a tuple counts as a list), dictionaries are not;
    strings compare by code point; NaN equals nothing. Works without recursion, so nesting
    cannot overflow the stack.
    """
    pending: list[tuple[Json, Json]] = [(a, b)]
    while pending:
        left, right = pending.pop()
        if isinstance(left, list | tuple):
            if not isinstance(right, list | tuple) or len(left) != len(right):
                return False
            pending.extend(zip(left, right, strict=True))
        elif isinstance(left, dict):
            if not isinstance(right, dict) or left.keys() != right.keys():
                return False
            pending.extend((left[key], right[key]) for key in left)
        elif not _same_scalar(left, right):
            return False
    return True


def _same_scalar(left: Json, right: Json) -> bool:
    if left is None or isinstance(left, bool) or right is None or isinstance(right, bool):
        return left is right
    if isinstance(left, float) and isinstance(right, float):
        return math.isclose(left, right, rel_tol=RELATIVE_TOLERANCE, abs_tol=0.0)
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    return isinstance(left, str) and isinstance(right, str) and left == right
