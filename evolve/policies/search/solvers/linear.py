"""The plainest line through ranges: its two numbers are worked out, and round ones go first, as a person writes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

FINEST = -6
"""Power of ten of the last place that is looked at."""


def count_digits(value: float) -> int:
    """Digits that a number takes to write: 1 for 50 and 0.5, 3 for 1.19; two for each zero that 0.05 begins with."""
    number = Decimal(repr(value)).normalize()
    shown = len(number.as_tuple().digits)
    return max(1, shown) + 2 * max(0, decimal_places(value) - shown)


def decimal_places(value: float) -> int:
    """Decimal places of a number as it is written."""
    exponent = Decimal(repr(value)).normalize().as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def roundest_number(low: float, high: float, *, with_low: bool = True, with_high: bool = True) -> float | None:
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


Span = tuple[float, float]
"""The least and the greatest number that would have been written as a row shows it."""

MOST_POINTS = 12
"""Points by which a slope is bounded; all are compared in the end."""
DIVISORS = (3, 6, 7, 9, 11, 12)
"""Divisors whose fractions have no end as decimals."""
KNOWN = (0.45359237, 0.3048, 1.609344, 2.54, 28.349523125, 3.785411784, 4.184)
"""Customary units in metric ones, exactly."""
MOST_DIGITS, KNOWN_DIGITS = 6, 2
"""Digits of a factor at most, and for how many a customary unit counts."""


@dataclass(frozen=True)
class LinearFormula:
    """``(x + before) * factor / divisor + after``.

    Attributes:
        digits: Significant digits of its numbers, those left out for nothing.
    """

    factor: float
    divisor: float
    before: float
    after: float
    digits: int

    @property
    def is_identity(self) -> bool:
        """Whether it changes nothing."""
        return self.factor == self.divisor == 1 and not self.before and not self.after


def lines(xs: Sequence[float], spans: Sequence[Span]) -> list[LinearFormula]:
    """Lines through all spans, those with the fewest digits first.

    One number needs two different points and two numbers need three, so that one confirms them.
    """
    # Each x once with what its rows leave; None where they contradict each other
    by_x: dict[float, Span] = {}
    for x, (low, high) in zip(xs, spans, strict=True):
        known = by_x.get(x, (low, high))
        by_x[x] = max(known[0], low), min(known[1], high)
    points = None if any(low > high for low, high in by_x.values()) else sorted(by_x.items())
    if points is None or len(points) < 2:
        return []
    scales = [LinearFormula(p, q, 0.0, 0.0, n) for p, q, n in _factors(_scale(points))]
    sloped = [line for p, q, n in _factors(_slope(points)) for line in _offsets(points, p, q, n)]
    found = scales + (sloped if len(points) >= 3 else [line for line in sloped if line.factor == line.divisor])
    return sorted(found, key=lambda line: line.digits)


def surplus_digits(spans: Sequence[Span], line: LinearFormula) -> float:
    """Digits that the rows show beyond those that the line took from them."""
    shown = [math.log10(max(1.0, abs(low + high) / 2 / max(high - low, 1e-9))) for low, high in spans]
    return sum(min(6.0, one) for one in shown) - line.digits


def _scale(points: Sequence[tuple[float, Span]]) -> Span:
    """The factors for which no offset is needed; an empty range has its ends the wrong way round."""
    least, most = -math.inf, math.inf
    for x, (low, high) in points:
        if x == 0:
            if not low <= 0 <= high:
                return 1.0, -1.0
            continue
        ends = sorted((low / x, high / x))
        least, most = max(least, ends[0]), min(most, ends[1])
    return least, most


def _slope(points: Sequence[tuple[float, Span]]) -> Span:
    """The factors for which some offset fits: each two points bound it (Helly's theorem on the line)."""
    least, most = -math.inf, math.inf
    step = max(1, len(points) // MOST_POINTS)
    for (x, (low, high)), (other, (other_low, other_high)) in combinations(points[::step], 2):
        least = max(least, (other_low - high) / (other - x))
        most = min(most, (other_high - low) / (other - x))
    return least, most


def _factors(span: Span) -> Iterator[tuple[float, float, int]]:
    """``(factor, divisor, digits)`` for the plainest ratios of a range."""
    low, high = span
    if not low <= high or math.inf in (abs(low), abs(high)):
        return
    if high < 0:
        yield from ((-factor, divisor, taken) for factor, divisor, taken in _factors((-high, -low)))
        return
    for known in KNOWN:
        if low <= known <= high:
            yield known, 1.0, KNOWN_DIGITS
        if low <= 1 / known <= high:
            yield 1.0, known, KNOWN_DIGITS
    plain = roundest_number(low, high)
    if plain is not None and plain != 0 and count_digits(plain) <= MOST_DIGITS:
        yield plain, 1.0, count_digits(plain)
    if low > 0 and (divisor := roundest_number(1 / high, 1 / low)) and count_digits(divisor) <= 3 and divisor > 1:
        yield 1.0, divisor, count_digits(divisor)
    for divisor in DIVISORS:
        factor = roundest_number(low * divisor, high * divisor)
        if factor and factor == int(factor) and count_digits(factor) <= 2 and math.gcd(int(factor), divisor) == 1:
            yield factor, float(divisor), count_digits(factor) + len(str(divisor))


def _offsets(
    points: Sequence[tuple[float, Span]], factor: float, divisor: float, taken: int
) -> Iterator[LinearFormula]:
    ratio = factor / divisor
    low = max(low - ratio * x for x, (low, _) in points)
    high = min(high - ratio * x for x, (_, high) in points)
    if low > high:
        return
    after = roundest_number(low, high)
    if after and count_digits(after) <= MOST_DIGITS:
        yield LinearFormula(factor, divisor, 0.0, after, taken + count_digits(after))
    before = roundest_number(*sorted((low / ratio, high / ratio)))
    if before and count_digits(before) <= MOST_DIGITS and ratio != 1:
        yield LinearFormula(factor, divisor, before, 0.0, taken + count_digits(before))
