"""Draws the sheet of ``docs/tables.md``: a workbook that ``ws.fill`` filled, as the file holds it.

``python -m docs.sheet`` writes ``docs/images/filled-sheet.svg``.
"""

import datetime
import tempfile
import textwrap
from html import escape
from pathlib import Path
from typing import Any

import openpyxl

import evolve

_OUT = Path(__file__).parent / "images" / "filled-sheet.svg"
_EDGES = (12, 46, 196, 296, 376, 476)
"""Where the row numbers begin, then each column."""
_HIGH, _NOTES, _WIDE = 26, 500, 842
_GREY, _INK = 'stroke="#c5cad0"', 'fill="#20242a"'
_ROWS = (
    *(("Ada Lovelace", 1, 120, 142.8), ("Alan Turing", 2, 80, 95.2), ("Grace Hopper", 3, 50, 59.5)),
    *(("Edsger Dijkstra", 4, 210, 249.9), ("Barbara Liskov", 5, 15, 17.85), ("Tony Hoare", 8, 99, None)),
    *(("John Backus", 9, 35.75, None), ("Frances Allen", 10, "open", None), ("Donald Knuth", 11, 1250, None)),
)


def main() -> None:
    """Makes a workbook, fills it and draws it."""
    book = openpyxl.Workbook()
    book.active.append(["name", "date", "net", "gross price"])
    for name, day, net, gross in _ROWS:
        book.active.append([name, datetime.date(2024, 7, day), net, gross])
    for cell in (cell for row in book.active.iter_rows(min_row=2, min_col=3) for cell in row):
        cell.number_format = "0.00"
    with tempfile.TemporaryDirectory() as folder, evolve.open(Path(folder) / "ws", model="") as workspace:
        book.save(Path(folder) / "july.xlsx")
        filled = workspace.fill(Path(folder) / "july.xlsx")
        _OUT.write_text(drawn(openpyxl.load_workbook(filled.out).active), encoding="utf-8")
    print(_OUT)


def drawn(sheet: Any) -> str:
    """A sheet as SVG: its cells with their colours, and each comment beside its cell."""
    high, free = _HIGH * (sheet.max_row + 1) + 24, 0
    parts = [f'<rect width="{_WIDE}" height="{high}" fill="#ffffff"/>', _box(0, 0, "", "#eceff1")]
    parts += [_box(0, at, "ABCD"[at - 1], "#eceff1", "middle") for at in range(1, sheet.max_column + 1)]
    for row, cells in enumerate(sheet.iter_rows(), 1):
        parts.append(_box(row, 0, str(row), "#eceff1", "middle"))
        for cell in cells:
            fill = f"#{cell.fill.fgColor.rgb[2:]}" if cell.fill.fill_type == "solid" else "#ffffff"
            number, shown = isinstance(cell.value, int | float), cell.value if cell.value is not None else ""
            decimals = ".2f" if number and cell.number_format == "0.00" else ""
            text = f"{shown:%Y-%m-%d}" if isinstance(shown, datetime.date) else f"{shown:{decimals}}"
            parts.append(_box(row, cell.column, text, fill, "end" if number else "start"))
            if cell.comment is not None:
                lines, top = textwrap.wrap(cell.comment.text, 46), max(free, 14 + row * _HIGH)
                free, right, y = top + 16 * len(lines) + 12, _EDGES[cell.column + 1], 12 + row * _HIGH
                line = f"M{right - 7} {y}h7v7zM{right} {y + 4}L{_NOTES} {top + 10}"
                parts.append(f'<path d="{line}" fill="#c62828" stroke="#c62828"/>')
                box = f'x="{_NOTES}" y="{top}" width="{_WIDE - 12 - _NOTES}" height="{free - top - 4}"'
                parts.append(f'<rect {box} fill="#fffde7" {_GREY}/>')
                places = [f'x="{_NOTES + 8}" y="{top + 16 * at}" font-size="12"' for at in range(1, len(lines) + 1)]
                parts += [f"<text {at} {_INK}>{escape(line)}</text>" for at, line in zip(places, lines, strict=True)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {high}" width="{_WIDE}" height="{high}"'
    return "\n".join([f'{head} font-family="DejaVu Sans, Arial, sans-serif" font-size="13">', *parts, "</svg>", ""])


def _box(row: int, column: int, text: str, fill: str, anchor: str = "start") -> str:
    x, y, right = _EDGES[column], 12 + row * _HIGH, _EDGES[column + 1]
    at = {"start": x + 8, "middle": (x + right) // 2, "end": right - 8}[anchor]
    weight = "bold" if row == 1 and column else "normal"
    label = f'<text x="{at}" y="{y + 18}" text-anchor="{anchor}" {_INK} font-weight="{weight}">'
    box = f'<rect x="{x}" y="{y}" width="{right - x}" height="{_HIGH}" fill="{fill}" {_GREY}/>'
    return f"{box}{label}{escape(text)}</text>" if text else box


if __name__ == "__main__":
    main()
