"""``evolve undo`` and ``evolve apply``: take back what a run changed, or change a folder as the run would."""

from __future__ import annotations

from typing import Annotated

import typer

import evolve
from evolve.cli import asking, options, pages
from evolve.cli import options as overrides
from evolve.cli.forget import in_use, print_forgotten
from evolve.cli.render.episodes import show_patch
from evolve.cli.render.output import emit, emit_json

app = pages.App()

Set = Annotated[
    list[str] | None,
    overrides.set_option("approve=ask, auto or never (before a change of your folder)", settings=False),
]


@app.page("undo", "evolve undo", "evolve undo r7")
def undo_command(
    run: Annotated[
        str | None,
        typer.Argument(metavar="RUN", help="Id of a run, else the newest that changed a file."),
    ] = None,
    set_: Set = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Take back what a run changed in a folder or a table. evolve asks first if you changed a file since."""
    person = asking.is_person_present(overrides.parse_overrides(set_, "approve", settings=False), as_json=as_json)
    with evolve.open(workspace) as opened:
        before = in_use(opened)
        patch = opened.undo(run, person=person)
        after = in_use(opened)
    if as_json:
        return emit_json(patch.to_json())
    show_patch(patch)
    if patch.run in print_forgotten(before, after):
        emit(f"  to take that back: evolve skills own {patch.run}", whole=True)


@app.page("apply", "evolve apply r1", "evolve apply r1 --json")
def apply_command(run: options.RunId, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Apply the change of a run to its folder. evolve refuses if you changed one of its files since."""
    with evolve.open(workspace) as opened:
        patch = opened.runs.apply(run)
    emit_json(patch.to_json()) if as_json else show_patch(patch)
