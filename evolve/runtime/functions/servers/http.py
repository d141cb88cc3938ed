"""How much a server may say, and why a connection to it is of no use any more."""

from __future__ import annotations

from dataclasses import dataclass

LONGEST_MESSAGE = 16 << 20
"""Bytes of one message."""

MOST_UNASKED = 2000
"""Messages after a request, answers among them."""

MOST_BYTES = 32 << 20
"""Bytes after a request, of messages and of what is written beside them."""

START_S = 60.0
"""Seconds of the start of a server, which no call is charged for."""

_LONGEST_WHY = 300


@dataclass
class Trouble:
    """What is wrong with a connection; told by whoever sees it first, read by whoever waits for an answer.

    Attributes:
        why: A phrase that goes after the server's name; "" while all is well.
        undone: Whether the server took nothing of what was asked last.
        status: The last HTTP status that was no success.
        stale: The server says that its tools are others now.
        noise: Lines that were no messages.
    """

    why: str = ""
    undone: bool = False
    status: int = 0
    stale: bool = False
    noise: int = 0
    _messages: int = 0
    _bytes: int = 0

    def say(self, why: str, *, undone: bool = False) -> None:
        """Notes what is wrong, unless something was before."""
        if not self.why:
            self.why, self.undone = why, undone

    def begin(self) -> None:
        """Forgets what was wrong: the next request says for itself."""
        self.why, self.undone = "", False
        self.asked()

    def asked(self) -> None:
        """A request goes out: what may come begins anew."""
        self._messages = self._bytes = self.status = 0

    def came(self, count: int, *, messages: int = 0) -> bool:
        """Counts what came; False, with the reason noted, where it is too much."""
        self._bytes += count
        self._messages += messages
        if self._bytes > MOST_BYTES or self._messages > MOST_UNASKED:
            self.say("sends far more than it was asked for, so it was ended")
        return not self.why


def short_text(text: str) -> str:
    """What somebody else wrote, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WHY else f"{line[:_LONGEST_WHY]}..."
