"""What a session shows while an episode goes on: a line for each stage that has something to say, and a live part."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evolve.cli.chat.screen import Screen
from evolve.cli.render.views import episode_line
from evolve.workspace import Event

_STAGE_AFTER = {
    "recall": "planning",
    "plan": "working on it",
    "act": "running it",
    "observe": "judging",
    "judge": "thinking",
    "reflect": "keeping what was learned",
    "distill": "keeping what was learned",
}
"""What goes on after a stage has told of itself."""


_READABLE_FIELDS = ("goal", "thought", "code", "text")
"""Parts of a reply that a person can read."""


class Progress:
    """An event sink that shows events.

    Args:
        screen: Where.

    Attributes:
        spent: What a run has cost that broke off, as its last event told; {} where none did.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.spent: Mapping[str, Any] = {}
        self._asking = False
        self._field: tuple[Any, Any] = (None, None)

    def emit(self, event: Event) -> None:
        """Shows what is worth a line, and what goes on now."""
        if event.kind == "text":
            self._stream(event.data)
            return
        if event.kind == "spent":
            self.spent = event.data["cost"]
        if event.kind == "act":
            self._asking = event.data.get("action") == "ask_user"
        line = "" if self._is_known(event) else episode_line(event)
        if line:
            word, _, text = line.partition(" ")
            self._screen.print_line(word.rstrip(":"), text.strip())
        if event.kind in _STAGE_AFTER:
            self._screen.stage(_STAGE_AFTER[event.kind])

    def _stream(self, data: Mapping[str, Any]) -> None:
        """What a model writes, each part of its reply on lines of its own."""
        if data.get("field") == "asks again":
            self._screen.print_line("retry", str(data.get("piece", "")))
            return
        field = (data.get("call"), data.get("field"))
        if data.get("field") not in _READABLE_FIELDS:
            return
        begins = "" if field == self._field else "\n"
        self._field = field
        self._screen.print_piece(begins + str(data.get("piece", "")))

    def _is_known(self, event: Event) -> bool:
        """Whether an event says nothing that the person has not just typed or read."""
        if event.kind == "judge" and not event.data.get("rows") and not event.data.get("text"):
            return True  # nothing was there to judge by
        return self._asking and event.kind in ("act", "ask", "observe")
