"""The status line: what decides, what may happen to files, what was spent, where one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evolve.cli.chat.commands import model_of
from evolve.cli.chat.session import ChatSession
from evolve.cli.chat.showing import short_model
from evolve.cli.render.output import at_home

if TYPE_CHECKING:
    from prompt_toolkit.formatted_text import StyleAndTextTuples

_BETWEEN = " | "


def status_parts(session: ChatSession) -> list[str]:
    """What the line says, the most important first."""
    parts = ["UNSANDBOXED"] if session.setup.unsandboxed else []
    parts.append(short_model(model_of(session)) or "search, no model")
    if session.to_remember:
        parts.append(f"{session.to_remember} to remember: /remember")
    if session.setup.folder:
        parts.append(f"approve {session.setup.approve}")
    parts.append(session.purse.told())
    if session.setup.folder:
        parts.append(at_home(session.setup.folder))
    if not session.setup.unsandboxed:
        parts.append("sandboxed")
    return parts


def status_line(session: ChatSession, width: int) -> StyleAndTextTuples:
    """As many parts as fit into ``width`` columns, at least one, as styled text."""
    from prompt_toolkit.utils import get_cwidth

    parts = status_parts(session)
    while len(parts) > 1 and get_cwidth(_BETWEEN.join(parts)) > width - 1:
        parts.pop()
    line: StyleAndTextTuples = []
    for place, part in enumerate(parts):
        line.append(("", _BETWEEN if place else " "))
        line.append(("bold bg:ansired fg:ansiwhite" if part == "UNSANDBOXED" else "", _cut(part, width - 2)))
    return line


def _cut(text: str, width: int) -> str:
    from prompt_toolkit.utils import get_cwidth

    while get_cwidth(text) > max(1, width):
        text = text[:-1]
    return text
