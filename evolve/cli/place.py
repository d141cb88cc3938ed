"""``evolve init``, ``where``, ``doctor`` and ``config``: the workspace itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from evolve.cli import options, pages
from evolve.cli.output import emit, emit_json, note, table

app = pages.App()


@app.page("init", "evolve init", "evolve init mine")
def init_command(
    ctx: typer.Context,
    path: Annotated[
        str | None,
        typer.Argument(metavar="DIR", help="What to make a workspace of, else this folder.", show_default=False),
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Make a folder a workspace, which keeps what is learned. Files that are there stay as they are."""
    import evolve

    opened = evolve.init(path or options.typed_before(ctx) or ".")
    root, fresh = opened.paths.root, opened.created
    if as_json:
        emit_json({"workspace": str(root), "created": fresh})
    else:
        emit(f"{'made' if fresh else 'already'} a workspace: {root}")
        for line in _without_model(root) if fresh else ():
            note(line)


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


@app.page("where", "evolve where")
def where_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Say which workspace is used here. It makes nothing."""
    import evolve

    location = evolve.where(workspace)
    if as_json:
        emit_json({"workspace": str(location.root), "exists": location.exists, "user": location.user})
        return
    emit(str(location.root), whole=True)
    if not location.exists:
        note("it does not exist yet and is made on first use")


@app.page("doctor", "evolve doctor", "evolve doctor --repair")
def doctor_command(
    mend: Annotated[bool, typer.Option("--repair", help="Mend what is damaged and say what is lost.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Check what evolve needs on this machine, and say how to get what is missing."""
    import evolve

    if mend:
        _repair(workspace, as_json=as_json)
    findings = evolve.doctor(workspace)
    if as_json:
        emit_json(
            [
                {"part": finding.part, "state": finding.state, "text": finding.text, "fix": finding.fix}
                for finding in findings
            ]
        )
    else:
        for finding in findings:
            mark = {"ok": "ok      ", "warning": "warning ", "missing": "MISSING "}[finding.state]
            emit(f"{mark} {finding.part:<9} {finding.text}" + (f"  → {finding.fix}" if finding.fix else ""), indent=19)
    raise typer.Exit(3 if any(finding.state == "missing" for finding in findings) else 0)


def _repair(workspace: str | None, *, as_json: bool) -> None:
    """Mends and ends: with 0 when all is well, else with 3."""
    import evolve

    report = evolve.repair(workspace, tell=note)
    if as_json:
        emit_json(report.to_json())
    else:
        for word, lines in (("mended", report.done), ("LOST", report.lost), ("STILL", report.left)):
            for line in lines:
                emit(f"{word:<7} {line}", indent=8)
        emit("all is well" if not report.left else "some damage is left; restore a copy of the whole folder")
    raise typer.Exit(3 if report.left else 0)


@app.page("config", "evolve config", "evolve config --json")
def config_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Show every setting with its value and origin, and the variables that evolve reads."""
    import evolve

    config = evolve.config(workspace)
    if as_json:
        emit_json({setting.name: {"value": setting.value, "source": setting.source} for setting in config.settings})
    else:
        rows = [(setting.name, str(setting.value), setting.source, setting.about) for setting in config.settings]
        emit(table(("key", "value", "from", "meaning"), rows))
        emit()
        set_here = [(name, name in os.environ, about) for name, about in config.variables.items()]
        emit(table(("variable", "set", "meaning"), set_here))
    for name in config.unread:
        note(f"{name} is set and means nothing to evolve")
