"""Reads a table's partly filled column as a task, and asks about cells that an earlier fill wrote."""

from __future__ import annotations

from evolve.episodes import Question
from evolve.reasons import reason
from evolve.skills import Skill
from evolve.skills.signatures import types_of
from evolve.tables import Record, Table
from evolve.tasks import Task
from evolve.tasks.reading.assemble import ENOUGH_TO_SPLIT
from evolve.tasks.reading.partly_filled import PartlyFilled, column_task
from evolve.workspace.desk import Desk
from evolve.workspace.runs.fill_request import FillRequest
from evolve.workspace.runs.filled import Flag
from evolve.workspace.runs.offering import YES, is_yes
from evolve.workspace.runs.own_cells import IsOwn
from evolve.workspace.runs.refuted import functions_giving


def column_read(desk: Desk, table: Table, request: FillRequest, own: IsOwn) -> tuple[Task, PartlyFilled]:
    """The task of a column.

    What an earlier fill wrote is no example. Where the other cells are too few to verify a function, a person who is
    there is asked whether they checked it; then it is one.

    Args:
        own: Whether an earlier fill wrote a cell.
    """
    task, wanted = _as_it_is(desk, table, request.column, own)
    respond = None if request.person is None else request.person.respond
    if not wanted.own or respond is None or len(task.examples) + len(task.verify) >= ENOUGH_TO_SPLIT:
        return task, wanted
    label = wanted.inputs.label
    text = request.words(Flag(reasons=(reason("own_cells", column=label, given=wanted.given, own=wanted.own),)))
    said = respond(Question(id=f"own:{label}", kind="ask", text=text, options=(YES, "no")))
    return _as_it_is(desk, table, request.column, _nobodys) if is_yes(said) else (task, wanted)


def _nobodys(table: Table, record: Record, column: int) -> bool:
    return False


def _as_it_is(desk: Desk, table: Table, column: str | None, own: IsOwn) -> tuple[Task, PartlyFilled]:
    """The task of a column; its cells are texts where a function of an earlier month gives them as texts."""
    task, wanted = column_task(table, column, own)
    if wanted.inputs.kind.is_number and not table.typed and not desk.uses_model:
        texts = column_task(table, column, own, as_text=True)  # codes of which none here has leading zeros
        gives = any(types_of(one.signature)[1] == "str" for one in functions_giving(desk, texts[0]))
        return texts if gives else (task, wanted)
    return task, wanted


def known_function(desk: Desk, task: Task) -> Skill | None:
    """The saved function by which a model need not be asked; None without a model, as the search tries them itself."""
    return next(functions_giving(desk, task), None) if desk.uses_model else None
