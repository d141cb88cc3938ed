"""Input line by line: from a pipe, or from a person at a terminal that takes no more than lines."""

from __future__ import annotations

import contextlib
import select
import sys
from collections.abc import Callable, Sequence

from evolve.cli.asking import drop_typed_ahead
from evolve.cli.chat.reading import goes_on, is_open, is_row, is_rows
from evolve.cli.render.output import paused, visible
from evolve.core.errors import UsageError


class LineInput:
    """Reads texts from stdin.

    Args:
        attended: A person types: prompts are shown, and questions are put to them. Nobody answers a pipe.
        typed: Earlier inputs, for the arrow keys where the terminal has them.
    """

    def __init__(self, *, attended: bool, typed: Sequence[str] = ()) -> None:
        self._attended = attended
        self._pushed_back: list[str] = []
        if attended:
            with contextlib.suppress(ImportError):  # then lines are edited by the terminal alone
                import readline

                for text in typed:
                    if "\n" not in text:
                        readline.add_history(text)

    def text(self) -> str | None:
        """The next complete text, or None at the end."""
        first = self._line("evolve> ")
        if first is None:
            return None
        text = first
        # Whether a further line is there already, which then was pasted with the one before.
        while is_open(text) or (self._attended and goes_on(text) and bool(select.select([sys.stdin], [], [], 0)[0])):
            more = self._line("...> ")
            if more is None:
                break
            if is_rows(text) and more.strip() and not is_row(more):
                self._pushed_back.append(more)  # rows end where something else begins
                break
            text = f"{text}\n{more}"
        return text

    def answer(self, question: str) -> str | None:
        """What the person answers; None where nobody is there."""
        return self._typed(question) if self._attended else None

    def drop_typed_ahead(self) -> bool:
        """Drops what was typed and not read yet; gives whether there was something. A pipe is read as it comes."""
        return self._attended and drop_typed_ahead()

    def tell(self, say: Callable[[], None]) -> None:
        """Says nothing: the line that is being typed is the terminal's."""

    def edit(self, text: str) -> str | None:
        """Lines cannot be edited in place.

        Raises:
            UsageError: Always.
        """
        raise UsageError("answers are edited in a terminal session without --plain", hint="/comment says what is wrong")

    def _line(self, prompt: str) -> str | None:
        if self._pushed_back:
            return self._pushed_back.pop()
        if self._attended:
            return self._typed(prompt)
        with paused():
            line = sys.stdin.readline()
        return line.rstrip("\n") if line else None

    def _typed(self, prompt: str) -> str | None:
        try:
            with paused():
                return input(visible(prompt))
        except EOFError:
            print()  # Ctrl-D leaves the cursor behind the prompt
            return None
