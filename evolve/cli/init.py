"""``evolve init`` and ``evolve trust``: a folder becomes a workspace, or one that somebody else made is trusted."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.output import emit, emit_json, print_note

if TYPE_CHECKING:
    from evolve.workspace import WorkspaceLocation

app = pages.App()


@app.page("init", "evolve init", "evolve init mine")
def init_command(
    ctx: typer.Context,
    path: Annotated[
        str | None,
        typer.Argument(metavar="DIR", help="The folder. Default: this folder.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a folder a workspace. evolve keeps its lessons there, and your files stay as they are."""
    _tell(evolve.init(path or options.typed_before(ctx) or "."), as_json=as_json)


@app.page("trust", "evolve trust theirs", "evolve trust .")
def trust_command(
    path: Annotated[str, typer.Argument(metavar="DIR", help="The workspace, a folder.")],
    as_json: options.AsJson = False,
) -> None:
    """Trust a workspace that somebody else made. evolve then uses its models, prompts, skills and notes."""
    from evolve.workspace import trust_proposal

    lines = trust_proposal(path).changes if os.path.isdir(path) else ()
    location = evolve.init(path, trust=True)
    for line in lines:
        print_note(f"trusted: {line}")
    _tell(location, as_json=as_json)


def _tell(made: WorkspaceLocation, *, as_json: bool) -> None:
    root, fresh = made.paths.root, made.created
    if as_json:
        return emit_json({"workspace": str(root), "created": fresh})
    emit(f"{'made' if fresh else 'already'} a workspace: {root}")
    for line in _without_model(root) if fresh else ():
        print_note(line)


def _without_model(root: Path) -> tuple[str, ...]:
    """What works at once and how to add a model, where none is chosen; three lines."""
    from evolve.workspace import models

    if models(root).chosen():
        return ()
    key = "the key in OPENAI_API_KEY is used" if os.environ.get("OPENAI_API_KEY") else "its key in OPENAI_API_KEY"
    return (
        "no model is needed to learn functions from examples: evolve run --examples rows.csv",
        "evolve chat takes rows too, and tasks in words once there is a model",
        f"add one with evolve models default NAME ({key}), or with the address of a local one: http://host/v1#NAME",
    )
