"""Tells a reply while it comes."""

from __future__ import annotations

from collections.abc import Callable

from evolve.core.redaction import Scanner, StreamCleaner
from evolve.runtime.models.protocol import OnDelta, WaitingDelta
from evolve.runtime.models.replies import DeltaReader


class Listener:
    """Stands between the bytes of one request's calls and whoever listens.

    Args:
        name: The model that is asked.

    Attributes:
        streamed: Text of the last call came while it was under way.
    """

    def __init__(self, emit: OnDelta, scanner: Scanner, name: str) -> None:
        self._emit, self._scanner, self._name = emit, scanner, name
        self._reader: DeltaReader | None = None
        self._shown = StreamCleaner(scanner)
        self.streamed = False

    @property
    def heard(self) -> int:
        """Bytes of text and thinking that came of the call under way."""
        return 0 if self._reader is None else self._reader.size

    def asks_again(self, number: int, most: int, why: str) -> None:
        """Says that what was asked for did not come, and is asked for once more."""
        of = f" of {most}" if most else ""
        self._emit(WaitingDelta(f"{self._name}, attempt {number}{of}: {self._scanner.clean(why)}"))

    def begins(self, path: str, before: str | None, *, streamed: bool) -> Callable[[bytes], None] | None:
        """A call is about to be made; gives what hears its bytes, or None where they do not come one by one.

        Args:
            before: What came of the reply in calls before, said again; None where the listener has it still.
        """
        reader, cleaner = DeltaReader(path), StreamCleaner(self._scanner)
        self._reader, self._shown, self.streamed = (reader if streamed else None), cleaner, False
        if before is not None:
            # An empty piece: what a failed call said before is not part of this reply.
            self._emit("")
            self._emit(before)

        def listen(piece: bytes) -> None:
            text = reader.feed(piece)
            self.streamed = self.streamed or bool(text)
            clean = cleaner.feed(text)
            if clean:
                self._emit(clean)

        return listen if streamed else None

    def ends(self, text: str) -> None:
        """A reply is there: says what was held back, or all of it where no piece came."""
        rest = self._shown.close() if self.streamed else self._scanner.clean(text)
        if rest:
            self._emit(rest)
