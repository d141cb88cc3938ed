"""A function applied to a column: what stands in each cell, and which filled rows speak against it.

If a filled row that it does not reproduce is right, the function is wrong beside it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import IO, Any

from evolve.core.episodes import Json, Row
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import Outcome, Program
from evolve.skills.contract import condition_from_rows, contract_violation
from evolve.skills.hard_coded import holds_piece
from evolve.tasks import Task, equal
from evolve.tasks.likeness import InputProfile
from evolve.tasks.reading.partly_filled import RowInputs
from evolve.tasks.tables import Cell, Rewriting, RowChange, Table, TableRow, escape_unprintable, is_blank, label_of
from evolve.workspace.fill.corrections import Corrections
from evolve.workspace.fill.counterexamples import OpposedFunction
from evolve.workspace.fill.result import (
    CellFlag,
    Counterexamples,
    FlagReasons,
    JudgedCell,
    Left,
    compare_cell,
    is_same,
    judge_cell,
    unfilled_cell,
)
from evolve.workspace.fill.written_cells import MOST, IsOwn, WrittenColumn, cell_key
from evolve.workspace.runs.applying import BATCH, Applier, split_batches
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.skill_origin import UsedSkill


@dataclass(frozen=True, kw_only=True)
class ContradictingRows:
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
    def from_result(cls, task: Task, result: Result, used: frozenset[int] | None) -> ContradictingRows:
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

    def doubt_about(self, values: Sequence[Json]) -> Reason | None:
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


_MOST_MARKS = 1_000


@dataclass(frozen=True, kw_only=True)
class FillFunctions:
    """The function to apply and its rivals.

    Attributes:
        programs: The function first; none where nothing was found and no row repeats a filled one.
        rows: Those that it was learned from, with the arguments that it takes.
        near: How many of the programs count for every row; the others only for rows unlike the filled ones.
        contradicted: Where a filled row speaks against the function.
        used: The saved function that it is.
        open: What is doubtful about every cell, or None.
        opposed: The kept function that filled rows speak against. It is the last of the programs.
        stays: The function was named or kept, so that no filled row had a say in it.
    """

    programs: Sequence[Program]
    rows: Sequence[Row] = ()
    near: int = 1
    contradicted: ContradictingRows = field(default_factory=ContradictingRows)
    used: UsedSkill | None = None
    open: Reason | None = None
    opposed: OpposedFunction | None = None
    stays: bool = False

    @cached_property
    def input_profile(self) -> InputProfile:
        """What the rows are like."""
        return InputProfile.from_rows([row.input for row in self.rows], [row.output for row in self.rows])


@dataclass(kw_only=True)
class ColumnCells:
    """The cells of a column as a function gives them, with what came of it so far.

    Attributes:
        learned: The function was searched for, from the filled rows.
        words: What is written of a flag.
        at: Rows that are done.
        corrections: What the person did with the cells of the file to write.
        own: Whether an earlier fill wrote a cell.
        cells: By what each filled cell is known: whether it is flagged.
        others: By what the others are known.
        against: Filled rows that speak against the kept function.
        sample: The first row that was filled.
    """

    table: Table
    inputs: RowInputs
    functions: FillFunctions
    learned: bool
    words: Callable[[FlagReasons], str]
    corrections: Corrections
    own: IsOwn
    at: int = 0
    filled: int = 0
    marked: int = 0
    marks: list[CellFlag] = field(default_factory=list)
    cells: dict[str, bool] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    against: list[int] = field(default_factory=list)
    sample: Row | None = None

    def apply(self, applier: Applier, spool: IO[str]) -> None:
        """Writes what is to be done to each row to the spool, so that memory does not grow with the table."""
        for records in split_batches(self.table.records(), BATCH):
            rows = [record for record in records if not all(map(is_blank, record.cells))]
            arguments = [self.inputs.arguments_of(record) for record in rows]
            strange = self._strange(applier, rows, arguments)
            for record, values, outcomes in zip(rows, arguments, applier(arguments), strict=True):
                text = self.inputs.no_number(values)
                if text is not None:
                    left: Left = "not filled" if self._is_wanted(record) else "not compared"
                    done: JudgedCell | None = unfilled_cell(left, reason("not_a_number", value=text))
                elif self._is_wanted(record):
                    done = self._filled(record, values, outcomes, strange.get(record.number))
                else:
                    done = compare_cell(self.table, self.inputs, record, values, outcomes[0])
                    if self._speaks_against(record, values, outcomes, done):
                        self.against.append(record.number)
                        done = None if self.functions.opposed and self.functions.stays else done
                    if done is None and self.table.is_doubted(record, self.inputs.column):
                        # An earlier fill wrote the cell and doubted it, and this one gives the same.
                        again = self._judged(record, values, outcomes)
                        done = replace(again, cell=None) if again.flag else None
                self._remember(record, done)
                if done is not None:
                    self._note(record, done)
                    words = escape_unprintable(self.words(done.flag)) if done.flag else ""
                    spool.write(json.dumps([record.number, done.cell, words]) + "\n")
            self.at += len(rows)

    def _speaks_against(
        self, record: TableRow, values: Sequence[Json], outcomes: Sequence[Outcome], done: JudgedCell | None
    ) -> bool:
        """Whether a filled row, which the function ``done`` for is not right on, speaks against a kept or named one."""
        if not self.functions.stays:
            kept = self.functions.opposed
            return bool(kept and compare_cell(self.table, self.inputs, record, values, outcomes[-1]))
        column = self.inputs.column
        is_own = self.table.is_doubted(record, column) or self.own(self.table, record, column)
        return bool(done and self.functions.used) and (record.number in self.corrections.typed or not is_own)

    def plan_rewriting(self, spool: IO[str]) -> Rewriting:
        """What is to be written, once it stands in the spool."""
        spool.seek(0)
        changes = (RowChange(number=row, cell=cell, why=why) for row, cell, why in map(json.loads, spool))
        return Rewriting(column=self.inputs.column, label=self.inputs.label, changes=changes, checks=self.marked > 0)

    def _strange(
        self, applier: Applier, rows: Sequence[TableRow], arguments: Sequence[Sequence[Json]]
    ) -> dict[int, tuple[Reason, Outcome]]:
        """Rows whose parts may stand elsewhere than in known rows, why, and what the function gives for them as there.

        Where that is the same, it does not matter to the function where the parts stand.
        """
        found = {
            record.number: exchanged
            for record, values in zip(rows, arguments, strict=True)
            if self._is_wanted(record)
            and (exchanged := self.functions.input_profile.exchangeable_part(values, self.inputs.used))
        }
        outcomes = applier([values for _, values in found.values()]) if found else []
        return {number: (why, results[0]) for (number, (why, _)), results in zip(found.items(), outcomes, strict=True)}

    def _filled(
        self,
        record: TableRow,
        values: Sequence[Json],
        outcomes: Sequence[Outcome],
        strange: tuple[Reason, Outcome] | None,
    ) -> JudgedCell:
        done = self._judged(record, values, outcomes)
        if done.cell is not None and (lacks := contract_violation(self.contract, values, self.column_labels)):
            return unfilled_cell("not filled", reason("out_of_contract", lacks=lacks))
        if self.sample is None and done.cell is not None:
            read = self.inputs.used
            inputs = [value for place, value in enumerate(values) if read is None or place in read]
            self.sample = Row(input=tuple(inputs), output=outcomes[0].value)
        if done.cell is not None and not done.flag and self._key(record, done.cell) in self.corrections.flagged:
            novelty = self.functions.input_profile.novelty_reason(values, self.inputs.used)
            done = done.with_reason(novelty or reason("flagged_before"))
        if strange is None or done.flag:
            return done
        why, exchanged = strange
        agrees = exchanged.ok and outcomes[0].ok and is_same(exchanged.value, outcomes[0].value)
        return done if agrees else done.with_reason(why)

    def _judged(self, record: TableRow, values: Sequence[Json], outcomes: Sequence[Outcome]) -> JudgedCell:
        done = judge_cell(self.table, self.inputs, record, values, outcomes[: self.functions.near])
        if self.functions.opposed and len(outcomes) > 1:
            *outcomes, kept = outcomes
            if not (kept.ok and equal(kept.value, outcomes[0].value)) and not done.flag.left:
                done = done.with_reason(reason("kept_gives", value=kept.value) if kept.ok else reason("kept_fails"))
        if not done.flag:
            like = self.functions.input_profile
            unlike = like.given.difference_reason(outcomes[0].value, values) or like.steps.step_reason(
                values, self.inputs.used
            )
            against = self.functions.contradicted.doubt_about(values) or self.functions.open or unlike
            done = done if against is None else done.with_reason(against)
        if done.flag or (self.learned and len(outcomes) == self.functions.near):
            return done
        novelty = self.functions.input_profile.novelty_reason(values, self.inputs.used)
        if novelty is None:
            return done
        if not self.learned:
            return done.with_reason(novelty)
        distant = judge_cell(self.table, self.inputs, record, values, outcomes)
        return distant.with_reason(novelty) if distant.flag else done

    def fields_of_result(self) -> dict[str, Any]:
        """What came of it, as fields of :class:`Filled`."""
        used, opposed = self.functions.used, self.functions.opposed
        if used is not None and opposed is None:
            used = replace(used, given=max(0, used.given - len(self.against)))
        function = opposed.used_skill if opposed else used if self.against else None
        against = function and Counterexamples(function=function, rows=tuple(self.against), searched=bool(opposed))
        counts = {"filled": self.filled, "marked": self.marked, "marks": tuple(self.marks)}
        return {**counts, "used": used, "against": against, "sample": self.sample}

    @cached_property
    def contract(self) -> list[dict[str, Json]]:
        """The contract of a saved function in what it reads; rows of the same table are too few to refuse others by."""
        used, rows = self.inputs.used, self.functions.rows if self.functions.used is not None else ()
        drawn = condition_from_rows(row.input for row in rows)
        return [need if used is None or place in used else {} for place, need in enumerate(drawn)]

    @cached_property
    def column_labels(self) -> list[str]:
        """What the columns are called that the function takes."""
        return [label_of(self.table, index) for index in self.inputs.columns]

    @property
    def unflagged_cells(self) -> list[str]:
        """By what filled cells are known that nothing is doubtful about."""
        return [key for key, flagged in self.cells.items() if not flagged][:MOST]

    def written_column(self, *, alone: bool) -> WrittenColumn:
        """What stands in the column, or of that the cells that were filled ``alone``."""
        others = () if alone else self.others
        return WrittenColumn(column=self.inputs.label, cells={**dict.fromkeys(others, False), **self.cells})

    def _remember(self, record: TableRow, done: JudgedCell | None) -> None:
        """Notes by what the cell is known, unless the person typed it into the file that is written."""
        if record.number in self.corrections.typed or max(len(self.cells), len(self.others)) > MOST:
            return
        filled = None if done is None else done.cell
        cell = record.cells[self.inputs.column] if filled is None and not self._is_wanted(record) else filled
        key = self._key(record, cell)
        if filled is None:
            self.others.append(key)
        else:
            self.cells[key] = bool(done and done.flag)

    def _key(self, record: TableRow, cell: Cell) -> str:
        return cell_key(self.table, record, self.inputs.column, self.inputs.label, cell)

    def _is_wanted(self, record: TableRow) -> bool:
        return self.inputs.column >= len(record.cells) or is_blank(record.cells[self.inputs.column])

    def _note(self, record: TableRow, done: JudgedCell) -> None:
        self.filled += done.cell is not None
        if not done.flag:
            return
        self.marked += 1
        if len(self.marks) < _MOST_MARKS:
            value = done.cell if self._is_wanted(record) else record.cells[self.inputs.column]
            row, line = record.number, record.line
            self.marks.append(CellFlag(row=row, line=line, value=value, flag=done.flag, others=done.others))
