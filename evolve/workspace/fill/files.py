"""Which files a fill writes; refused before anything is done where one may not be written."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path

from evolve.core.errors import UsageError
from evolve.core.files import check_folder, named_path, write_atomic
from evolve.runtime.sandbox import Program
from evolve.skills.export.script import SkillScript, is_script, script_of
from evolve.skills.parameters import annotations_of, drop_unread_parameters, parameters_of
from evolve.tasks.tables import Table, column_of, form_of, label_of
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.result import FillResult
from evolve.workspace.fill.written_cells import OwnCells
from evolve.workspace.runs.applying import file_and_name

_LOCKS = (".~lock.{}#", "~${}")
"""How spreadsheets call the file that says that one is open in them."""


def target_file(request: FillRequest) -> Path:
    """The file to write, refused before anything is done where it may not be."""
    target = _named_target(request)
    lock = next((file for name in _LOCKS if (file := target.with_name(name.format(target.name))).exists()), None)
    if lock is not None and target.exists():
        raise UsageError(
            f"{target.name} is open in a spreadsheet, which could write over what evolve fills",
            hint=f"close it there and run the command again; if it is not open, delete {lock.name}",
        )
    check_folder(target)
    return target


def _named_target(request: FillRequest) -> Path:
    table = named_path(request.table)
    if request.in_place:
        if request.out is not None:
            raise UsageError("--out and --in-place exclude each other", hint="--out FILE, or --in-place")
        return table.resolve()
    form = form_of(table)
    if request.out is None:
        # each sheet has its own file, so that filling one does not lose what was filled in another
        sheet = "" if request.sheet is None else f".{request.sheet}"
        return table.with_name(f"{table.stem}{sheet}.filled{table.suffix}")
    target = named_path(request.out)
    if target.resolve() == table.resolve():
        raise UsageError(f"{os.fspath(request.out)} is the table itself", hint="--in-place writes it")
    if form_of(target) != form:
        raise UsageError(f"{target.name} is not the same kind of file as {table.name}", hint=f"name it {table.suffix}")
    return target


def check_other_column(table: Table, target: Path, request: FillRequest, own: OwnCells) -> None:
    """Refuses to lose another column that evolve filled in the file which it writes by itself.

    Raises:
        UsageError: The file holds one, and nobody named the file.
    """
    if request.column is None or request.out is not None or request.in_place:
        return
    there, place = own.column_in(target), column_of(table, request.column)
    wanted = label_of(table, place) if place < len(table.columns) else request.column
    if there and there != wanted:
        raise UsageError(
            f"{target.name} has the column {there!r} filled, which {table.path.name} lacks",
            hint=f"evolve fill {shlex.quote(os.fspath(target))} --column {shlex.quote(request.column)} --in-place fills"
            " this column there too; --out FILE writes another file",
        )


def script_file(request: FillRequest, target: Path) -> Path | None:
    """The file of the script, refused where something else would be lost."""
    if request.save is None:
        return None
    file, hint = named_path(request.save), "--save with another name, such as --save function.py"
    given = "" if request.function is None else file_and_name(request.function)[0]
    for other, told in (
        (named_path(request.table), "the table itself"),
        (target, "the file to fill"),
        (named_path(given) if given else None, "the file with the function"),
    ):
        if other is not None and (
            file.resolve() == other.resolve() or (file.exists() and other.exists() and file.samefile(other))
        ):
            raise UsageError(f"{os.fspath(request.save)} is {told}", hint=hint)
    if file.suffix != ".py":
        raise UsageError(f"{file.name} does not end in .py", hint=hint)
    if file.exists() and not (file.is_file() and is_script(file.read_bytes())):
        raise UsageError(f"{file.name} already exists, and evolve did not write it", hint=hint)
    check_folder(file)
    return file.resolve()


def write_script(file: Path | None, program: Program, filled: FillResult) -> None:
    """Writes the function that filled a column as a script, where one is wanted."""
    if file is None:
        return
    program, _ = drop_unread_parameters(program)
    takes, gives = annotations_of(program)
    names, _ = parameters_of(program)
    typed = ", ".join(f"{name}: {kind or 'any'}" for name, kind in zip(names, takes, strict=True))
    script = script_of(
        SkillScript(
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
