"""Saves a table as people's programs save it, and reads what became of the file."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any

from benchmarks.everyday_use.table import NUMBER, Cells, Form, Table


@dataclass(frozen=True, kw_only=True)
class Saving:
    """How a kind of file is written."""

    suffix: str = ".csv"
    delimiter: str = ","
    encoding: str = "utf-8"
    newline: str = "\n"
    quoting: int = csv.QUOTE_MINIMAL
    comma: bool = False  # decimals have a comma


SAVINGS: dict[Form, Saving] = {
    "csv": Saving(),
    "excel-de": Saving(delimiter=";", encoding="cp1252", newline="\r\n", comma=True),
    "excel-de-bom": Saving(delimiter=";", encoding="utf-8-sig", newline="\r\n", comma=True),
    "excel-quoted": Saving(encoding="utf-8-sig", newline="\r\n", quoting=csv.QUOTE_ALL),
    "excel-utf16": Saving(suffix=".tsv", delimiter="\t", encoding="utf-16", newline="\r\n"),
    "xlsx": Saving(suffix=".xlsx"),
}


def saved(table: Table) -> list[Cells]:
    """Header and rows as they stand in the file."""
    rows = [table.header, *table.shown]
    if not SAVINGS[table.form].comma:
        return rows
    numeric = [_numeric(column) for column in zip(*table.whole, strict=True)]
    return [
        tuple(cell.replace(".", ",") if number else cell for cell, number in zip(row, numeric, strict=True))
        if place
        else row
        for place, row in enumerate(rows)
    ]


def write(table: Table, folder: Path) -> Path:
    """The table as a file in the folder, named after it."""
    saving = SAVINGS[table.form]
    path = folder / f"{table.name}{saving.suffix}"
    if table.form == "xlsx":
        _write_sheet(path, saved(table))
        return path
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=saving.delimiter, quoting=saving.quoting, lineterminator=saving.newline).writerows(
        saved(table)
    )
    path.write_bytes(text.getvalue().encode(saving.encoding))
    return path


def read(path: Path, form: Form) -> list[Cells]:
    """Header and rows of a file, as they stand there."""
    saving = SAVINGS[form]
    if form == "xlsx":
        return _read_sheet(path)
    text = path.read_bytes().decode(saving.encoding)
    return [tuple(row) for row in csv.reader(io.StringIO(text, newline=""), delimiter=saving.delimiter) if row]


def meant(cell: str, table: Table) -> str:
    """A cell of the target with a point for decimals; where the file has commas, a point there is an error."""
    if SAVINGS[table.form].comma and _numeric(table.truth):
        return cell.translate(str.maketrans({",": ".", ".": "\N{REPLACEMENT CHARACTER}"}))
    return cell


def _numeric(column: Sequence[str]) -> bool:
    return all(NUMBER.fullmatch(cell) for cell in column if cell) and any("." in cell for cell in column)


def _write_sheet(path: Path, rows: Sequence[Cells]) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.append(list(rows[0]))
    for number, row in enumerate(rows[1:], start=2):
        for place, cell in enumerate(row, start=1):
            if cell:
                one = sheet.cell(number, place, _value(cell))
                if isinstance(one.value, date):
                    one.number_format = "yyyy-mm-dd"
    book.save(path)


def _value(cell: str) -> Any:
    if NUMBER.fullmatch(cell):
        return float(cell) if "." in cell else int(cell)
    try:
        return date.fromisoformat(cell) if len(cell) == 10 else cell
    except ValueError:
        return cell


def _read_sheet(path: Path) -> list[Cells]:
    from openpyxl import load_workbook

    book = load_workbook(path, data_only=True)
    return [tuple(_text(cell) for cell in row) for row in book.worksheets[0].iter_rows(values_only=True)]


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, datetime) and value.time() == datetime.min.time():
        value = value.date()
    if isinstance(value, date):
        return value.isoformat()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
