"""Round numbers: what a person would have written where the rows leave a range."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

FINEST = -6
"""Power of ten of the last place that is looked at."""


def digits(value: float) -> int:
    """Digits that a number takes to write: 1 for 50 and 0.5, 3 for 1.19; two for each zero that 0.05 begins with."""
    number = Decimal(repr(value)).normalize()
    shown = len(number.as_tuple().digits)
    return max(1, shown) + 2 * max(0, places(value) - shown)


def places(value: float) -> int:
    """Decimal places of a number as it is written."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def roundest(low: float, high: float, *, with_low: bool = True, with_high: bool = True) -> float | None:
    """The roundest number of a range, by itself and then by its last place; None where none is round enough.

    A power of ten goes before five times one, and both before other multiples, of which
    the one nearest to the middle is taken.
    """
    least, most = Fraction(repr(float(low))), Fraction(repr(float(high)))

    def inside(value: Fraction) -> bool:
        return (least <= value if with_low else least < value) and (value <= most if with_high else value < most)

    if inside(Fraction(0)):
        return 0.0
    sign = -1 if most <= 0 else 1
    top = len(str(int(max(abs(least), abs(most)))))
    for power in range(top, FINEST - 1, -1):
        unit = Fraction(10) ** power
        for value in (sign * unit, sign * 5 * unit):
            if inside(value):
                return float(value)
        for step in (5 * unit, unit):
            middle = round((least + most) / 2 / step)
            near = [k * step for k in (middle, middle - 1, middle + 1) if inside(k * step)]
            if near:
                return float(near[0])
    return None
