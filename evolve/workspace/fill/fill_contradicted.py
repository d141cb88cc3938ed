"""Cells for which filled rows speak against the function: it fails for the nearest, or they have a piece in common.

If a filled row that it does not reproduce is right, the function is wrong beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Json
from evolve.core.reasons import Reason, reason
from evolve.skills.hard_coded import holds_piece
from evolve.tasks import Task
from evolve.workspace.runs.result import Result


@dataclass(frozen=True, kw_only=True)
class Contradicted:
    """Where a row that does not fit stands nearer than any row that does, by the one number that a function reads.

    With several inputs nothing is said: nearly every cell has a direction in which no row lies between.

    A row counts too that has not the piece, such as a year, which the function writes and the filled rows all hold.

    Attributes:
        place: Position of that number among the arguments; None where there is no such number, or every row fits.
        fits: Its values in rows that the function reproduces.
        against: The same of rows that it does not, each with the output that the row has.
        narrow: That a piece may have to be copied, or None.
        holds: Whether a row has that piece.
    """

    place: int | None = None
    fits: tuple[float, ...] = ()
    against: tuple[tuple[float, Json], ...] = ()
    narrow: Reason | None = None
    holds: Callable[[Sequence[Json]], bool] = bool

    @classmethod
    def of(cls, task: Task, result: Result, used: frozenset[int] | None) -> Contradicted:
        """What the rows of a task say against its answer.

        Args:
            used: Positions of the arguments that count; None where all do.
        """
        rows = (*task.examples, *task.verify, *task.hidden)
        piece = None if result.narrow is None else result.narrow.facts.get("piece")
        narrow = cls() if piece is None else cls(narrow=result.narrow, holds=holds_piece(str(piece), rows))
        places = [place for place in range(len(rows[0].input)) if used is None or place in used]
        if not result.misfits or len(places) != 1:
            return narrow
        place = places[0]
        against = {misfit.input: misfit.given for misfit in result.misfits}
        numbers = {row.input: value for row in rows if isinstance(value := row.input[place], int | float)}
        if len(numbers) < len({row.input for row in rows}):
            return narrow
        return replace(
            narrow,
            place=place,
            fits=tuple(value for inputs, value in numbers.items() if inputs not in against),
            against=tuple((numbers[inputs], given) for inputs, given in against.items() if inputs in numbers),
        )

    def by(self, values: Sequence[Json]) -> Reason | None:
        """The doubt about the cell of a row, or None."""
        if self.narrow is not None and not self.holds(values):
            return self.narrow
        value = None if self.place is None else values[self.place]
        if not isinstance(value, int | float):
            return None
        for other, given in self.against:
            low, high = sorted((value, other))
            if not any(low <= one <= high for one in self.fits):
                return reason("wrong_for_nearest", input=other, output=given)
        return None
