"""``evolve status``: the workspace, what waits or goes on there, and what this machine lacks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

import evolve
from evolve.cli import options, pages
from evolve.cli.render.layout import count_of, format_spending, format_time, shorten_line
from evolve.cli.render.output import emit, emit_json, escape_control_characters, print_note, table
from evolve.cli.render.views import answer_command, loop_line
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import Config, LoopProgress, OpenRun, Status

_SHOWN = 5
"""Runs of a kind that are named; ``--json`` has all."""
_INDENT = 12
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
    emit_json({**found.to_json(), **({} if config is None else _settings(config))}) if as_json else _show_status(found)
    raise typer.Exit(3 if found.missing else 0)


def _steer(action: str, workspace: str | None, *, as_json: bool) -> None:
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
    report = evolve.repair(workspace, tell=print_note)
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
        print_note(f"{name} is set and means nothing to evolve")


def _show_status(status: Status) -> None:
    """Prints it: what is used, what waits, what goes on, and what is not in order."""
    where = status.where
    kinds = (["your own"] if where.user else []) + ([] if where.exists else ["not there yet, made on first use"])
    _say("workspace", str(where.root) + (f" ({', '.join(kinds)})" if kinds else ""))
    if where.trusted:
        _say("model", status.model or "none; evolve searches for programs by itself")
    if status.loop is not None:
        _show_loop(status.loop)
    _show_runs("waiting", status.waiting)
    _show_runs("cut off", status.unfinished)
    if status.proposed:
        _say("to keep", f"{count_of(status.proposed, 'proposal')} to keep or decline: evolve memory proposals")
    faults = [finding for finding in status.checks if finding.state != "ok"]
    for finding in faults:
        _say(finding.part, ("MISSING: " if finding.state == "missing" else "warning: ") + finding.text)
        if finding.fix:
            _say("", f"try: {finding.fix}", whole=True)
    if not faults:
        _say("machine", "all is well")


def _show_loop(loop: LoopProgress) -> None:
    how = ", waits" if loop.waits else ""
    how = how or (", pauses once the tasks that it has begun are over" if loop.at.paused else "")
    since = f"since {format_time(loop.at.since)} UTC in process {loop.at.process}"
    _say("loop", f"{loop.at.run}: {loop.kind} {loop.of}, {since}{how}")
    line = "" if loop.latest is None or loop.waits else loop_line(loop.latest)[0]
    if line:
        _say("", line)
    _say("", f"{count_of(loop.episodes, 'task')} done, {loop.solved} solved; spent: {format_spending(loop.spent)}")
    _say("", "evolve status --pause, evolve status --stop" if not loop.at.paused else "evolve status --resume")


def _show_runs(word: str, runs: tuple[OpenRun, ...]) -> None:
    for one in runs[:_SHOWN]:
        about = " ".join(filter(None, (one.kind, shorten_line(one.of, 40))))
        if one.question:
            _say(word, f"{one.run}, {about}, asks: {shorten_line(one.question, 160)}")
            _say("", f"try: {answer_command(one.run, approval=one.approval)}", whole=True)
        else:
            _say(word, f"{one.run}, {about}, begun {format_time(one.started)} UTC; the same command goes on with it")
    if len(runs) > _SHOWN:
        _say("", f"and {len(runs) - _SHOWN} more: evolve runs list")


def _say(word: str, text: str, *, whole: bool = False) -> None:
    emit(f"{word:<{_INDENT}}{escape_control_characters(text, lines=False)}", indent=_INDENT, whole=whole)
