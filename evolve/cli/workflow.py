"""``evolve workflow``: the order of an episode's stages, looked at, compared, checked and drawn."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.output import counted, emit, emit_json, note, table

if TYPE_CHECKING:
    from evolve.workflow import Workflow

app = pages.App(
    "Look at, compare, check and draw the order of the stages in which a task is solved.",
    *("evolve workflow show", "evolve workflow draw --out workflow.svg"),
)

Which = Annotated[
    str | None,
    typer.Argument(
        metavar="WORKFLOW",
        help="A workflow file, or seed for the one that ships with evolve. Default: the one in force.",
    ),
]


@app.page("show", "evolve workflow show", "evolve workflow show seed")
def show_command(which: Which = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show a workflow: its stages with what they do and how often at most, its routes and numbers."""
    from evolve.workflow import kind_of, visit_bounds

    workflow, name = _read(which, workspace)
    bounds = visit_bounds(workflow)
    if as_json:
        emit_json({**workflow.as_json(), "digest": workflow.digest, "bounds": bounds, "visits": sum(bounds.values())})
        return
    emit(f"{name}: {_summary(workflow)}")
    rows = []
    for stage in workflow.stages:
        kind = kind_of(stage)
        ways = ", ".join(f"{condition}: {target}" for condition, target in workflow.routes.get(stage, {}).items())
        rows.append((stage, bounds[stage], ways, kind.does if kind is not None else ""))
    emit(table(("stage", "at most", "routes", "does"), rows))
    emit(table(("knob", "value"), [(knob, f"{value:g}") for knob, value in workflow.numbers().items()]))


@app.page("validate", "evolve workflow validate my.toml")
def validate_command(which: Which = None, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Check a workflow: that it compiles, ends, commits once, and calls only skills that are admitted here."""
    import evolve
    from evolve.agent.stage_skills import stage_skills
    from evolve.environments import kind_of
    from evolve.errors import EvolveError
    from evolve.skills import ACTIVE
    from evolve.workflow import misfits, skill_of

    problem: EvolveError | None = None
    idle: dict[str, dict[str, str]] = {}
    try:
        workflow, name = _read(which, workspace)
        if any(skill_of(stage) is not None for stage in workflow.stages):
            with evolve.open(workspace, read_only=True) as opened:
                stage_skills(workflow, opened.skills.list(ACTIVE), file=name)
        policies = [(one, kind_of("programs")) for one in ("search", "language")] + [("language", kind_of("files"))]
        idle = {
            f"{one} in {kind.name}": misfits(workflow, policy=one, environment=kind.name, one_file=kind.one_file)
            for one, kind in policies
        }
    except EvolveError as error:
        problem = error
    if as_json:
        said = {"error": str(problem), "hint": problem.hint} if problem is not None else {"digest": workflow.digest}
        emit_json({"valid": problem is None, **said, "idle": idle})
        raise typer.Exit(0 if problem is None else problem.exit_code)
    if problem is not None:
        raise problem
    emit(f"{name}: valid; {_summary(workflow)}")
    for reason in dict.fromkeys(reason for found in idle.values() for reason in found.values()):
        note(reason)


@app.page("diff", "evolve workflow diff seed", "evolve workflow diff seed my.toml")
def diff_command(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="A workflow file, or seed.")],
    after: Annotated[str | None, typer.Argument(metavar="AFTER", help="Another. Default: the one in force.")] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what tells two workflows apart: stages, routes and numbers; layout and comments do not count."""
    from dataclasses import asdict

    from evolve.workflow import differences

    found = differences(_read(before, workspace)[0], _read(after, workspace)[0])
    if as_json:
        emit_json({"differences": [asdict(one) for one in found]})
        return
    for one in found:
        emit(str(one))
    if not found:
        emit("no difference")


@app.page("draw", "evolve workflow draw --out workflow.svg")
def draw_command(
    which: Which = None,
    out: Annotated[
        str | None, typer.Option("--out", metavar="FILE", help="SVG file to write; default: Mermaid on stdout.")
    ] = None,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Draw a workflow: an SVG picture into a file, or Mermaid text on stdout."""
    from evolve.files import write_atomic
    from evolve.workflow import mermaid, svg

    workflow, name = _read(which, workspace)
    if out is not None:
        write_atomic(out, svg(workflow, title=Path(name).name).encode())
        note(f"wrote {out}")
    if as_json:
        emit_json({"digest": workflow.digest, "mermaid": mermaid(workflow), "out": out})
    elif out is None:
        emit(mermaid(workflow).rstrip("\n"), whole=True)


def _read(which: str | None, workspace: str | None) -> tuple[Workflow, str]:
    """A workflow with the name it has in messages."""
    from evolve.files import read_text
    from evolve.prompts import PromptLayers, load_prompt
    from evolve.workflow import parse_workflow

    if which == "seed":
        return parse_workflow(load_prompt("workflow.toml", PromptLayers()), file="seed"), "seed"
    if which is not None:
        return parse_workflow(read_text(Path(which)), file=which), which
    import evolve

    with evolve.open(workspace, read_only=True) as opened:
        return opened.workflow, "workflow.toml"


def _summary(workflow: Workflow) -> str:
    from evolve.workflow import visit_bounds

    visits: Any = sum(visit_bounds(workflow).values())
    return f"{counted(workflow.stages, 'stage')}, at most {counted(visits, 'visit')}, digest {workflow.digest[:12]}"
