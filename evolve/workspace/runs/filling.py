"""Fills the blank cells of a table's column: finds the function from the filled ones, applies it, writes the table."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from evolve.activity import doing
from evolve.episodes import Json, Row
from evolve.ledger import Ledger
from evolve.reasons import Reason, reason
from evolve.sandbox import Outcome, Program
from evolve.tables import (
    Cell,
    Change,
    Record,
    Rewriting,
    Table,
    identity,
    is_blank,
    printable,
    reading_told,
    table_path,
)
from evolve.tasks import Task, equal
from evolve.tasks.likeness import Likeness
from evolve.tasks.reading.partly_filled import Inputs, PartlyFilled
from evolve.workspace.desk import Desk
from evolve.workspace.runs.applying import (
    BATCH,
    Applier,
    batches,
    used_parameters,
    without_unread,
)
from evolve.workspace.runs.column_reading import column_read, known_function
from evolve.workspace.runs.contradicted import Contradicted
from evolve.workspace.runs.corrections import Corrections, corrected
from evolve.workspace.runs.counterexamples import Opposed, keeps, search
from evolve.workspace.runs.fill_files import check_other_column, script_file, target_file, write_script
from evolve.workspace.runs.fill_request import FillRequest
from evolve.workspace.runs.fill_table import TakenLine, check_column, check_in_place, line_checked, opened_table
from evolve.workspace.runs.filled import (
    Counterexamples,
    Filled,
    Flag,
    Judged,
    Left,
    Mark,
    begun,
    compared,
    judged,
    not_done,
)
from evolve.workspace.runs.given_function import chosen_function
from evolve.workspace.runs.offering import accepted, nothing_filled, offer_for
from evolve.workspace.runs.own_cells import MOST, OwnCells, WrittenColumn, cell_key
from evolve.workspace.runs.repeated import look_up
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.run_answers import function_named, note_written
from evolve.workspace.runs.skill_origin import UsedSkill, origin_of
from evolve.workspace.runs.table_writing import write_table

_MOST_MARKS = 1_000
_MOST_RIVALS = 4
"""Rivals that are run beside the function."""


def fill(desk: Desk, request: FillRequest, ledger: Ledger, run: Callable[[Task], Result]) -> Filled:
    """Fills a table; see :meth:`Workspace.fill`.

    Args:
        ledger: Whose clock tells how long it took.
        run: Solves a task.
    """
    own = OwnCells(desk.stores.db)
    as_it_was = identity(table_path(request.table))  # taken first: a workbook is read whole when it is opened
    table, line = opened_table(request)
    target, script = _files(table, line, request, own)
    table, request, corrections = corrected(table, line, target, request, own)
    with reading_told(table):
        offer = offer_for(desk, table, request)
    taken = accepted(desk, table, offer, request)
    if taken is None:
        return replace(nothing_filled(table, offer, ledger.run_seconds), **vars(line))
    result, wanted, functions = _found(desk, table, taken, run, own)
    found_by = "" if result is None else result.run_id
    line = line_checked(desk, table, line, taken, wanted.inputs, functions.programs)
    blank = replace(begun(table, wanted, result), **vars(line), typed=len(corrections.typed))
    if not functions.programs:
        return replace(blank, seconds=ledger.run_seconds)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        done = _Work(
            table=table,
            inputs=wanted.inputs,
            total=wanted.given + wanted.blank,
            functions=functions,
            learned=result is not None and result.used is None,
            words=request.words,
            corrections=corrections,
        )
        with doing("fill", blank.column, total=done.total, count=lambda: done.at):
            done.apply(Applier(desk.open_sandbox(), functions.programs), spool)
        written = None if table.form.kind == "workbook" else done.written(alone=request.in_place)
        own.note(target, written, within=request.in_place)
        with doing("write"):
            kept = write_table(desk, table, target, done.rewriting(spool), as_it_was, run=found_by)
    own.keep(found_by, done.unflagged, target, blank.column, "" if functions.used is None else functions.used.name)
    own.note(target, written, within=request.in_place, done=True)
    write_script(script, functions.programs[0], blank)
    return replace(
        blank,
        out=target,
        function=without_unread(functions.programs[0])[0].source,
        seconds=ledger.run_seconds,
        undo=kept,
        **done.told(),
    )


def _files(table: Table, line: TakenLine, request: FillRequest, own: OwnCells) -> tuple[Path, Path | None]:
    """The files to write, the table's and the script's, refused where one may not be written."""
    with reading_told(table):
        check_column(table, request)  # first: whatever else is wrong may be so for another column alone
    check_in_place(table, line, request)
    target = target_file(request)
    check_other_column(table, target, request, own)
    return target, script_file(request, target)


@dataclass(frozen=True, kw_only=True)
class _Functions:
    """The function to apply and its rivals.

    Attributes:
        programs: The function first; none where nothing was found and no row repeats a filled one.
        likeness: What the rows are like that it was learned from.
        near: How many of the programs count for every row; the others only for rows unlike the filled ones.
        contradicted: Where a filled row speaks against the function.
        used: The saved function that it is.
        open: What is doubtful about every cell, or None.
        opposed: The kept function that filled rows speak against. It is the last of the programs.
    """

    programs: Sequence[Program]
    likeness: Likeness
    near: int = 1
    contradicted: Contradicted = field(default_factory=Contradicted)
    used: UsedSkill | None = None
    open: Reason | None = None
    opposed: Opposed | None = None


def _found(
    desk: Desk, table: Table, request: FillRequest, run: Callable[[Task], Result], own: OwnCells
) -> tuple[Result | None, PartlyFilled, _Functions]:
    """The function that is named, or that the filled rows lead to."""
    opposed: Opposed | None = None
    left_out = (0, 0)
    if request.skill is None and request.function is None:
        with reading_told(table):
            task, wanted = column_read(desk, table, request, own)
        known = known_function(desk, task)
        if known is None:
            result, task, opposed = search(desk, task, run)
            if opposed is None or not keeps(result, opposed):
                return _searched(desk, task, wanted, result, opposed)
            known = opposed.origin.skill
        request, left_out = replace(request, skill=known.name), (wanted.doubted, wanted.own)
    with reading_told(table):
        program, wanted, likeness = chosen_function(desk, table, request)
    saved = None if request.skill is None else origin_of(desk, function_named(desk, request.skill))
    used = opposed.used if opposed else None if saved is None else saved.used(wanted.given)
    doubt = (None if saved is None else saved.narrow) or (None if opposed is None else opposed.doubt)
    functions = _Functions(programs=[program], likeness=likeness, used=used, open=doubt, opposed=opposed)
    return None, replace(wanted, doubted=left_out[0], own=left_out[1]), functions


def _searched(
    desk: Desk, task: Task, wanted: PartlyFilled, result: Result, opposed: Opposed | None
) -> tuple[Result, PartlyFilled, _Functions]:
    """The function that the filled rows led to, if any, and what else fits them."""
    if not (result.solved and result.answer):
        known = look_up(task)
        return result, wanted, _Functions(programs=[known] if known else [], likeness=Likeness.of(()))
    note_written(desk, result.run_id, wanted.inputs.kind)
    rivals, distant = result.rivals[:_MOST_RIVALS], result.distant[:_MOST_RIVALS]
    programs = [Program(source=source, entry=result.entry) for source in (result.answer, *rivals, *distant)]
    earlier = () if result.used is None else origin_of(desk, function_named(desk, result.used.name)).rows_in(task)
    rows = (*task.examples, *task.verify, *task.hidden, *earlier)
    likeness = Likeness.of([row.input for row in rows], [row.output for row in rows])
    # only these count, so that an odd cell elsewhere is no doubt
    used = frozenset[int]().union(*map(used_parameters, programs))
    # what was learned from numbers is not tried on a word
    numeric = frozenset(place for place in used if wanted.inputs.kinds[place].is_number)
    wanted = replace(wanted, inputs=replace(wanted.inputs, used=used, numeric=numeric))
    return (
        result,
        wanted,
        _Functions(
            programs=[*programs, opposed.program] if opposed else programs,
            likeness=likeness,
            near=1 + len(rivals),
            contradicted=Contradicted.of(task, result, used),
            used=result.used,
            opposed=opposed,
            # in its own table what is the same in every row is right
            open=result.narrow if result.used is not None or not (used or result.verified) else None,
        ),
    )


@dataclass(kw_only=True)
class _Work:
    """A function applied to a table, with what came of it so far.

    Attributes:
        learned: The function was searched for, from the filled rows.
        words: What is written of a flag.
        at: Rows that are done.
        corrections: What the person did with the cells of the file to write.
        cells: By what each filled cell is known: whether it is flagged.
        others: By what the others are known.
        against: Filled rows that speak against the kept function.
        sample: The first row that was filled.
    """

    table: Table
    inputs: Inputs
    total: int
    functions: _Functions
    learned: bool
    words: Callable[[Flag], str]
    corrections: Corrections
    at: int = 0
    filled: int = 0
    marked: int = 0
    marks: list[Mark] = field(default_factory=list)
    cells: dict[str, bool] = field(default_factory=dict)
    others: list[str] = field(default_factory=list)
    against: list[int] = field(default_factory=list)
    sample: Row | None = None

    def apply(self, applier: Applier, spool: IO[str]) -> None:
        """Writes what is to be done to each row to the spool, so that memory does not grow with the table."""
        for records in batches(self.table.records(), BATCH):
            rows = [record for record in records if not all(map(is_blank, record.cells))]
            arguments = [self.inputs.of(record) for record in rows]
            strange = self._strange(applier, rows, arguments)
            for record, values, outcomes in zip(rows, arguments, applier(arguments), strict=True):
                text = self.inputs.no_number(values)
                if text is not None:
                    left: Left = "not filled" if self._is_wanted(record) else "not compared"
                    done: Judged | None = not_done(left, reason("not_a_number", value=text))
                elif self._is_wanted(record):
                    done = self._filled(record, values, outcomes, strange.get(record.number))
                else:
                    done = compared(self.table, self.inputs, record, values, outcomes[0])
                    if self.functions.opposed and compared(self.table, self.inputs, record, values, outcomes[-1]):
                        self.against.append(record.number)
                    if done is None and self.table.is_doubted(record, self.inputs.column):
                        done = self._doubted_still(record, values, outcomes)
                self._remember(record, done)
                if done is not None:
                    self._note(record, done)
                    words = printable(self.words(done.flag)) if done.flag else ""
                    spool.write(json.dumps([record.number, done.cell, words]) + "\n")
            self.at += len(rows)

    def rewriting(self, spool: IO[str]) -> Rewriting:
        """What is to be written, once it stands in the spool."""
        spool.seek(0)
        changes, inputs = _changes(spool), self.inputs
        return Rewriting(column=inputs.column, label=inputs.label, changes=changes, checks=self.marked > 0)

    def _strange(
        self, applier: Applier, rows: Sequence[Record], arguments: Sequence[Sequence[Json]]
    ) -> dict[int, tuple[Reason, Outcome]]:
        """Rows whose parts may stand elsewhere than in known rows, why, and what the function gives for them as there.

        Where that is the same, it does not matter to the function where the parts stand.
        """
        found = {
            record.number: exchanged
            for record, values in zip(rows, arguments, strict=True)
            if self._is_wanted(record) and (exchanged := self.functions.likeness.exchanged(values, self.inputs.used))
        }
        outcomes = applier([values for _, values in found.values()]) if found else []
        return {number: (why, results[0]) for (number, (why, _)), results in zip(found.items(), outcomes, strict=True)}

    def _filled(
        self,
        record: Record,
        values: Sequence[Json],
        outcomes: Sequence[Outcome],
        strange: tuple[Reason, Outcome] | None,
    ) -> Judged:
        done = self._judged(record, values, outcomes)
        if self.sample is None and done.cell is not None:
            read = self.inputs.used
            inputs = [value for place, value in enumerate(values) if read is None or place in read]
            self.sample = Row(input=tuple(inputs), output=outcomes[0].value)
        if done.cell is not None and not done.flag and self._key(record, done.cell) in self.corrections.flagged:
            novelty = self.functions.likeness.novelty(values, self.inputs.used)
            done = done.because(novelty or reason("flagged_before"))
        if strange is None or done.flag:
            return done
        why, exchanged = strange
        agrees = exchanged.ok and outcomes[0].ok and _is_same(exchanged.value, outcomes[0].value)
        return done if agrees else done.because(why)

    def _judged(self, record: Record, values: Sequence[Json], outcomes: Sequence[Outcome]) -> Judged:
        done = judged(self.table, self.inputs, record, values, outcomes[: self.functions.near])
        if self.functions.opposed and len(outcomes) > 1:
            *outcomes, kept = outcomes
            if not (kept.ok and equal(kept.value, outcomes[0].value)) and not done.flag.left:
                done = done.because(reason("kept_gives", value=kept.value) if kept.ok else reason("kept_fails"))
        if not done.flag:
            unlike = self.functions.likeness.given.unlike(outcomes[0].value, values)
            against = self.functions.contradicted.by(values) or self.functions.open or unlike
            done = done if against is None else done.because(against)
        if done.flag or (self.learned and len(outcomes) == self.functions.near):
            return done
        novelty = self.functions.likeness.novelty(values, self.inputs.used)
        if novelty is None:
            return done
        if not self.learned:
            return done.because(novelty)
        distant = judged(self.table, self.inputs, record, values, outcomes)
        return distant.because(novelty) if distant.flag else done

    def _doubted_still(self, record: Record, values: Sequence[Json], outcomes: Sequence[Outcome]) -> Judged | None:
        """What is doubtful about a cell that an earlier fill wrote and doubted, and where this one gives the same."""
        again = self._judged(record, values, outcomes)
        return replace(again, cell=None) if again.flag else None

    def told(self) -> dict[str, Any]:
        """What came of it, as fields of :class:`Filled`."""
        used, opposed = self.functions.used, self.functions.opposed
        against = None if opposed is None else Counterexamples(function=opposed.used, rows=tuple(self.against))
        counts = {"filled": self.filled, "marked": self.marked, "marks": tuple(self.marks)}
        return {**counts, "used": used, "against": against, "sample": self.sample}

    @property
    def unflagged(self) -> list[str]:
        """By what filled cells are known that nothing is doubtful about."""
        return [key for key, flagged in self.cells.items() if not flagged][:MOST]

    def written(self, *, alone: bool) -> WrittenColumn:
        """What stands in the column, or of that the cells that were filled ``alone``."""
        others = () if alone else self.others
        return WrittenColumn(column=self.inputs.label, cells={**dict.fromkeys(others, False), **self.cells})

    def _remember(self, record: Record, done: Judged | None) -> None:
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

    def _key(self, record: Record, cell: Cell) -> str:
        return cell_key(self.table, record, self.inputs.column, self.inputs.label, cell)

    def _is_wanted(self, record: Record) -> bool:
        return self.inputs.column >= len(record.cells) or is_blank(record.cells[self.inputs.column])

    def _note(self, record: Record, done: Judged) -> None:
        self.filled += done.cell is not None
        if not done.flag:
            return
        self.marked += 1
        if len(self.marks) < _MOST_MARKS:
            value = done.cell if self._is_wanted(record) else record.cells[self.inputs.column]
            row, line = record.number, record.line
            self.marks.append(Mark(row=row, line=line, value=value, flag=done.flag, others=done.others))


def _is_same(one: Json, other: Json) -> bool:
    """Whether two values are equal but for blanks that are no more than between words."""
    if isinstance(one, str) and isinstance(other, str):
        return one.split() == other.split()
    return equal(one, other)


def _changes(spool: IO[str]) -> Iterator[Change]:
    for line in spool:
        number, cell, why = json.loads(line)
        yield Change(number=number, cell=cell, why=why)
