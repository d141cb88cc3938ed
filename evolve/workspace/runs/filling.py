"""Fills the blank cells of a table's column: finds the function from the filled ones, applies it, writes the table."""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from evolve.episodes import Json
from evolve.errors import UsageError, WorkspaceError
from evolve.export.script import Script, is_script, script_of
from evolve.files import check_folder, named_path, replacing, write_atomic
from evolve.sandbox import Outcome, Program
from evolve.tables import (
    Change,
    Record,
    Rewriting,
    Table,
    form_of,
    identity,
    is_blank,
    label_of,
    open_table,
    table_path,
)
from evolve.tasks import Task
from evolve.tasks.likeness import Likeness
from evolve.tasks.reading.partly_filled import Inputs, PartlyFilled, column_task
from evolve.workspace.desk import Desk
from evolve.workspace.runs.applying import (
    BATCH,
    Applier,
    annotations_of,
    batches,
    file_and_name,
    parameters_of,
    used_parameters,
    without_unread,
)
from evolve.workspace.runs.contradicted import Contradicted
from evolve.workspace.runs.fill_request import FillProgress, FillRequest
from evolve.workspace.runs.filled import Filled, Judged, Mark, compared, judged
from evolve.workspace.runs.given_function import chosen_function
from evolve.workspace.runs.own_cells import MOST, OwnCells, cell_key
from evolve.workspace.runs.repeated import look_up
from evolve.workspace.runs.result import Result

_MOST_MARKS = 1_000
_SHOWN = 80
"""Longest cell in a reason."""
_MOST_RIVALS = 4
"""Rivals that are run beside the function."""


def fill(desk: Desk, request: FillRequest, run: Callable[[Task], Result]) -> Filled:
    """Fills a table; see :meth:`Workspace.fill`.

    Args:
        run: Solves a task.
    """
    started = time.monotonic()
    target = _target(request)
    check_folder(target)
    script = _script_file(request, target)
    # taken first: a workbook is read whole when it is opened
    as_it_was = identity(table_path(request.table))
    table = open_table(request.table, sheet=request.sheet)
    if request.in_place and table.loss:
        raise UsageError(f"{table.loss}, so the file is not written in place", hint="leave --in-place out")
    own = OwnCells(desk.stores.db)
    if request.skill is not None or request.function is not None:
        result = None
        program, wanted, likeness = chosen_function(desk, table, request)
        functions = _Functions(programs=[program], likeness=likeness)
    else:
        result, wanted, functions = _searched(table, request, run, own)
    blank = _blank(table, wanted, result)
    if not functions.programs:
        return replace(blank, seconds=time.monotonic() - started)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        done = _Work(
            table=table,
            inputs=wanted.inputs,
            total=wanted.given + wanted.blank,
            likeness=functions.likeness,
            learned=result is not None,
            near=functions.near,
            contradicted=functions.contradicted,
        )
        done.apply(Applier(desk.open_sandbox(), functions.programs), spool, request.on_progress)
        _write(table, target, done, spool, as_it_was)
    if result is not None:
        own.keep(result.run_id, done.keys)
    if script is not None:
        _save(script, functions.programs[0], blank)
    return replace(
        blank,
        out=target,
        filled=done.filled,
        marked=done.marked,
        marks=tuple(done.marks),
        function=functions.programs[0].source,
        seconds=time.monotonic() - started,
    )


@dataclass(frozen=True, kw_only=True)
class _Functions:
    """The function to apply and its rivals.

    Attributes:
        programs: The function first; none where nothing was found and no row repeats a filled one.
        likeness: What the rows are like that it was learned from.
        near: How many of the programs count for every row.
        contradicted: Where a filled row speaks against the function.
    """

    programs: Sequence[Program]
    likeness: Likeness
    near: int = 1
    contradicted: Contradicted = field(default_factory=Contradicted)


def _searched(
    table: Table, request: FillRequest, run: Callable[[Task], Result], own: OwnCells
) -> tuple[Result, PartlyFilled, _Functions]:
    """The function that the filled rows lead to, if any, and what else fits them."""
    task, wanted = column_task(table, request.column, own)
    result = run(task)
    if not (result.solved and result.answer):
        known = look_up(task)
        programs = [] if known is None else [known]
        return result, wanted, _Functions(programs=programs, likeness=Likeness.of(()))
    rivals, distant = result.rivals[:_MOST_RIVALS], result.distant[:_MOST_RIVALS]
    programs = [Program(source=source, entry=result.entry) for source in (result.answer, *rivals, *distant)]
    likeness = Likeness.of(row.input for row in (*task.examples, *task.verify, *task.hidden))
    # only these count, so that an odd cell elsewhere is no doubt
    used = frozenset[int]().union(*map(used_parameters, programs))
    wanted = replace(wanted, inputs=replace(wanted.inputs, used=used))
    return (
        result,
        wanted,
        _Functions(
            programs=programs,
            likeness=likeness,
            near=1 + len(rivals),
            contradicted=Contradicted.of(task, result, used),
        ),
    )


def _save(file: Path, program: Program, filled: Filled) -> None:
    """Writes the function as a script."""
    program, _ = without_unread(program)
    takes, gives = annotations_of(program)
    names, _ = parameters_of(program)
    typed = ", ".join(f"{name}: {kind or 'any'}" for name, kind in zip(names, takes, strict=True))
    script = script_of(
        Script(
            name=file.name,
            code=program.source,
            entry=program.entry,
            kinds=takes,
            signature=f"({typed}) -> {gives or 'any'}",
            description=f"Gives {filled.column} from {', '.join(filled.inputs)}.",
            example=json.dumps(["..."] * len(names)),
        )
    )
    write_atomic(file, script.encode())


def _target(request: FillRequest) -> Path:
    """The file to write, refused before anything is done where it may not be."""
    table = named_path(request.table)
    if request.in_place:
        if request.out is not None:
            raise UsageError("give either a file to write or leave to write in place", hint="--out FILE, or --in-place")
        return table.resolve()
    form = form_of(table)
    if request.out is None:
        target = table.with_name(f"{table.stem}.filled{table.suffix}")
        if target.exists():
            raise UsageError(f"{target.name} is there already", hint="--out FILE, or --in-place for the table itself")
        return target
    target = named_path(request.out)
    if target.resolve() == table.resolve():
        raise UsageError(f"{os.fspath(request.out)} is the table itself", hint="--in-place writes it")
    if form_of(target) != form:
        raise UsageError(
            f"{target.name} would be another kind of file than {table.name}", hint=f"name it {table.suffix}"
        )
    return target


def _script_file(request: FillRequest, target: Path) -> Path | None:
    """The file of the script, refused where something else would be lost."""
    if request.save is None:
        return None
    file, hint = named_path(request.save), "--save with another name, such as --save function.py"
    given = "" if request.function is None else file_and_name(request.function)[0]
    for other, told in (
        (named_path(request.table), "the table itself"),
        (target, "the file that is filled"),
        (named_path(given) if given else None, "the file from which the function is read"),
    ):
        if other is not None and (file.resolve() == other.resolve() or _is_same(file, other)):
            raise UsageError(f"{os.fspath(request.save)} is {told}", hint=hint)
    if file.suffix != ".py":
        raise UsageError(f"{file.name} is no name of a script, which ends in .py", hint=hint)
    if file.exists() and not (file.is_file() and is_script(file.read_bytes())):
        raise UsageError(f"{file.name} is there already, and is no script that evolve wrote", hint=hint)
    return file.resolve()


def _is_same(one: Path, other: Path) -> bool:
    return one.exists() and other.exists() and one.samefile(other)


def _blank(table: Table, wanted: PartlyFilled, result: Result | None) -> Filled:
    """What is known before anything is filled."""
    kinds = (*wanted.inputs.kinds, wanted.inputs.kind)
    comma = ", decimal comma" if any(kind.decimal == "," and kind.is_number for kind in kinds) else ""
    return Filled(
        out=None,
        column=wanted.inputs.label,
        inputs=tuple(label_of(table, index) for index in wanted.inputs.read_columns),
        given=wanted.given,
        doubted=wanted.doubted,
        own=wanted.own,
        filled=0,
        marked=0,
        marks=(),
        result=result,
        form=table.form.told() + comma,
        loss=table.loss,
    )


@dataclass(kw_only=True)
class _Work:
    """A function applied to a table, with what came of it so far.

    Attributes:
        likeness: What the rows that the function was learned from are like.
        learned: The function was found from the filled rows.
        near: How many programs count for every row; the others only for rows unlike the filled ones.
        contradicted: Where a filled row speaks against the function.
        keys: What the cells that were filled without a doubt are known by.
    """

    table: Table
    inputs: Inputs
    total: int
    likeness: Likeness
    learned: bool
    near: int
    contradicted: Contradicted
    filled: int = 0
    marked: int = 0
    marks: list[Mark] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def apply(self, applier: Applier, spool: IO[str], progress: FillProgress | None) -> None:
        """Writes what is to be done to each row to the spool, so that memory does not grow with the table."""
        at = 0
        for records in batches(self.table.records(), BATCH):
            rows = [record for record in records if not all(map(is_blank, record.cells))]
            arguments = [self.inputs.of(record) for record in rows]
            for record, values, outcomes in zip(rows, arguments, applier(arguments), strict=True):
                text = self.inputs.no_number(values)
                if text is not None:
                    done: Judged | None = Judged(why=f"{text[:_SHOWN]!r} is no number")
                elif self._is_wanted(record):
                    done = self._judged(record, values, outcomes)
                else:
                    done = compared(self.table, self.inputs, record, outcomes[0])
                    if done is None and self.table.is_doubted(record, self.inputs.column):
                        done = self._doubted_still(record, values, outcomes)
                if done is not None:
                    self._note(record, done)
                    spool.write(json.dumps([record.number, done.cell, done.why]) + "\n")
            at += len(rows)
            if progress is not None:
                progress(at, self.total)

    def _judged(self, record: Record, values: Sequence[Json], outcomes: Sequence[Outcome]) -> Judged:
        done = judged(self.table, self.inputs, record, values, outcomes[: self.near])
        against = "" if done.why else self.contradicted.by(values)
        if against:
            return replace(done, why=against)
        if done.why or (self.learned and len(outcomes) == self.near):
            return done
        novelty = self.likeness.novelty(values, self.inputs.used)
        if not novelty:
            return done
        if not self.learned:
            return replace(done, why=f"no row that the function was learned from is like this one, with {novelty}")
        distant = judged(self.table, self.inputs, record, values, outcomes)
        if not distant.why:
            return done
        return replace(distant, why=f"{distant.why}, and no filled row is like this one, with {novelty}")

    def _doubted_still(self, record: Record, values: Sequence[Json], outcomes: Sequence[Outcome]) -> Judged | None:
        """What is doubtful about a cell that an earlier fill wrote and doubted, and where this one gives the same."""
        again = self._judged(record, values, outcomes)
        return replace(again, cell=None) if again.why else None

    def _is_wanted(self, record: Record) -> bool:
        return self.inputs.column >= len(record.cells) or is_blank(record.cells[self.inputs.column])

    def _note(self, record: Record, done: Judged) -> None:
        self.filled += done.cell is not None
        if not done.why:
            if len(self.keys) < MOST:
                column = self.inputs.column
                self.keys.append(cell_key(self.table, record, column, self.inputs.label, done.cell))
            return
        self.marked += 1
        if len(self.marks) < _MOST_MARKS:
            value = done.cell if self._is_wanted(record) else record.cells[self.inputs.column]
            self.marks.append(Mark(row=record.number, line=record.line, value=value, why=done.why, others=done.others))


def _write(table: Table, target: Path, done: _Work, spool: IO[str], as_it_was: tuple[int, ...]) -> None:
    """Writes the table whole or not at all."""

    def unchanged() -> None:
        if identity(table.path) != as_it_was:
            raise WorkspaceError(
                f"{table.path.name} was changed by somebody else while it was being filled",
                hint="run the command again",
            )

    unchanged()
    spool.seek(0)
    rewriting = Rewriting(
        column=done.inputs.column, label=done.inputs.label, changes=_changes(spool), checks=done.marked > 0
    )
    mode = table.path.stat().st_mode & 0o777
    with replacing(target, mode=mode, before=unchanged) as stream:
        table.rewrite(rewriting, stream)


def _changes(spool: IO[str]) -> Iterator[Change]:
    for line in spool:
        number, cell, why = json.loads(line)
        yield Change(number=number, cell=cell, why=why)
