"""Changes of a folder, as they are shown: the difference, what is no part of it, how sure it is, and its cost."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from evolve.cli.render.memory import used_lines
from evolve.cli.render.output import counted, emit, printing, shorten, visible
from evolve.cli.render.render_amounts import cost_line
from evolve.cli.render.verdicts import verdict

if TYPE_CHECKING:
    from evolve.workspace import Patch, Result


def show_change(result: Result, *, diff: bool = True) -> None:
    """Shows a change, what is no part of it, what the model says of it, how sure it is, and its cost."""
    if diff:
        show_diff(result.answer if result.patch is None else result.patch.diff)
    if left := left_alone(result.patch):
        emit(visible(left, lines=False))
    if result.closing and result.patch is not None:
        emit(visible(f"the model: {shorten(result.closing, 600)}", lines=False))
    emit(verdict(result).line())
    for line in used_lines(result):
        emit(line)
    emit(cost_line(result))


def show_diff(text: str) -> None:
    """The difference; in colour on a terminal."""
    if not text:
        return
    if not sys.stdout.isatty():
        emit(text.rstrip("\n"), exact=True)
        return
    from rich.console import Console
    from rich.text import Text

    styles = {"+": "green", "-": "red", "@": "cyan"}
    console = Console(highlight=False, soft_wrap=True)
    with printing():
        for line in text.rstrip("\n").split("\n"):
            console.print(Text(visible(line), style=styles.get(line[:1], "")))


def left_alone(patch: Patch | None) -> str:
    """Which changes are no part of a patch, and why; "" where all are."""
    if patch is None or not patch.protected:
        return ""
    names = ", ".join(patch.protected)
    return f"not part of it: {names}, protected because the check rests on it (name a file in the task to change it)"


def show_patch(patch: Patch) -> None:
    """One line about a patch that was applied or undone."""
    emit(f"{patch.state}: {counted(patch.names, 'file')} in {patch.folder}")
