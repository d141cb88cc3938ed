"""``evolve skills import``: skills of others, tried here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.output import (
    emit,
    emit_json,
    escape_control_characters,
    pick_attributes,
    print_note,
    shorten_line,
    table,
)

if TYPE_CHECKING:
    from evolve.workspace import ImportReport

app = pages.App()


@app.page("import", "evolve skills import downloaded.zip", "evolve skills import .claude/skills")
def import_command(
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="A folder, or a zip or tar archive.", show_default=False)
    ] = None,
    mine: Annotated[bool, typer.Option("--mine", help="Instructions count as your own notes.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Take in skills of other people and agents, and try them here. Without a path it lists what was imported.

    A function is used once it is right on rows of yours. Instructions are kept as quotes that no run is told, unless
    you vouch for them with --mine.
    """
    with evolve.open(workspace, read_only=path is None) as opened:
        rows, imported = opened.skills.imported(), None if path is None else opened.skills.import_(path, mine=mine)
    if imported is not None:
        emit_json(imported) if as_json else print_imported(imported, mine=mine)
        raise typer.Exit(0 if any((imported.admitted, imported.waiting, imported.guidance, imported.known)) else 1)
    if as_json:
        emit_json([pick_attributes(one, "name", "state", "origin", "reason", "digest", "evidence") for one in rows])
    else:
        told = [(one.name, one.state, one.origin, shorten_line(one.reason, 80)) for one in rows]
        emit(table(("name", "state", "from", "why"), told, spare=("why",)) or "nothing is imported yet")


def print_imported(imported: ImportReport, *, mine: bool = False) -> None:
    """Prints what came of it, and why not all was taken in."""
    for name in imported.admitted:
        emit(f"in use: {name}, right on rows of yours")
    for became, names in (("waits for a task of yours", imported.waiting), ("kept as instructions", imported.guidance)):
        for name in [*names][:20]:
            emit(escape_control_characters(f"{name}: {became}", lines=False))
    kind = "notes of yours" if mine else "quoted instructions"
    counts = f"{len(imported.waiting)} wait for a task of yours, {len(imported.guidance)} kept as {kind}"
    emit(f"{counts}, {len(imported.known)} known, {len(imported.refused)} refused")
    note_refusals(imported.refused)


def note_refusals(refused: Mapping[str, str]) -> None:
    """Says why things were refused, of the first ones."""
    for name, reason in [*refused.items()][:20]:
        print_note(escape_control_characters(f"refused {name}: {shorten_line(reason, 200)}", lines=False))
