"""Where a number decides which of a few outputs a row has, and between which known numbers that is left open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from evolve.episodes import Json
from evolve.reasons import Reason, reason

_ROWS = 2
"""Known rows on each step; one alone may be what is odd."""


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Gaps between steps.

    Attributes:
        gaps: Per argument, the numbers of known rows between which the output changes, in rising order; none where the
            argument is no number, or its order does not part the outputs.
    """

    gaps: tuple[tuple[tuple[float, float], ...], ...] = ()

    @classmethod
    def of(cls, inputs: Iterable[Sequence[Json]], outputs: Iterable[Json]) -> Steps:
        """The steps of some rows: their inputs, of equal length each, and their outputs."""
        values = list(outputs)
        columns = list(zip(*inputs, strict=True)) if values else []
        return cls(gaps=tuple(_gaps(column, values) for column in columns))

    def between(self, values: Sequence[Json], used: Iterable[int] | None = None) -> Reason | None:
        """Why the output for some values is open: one is between two steps. None where none is.

        Args:
            used: The arguments that matter, by number; by default all.
        """
        for place in range(len(self.gaps)) if used is None else sorted(used):
            number, gaps = values[place], self.gaps[place] if place < len(self.gaps) else ()
            if isinstance(number, int | float) and not isinstance(number, bool):
                found = next(((low, high) for low, high in gaps if low < number < high), None)
                if found is not None:
                    return reason("between_steps", low=found[0], high=found[1])
        return None


def _gaps(column: Sequence[Json], outputs: Sequence[Json]) -> tuple[tuple[float, float], ...]:
    numbers = [one for one in column if isinstance(one, int | float) and not isinstance(one, bool)]
    if len(numbers) < len(column):
        return ()
    order = sorted(range(len(numbers)), key=numbers.__getitem__)
    steps = [list(rows) for _, rows in groupby(order, key=lambda row: repr(outputs[row]))]
    kinds = len({repr(one) for one in outputs})
    # as many runs as outputs: the number alone parts them
    if len(steps) < 2 or len(steps) > kinds or min(map(len, steps)) < _ROWS:
        return ()
    pairs = ((numbers[before[-1]], numbers[after[0]]) for before, after in pairwise(steps))
    return tuple((low, high) for low, high in pairs if low < high)
