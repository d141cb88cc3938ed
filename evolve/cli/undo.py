"""``evolve undo``: take back what a run changed in a folder."""

from __future__ import annotations

from typing import Annotated

import typer

from evolve.cli import asking, options, pages
from evolve.cli.output import emit_json

app = pages.App()


@app.page("undo", "evolve undo", "evolve undo r7")
def undo_command(
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="Id of a run, else the newest that changed a folder."),
    ] = None,
    approve: asking.Approve = "ask",
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Take back what a run changed in a folder. Where a file changed since, that needs leave."""
    import evolve
    from evolve.cli.folder import show_patch

    person = asking.person_here(approve, as_json=as_json)
    with evolve.open(workspace) as opened:
        patch = opened.undo(run, person=person)
    if as_json:
        emit_json(patch.to_json())
    else:
        show_patch(patch)
