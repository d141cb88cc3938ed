"""A text that comes in pieces, without the secrets, also those that two pieces share."""

from __future__ import annotations

from evolve.redaction.scanner import Scanner, folded


class StreamCleaner:
    """Hands on the pieces of one text; what may be the beginning of a secret waits for what comes next.

    Args:
        scanner: Knows the secrets.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._rest = ""
        self._before = ""  # the last character that was handed on: it says whether a word goes on

    def feed(self, piece: str) -> str:
        """What can be shown by now."""
        rest = self._rest + piece
        cut = self._undecided(folded(rest)) if self._scanner else len(rest)
        for start, end in self._scanner.spans(rest):
            # The end of a secret that is there already must not be handed on apart from its beginning.
            if start < cut < end:
                cut = start
        self._rest = rest[cut:]
        return self._clean(rest[:cut])

    def close(self) -> str:
        """What was still held back, at the end of the text."""
        rest, self._rest = self._rest, ""
        return self._clean(rest)

    def _clean(self, text: str) -> str:
        if not text:
            return ""
        before, self._before = self._before, text[-1]
        # A guessable value counts only as a whole word, so the sign before it matters.
        return self._scanner.clean(before + text)[len(before) :]

    def _undecided(self, text: str) -> int:
        """The place from which on the text may be the beginning of a secret."""
        longest = max(len(form.text) for form in self._scanner.forms) - 1
        for at in range(max(0, len(text) - longest), len(text)):
            if text[at:] in self._scanner.beginnings:
                return at
        return len(text)
