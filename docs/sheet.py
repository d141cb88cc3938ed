"""Draws tables that evolve filled, as the files hold them, in a light and a dark form.

``python -m docs.sheet`` writes ``docs/images/april.svg`` (two months side by side) and ``filled-sheet.svg`` beside it.
"""

from __future__ import annotations

import datetime
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import openpyxl

import evolve

_OUT = Path(__file__).parent / "images"
_HIGH, _TOP = 26, 12
_THEMES: Mapping[str, Mapping[str, str]] = {
    "": dict(
        page="#ffffff", ink="#20242a", dim="#5f6670", grid="#c5cad0", head="#eceff1", new="#d9f0dd", note="#fffde7"
    ),
    "-dark": dict(
        page="#0d1117", ink="#e6edf3", dim="#9aa4ae", grid="#3d444d", head="#1c2128", new="#1d4428", note="#3a3211"
    ),
}
_FLAG = {"": "#ffe0a3", "-dark": "#6b4a00"}
_MARCH = (
    *(("Ada Lovelace", "A. LOVELACE"), ("Alan Turing", "A. TURING"), ("Grace Hopper", "G. HOPPER")),
    *(("Edsger Dijkstra", "E. DIJKSTRA"), ("Barbara Liskov", "B. LISKOV"), ("Tony Hoare", "T. HOARE")),
    *(("John Backus", "J. BACKUS"), ("Frances Allen", None), ("Katherine Johnson", None)),
)
_APRIL = (
    *(("Leslie Lamport", "L. LAMPORT"), ("Niklaus Wirth", None), ("Annie Easley", None), ("Dennis Ritchie", None)),
    *(
        ("Knuth, Donald", None),
        ("Karen Jones", None),
        ("Robin Milner", None),
        ("Radia Perlman", None),
        ("Ken Iverson", None),
    ),
)
_JULY = (
    *(("Ada Lovelace", 1, 120, 142.8), ("Alan Turing", 2, 80, 95.2), ("Grace Hopper", 3, 50, 59.5)),
    *(("Edsger Dijkstra", 4, 210, 249.9), ("Barbara Liskov", 5, 15, 17.85), ("Tony Hoare", 8, 99, None)),
    *(("John Backus", 9, 35.75, None), ("Frances Allen", 10, "open", None), ("Donald Knuth", 11, 1250, None)),
)


def main() -> None:
    """Makes workbooks, fills them and draws them."""
    with tempfile.TemporaryDirectory() as folder, evolve.open(Path(folder) / "ws", model="") as workspace:
        months = [
            _filled(workspace, Path(folder) / "march.xlsx", ("name", "short"), _MARCH),
            _filled(workspace, Path(folder) / "april.xlsx", ("name", "short"), _APRIL),
        ]
        rows = [(name, datetime.date(2024, 7, day), *more) for name, day, *more in _JULY]
        july = _filled(workspace, Path(folder) / "july.xlsx", ("name", "date", "net", "gross price"), rows)
    for theme in _THEMES:
        _write(f"april{theme}", _two_months(months, theme))
        _write(f"filled-sheet{theme}", _Sheet(july, theme, (46, 196, 296, 376, 476), notes=(500, 842)).document())


def _filled(workspace: Any, file: Path, header: Sequence[str], rows: Sequence[Sequence[Any]]) -> Any:
    """The sheet of a workbook that was filled; cells that evolve wrote are named in ``sheet.title``."""
    book = openpyxl.Workbook()
    book.active.append(list(header))
    for row in rows:
        book.active.append(list(row))
    for cell in (cell for row in book.active.iter_rows(min_row=2, min_col=3) for cell in row):
        cell.number_format = "0.00"
    book.save(file)
    workspace.fill(file)
    return openpyxl.load_workbook(file.with_suffix(".filled.xlsx")).active


def _two_months(months: Sequence[Any], theme: str) -> str:
    """March and April beside each other, each with a line that says what happened."""
    given = [sum(row[1] is not None for row in rows) for rows in (_MARCH, _APRIL)]
    edges = ((46, 196, 316), (476, 606, 726))
    left = _Sheet(months[0], theme, edges[0], top=44, given=given[0])
    right = _Sheet(months[1], theme, edges[1], top=44, given=given[1], notes=(742, 930))
    ink, dim = _THEMES[theme]["ink"], _THEMES[theme]["dim"]
    wide, high = 942, max(left.high, right.high) + 44
    lines = [
        _text(12, 26, "March: you fill seven cells, evolve writes the function.", ink, weight="bold"),
        _text(442, 26, "April: it knows, and flags the name it is not sure about.", ink, weight="bold"),
        f'<path d="M350 {high // 2}h54m-10 -7l10 7l-10 7" stroke="{dim}" stroke-width="2" fill="none"/>',
        *_legend(high - 22, theme),
    ]
    return _document(wide, high, theme, [*lines, *left.parts(), *right.parts()])


def _legend(y: int, theme: str) -> Iterator[str]:
    colours = _THEMES[theme]
    kinds = ((colours["page"], "you"), (colours["new"], "evolve"), (_FLAG[theme], "flagged: look at it"))
    for x, (fill, text) in zip((12, 82, 172), kinds, strict=True):
        yield f'<rect x="{x}" y="{y - 11}" width="14" height="14" fill="{fill}" stroke="{colours["grid"]}"/>'
        yield _text(x + 20, y + 1, text, colours["dim"], size=12)


class _Sheet:
    """A sheet as SVG: its cells, those that evolve filled in colour, and each comment beside its cell.

    Args:
        edges: Where the columns begin, and the last one ends, in pixels. Row numbers stand before the first.
        notes: From where to where comments stand.
        given: Rows of the last column that the person filled; None where that is not to be shown.
    """

    def __init__(
        self,
        sheet: Any,
        theme: str,
        edges: Sequence[int],
        *,
        top: int = _TOP,
        notes: tuple[int, int] = (0, 0),
        given: int | None = None,
    ) -> None:
        self.sheet, self.theme, self.notes, self.top, self.given = sheet, theme, notes, top, given
        self.edges = (edges[0] - 34, *edges)
        self.high = top + _HIGH * (sheet.max_row + 1) + 12

    def document(self) -> str:
        return _document(self.notes[1], self.high, self.theme, list(self.parts()))

    def parts(self) -> Iterator[str]:
        head = _THEMES[self.theme]["head"]
        yield self._box(0, 0, "", head)
        for at in range(1, self.sheet.max_column + 1):
            yield self._box(0, at, "ABCD"[at - 1], head, "middle")
        free = 0
        for row, cells in enumerate(self.sheet.iter_rows(), 1):
            yield self._box(row, 0, str(row), head, "middle")
            for cell in cells:
                yield self._cell(row, cell)
                if cell.comment is not None:
                    free, note = self._note(row, cell, free)
                    yield note

    def _cell(self, row: int, cell: Any) -> str:
        colours, value = _THEMES[self.theme], cell.value
        filled = self.given is not None and cell.column == self.sheet.max_column and row > self.given + 1
        flagged = cell.fill.fill_type == "solid"
        fill = _FLAG[self.theme] if flagged else colours["new"] if filled else colours["page"]
        number = isinstance(value, int | float)
        decimals = ".2f" if number and cell.number_format == "0.00" else ""
        text = (
            "" if value is None else f"{value:%Y-%m-%d}" if isinstance(value, datetime.date) else f"{value:{decimals}}"
        )
        return self._box(row, cell.column, text, fill, "end" if number else "start")

    def _note(self, row: int, cell: Any, free: int) -> tuple[int, str]:
        """The comment of a cell, below the one before it; and where the next may begin."""
        colours, (left, right) = _THEMES[self.theme], self.notes
        lines = textwrap.wrap(cell.comment.text, (right - left - 16) // 7)
        top, y, edge = max(free, self.top + 2 + row * _HIGH), self.top + row * _HIGH, self.edges[cell.column + 1]
        free = top + 16 * len(lines) + 12
        line = f"M{edge - 7} {y}h7v7zM{edge} {y + 4}L{left} {top + 10}"
        parts = [
            f'<path d="{line}" fill="#d9730d" stroke="#d9730d"/>',
            f'<rect x="{left}" y="{top}" width="{right - left}" height="{free - top - 4}" fill="{colours["note"]}"'
            f' stroke="{colours["grid"]}"/>',
            *(_text(left + 8, top + 16 + 16 * at, line, colours["ink"], size=12) for at, line in enumerate(lines)),
        ]
        return free, "\n".join(parts)

    def _box(self, row: int, column: int, text: str, fill: str, anchor: str = "start") -> str:
        colours = _THEMES[self.theme]
        x, y, right = self.edges[column], self.top + row * _HIGH, self.edges[column + 1]
        at = {"start": x + 8, "middle": (x + right) // 2, "end": right - 8}[anchor]
        weight = "bold" if row == 1 and column else "normal"
        box = f'<rect x="{x}" y="{y}" width="{right - x}" height="{_HIGH}" fill="{fill}" stroke="{colours["grid"]}"/>'
        return box + (_text(at, y + 18, text, colours["ink"], anchor=anchor, weight=weight) if text else "")


def _text(x: int, y: int, text: str, ink: str, *, anchor: str = "start", weight: str = "normal", size: int = 13) -> str:
    style = f'text-anchor="{anchor}" fill="{ink}" font-weight="{weight}" font-size="{size}"'
    return f'<text x="{x}" y="{y}" {style}>{escape(text)}</text>'


def _document(wide: int, high: int, theme: str, parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    page = f'<rect width="{wide}" height="{high}" fill="{_THEMES[theme]["page"]}"/>'
    return "\n".join([f'{head} font-family="DejaVu Sans, Arial, sans-serif">', page, *parts, "</svg>", ""])


def _write(name: str, picture: str) -> None:
    file = _OUT / f"{name}.svg"
    file.write_text(picture, encoding="utf-8")
    print(file)


if __name__ == "__main__":
    main()
