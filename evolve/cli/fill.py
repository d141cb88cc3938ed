"""``evolve fill``: fill the blank cells of a table's column."""

from __future__ import annotations

import ast
import re
import sys
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import asking, learning, options, pages
from evolve.cli.output import at_home, counted, emit, emit_json, flush, note, visible
from evolve.cli.run import Learn, exit_code, tell_created, tell_help, tell_open

if TYPE_CHECKING:
    from rich.status import Status

    from evolve.workspace import Filled

app = pages.App()

_SHOWN = 5
"""Marked cells that are listed."""
_EVERY = 100_000
"""Rows after which a line is printed where there is no terminal."""

Table = Annotated[str, typer.Argument(metavar="TABLE", help="A CSV, TSV, JSONL or XLSX file.", show_default=False)]
Column = Annotated[
    str | None,
    typer.Option("--column", metavar="NAME", help="The column to fill. Default: the only one that is partly filled."),
]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="The file to write. Default: NAME.filled.EXT beside the table."),
]
InPlace = Annotated[bool, typer.Option("--in-place", help="Write the table itself, whole or not at all.")]
Skill = Annotated[
    str | None,
    typer.Option("--with", metavar="NAME", help="Apply this saved function (evolve skills list); nothing is searched."),
]
Function = Annotated[
    str | None,
    typer.Option("--function", metavar="FILE.py", help="Apply the function of a file; FILE.py:NAME where it has more."),
]
Sheet = Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook.")]
Save = Annotated[
    str | None, typer.Option("--save", metavar="FILE.py", help="Also write the function, as a script for the terminal.")
]


@app.page("fill", "evolve fill names.csv", "evolve fill march.xlsx --column Gross --in-place")
def fill_command(
    table: Table,
    column: Column = None,
    out: Out = None,
    in_place: InPlace = False,
    with_: Skill = None,
    function: Function = None,
    sheet: Sheet = None,
    save: Save = None,
    budget: options.Budget = None,
    model: options.Model = None,
    sandbox: options.Sandbox = None,
    learn: Learn = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Fill a column of a table: rows in which it is filled show how, the others are filled.

    What is doubtful is marked: in a column NAME: check, in workbooks by colour and comment. Ends with 1 where cells
    are marked, with 0 where all are filled and none is.
    """
    import evolve
    from evolve.cli.views import TableView
    from evolve.workspace import parse_budget

    parse_budget(budget or ())  # a wrong option is told before anything is made
    person = learning.who_learns(asking.person_here("ask", as_json=as_json), learn)
    view = TableView(unsandboxed=sandbox == "none")
    how = Asked(column=column, out=out, in_place=in_place, skill=with_, function=function, sheet=sheet, save=save)
    with evolve.open(workspace, model=model, events=view, sandbox=sandbox) as opened:
        tell_created(opened)
        # With --json there is one object to wait for, with what was learned in it.
        with nullcontext() if as_json else opened.delivering():
            with Rows() as rows:
                filled = opened.fill(table, **vars(how), budget=budget, person=person, on_progress=rows)
            if as_json:
                emit_json({**filled.to_json(), **opened.mark})
            else:
                show(filled, "".join(f" ({word})" for word in opened.mark))
                if filled.result is not None:
                    asking.tell_waiting(filled.result)
            flush()
        taught = learning.learn_and_tell(opened, named=workspace, as_json=as_json)
        if taught and _is_found(filled) and save is None and not any(one.skills for one in taught):
            emit(
                "no skill of its own; --save FILE.py keeps the function, --function FILE.py applies it to other tables"
            )
    raise typer.Exit(_code(filled))


@dataclass(frozen=True, kw_only=True)
class Asked:
    """The options that say what is filled, and where it is written."""

    column: str | None
    out: str | None
    in_place: bool
    skill: str | None
    function: str | None
    sheet: str | None
    save: str | None


def _code(filled: Filled) -> int:
    if filled.out is not None:
        return 1 if filled.marked else 0
    return (exit_code(filled.result) if filled.result is not None else 0) or 1


def _is_found(filled: Filled) -> bool:
    """Whether a function was found from the filled cells."""
    return filled.out is not None and filled.result is not None and filled.result.solved


def show(filled: Filled, mark: str = "") -> None:
    """Prints what became of a table, then how sure that is, then the function that was found."""
    names = f"{filled.column} from {', '.join(filled.inputs)}" if filled.inputs else filled.column
    emit(_line(f"read as {filled.form}; {names}; {counted(filled.given, 'row')} given"))
    if filled.doubted:
        none = f"{filled.doubted:,} of them doubted by an earlier fill, so no example"
        emit(f"{none}; clear the reason where a cell is right")
    if filled.own:
        emit(f"{filled.own:,} of them filled by evolve and as they were then, so no example")
    if filled.out is None:
        emit("nothing is written: no function was found that gives the filled cells")
    else:
        _show_cells(filled, filled.out)
    result = filled.result
    if result is None:
        return
    if filled.out is not None and not result.solved:
        emit("no function was found that gives the filled cells: a row that repeats a filled one has its value")
    why = result.reason if result.reason and "unverified" not in result.note else result.note
    emit(f"{result.kind if result.solved else result.status}{mark}: {why}")
    tell_open(result)
    tell_help(result)
    if _is_found(filled):
        own, support = _without_support(result.answer, result.entry)
        emit()
        emit(own, exact=True)
        if support:
            emit()
            emit(f"supported by {', '.join(support)}; --save FILE.py writes all of it")


def _without_support(source: str, entry: str) -> tuple[str, list[str]]:
    """The source without the functions that only support it and what they alone import, and what was left out."""
    body = ast.parse(source).body
    support = [node for node in body if isinstance(node, ast.FunctionDef) and node.name != entry]
    if not support:
        return source.strip(), []
    imports = [node for node in body if isinstance(node, ast.Import | ast.ImportFrom)]
    rest = [node for node in body if node not in support and node not in imports]
    read = {one.id for node in rest for one in ast.walk(node) if isinstance(one, ast.Name)}
    spare = [one for one in imports if not any((name.asname or name.name.split(".")[0]) in read for name in one.names)]
    lines: list[str | None] = [*source.splitlines()]
    for node in (*support, *spare):
        lines[node.lineno - 1 : node.end_lineno] = [None] * ((node.end_lineno or node.lineno) - node.lineno + 1)
    own = "\n".join(line for line in lines if line is not None)
    told = [f"{one.name} ({counted((one.end_lineno or one.lineno) - one.lineno + 1, 'line')})" for one in support]
    return re.sub(r"\n{4,}", "\n\n\n", own).strip(), told


def _show_cells(filled: Filled, out: Path) -> None:
    """Prints how many cells were filled, the first that are marked, and where they were written."""
    done = f"{counted(filled.filled, 'cell')} of {filled.column} filled, {filled.marked:,} marked"
    emit(_line(f"{done}; {filled.seconds:.1f} s"))
    for mark in filled.marks[:_SHOWN]:
        value = "empty" if mark.value is None else str(mark.value)
        emit(f"  row {mark.row:,} (line {mark.line:,}): {_line(value)}: {_line(mark.why)}", indent=4)
    if filled.marked > _SHOWN:
        emit(f"  and {counted(filled.marked - _SHOWN, 'further cell')}, all marked in the file")
    if filled.loss:
        emit(f"{filled.loss}")
    emit(f"wrote {at_home(str(out))}", whole=True)


def _line(text: str) -> str:
    """The text in one line: a cell or a header with line breaks would look like lines of the command."""
    return visible(text, lines=False)


class Rows(AbstractContextManager["Rows"]):
    """Tells how many rows are done: on a terminal in one live line, else a line now and then."""

    def __init__(self) -> None:
        self._status: Status | None = None
        self._told = 0

    def __call__(self, done: int, total: int) -> None:
        line = f"filling: {done:,} of {total:,} rows"
        if sys.stderr.isatty():
            self._live(line)
        elif done - self._told >= _EVERY:
            self._told = done
            note(line)

    def _live(self, line: str) -> None:
        if self._status is None:
            from rich.console import Console
            from rich.status import Status

            self._status = Status(line, console=Console(stderr=True))
            self._status.start()
        self._status.update(line)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._status is not None:
            self._status.stop()
