"""Fills the blank cells of a table's column: finds the function from the filled ones, applies it, writes the table."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from evolve.core.ledger import Ledger
from evolve.core.progress import report_activity
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import Program
from evolve.skills import Skill
from evolve.skills.parameters import drop_unread_parameters, used_parameters
from evolve.tasks import Task
from evolve.tasks.reading.assemble import ENOUGH_TO_SPLIT
from evolve.tasks.reading.partly_filled import PartlyFilled, RowInputs
from evolve.tasks.tables import Table, file_identity, is_blank, table_path, translate_read_errors
from evolve.workspace.fill.cells import ColumnCells, ContradictingRows, FillFunctions
from evolve.workspace.fill.contradictions import check_contradictions
from evolve.workspace.fill.corrections import apply_corrections
from evolve.workspace.fill.counterexamples import OpposedFunction, is_found, is_open, search
from evolve.workspace.fill.files import check_other_column, script_file, target_file, write_script
from evolve.workspace.fill.given_function import chosen_function
from evolve.workspace.fill.offers import accept_offer, function_for_column, offer_for
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.result import FillResult, compare_cell, initial_fill
from evolve.workspace.fill.table import (
    TakenLine,
    check_column,
    check_first_line,
    check_in_place,
    opened_table,
    read_column,
)
from evolve.workspace.fill.written_cells import OwnCells
from evolve.workspace.runs.applying import Applier
from evolve.workspace.runs.contradictions import functions_for, functions_giving
from evolve.workspace.runs.files import write_table
from evolve.workspace.runs.result import Result
from evolve.workspace.runs.run_answers import WRITTEN, function_named
from evolve.workspace.runs.skill_origin import origin_of
from evolve.workspace.services import WorkspaceServices

_MOST_RIVALS = 4
"""Rivals that are run beside the function."""


def fill(
    services: WorkspaceServices, request: FillRequest, ledger: Ledger, run: Callable[[Task], Result]
) -> FillResult:
    """Fills a table (:meth:`Workspace.fill`); ``ledger`` has the clock that is told, ``run`` solves a task."""
    own = OwnCells(services.stores.db)
    as_it_was = file_identity(table_path(request.table))  # taken first: a workbook is read whole when it is opened
    table, line = opened_table(request)
    target, script = _files(table, line, request, own)
    table, request, corrections = apply_corrections(table, line, target, request, own)
    with translate_read_errors(table):
        offer = offer_for(services, table, request, own)
    taken = accept_offer(services, table, offer, request)
    if taken is None:
        blank = FillResult(column=offer.column, form=table.form.summary(), offered=offer.skills)
        return replace(blank, **vars(line), seconds=ledger.run_seconds)
    result, wanted, functions = _found(services, table, taken, run, own)
    found_by = "" if result is None else result.run_id
    line = check_first_line(services, table, line, taken, wanted.inputs, functions.programs)
    blank = replace(initial_fill(table, wanted, result), **vars(line), typed=len(corrections.typed))
    if not functions.programs:
        return replace(blank, seconds=ledger.run_seconds)
    with tempfile.TemporaryFile("w+", encoding="utf-8") as spool:
        done = ColumnCells(
            table=table,
            inputs=wanted.inputs,
            functions=functions,
            learned=result is not None and result.used is None,
            words=request.words,
            corrections=corrections,
            own=own,
        )
        with report_activity("fill", blank.column, total=wanted.given + wanted.blank, count=lambda: done.at):
            done.apply(Applier(services.open_sandbox(), functions.programs), spool)
        written = None if table.form.kind == "workbook" else done.written_column(alone=request.in_place)
        own.record_write(target, written, within=request.in_place)
        with report_activity("write"):
            kept = write_table(services, table, target, done.plan_rewriting(spool), as_it_was, run=found_by)
    own.record_fill(
        found_by, done.unflagged_cells, target, blank.column, "" if functions.used is None else functions.used.name
    )
    own.record_write(target, written, within=request.in_place, done=True)
    write_script(script, functions.programs[0], blank)
    return replace(
        blank,
        out=target,
        function=drop_unread_parameters(functions.programs[0])[0].source,
        seconds=ledger.run_seconds,
        undo=kept,
        **done.fields_of_result(),
    )


def _files(table: Table, line: TakenLine, request: FillRequest, own: OwnCells) -> tuple[Path, Path | None]:
    """The files to write, the table's and the script's, refused where one may not be written."""
    with translate_read_errors(table):
        check_column(table, request)  # first: whatever else is wrong may be so for another column alone
    check_in_place(table, line, request)
    target = target_file(request)
    check_other_column(table, target, request, own)
    return target, script_file(request, target)


def _found(
    services: WorkspaceServices, table: Table, request: FillRequest, run: Callable[[Task], Result], own: OwnCells
) -> tuple[Result | None, PartlyFilled, FillFunctions]:
    """The function that is named, or that the filled rows lead to."""
    opposed: OpposedFunction | None = None
    read: PartlyFilled | None = None
    stands_in: Skill | None = None
    if request.skill is None and request.function is None:
        with translate_read_errors(table):
            task, read = read_column(services, table, request, own)
        # a model need not be asked; without one the search tries them itself
        known = next(functions_giving(services, task), None) if services.uses_model else None
        if known is None:
            known = stands_in = _standing_in(services, table, task, read.inputs.column)
        if known is None:
            # a person put what stands in a file that no fill wrote, also where a fill wrote the same elsewhere
            others = () if own.written_to(table.path) else read.own_rows
            result, task, opposed = search(services, task, run, others)
            # the kept function stays in use where the search is over and found none that fits its rows and the table's
            if opposed is None or not opposed.stays or is_found(result) or is_open(result):
                return _searched(services, task, read, result, opposed)
            known = opposed.origin.skill
        request = replace(request, skill=known.name)
    with translate_read_errors(table):
        program, wanted, rows, saved = chosen_function(services, table, request, own)
    wanted = wanted if read is None else replace(wanted, doubted=read.doubted, own=read.own)
    used = opposed.used_skill if opposed else None if saved is None else saved.as_used_skill(wanted.example_count)
    doubt = (None if saved is None else saved.narrow) or (None if opposed is None else opposed.doubt)
    if stands_in is not None:
        doubt = doubt or _opposing(services, table, program, wanted.inputs)
    functions = FillFunctions(programs=[program], rows=rows, used=used, open=doubt, opposed=opposed, stays=True)
    return None, wanted, functions


def _standing_in(services: WorkspaceServices, table: Table, task: Task, column: int) -> Skill | None:
    """The saved function to use where the given cells are too few to verify another one; None where there is none.

    One for the same kinds of cells is searched with instead; a word among the numbers makes them other kinds.
    """
    if len(task.examples) + len(task.verify) >= ENOUGH_TO_SPLIT:
        return None
    return None if any(functions_for(services, task)) else function_for_column(services, table, column)


def _opposing(services: WorkspaceServices, table: Table, program: Program, inputs: RowInputs) -> Reason | None:
    """What speaks against a function that stands in: it gives something else wherever it gives anything."""
    column = slice(inputs.column, inputs.column + 1)  # a row may be short
    given = [(one, inputs.arguments_of(one)) for one in table.records() if not all(map(is_blank, one.cells[column]))]
    given = [(one, values) for one, values in given if inputs.no_number(values) is None]
    ran = Applier(services.open_sandbox(), [program])([values for _, values in given]) if given else []
    told = [(row, values, got) for (row, values), (got,) in zip(given, ran, strict=True) if got.ok]
    wrong = [one for one in told if compare_cell(table, inputs, one[0], one[1], one[2])]
    if not wrong or len(wrong) < len(told):
        return None
    row, values, got = wrong[0]
    read = [values[place] for place in sorted(inputs.used or range(len(values)))]
    return reason("row_does_not_fit", input=read, given=inputs.kind.read(row.cells[inputs.column]), expected=got.value)


def _searched(
    services: WorkspaceServices, task: Task, wanted: PartlyFilled, result: Result, opposed: OpposedFunction | None
) -> tuple[Result, PartlyFilled, FillFunctions]:
    """The function that the filled rows led to, if any, and what else fits them."""
    if not (result.solved and result.answer):
        known = check_contradictions(task)
        return result, wanted, FillFunctions(programs=[known] if known else [])
    if wanted.inputs.kind.is_number:  # for a later table in which no cell shows how they are written
        runs = services.stores.runs
        runs.replace_body(result.run_id, {**runs.run(result.run_id).body, WRITTEN: vars(wanted.inputs.kind)})
    rivals, distant = result.rivals[:_MOST_RIVALS], result.distant[:_MOST_RIVALS]
    programs = [Program(source=source, entry=result.entry) for source in (result.answer, *rivals, *distant)]
    earlier = (
        () if result.used is None else origin_of(services, function_named(services, result.used.name)).rows_in(task)
    )
    rows = (*task.examples, *task.verify, *task.hidden, *earlier)
    # only these count, so that an odd cell elsewhere is no doubt
    used = frozenset[int]().union(*map(used_parameters, programs))
    # what was learned from numbers is not tried on a word
    numeric = frozenset(place for place in used if wanted.inputs.kinds[place].is_number)
    wanted = replace(wanted, inputs=replace(wanted.inputs, used=used, numeric=numeric))
    return (
        result,
        wanted,
        FillFunctions(
            programs=[*programs, opposed.program] if opposed else programs,
            rows=rows,
            near=1 + len(rivals),
            contradicted=ContradictingRows.from_result(task, result, used),
            used=result.used,
            opposed=opposed,
            # in its own table what is the same in every row is right
            open=result.narrow if result.used is not None or not (used or result.verified) else None,
        ),
    )
