"""Codes in workbooks: numbers that a format shows with leading zeros are read, filled and written as they are seen."""

from __future__ import annotations

import openpyxl
import pytest

import evolve
from evolve.tasks.tables import open_table


def book(file, rows, formats):
    """Writes a workbook with a format for each column; "" leaves a column as it is."""
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    for column, code in enumerate(formats, 1):
        for row in range(2, len(rows) + 1) if code else ():
            made.active.cell(row, column).number_format = code
    made.save(file)
    return file


@pytest.mark.parametrize(
    ("code", "value", "shown"),
    [
        ("00000", 123, "00123"),
        ("00000", 123456, "123456"),
        ("000-000", 12345, "012-345"),
        ("000-000", 1234567, "1234-567"),
        ('"KD-"0000', 7, "KD-0007"),
        (r"00\-000", 1234, "01-234"),
        ("[$-407]00000", 123, "00123"),
        ("00000;-00000", 123, "00123"),
        ("00000", 0, "00000"),
        ("00000", 12.5, 12.5),
        ("00000", -5, -5),
        ("0", 5, 5),
        ("General", 5, 5),
        ("#,##0", 5, 5),
        ("00.00", 5, 5),
        ("00%", 5, 5),
        ("[<=99999]00000;00000-0000", 123, 123),
        ("@", "00123", "00123"),
    ],
)
def test_a_code_is_read_as_it_is_shown(tmp_path, code, value, shown):
    file = book(tmp_path / "t.xlsx", [("a", "b"), (1, value), (2, 123)], ("", code))
    found = [record.cells[1] for record in open_table(file).records()]
    assert found[0] == shown and type(found[0]) is type(shown)


def test_numbers_that_no_leading_zero_is_shown_of_stay_numbers(tmp_path):
    file = book(tmp_path / "t.xlsx", [("a", "b"), (1, 10), (2, 12)], ("", "00"))
    assert [record.cells[1] for record in open_table(file).records()] == [10, 12]


@pytest.mark.parametrize("in_place", [True, False])
def test_a_filled_code_has_the_type_and_the_format_of_the_others(tmp_path, private_home, in_place):
    rows = [("label", "nr", "text"), *((f"C-{n:05d}", n, f"{n:05d}") for n in (123, 45, 7)), ("C-00088", None, None)]
    file = book(tmp_path / "t.xlsx", rows, ("", "00000", "@"))
    (tmp_path / "f.py").write_text("def f(label):\n    return label[2:]\n")
    with evolve.open(tmp_path / "ws", model="") as workspace:
        for column in ("nr", "text"):
            filled = workspace.fill(
                file,
                column=column,
                function=tmp_path / "f.py",
                in_place=in_place,
                out=None if in_place else file.with_name(f"{column}.xlsx"),
            )
            assert (filled.filled, filled.marked) == (1, 0)
            cell = openpyxl.load_workbook(filled.out).active["B5" if column == "nr" else "C5"]
            assert (cell.value, cell.number_format) == ((88, "00000") if column == "nr" else ("00088", "@"))


def test_a_column_is_filled_from_the_codes_that_are_shown(tmp_path, private_home):
    rows = [("nr", "label"), *((n, f"C-{n:05d}") for n in (123, 45, 7, 1234, 99)), (88, None)]
    file = book(tmp_path / "t.xlsx", rows, ("00000", ""))
    with evolve.open(tmp_path / "ws", model="") as workspace:
        out = workspace.fill(file, budget="20k-candidates").out
    assert openpyxl.load_workbook(out).active["B7"].value == "C-00088"


def test_a_number_takes_the_format_that_shows_it_as_a_code_also_in_a_cell_of_another_one(tmp_path, private_home):
    file = book(tmp_path / "t.xlsx", [("a", "b"), ("1", 1), ("2", 2), ("3", None), ("9" * 20, None)], ("", "000"))
    made = openpyxl.load_workbook(file)
    made.active["B4"].number_format = "@"
    made.save(file)
    (tmp_path / "f.py").write_text("def f(a):\n    return a.zfill(3)\n")
    with evolve.open(tmp_path / "ws", model="") as workspace:
        out = workspace.fill(file, function=tmp_path / "f.py").out
    cells = openpyxl.load_workbook(out).active["B"]
    assert [(cell.value, cell.number_format) for cell in cells[3:]] == [(3, "000"), ("9" * 20, "000")]


def test_what_is_no_such_code_is_written_as_the_text_that_it_is(tmp_path, private_home):
    file = book(tmp_path / "t.xlsx", [("a", "b"), ("1", 1), ("2", 2), ("x", None)], ("", "000"))
    (tmp_path / "f.py").write_text("def f(a):\n    return a.zfill(3)\n")
    with evolve.open(tmp_path / "ws", model="") as workspace:
        out = workspace.fill(file, function=tmp_path / "f.py").out
    sheet = openpyxl.load_workbook(out).active
    assert [cell.value for cell in sheet["B"]] == ["b", 1, 2, "00x"]
