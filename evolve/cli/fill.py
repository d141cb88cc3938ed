"""``evolve fill``: fill the blank cells of a table's column."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import asking, learning, options, pages
from evolve.cli import options as overrides
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    flush,
    print_note,
    shorten_home_path,
)
from evolve.cli.render.reasons import fill_data, flag_sentence, reason_sentence, values_text
from evolve.cli.render.views import TableView
from evolve.cli.run import print_created, print_next_steps, print_verdict
from evolve.cli.skills import print_kept

if TYPE_CHECKING:
    from evolve.workspace import FillResult, Reason, Result, Workspace

app = pages.App()

_SHOWN = 5
"""Flagged cells that are listed."""

Table = Annotated[str, typer.Argument(metavar="TABLE", help="A CSV, TSV, JSONL or XLSX file.", show_default=False)]
Column = Annotated[
    str | None,
    typer.Option(
        "--column",
        metavar="NAME",
        help="The column to fill, or its number, such as 3. Default: the only column with blank cells.",
    ),
]
Out = Annotated[
    str | None,
    typer.Option("--out", metavar="FILE", help="The file to write. Default: NAME.filled.EXT beside the table."),
]
InPlace = Annotated[bool, typer.Option("--in-place", help="Write the table itself, whole or not at all.")]
Skill = Annotated[
    str | None,
    typer.Option("--with", metavar="NAME", help="Apply this saved function (evolve skills list) instead of a search."),
]
Function = Annotated[
    str | None,
    typer.Option(
        "--function", metavar="FILE.py", help="Apply the function of this file; FILE.py:NAME if it has several."
    ),
]
Sheet = Annotated[str | None, typer.Option("--sheet", metavar="NAME", help="The sheet of a workbook.")]
Set = Annotated[
    list[str] | None,
    overrides.set_option("header=no (the first line of a CSV is data; --column 3 is then the third), or header=yes"),
]
Save = Annotated[
    str | None, typer.Option("--save", metavar="FILE.py", help="Also write the function, as a script for the terminal.")
]


@app.page("fill", "evolve fill names.csv", "evolve fill march.xlsx --column Gross --in-place")
def fill_command(
    ctx: typer.Context,
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
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Fill the blank cells of a table column: the filled cells show evolve how.

    evolve flags doubtful cells: in a column NAME: check, in workbooks by colour and comment. The exit code is 1 if
    cells are flagged, and 0 if all are filled and none is.
    """
    import evolve.workspace

    bounds = options.start_budget(ctx, budget)  # a wrong option is told before anything is made
    chosen = overrides.parse_overrides(set_, "header")
    header = chosen.last_choice("header", "yes", "no") == "yes" if chosen.text("header") else None
    person = asking.is_person_present(chosen, as_json=as_json)
    how: dict[str, Any] = {"column": column, "out": out, "in_place": in_place, "sheet": sheet, "save": save}
    how |= {"skill": with_, "function": function, "header": header}
    evolve.workspace.table_path(table)  # a missing file is told before a workspace is made
    view = TableView(unsandboxed=chosen.is_unsandboxed)
    with evolve.open(workspace, model=model, events=view, settings=chosen.settings) as opened:
        print_created(opened)
        # With --json there is one object to wait for, with what was learned in it.
        with nullcontext() if as_json else opened.delivering():
            filled = opened.fill(table, **how, budget=bounds, person=person, words=flag_sentence)
            if as_json:
                emit_json({**fill_data(filled), **opened.sandbox_mark})
            else:
                show(filled, table, opened.sandbox_mark, again=" --in-place" if in_place else "")
                if in_place and filled.out is not None and not filled.undo:
                    print_note("evolve kept no copy of this file, so evolve undo cannot take it back")
            flush()
        taught = learning.learn_and_print(opened, bounds, named=workspace, as_json=as_json, result=filled.result)
        if not as_json:
            _keep(opened, filled)
        if taught and _is_new(filled) and save is None and not any(one.skills for one in taught):
            emit("to use the function on tables with other columns: --save FILE.py, then --function FILE.py")
            emit(f"to make it a skill of yours: evolve skills own {taught[0].run}", whole=True)
    raise typer.Exit(_code(filled))


def _code(filled: FillResult) -> int:
    if filled.offered:
        return asking.WAITING
    if filled.out is not None:
        return 1 if filled.marked else 0
    return (filled.result.exit_code if filled.result is not None else 0) or 1


def _is_found(filled: FillResult) -> bool:
    return filled.out is not None and filled.result is not None and filled.result.solved


def _is_new(filled: FillResult) -> bool:
    """Whether that function is no skill yet, and verified."""
    return _is_found(filled) and filled.result is not None and filled.result.used is None and filled.result.verified


def _keep(opened: Workspace, filled: FillResult) -> None:
    """Asks whether a function that nothing verified is right, and keeps it then; or says how to keep it."""
    result = filled.result
    if result is None or not _is_found(filled) or result.verified or result.used is not None:
        return
    if result.narrow is not None:  # that this column is right says nothing of another month's
        print_note(f"evolve does not use this function for later tables: {reason_sentence(result.narrow)}")
        return
    if asking.is_attended(as_json=False):
        said = asking.ask_yes(escape_control_characters(_rule_question(filled, result), lines=False))
        if said:
            print_kept(result.run_id, opened.runs.keep(result.run_id))
        elif said is not None:
            opened.runs.leave(result.run_id)
            emit("evolve does not use this function for later tables")
        if said is not None:
            return
    print_note("evolve does not use this function for later tables, because nothing verifies it; if its rule is right:")
    print_note(f"  try: evolve skills own {result.run_id}", whole=True)


def _rule_question(filled: FillResult, result: Result) -> str:
    """Asks for the rule, not for the cells alone, with what it gives, best where the filled cells leave that open."""
    question = f"Is the column {filled.column!r} right, so that evolve may use its rule for later tables?"
    if result.ambiguity is not None and result.ambiguity.outputs:
        values, gives = result.told_inputs(result.ambiguity.input), result.ambiguity.outputs[0]
    elif filled.sample is not None:
        values, gives = list(filled.sample.input), filled.sample.output
    else:
        return question
    return f"{question} For {values_text(*values)} it writes {values_text(gives)}."


def show(filled: FillResult, table: str, marks: Iterable[str], *, again: str = "") -> None:
    """Prints what was read, the cells that were filled, how sure that is, the function, and how to go on.

    Args:
        marks: Words that stand beside the verdict.
        again: Options that the command was given and that it takes again.
    """
    _show_filled(filled, table, "".join(f" ({word})" for word in marks))
    for one in filled.offered:
        print_note(f"{one.summary}, can fill {filled.column!r}")
        if not one.verified:
            print_note(_doubt_then(one.doubt))
        print_note(f"  try: evolve fill {shlex.quote(table)} --with {one.name}{again}", whole=True)
    if filled.result is not None:
        asking.print_waiting(filled.result)


def _show_filled(filled: FillResult, table: str, mark: str) -> None:
    name = Path(table).name
    if filled.offered:
        emit(_line(f"read {name}: {filled.form}; nothing shows how to fill {filled.column}, so nothing is written"))
        _tell_first_line(filled)
        return
    names = f"{filled.column} from {', '.join(filled.inputs)}" if filled.inputs else filled.column
    emit(_line(f"read {name}: {filled.form}; {names}; {count_of(filled.given, 'row')} given"))
    _tell_first_line(filled)
    _tell_left_out(filled)
    if filled.out is None:
        emit("no function gives the filled cells, so nothing is written")
    else:
        _show_cells(filled, filled.out)
    _tell_against(filled)
    result = filled.result
    if result is None:
        if filled.used is not None:
            is_checked = filled.used.given or filled.against is not None
            emit(f"used {filled.used.summary}{'' if is_checked else '; no filled cell here checks it'}")
            if not filled.used.verified:
                emit(_doubt_then(filled.used.doubt))
        return
    if filled.out is not None and not result.solved:
        emit("no function gives the filled cells; evolve copied values from rows with the same input")
    print_verdict(result, mark)
    if result.status in ("unsolved", "refused", "budget"):  # it names the rows that may be to blame
        emit(f"  try: evolve why {result.run_id}", whole=True)
    print_next_steps(result)
    if _is_found(filled):
        own, support = _without_support(filled.function, result.entry)
        emit()
        emit(own, exact=True)
        if support:
            emit()
            emit(f"needs {', '.join(support)}; --save FILE.py writes all of it")


def _tell_first_line(filled: FillResult) -> None:
    """Says what the first line was taken for, where that had to be guessed, and how to say otherwise."""
    if not filled.guessed:
        return
    if filled.first_line == "row":
        told = "the first line looks like the other rows, so evolve took it as a row, and the columns have numbers"
        way = "  if it has the names of the columns: --set header=yes"
    else:
        told = "evolve took the first line as the names of the columns, but it may be a row like the others"
        way = "  if it is a row: --set header=no"
    emit(told, whole=True)
    emit(way, whole=True)


def _tell_left_out(filled: FillResult) -> None:
    """Says which filled cells are no examples, and why, and which stand in another file."""
    if filled.typed and filled.out is not None:
        emit(f"took {count_of(filled.typed, 'cell')} that you corrected in {filled.out.name}")
    if filled.doubted:
        emit(f"{count_of(filled.doubted, 'cell')} not used: an earlier fill flagged it; clear the flag if it is right")
    if filled.own:
        them = "it, and nobody said it is right" if filled.own == 1 else "them, and nobody said they are right"
        emit(f"{count_of(filled.own, 'cell')} not used: an earlier fill wrote {them}")


def _tell_against(filled: FillResult) -> None:
    """Says which given cells a kept function does not give, and what came of that."""
    if filled.against is None:
        return
    rows, kept = filled.against.rows, filled.against.function
    named = ", ".join(f"{row:,}" for row in rows[:_SHOWN]) + (", ..." if len(rows) > _SHOWN else "")
    yours, known = f"{'row' if len(rows) == 1 else 'rows'} {named}", f"the {count_of(kept.rows, 'row')} of {kept.name}"
    if not filled.against.searched:
        emit(f"{kept.name} does not give your {yours}; they stay, and this fill learns nothing from them", whole=True)
    elif filled.result is None:
        emit(f"evolve found no function that fits both your {yours} and {known}; it used that one for the rest")
    else:
        emit(f"{kept.name} does not fit your {yours}; the function below fits {known} as well")


def _doubt_then(doubt: Reason | None) -> str:
    return f"  it was {'not verified then' if doubt is None else f'doubtful then: {reason_sentence(doubt)}'}"


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
    told = [f"{one.name} ({count_of((one.end_lineno or one.lineno) - one.lineno + 1, 'line')})" for one in support]
    return re.sub(r"\n{4,}", "\n\n\n", own).strip(), told


def _show_cells(filled: FillResult, out: Path) -> None:
    """Prints how many cells were filled, the first that are flagged, and where they were written."""
    emit(f"{count_of(filled.filled, 'cell')} filled, {filled.marked:,} flagged; {filled.seconds:.1f} s")
    for mark in filled.marks[:_SHOWN]:
        value = "" if mark.value is None else f"{_line(str(mark.value))}: "
        emit(f"  row {mark.row:,} (line {mark.line:,}): {value}{_line(flag_sentence(mark.flag))}", indent=4)
    if filled.marked > _SHOWN:
        emit(f"  and {count_of(filled.marked - _SHOWN, 'more cell')}; the file flags them all")
    if filled.loss:
        emit(f"{filled.loss}")
    emit(f"wrote {shorten_home_path(str(out))}", whole=True)
    if filled.undo:
        emit(f"evolve undo {filled.undo} takes it back")


def _line(text: str) -> str:
    """The text in one line: a cell or a header with line breaks would look like lines of the command."""
    return escape_control_characters(text, lines=False)
