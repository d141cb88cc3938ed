"""``evolve status``: the workspace, what waits or goes on there, and what this machine lacks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.render.output import emit, emit_json, note, table

if TYPE_CHECKING:
    from evolve.workspace import Config

app = pages.App()


@app.page("status", "evolve status", "evolve status --stop")
def status_command(
    settings: Annotated[
        bool, typer.Option("--settings", help="Every setting with its value and origin, and the variables.")
    ] = False,
    mend: Annotated[bool, typer.Option("--repair", help="Mend what is damaged and say what is lost.")] = False,
    pause: Annotated[bool, typer.Option("--pause", help="Have the loop that goes on here wait.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Have it go on.")] = False,
    stop: Annotated[
        bool, typer.Option("--stop", help="End it. What is finished is saved, and the same command continues.")
    ] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Show the workspace, its model, what waits for you, a loop that goes on, and what this machine lacks.

    It makes nothing and waits for no other process. A loop is improve, optimize or another command that works through
    a suite. Exit codes: 0, or 3 where something is missing or damaged.
    """
    import evolve
    from evolve.cli.render.status import show_status
    from evolve.errors import UsageError

    chosen = {"--settings": settings, "--repair": mend, "--pause": pause, "--resume": resume, "--stop": stop}
    named = [name for name, given in chosen.items() if given]
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} do not go together", hint=f"evolve status {named[0]}")
    if mend:
        _repair(workspace, as_json=as_json)
    if pause or resume or stop:
        _steer(named[0], workspace, as_json=as_json)
        return
    config = evolve.config(workspace) if settings else None  # before the checks: what is malformed there is told alone
    if config is not None and not as_json:
        _show_settings(config)
        return
    found = evolve.status(workspace)
    if as_json:
        emit_json({**found.to_json(), **({} if config is None else _settings(config))})
    else:
        show_status(found)
    raise typer.Exit(3 if found.missing else 0)


def _steer(action: str, workspace: str | None, *, as_json: bool) -> None:
    """Pauses, resumes or stops the loop that goes on."""
    from evolve.workspace import pause_loop, resume_loop, stop_loop

    if action == "--stop":
        ended = stop_loop(workspace)
        if as_json:
            emit_json({"stopped": ended})
        else:
            emit("stopped; all that was finished is saved" if ended else "it stops once what it has begun is closed")
        return
    loop = pause_loop(workspace) if action == "--pause" else resume_loop(workspace)
    if as_json:
        emit_json(loop)
    elif loop.paused:
        emit(f"{loop.run} pauses once the tasks that it has begun are over; evolve status --resume goes on")
    else:
        emit(f"{loop.run} goes on")


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


def _settings(config: Config) -> dict[str, Any]:
    return {
        "settings": {setting.name: {"value": setting.value, "source": setting.source} for setting in config.settings},
        "variables": {name: name in os.environ for name in config.variables},
        "unread_variables": list(config.unread),
    }


def _show_settings(config: Config) -> None:
    rows = [(setting.name, str(setting.value), setting.source, setting.about) for setting in config.settings]
    emit(table(("key", "value", "from", "meaning"), rows))
    emit()
    emit(
        table(
            ("variable", "set", "meaning"),
            [(name, name in os.environ, about) for name, about in config.variables.items()],
        )
    )
    for name in config.unread:
        note(f"{name} is set and means nothing to evolve")
