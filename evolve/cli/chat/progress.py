"""What a session shows while an episode goes on: a line for each stage that has something to say, and a live part."""

from __future__ import annotations

from evolve.cli.chat.screen import Screen
from evolve.cli.views import episode_line
from evolve.events import Event

_NEXT = {
    "recall": "planning",
    "plan": "working on it",
    "act": "running it",
    "observe": "judging",
    "judge": "thinking",
    "reflect": "keeping what was learned",
    "distill": "keeping what was learned",
}
"""What goes on after a stage has told of itself."""


class Progress:
    """An event sink that shows events.

    Args:
        screen: Where.
    """

    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def emit(self, event: Event) -> None:
        """Shows what is worth a line, and what goes on now."""
        if event.kind == "text":
            self._screen.piece(str(event.data.get("piece", "")))
            return
        line = episode_line(event)
        if line:
            word, _, text = line.partition(" ")
            self._screen.say(word.rstrip(":"), text.strip())
        if event.kind in _NEXT:
            self._screen.stage(_NEXT[event.kind])
