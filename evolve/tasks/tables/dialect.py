"""Where the rows and cells of a delimited text stand, quotes included."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

QUOTE = '"'


@dataclass(frozen=True, kw_only=True)
class RowGrammar:
    """How cells stand in a row.

    Attributes:
        delimiter: What stands between them.
        spaced: Blanks may stand on both sides of a cell, outside of its quotes, and are no part of it.
    """

    delimiter: str
    spaced: bool = False

    def spans(self, text: str) -> list[tuple[int, int]] | None:
        """Where the cells of a row stand in its text, quotes and blanks included; None where a quote is left open.

        A quote opens a cell only at its beginning, as for the standard library's reader.
        """
        spans = []
        start = 0
        while True:
            stop = self._end(text, start)
            if stop < 0:
                return None
            spans.append((start, stop))
            if stop == len(text):
                return spans
            start = stop + len(self.delimiter)

    def cell(self, text: str) -> str:
        """The value of a cell by its text."""
        text = text.strip(" ") if self.spaced else text
        if not text.startswith(QUOTE):
            return text
        stop = _closing_quote(text, 1)
        return text[1:stop].replace(QUOTE * 2, QUOTE) + text[stop + 1 :]

    def is_quoted(self, text: str) -> bool:
        """Whether a cell stands in quotes, by its text."""
        return text.startswith(QUOTE, self._begin(text, 0))

    def is_torn(self, text: str) -> bool:
        """Whether something stands behind the quotes of a cell, by its text."""
        text = text.strip(" ") if self.spaced else text
        return text.startswith(QUOTE) and _closing_quote(text, 1) != len(text) - 1

    def rows(self, lines: Iterable[str]) -> Iterator[tuple[str, str]]:
        """The text of each row as it stands in the file, with what ends it. A quote left open ends with the last line.

        Each line is looked at once, however many of them a row has.
        """
        held: list[str] = []
        inside = False
        for line in lines:
            text = line[: len(line) - (2 if line.endswith("\r\n") else 1 if line.endswith(("\n", "\r")) else 0)]
            inside = self._is_open(text, inside=inside)
            held.append(line if inside else text)
            if not inside:
                yield "".join(held), line[len(text) :]
                held.clear()
        if held:
            yield "".join(held), ""

    def _is_open(self, text: str, *, inside: bool) -> bool:
        """Whether a quote is open at the end of a line, where one may have been open before it."""
        if QUOTE not in text:
            return inside
        at = 0
        if inside:
            at = self._after(text, _closing_quote(text, 0))
        while 0 <= at < len(text):
            stop = self._end(text, at)
            at = stop if stop < 0 else stop + len(self.delimiter)
        return at < 0

    def _begin(self, text: str, start: int) -> int:
        while self.spaced and text.startswith(" ", start):
            start += 1
        return start

    def _end(self, text: str, start: int) -> int:
        """Where the cell that starts here ends; -1 where its quote is left open."""
        opening = self._begin(text, start)
        if not text.startswith(QUOTE, opening):
            return _or_end(text, text.find(self.delimiter, opening))
        closing = _closing_quote(text, opening + 1)
        return closing if closing < 0 else _or_end(text, text.find(self.delimiter, closing + 1))

    def _after(self, text: str, closing: int) -> int:
        """Where the next cell starts behind a closing quote; -1 where there is no such quote."""
        return closing if closing < 0 else _or_end(text, text.find(self.delimiter, closing + 1)) + len(self.delimiter)


def cells_of(grammar: RowGrammar, text: str) -> Sequence[str] | None:
    """The values of the cells of a row; None where a quote is left open, or something stands behind quotes."""
    spans = grammar.spans(text)
    if spans is None or any(grammar.is_torn(text[start:stop]) for start, stop in spans):
        return None
    return [grammar.cell(text[start:stop]) for start, stop in spans]


class SpacedReader:
    """Reads rows as the standard library's reader does, which takes a quote behind a blank for a part of the cell.

    Args:
        lines: Of the text, each with what ends it.

    Attributes:
        line_num: How many lines were read.
    """

    def __init__(self, lines: Iterable[str], grammar: RowGrammar) -> None:
        self._lines, self._grammar = lines, grammar
        self.line_num = 0

    def __iter__(self) -> Iterator[Sequence[str]]:
        for text, _ in self._grammar.rows(self._counted()):
            cells = cells_of(self._grammar, text) if text else ()
            if cells is None:
                raise csv.Error("a quote is left open, or something stands behind it")
            yield cells

    def _counted(self) -> Iterator[str]:
        for line in self._lines:
            self.line_num += 1
            yield line


def _or_end(text: str, at: int) -> int:
    return len(text) if at < 0 else at


def _closing_quote(text: str, start: int) -> int:
    at = text.find(QUOTE, start)
    while at >= 0 and text.startswith(QUOTE, at + 1):
        at = text.find(QUOTE, at + 2)
    return at
