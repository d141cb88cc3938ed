"""Saved functions for a column in which nothing shows how to fill it: the only one fills it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.core.episodes import Question
from evolve.core.errors import UsageError
from evolve.core.reasons import Reason, reason
from evolve.runtime.sandbox import Program
from evolve.skills import Skill
from evolve.skills.signatures import names_of
from evolve.tasks.reading.partly_filled import counts_of, has_example
from evolve.tasks.tables import CHECKS, Table, column_of, escape_unprintable, is_blank
from evolve.workspace.fill.given_function import chosen_function, column_for, columns_called
from evolve.workspace.fill.request import FillRequest
from evolve.workspace.fill.result import FlagReasons, judge_cell
from evolve.workspace.fill.written_cells import IsOwn
from evolve.workspace.runs.applying import Applier
from evolve.workspace.runs.run_answers import saved_functions
from evolve.workspace.runs.skill_origin import UsedSkill, origin_of
from evolve.workspace.services import WorkspaceServices

YES = "yes"


@dataclass(frozen=True, kw_only=True)
class FunctionOffer:
    """Verified and kept functions for a column that nothing shows how to fill; none where a filled cell shows how.

    The column is named also where there is none, if a function says that it is meant rather than an empty one.
    """

    column: str = ""
    skills: tuple[UsedSkill, ...] = ()


def offer_for(services: WorkspaceServices, table: Table, request: FillRequest, own: IsOwn) -> FunctionOffer:
    """What is offered for a table, where no function is named: skills whose columns the table has, the newest first.

    Args:
        own: Whether an earlier fill wrote a cell, which then shows nothing.

    Raises:
        UsageError: There are functions for several columns, and nobody says which column is meant.
    """
    if request.skill is not None or request.function is not None:
        return FunctionOffer()
    empty, partly = _open_columns(table, request.column, own)
    saved = saved_functions(services) if empty or len(partly) > 1 else []
    fitting = [(column, skill) for skill in reversed(saved) if (column := _column(table, skill)) is not None]
    found: dict[int, list[UsedSkill]] = {}
    for column, skill in fitting if partly.isdisjoint(column for column, _ in fitting) else ():
        # a partly filled column is meant, unless it was given where the function was learned
        if column in empty and partly <= columns_called(table, names_of(skill.signature)):
            origin = origin_of(services, skill)
            if origin.is_usable:
                found.setdefault(column, []).append(origin.as_used_skill())
    if not found:
        meant = partly & {column for column, _ in fitting}
        read = {place for _, skill in fitting for place in columns_called(table, names_of(skill.signature))}
        is_one = len(meant) == 1 and partly - meant <= read  # a gap in a column that it reads is a blank input
        return FunctionOffer(column=table.columns[min(meant)] if is_one else "")
    column = next(iter(found)) if len(found) == 1 else _asked_column(table, sorted(found), request)
    return FunctionOffer(column=table.columns[column], skills=tuple(found[column]))


def function_for_column(services: WorkspaceServices, table: Table, column: int) -> Skill | None:
    """The newest usable function that was made for a column, whatever kinds of cells this table has; None for none."""
    fitting = (one for one in reversed(saved_functions(services)) if _column(table, one) == column)
    return next((one for one in fitting if origin_of(services, one).is_usable), None)


def _asked_column(table: Table, places: Sequence[int], request: FillRequest) -> int:
    """The one of several empty columns that the person names."""
    names = [table.columns[place] for place in places]
    text = f"evolve has functions for {len(names)} empty columns of {table.path.name}: {', '.join(map(repr, names))}"
    respond = None if request.person is None else request.person.respond
    which = request.words(FlagReasons(reasons=(reason("which_column", columns=names, file=table.path.name),)))
    question = Question(id="offer:column", kind="ask", text=which, options=tuple(names))
    said = "" if respond is None else (respond(question) or "").strip()
    if said not in names:
        raise UsageError(text, hint="say which with --column NAME")
    return places[names.index(said)]


def accept_offer(
    services: WorkspaceServices, table: Table, offer: FunctionOffer, request: FillRequest
) -> FillRequest | None:
    """The request with the only skill that is offered, or the one that the person takes; None where they take none.

    Before the table itself is written they are asked about the only one as well: nothing is left to compare it with.
    """
    if not offer.skills:
        return replace(request, column=request.column or offer.column or None)
    if len(offer.skills) == 1 and not request.in_place:
        return replace(request, skill=offer.skills[0].name, column=offer.column)
    respond = None if request.person is None else request.person.respond
    if respond is None:
        return None
    for one in offer.skills:
        chosen = replace(request, skill=one.name, column=offer.column)
        known = () if one.verified else _unverified(one, services, table, chosen)
        asked = (reason("no_cell_filled", column=offer.column), *known, reason("fill_with", function=one.summary))
        text = request.words(FlagReasons(reasons=asked))
        said = respond(Question(id=f"offer:{one.name}", kind="ask", text=text, options=(YES, "no")))
        if is_yes(said):
            return chosen
    return None


def _unverified(one: UsedSkill, services: WorkspaceServices, table: Table, request: FillRequest) -> tuple[Reason, ...]:
    """What was doubtful about a function when it was kept, and what it would write into the first row, if anything."""
    doubts = (reason("unverified_when_kept"),) if one.doubt is None else (reason("doubtful_when_kept"), one.doubt)
    program, wanted, *_ = chosen_function(services, table, request)
    first = next((record for record in table.records() if not all(map(is_blank, record.cells))), None)
    if first is None:
        return doubts
    values = wanted.inputs.arguments_of(first)
    (outcomes,) = Applier(services.open_sandbox(), [program])([values])
    cell = judge_cell(table, wanted.inputs, first, values, outcomes).cell
    return (
        doubts
        if cell is None
        else (*doubts, reason("would_write", line=first.line, value=escape_unprintable(str(cell))))
    )


def is_yes(said: str | None) -> bool:
    """Whether an answer is a yes."""
    return (said or "").strip().lower() in ("y", YES)


def _open_columns(table: Table, name: str | None, own: IsOwn) -> tuple[frozenset[int], frozenset[int]]:
    """The columns that may be meant: those in which no filled cell shows anything, and those that are partly filled."""
    counts = counts_of(table)
    wanted = range(len(counts)) if name is None else [column_of(table, name)]
    known = (n for n in wanted if n < len(counts) and not table.columns[n].endswith(CHECKS))
    places = frozenset(n for n in known if counts[n][1])
    partly = frozenset(n for n in places if counts[n][0] and has_example(table, n, own))
    return frozenset(n for n in places - partly if table.columns[n]), partly


def _column(table: Table, skill: Skill) -> int | None:
    """The column that a saved function would fill from others that the table has, or None."""
    return column_for(table, Program(source=skill.code, entry=skill.entry), skill.description)
