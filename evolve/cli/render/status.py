"""How a workspace stands, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.render.amounts import spending
from evolve.cli.render.layout import counted, minute, shorten
from evolve.cli.render.output import emit, visible
from evolve.cli.render.views import answer_command, loop_line

if TYPE_CHECKING:
    from evolve.workspace import LoopProgress, OpenRun, Status

_SHOWN = 5
"""Runs of a kind that are named; ``--json`` has all."""
_INDENT = 12


def show_status(status: Status) -> None:
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
    since = f"since {minute(loop.at.since)} UTC in process {loop.at.process}"
    _say("loop", f"{loop.at.run}: {loop.kind} {loop.of}, {since}{how}")
    line = "" if loop.latest is None or loop.waits else loop_line(loop.latest)[0]
    if line:
        _say("", line)
    _say("", f"{counted(loop.episodes, 'task')} done, {loop.solved} solved; spent: {spending(loop.spent)}")
    _say("", "evolve status --pause, evolve status --stop" if not loop.at.paused else "evolve status --resume")


def _show_runs(word: str, runs: tuple[OpenRun, ...]) -> None:
    for one in runs[:_SHOWN]:
        about = " ".join(filter(None, (one.kind, shorten(one.of, 40))))
        if one.question:
            _say(word, f"{one.run}, {about}, asks: {shorten(one.question, 160)}")
            _say("", f"try: {answer_command(one.run, approval=one.approval)}", whole=True)
        else:
            _say(word, f"{one.run}, {about}, begun {minute(one.started)} UTC; the same command goes on with it")
    if len(runs) > _SHOWN:
        _say("", f"and {len(runs) - _SHOWN} more: evolve runs list")


def _say(word: str, text: str, *, whole: bool = False) -> None:
    emit(f"{word:<{_INDENT}}{visible(text, lines=False)}", indent=_INDENT, whole=whole)
