"""``evolve skills push`` and ``evolve skills pull``: a folder that a team shares."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json
from evolve.cli.skills_import import note_refusals, print_imported

if TYPE_CHECKING:
    from evolve_imports.team import Team

push_app, pull_app = pages.App(), pages.App()

part_of: Callable[[object], Team] = attrgetter("team")
Folder = Annotated[str, typer.Argument(metavar="DIR", help="The folder that you share.")]


@push_app.page("push", "evolve skills push ../team-skills", "evolve skills push ../team-skills give-short-name-9af8")
def push_command(
    folder: Folder,
    names: Annotated[
        list[str] | None, typer.Argument(metavar="SKILL", help="Only these skills.", show_default=False)
    ] = None,
    with_rows: Annotated[bool, typer.Option("--with-rows", help="Your rows go along as examples.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Put your skills and tested claims into a folder that you share, such as a clone of a git repository."""
    with evolve.open(workspace, read_only=True) as opened:
        pushed = part_of(opened).push(folder, names or (), with_rows=with_rows)
    if as_json:
        return emit_json(pushed)
    emit(f"wrote {count_of(pushed.skills, 'skill')}; {len(pushed.same)} unchanged; {count_of(pushed.claims, 'claim')}")
    note_refusals(pushed.refused)


@pull_app.page("pull", "evolve skills pull ../team-skills", "evolve skills pull ../team-skills --json")
def pull_command(folder: Folder, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Take in what others put into a folder. evolve tries each skill and claim here before it acts."""
    with evolve.open(workspace) as opened:
        pulled = part_of(opened).pull(folder)
    if as_json:
        return emit_json({**vars(pulled.skills), "claims": pulled.claims, "refused_claims": pulled.refused})
    print_imported(pulled.skills)
    if pulled.claims:
        emit(f"{count_of(pulled.claims, 'new claim')} to be tried: evolve memory list --status hypothesis")
    note_refusals(pulled.refused)
