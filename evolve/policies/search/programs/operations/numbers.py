"""Integers, floats and booleans."""

from __future__ import annotations

import operator
from collections.abc import Callable

from evolve.policies.search.programs.operation import MAX_INT, Operation, define
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR


def bounded(function: Callable[[int, int], int]) -> Callable[[int, int], int]:
    """``function``, undefined where its result would leave the range of sensible integers."""

    def checked(a: int, b: int) -> int:
        result = function(a, b)
        if -MAX_INT < result < MAX_INT:
            return result
        raise OverflowError

    return checked


def operations() -> tuple[Operation, ...]:
    """Arithmetic, comparison and rounding; all of them may stand in lambdas."""
    return (*_integers(), *_booleans(), *_floats())


def _integers() -> tuple[Operation, ...]:
    two = (INT, INT)
    return (
        define("add", two, INT, "a0 + a1", function=operator.add, cost=3, scalar=True, commutative=True),
        define("subtract", two, INT, "a0 - a1", function=operator.sub, cost=4, scalar=True),
        define("multiply", two, INT, "a0 * a1", function=bounded(operator.mul), cost=4, scalar=True, commutative=True),
        define("floor_divide", two, INT, "a0 // a1", function=operator.floordiv, cost=5, scalar=True),
        define("modulo", two, INT, "a0 % a1", function=operator.mod, cost=5, scalar=True),
        define("absolute", (INT,), INT, "abs(a0)", function=abs, cost=6, scalar=True),
        define("negate", (INT,), INT, "-a0", function=operator.neg, cost=6, scalar=True),
        define("smaller", two, INT, "min(a0, a1)", function=min, cost=6, scalar=True, commutative=True),
        define("larger", two, INT, "max(a0, a1)", function=max, cost=6, scalar=True, commutative=True),
        # Any program uses it. At a price of 5, searches wrote numbers with thousands separators instead, which
        # fitted the examples and nothing else.
        define("number_to_text", (INT,), STR, "str(a0)", function=str, cost=3, scalar=True),
    )


def _booleans() -> tuple[Operation, ...]:
    two = (INT, INT)
    return (
        define("less", two, BOOL, "a0 < a1", function=operator.lt, cost=3, scalar=True),
        define("equal", two, BOOL, "a0 == a1", function=operator.eq, cost=3, scalar=True, commutative=True),
        define("different", two, BOOL, "a0 != a1", function=operator.ne, cost=4, scalar=True, commutative=True),
        define("is_even", (INT,), BOOL, "a0 % 2 == 0", cost=4, scalar=True),
        define("is_odd", (INT,), BOOL, "a0 % 2 == 1", cost=4, scalar=True),
        define("divides", two, BOOL, "a1 % a0 == 0", cost=6, scalar=True),
    )


def _finite(function: Callable[..., float]) -> Callable[..., float]:
    def checked(*args: float) -> float:
        result = function(*args)
        if -1e15 < result < 1e15:
            return result
        raise OverflowError

    return checked


def _floats() -> tuple[Operation, ...]:
    two = (FLOAT, FLOAT)
    return (
        define(
            "add_floats", two, FLOAT, "a0 + a1", function=_finite(operator.add), cost=4, scalar=True, commutative=True
        ),
        define("subtract_floats", two, FLOAT, "a0 - a1", function=_finite(operator.sub), cost=4, scalar=True),
        define(
            "multiply_floats",
            two,
            FLOAT,
            "a0 * a1",
            function=_finite(operator.mul),
            cost=4,
            scalar=True,
            commutative=True,
        ),
        define("divide", two, FLOAT, "a0 / a1", function=_finite(operator.truediv), cost=5, scalar=True),
        define("round_to_integer", (FLOAT,), INT, "round(a0)", function=round, cost=6, scalar=True),
        define("truncate", (FLOAT,), INT, "int(a0)", function=int, cost=6, scalar=True),
        define("ceiling", (FLOAT,), INT, "math.ceil(a0)", cost=7, scalar=True),
        define("to_float", (INT,), FLOAT, "float(a0)", function=float, cost=3, scalar=True),
        define("less_float", two, BOOL, "a0 < a1", function=operator.lt, cost=5, scalar=True),
    )
