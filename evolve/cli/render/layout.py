"""Folds lines and lays out tables for the width of the terminal, and puts amounts and evidence into words."""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from collections.abc import Iterable, Sequence, Sized
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from evolve.workspace import ConfidenceInterval, CostAmount, Result


# Reasons of verdicts are on record with a plural whatever the count; the record stays as it is.
_ONE_OF = re.compile(r"(?<![\d.,:-])1 (win|loss|tie|pair|more pair|round)(?:es|s)\b")
_ALL_OF_ONE = re.compile(r"\ball 1 (round|proposal)s\b")
_GAP = 2
_ROOM = 28
"""Columns that a text needs at least to be read beside others."""


def terminal_width(stream: TextIO | None = None) -> int | None:
    """Columns of the terminal, or what ``COLUMNS`` says; None where the output goes to a file or another program.

    Args:
        stream: Where the output goes; stdout unless given.
    """
    # Asked first: it sets a width also where the output goes to a file or another program.
    width = os.environ.get("COLUMNS", "")
    if width.isdigit() and int(width) > 0:
        return int(width)
    try:
        return os.get_terminal_size((stream or sys.stdout).fileno()).columns or None
    except (OSError, ValueError):
        return None


def columns(text: str) -> int:
    """How many columns a line takes: two for the wide characters of East Asia and for emoji, none for accents."""
    if text.isascii():
        return len(text)
    return sum(_columns(sign) for sign in text)


def _columns(sign: str) -> int:
    if unicodedata.combining(sign) or unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in "WF" else 1


def wrap_text(text: str, width: int | None, *, indent: int = 0) -> str:
    """The text in lines of at most ``width`` columns, broken at spaces; a longer word stands in a line of its own.

    Args:
        indent: Columns by which the further lines of each line are set in, on top of its own.
    """
    if width is None:
        return text
    return "\n".join(line if columns(line) <= width else _folded(line, width, indent) for line in text.split("\n"))


def _folded(line: str, width: int, indent: int) -> str:
    words = line.lstrip(" ")
    margin = " " * (len(line) - len(words))
    lines, further = [margin], margin + " " * indent
    for word in words.split(" "):
        before = lines[-1]
        if not before.strip():
            lines[-1] = before + word
        elif columns(before) + 1 + columns(word) <= width:
            lines[-1] = f"{before} {word}"
        else:
            lines.append(further + word)
    return "\n".join(text.rstrip() for text in lines if text.strip())


def shorten_line(text: str, width: int = 72) -> str:
    """One line of at most ``width`` columns, cut between words where it has any there."""
    line = " ".join(text.split())
    if columns(line) <= width:
        return line
    cut = line
    while columns(cut) > width - 1:
        cut = cut[:-1]
    whole, _, _ = line[: len(cut) + 1].rpartition(" ")
    # Between words only where that leaves half the line: one long word is cut in the middle.
    if columns(whole) * 2 >= width:
        cut = whole if columns(whole) < width - 1 else whole.rpartition(" ")[0] or whole
        return f"{cut} …" if columns(cut) + 2 <= width else f"{cut}…"
    return cut + "…"


def count_of(items: Sized | int, noun: str, plural: str = "") -> str:
    """Such as ``1 file``, ``2 files`` and ``3 pieces of evidence``.

    Args:
        plural: Where it is more than the noun with an s.
    """
    number = items if isinstance(items, int) else len(items)
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def singular_form(text: str) -> str:
    """What is on record in the plural where it counts one: ``1 wins`` as ``1 win``, ``all 1 rounds`` as "the round"."""
    return _ONE_OF.sub(r"1 \1", _ALL_OF_ONE.sub(r"the \1", text))


def table(header: Sequence[str], rows: Iterable[Sequence[str]], *, width: int | None, spare: Sequence[str] = ()) -> str:
    """Aligned columns, numbers to the right. Without rows, an empty string.

    Where the columns are too wide, texts are folded at spaces; where that leaves them no room, spare columns go, the
    first named first; where it still does not do, every row becomes a paragraph that has all of it.

    Args:
        header: A word for each column; "" for one that needs none.
        width: Columns that a line may have; None: as many as it takes.
        spare: Columns that can be done without.
    """
    whole = [list(header), *(list(row) for row in rows)]
    if len(whole) == 1:
        return ""
    lines = whole
    # No heading is None: the first pass keeps every column, each further one leaves out one more.
    for name in (None, *spare):
        if name in lines[0]:
            place = lines[0].index(name)
            lines = [[*row[:place], *row[place + 1 :]] for row in lines]
        widths = _widths(lines, width)
        if widths is not None:
            return "\n".join(_aligned(lines, widths))
    texts = [place for place in range(len(header)) if any(_is_long(row[place]) for row in whole[1:])]
    return "\n".join(_paragraph(whole[0], row, texts, width or 0) for row in whole[1:])


def _widths(lines: Sequence[Sequence[str]], width: int | None) -> list[int] | None:
    """How wide each column is; None where they do not fit."""
    natural = [max(columns(cell) for cell in column) for column in zip(*lines, strict=True)]
    if width is None or sum(natural) + _GAP * (len(natural) - 1) <= width:
        return natural
    least = [max(map(columns, words)) for words in _words(lines)]
    texts = [place for place, wide in enumerate(natural) if least[place] < wide]
    widths = [0 if place in texts else wide for place, wide in enumerate(natural)]
    room = width - sum(widths) - _GAP * (len(natural) - 1)
    # The narrowest text first: what it leaves of its share goes to the wider ones.
    for left, place in zip(range(len(texts), 0, -1), sorted(texts, key=natural.__getitem__), strict=True):
        widths[place] = min(natural[place], room // left)
        if widths[place] < min(natural[place], max(least[place], _ROOM if _is_text(lines, place) else 0)):
            return None
        room -= widths[place]
    return widths if room >= 0 else None


def _words(lines: Sequence[Sequence[str]]) -> Iterable[list[str]]:
    """The words of each column that stay whole."""
    for column in zip(*lines, strict=True):
        yield [word for cell in column for word in cell.split(" ")]


def _is_text(lines: Sequence[Sequence[str]], place: int) -> bool:
    """Whether the column holds more than words under a heading of several."""
    return any(" " in row[place] for row in lines[1:])


def _aligned(lines: Sequence[Sequence[str]], widths: Sequence[int]) -> Iterable[str]:
    right = [_is_figures([row[place] for row in lines[1:]]) for place in range(len(widths))]
    for row in lines:
        cells = [wrap_text(text, wide).split("\n") for text, wide in zip(row, widths, strict=True)]
        for number in range(max(map(len, cells))):
            parts = [cell[number] if number < len(cell) else "" for cell in cells]
            padded = [_padded(*column) for column in zip(parts, widths, right, strict=True)]
            yield (" " * _GAP).join(padded).rstrip()


def _padded(text: str, width: int, right: bool) -> str:
    blank = " " * (width - columns(text))
    return blank + text if right else text + blank


def _is_figures(cells: Sequence[str]) -> bool:
    # Evidence is told as odds, such as 1,230:1, and lines up like a number.
    figures = [cell.removesuffix(":1").translate(_NO_DIGITS) for cell in cells if cell]
    return bool(figures) and all(figure.isdigit() for figure in figures)


_NO_DIGITS = str.maketrans("", "", ",.-%")


def _is_long(cell: str) -> bool:
    return " " in cell and columns(cell) > _ROOM


def _paragraph(header: Sequence[str], row: Sequence[str], texts: Sequence[int], width: int) -> str:
    """A row as its first cell, the short cells with their headings, and below them each text."""
    head, *others = [place for place, name in enumerate(header) if name and row[place]]
    marks = [cell for name, cell in zip(header, row, strict=True) if cell and not name]
    facts = ", ".join(f"{header[place]} {row[place]}" for place in others if place not in texts)
    first = " ".join([f"{header[head]} {row[head]}" if _is_figures([row[head]]) else row[head], *marks])
    below = [("" if len(texts) == 1 else f"{header[place]}: ") + row[place] for place in others if place in texts]
    return "\n".join(
        wrap_text(line, width, indent=2) for line in (f"{first}  {facts}".rstrip(), *(f"  {text}" for text in below))
    )


def format_time(time: str) -> str:
    """Such as ``2026-11-22 17:41``, of a time in full."""
    return time[:16].replace("T", " ")


_BEYOND = 1_000_000
"""Odds above this are told as "over" it: their digits tell a reader nothing more."""


def format_spending(amount: CostAmount) -> str:
    """What was spent: ``5 calls, 12,300 tokens in (9,800 cached), 1,200 out, $0.012``, or candidates of a search."""
    parts = [count_of(amount.candidates, "candidate")] if amount.candidates else []
    parts += [count_of(amount.calls, "call")] if amount.calls else []
    most = "at most " if getattr(amount, "estimated", 0) else ""
    if amount.completion:
        cached = f" ({amount.cached:,} cached)" if amount.cached else ""
        parts += [f"{most}{amount.tokens - amount.completion:,} tokens in{cached}", f"{amount.completion:,} out"]
    elif amount.tokens:  # earlier versions did not write down which way they went
        parts.append(most + count_of(amount.tokens, "token"))
    if amount.money:
        parts.append(format_dollars(amount.money))
    return ", ".join(parts) or "nothing"


def cost_line(result: Result) -> str:
    """What a run took, and the command that gives the reasons for its verdict."""
    spent = [format_spending(result.cost)] if result.cost.calls or result.cost.candidates else []
    if result.solved and result.cost.candidates:  # the search itself said how many it took
        spent.append("with the check against other functions")
    return f"{', '.join([*spent, f'{result.seconds:.2f} s'])}; reasons: evolve why {result.run_id}"


def format_dollars(amount: float) -> str:
    """Such as ``$2``, ``$0.012`` and ``less than $0.0001``."""
    if 0 < amount < 0.000_05:
        return "less than $0.0001"
    return f"${amount:,.4f}".rstrip("0").rstrip(".")


def format_odds(value: float) -> str:
    """An e-value as odds against a variant that is no better, with the precision that a reader needs."""
    if value >= _BEYOND:
        return f"over {_BEYOND:,}:1"
    return f"{value:,.0f}:1" if value >= 10 else f"{value:.2f}:1"


def format_interval(interval: ConfidenceInterval, sign: str = "") -> str:
    """A figure that was measured, with its interval and over how many groups.

    Args:
        sign: ``+`` where it is a difference.
    """
    over = f"over {count_of(interval.n, 'group')}"
    if interval.low is None or interval.high is None:
        return f"{interval.value:{sign}.3f} {over}, too few for an interval"
    return f"{interval.value:{sign}.3f}, 95 % interval {interval.low:{sign}.3f} to {interval.high:{sign}.3f} {over}"
