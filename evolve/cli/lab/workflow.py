"""``evolve lab workflow``: the order of an episode's stages, looked at, compared, checked and drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import count_of, emit, emit_json, print_note, report_written_file, table
from evolve.core.errors import EvolveError

if TYPE_CHECKING:
    from evolve.workspace import StageRow, Workflow

app = pages.App(
    "Look at, compare, check and draw the order of the stages in which a task is solved.",
    *("evolve lab workflow show", "evolve lab workflow draw --out workflow.svg"),
)

Which = Annotated[
    str | None,
    typer.Argument(
        metavar="WORKFLOW",
        help="A workflow file, or seed for the one that ships with evolve. Default: the one in force.",
    ),
]


@app.page("show", "evolve lab workflow show", "evolve lab workflow show seed")
def show_command(which: Which = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show a workflow: its stages with what they do and how often at most, its routes and numbers."""
    from evolve.workspace import workflow

    workflows = workflow(workspace)
    definition, stages = workflows.show(which), workflows.stages(which)
    bounds = {stage.name: stage.bound for stage in stages}
    if as_json:
        return emit_json(
            {**definition.as_json(), "digest": definition.digest, "bounds": bounds, "visits": sum(bounds.values())}
        )
    emit(f"{_name(which)}: {_summary(definition, stages)}")
    rows = []
    for stage in stages:
        routes = ", ".join(f"{condition}: {target}" for condition, target in stage.routes.items())
        rows.append((stage.name, stage.bound, routes, stage.does))
    emit(table(("stage", "at most", "routes", "does"), rows))
    emit(table(("knob", "value"), [(knob, f"{value:g}") for knob, value in definition.effective_knobs().items()]))


@app.page("validate", "evolve lab workflow validate my.toml", "evolve lab workflow validate")
def validate_command(which: Which = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Check a workflow: that it compiles, ends, commits once, and calls only skills that are admitted here."""
    from evolve.workspace import workflow

    problem: EvolveError | None = None
    idle: Mapping[str, Mapping[str, str]] = {}
    workflows = workflow(workspace)
    try:
        definition, stages = workflows.show(which), workflows.stages(which)
        idle = workflows.validate(which)
    except EvolveError as error:
        problem = error
    if as_json:
        body = {"error": str(problem), "hint": problem.hint} if problem is not None else {"digest": definition.digest}
        emit_json({"valid": problem is None, **body, "idle": idle})
        raise typer.Exit(0 if problem is None else problem.exit_code)
    if problem is not None:
        raise problem
    emit(f"{_name(which)}: valid; {_summary(definition, stages)}")
    for reason in dict.fromkeys(reason for reasons in idle.values() for reason in reasons.values()):
        print_note(reason)


@app.page("diff", "evolve lab workflow diff seed", "evolve lab workflow diff seed my.toml")
def diff_command(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A workflow file, or seed.")],
    after: Annotated[str | None, typer.Argument(metavar="AFTER", help="Another. Default: the one in force.")] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what tells two workflows apart: stages, routes and numbers; layout and comments do not count."""
    from evolve.workspace import workflow

    differences = workflow(workspace).diff(before, after)
    if as_json:
        return emit_json({"differences": [asdict(difference) for difference in differences]})
    for difference in differences:
        emit(str(difference))
    if not differences:
        emit("no difference")


@app.page("draw", "evolve lab workflow draw --out workflow.svg", "evolve lab workflow draw seed")
def draw_command(
    which: Which = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="SVG file to write; default: Mermaid on stdout.")
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw a workflow: an SVG picture into a file, or Mermaid text on stdout."""
    from evolve.workspace import workflow

    workflows = workflow(workspace)
    with report_written_file(out):
        drawn = workflows.draw(which, out=out)
    if as_json:
        emit_json({"digest": workflows.show(which).digest, "mermaid": drawn, "out": out})
    elif out is None:
        emit(drawn.rstrip("\n"), whole=True)


def _name(which: str | None) -> str:
    return "workflow.toml" if which is None else which


def _summary(definition: Workflow, stages: Sequence[StageRow]) -> str:
    visits = sum(stage.bound for stage in stages)
    return f"{count_of(stages, 'stage')}, at most {count_of(visits, 'visit')}, digest {definition.digest[:12]}"
