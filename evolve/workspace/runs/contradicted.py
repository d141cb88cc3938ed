"""Cells beside a filled row that the function does not reproduce: if that row is right, the function is wrong there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.episodes import Json
from evolve.reasons import Reason, reason
from evolve.tasks import Task
from evolve.workspace.runs.result import Result


@dataclass(frozen=True, kw_only=True)
class Contradicted:
    """Where a row that does not fit stands nearer than any row that does, by the one number that a function reads.

    With several inputs nothing is said: nearly every cell has a direction in which no row lies between.

    Attributes:
        place: Position of that number among the arguments; None where there is no such number, or every row fits.
        fits: Its values in rows that the function reproduces.
        against: The same of rows that it does not, each with the output that the row has.
    """

    place: int | None = None
    fits: tuple[float, ...] = ()
    against: tuple[tuple[float, Json], ...] = ()

    @classmethod
    def of(cls, task: Task, result: Result, used: frozenset[int] | None) -> Contradicted:
        """What the rows of a task say against its answer.

        Args:
            used: Positions of the arguments that count; None where all do.
        """
        rows = (*task.examples, *task.verify, *task.hidden)
        places = [place for place in range(len(rows[0].input)) if used is None or place in used]
        if not result.misfits or len(places) != 1:
            return cls()
        place = places[0]
        against = {misfit.input: misfit.given for misfit in result.misfits}
        numbers = {row.input: value for row in rows if isinstance(value := row.input[place], int | float)}
        if len(numbers) < len({row.input for row in rows}):
            return cls()
        return cls(
            place=place,
            fits=tuple(value for inputs, value in numbers.items() if inputs not in against),
            against=tuple((numbers[inputs], given) for inputs, given in against.items() if inputs in numbers),
        )

    def by(self, values: Sequence[Json]) -> Reason | None:
        """The doubt about the cell of a row, or None."""
        value = None if self.place is None else values[self.place]
        if not isinstance(value, int | float):
            return None
        for other, given in self.against:
            low, high = sorted((value, other))
            if not any(low <= one <= high for one in self.fits):
                return reason("wrong_for_nearest", input=other, output=given)
        return None
