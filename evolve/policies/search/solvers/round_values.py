"""Round numbers: what a person would have written where the rows leave a range."""

from __future__ import annotations

from decimal import Decimal

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
    least, most, scale = _whole(low, high)

    def inside(value: int) -> bool:
        return (least <= value if with_low else least < value) and (value <= most if with_high else value < most)

    if inside(0):
        return 0.0
    sign = -1 if most <= 0 else 1
    top = len(str(max(abs(least), abs(most)) // scale))
    for power in range(top, FINEST - 1, -1):
        unit: int = 10**power * scale if power >= 0 else scale // 10**-power
        for value in (sign * unit, sign * 5 * unit):
            if inside(value):
                return value / scale
        for step in (5 * unit, unit):
            middle, rest = divmod(least + most, 2 * step)
            middle += rest > step or (rest == step and middle % 2)  # as ``round`` does: halves to the even one
            for k in (middle, middle - 1, middle + 1):
                if inside(k * step):
                    return k * step / scale
    return None


def _whole(*values: float) -> tuple[int, ...]:
    """Numbers as they are written, times a power of ten that makes all of them whole, and that power.

    Whole numbers are exact, and far faster than fractions.
    """
    parts = [repr(float(value)).partition(".") for value in values]
    if any("e" in part for _, _, part in parts) or any("e" in part for part, _, _ in parts):
        numbers = [Decimal(repr(float(value))) for value in values]
        parts = [f"{number:f}".partition(".") for number in numbers]
    most = max(-FINEST, *(len(part) for _, _, part in parts))
    return *(int(part + rest.ljust(most, "0")) for part, _, rest in parts), 10**most
