"""Tables as people have them: what is recognised, and that every cell that is not changed stays as it was."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from datetime import date

import openpyxl
import openpyxl.chart
import openpyxl.worksheet.table
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import TaskError
from evolve.core.reasons import reason
from evolve.tasks.tables import Rewriting, RowChange, column_of, is_blank, open_table, text_column, typed_column
from evolve.tasks.tables.columns import LONGEST_NUMBER

NAMES = [("Jörg", "3,50", ""), ("Zoë", "12,00", "14,28"), ("O'Neil; jr", "0,99", "")]


def rewritten(table, *changes, column=None, checks=False, label=None):
    out = io.BytesIO()
    index = len(table.columns) - 1 if column is None else column
    table.rewrite(
        Rewriting(column=index, label=label or table.columns[index], changes=iter(changes), checks=checks), out
    )
    return out.getvalue()


def saved(folder, delimiter=";", encoding="utf-8", mark=b"", end="\r\n", suffix=".csv"):
    def cell(text):
        return f'"{text}"' if delimiter in text else text

    lines = [delimiter.join(map(cell, row)) for row in [("Name", "netto", "brutto"), *NAMES]]
    file = folder / f"preise{suffix}"
    file.write_bytes(mark + (end.join(lines) + end).encode(encoding))
    return file


@pytest.mark.parametrize(
    ("delimiter", "encoding", "mark", "end", "suffix"),
    [
        (";", "cp1252", b"", "\r\n", ".csv"),
        (";", "utf-8", b"\xef\xbb\xbf", "\r\n", ".csv"),
        ("\t", "utf-16-le", b"\xff\xfe", "\r\n", ".csv"),
        ("\t", "utf-16-be", b"\xfe\xff", "\n", ".txt"),
        ("\t", "utf-8", b"", "\n", ".tsv"),
        ("|", "cp1252", b"", "\n", ".csv"),
        (";", "utf-16-le", b"", "\n", ".csv"),
        (";", "cp1252", b"", "\r", ".csv"),
    ],
)
def test_however_it_was_saved_the_cells_are_the_same_and_the_form_is_kept(
    tmp_path, delimiter, encoding, mark, end, suffix
):
    file = saved(tmp_path, delimiter, encoding, mark, end, suffix)
    table = open_table(file)
    assert [tuple(record.cells) for record in table.records()] == NAMES
    assert (table.form.delimiter, table.form.mark) == (delimiter, mark)
    before = file.read_bytes()
    assert rewritten(table) == before
    after = rewritten(table, RowChange(number=1, cell="4,17")).decode(encoding)
    assert after == before.decode(encoding).replace(f"3,50{delimiter}{end}", f"3,50{delimiter}4,17{end}")


def test_the_form_is_told_in_words(tmp_path):
    assert open_table(saved(tmp_path, encoding="cp1252")).form.summary() == "separated by semicolons, cp1252"


def test_a_declared_delimiter_is_obeyed_and_stays(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b"sep=;\r\na,b;c\r\n1;\r\n")
    table = open_table(file)
    assert table.columns == ["a,b", "c"]
    assert [(record.line, list(record.cells)) for record in table.records()] == [(3, ["1", ""])]
    assert rewritten(table, RowChange(number=1, cell="2")) == b"sep=;\r\na,b;c\r\n1;2\r\n"


def test_doubts_stand_in_a_further_column(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b'a,b\n1,\n\n"2\nx",\n3,4')
    out = rewritten(
        open_table(file), RowChange(number=1, cell="x,y"), RowChange(number=2, why='says "no"'), checks=True
    )
    assert out == b'a,b,b: check\n1,"x,y",\n\n"2\nx",,"says ""no"""\n3,4,'


def test_what_an_earlier_fill_doubted_gives_way_to_what_this_one_does(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b'x,y,y: check,z\n1,,"old, and gone",p\n2,,stays,q\n3,,,r\n')
    changes = [
        RowChange(number=1, cell="1"),
        RowChange(number=2, cell="2", why="stays"),
        RowChange(number=3, cell="3", why="new"),
    ]
    written = rewritten(open_table(file), *changes, column=1, checks=True)
    assert written == b"x,y,y: check,z\n1,1,,p\n2,2,stays,q\n3,3,new,r\n"
    assert rewritten(open_table(file), column=1) == b"x,y,y: check,z\n1,,,p\n2,,,q\n3,,,r\n"
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"x": 1, "y: check": "old"}\n{"x": 2}\n')
    written = rewritten(open_table(file), RowChange(number=2, cell=2, why="new"), column=2, checks=True, label="y")
    assert written == b'{"x": 1, "y: check": ""}\n{"x": 2, "y": 2, "y: check": "new"}\n'


def test_a_doubt_that_a_cell_has_already_is_told_once(book):
    for _ in range(2):
        book.write_bytes(rewritten(open_table(book), RowChange(number=2, why="odd"), checks=True))
    assert openpyxl.load_workbook(book).active["B3"].comment.text == "odd"


def test_a_column_without_a_name_is_named_by_its_place(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("x,,column 3,\n1,2,3,4\n")
    table = open_table(file)
    assert [column_of(table, name) for name in ("column 2", "Column 4 ", "column 3", "column 9")] == [1, 3, 2, 4]


def test_a_new_column_comes_last(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b'"a","b"\n"1","2"\n')
    table = open_table(file)
    assert column_of(table, "c") == 2
    out = rewritten(table, RowChange(number=1, cell="3"), column=2, label="c")
    assert out == b'"a","b","c"\n"1","2","3"\n'


cells = st.text(st.sampled_from('ab,;" \t\n\r|é€'), max_size=6)


@pytest.mark.slow
@given(
    st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1)),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["utf-8", "utf-16"]),
    st.data(),
)
def test_every_cell_but_the_filled_one_stays_byte_for_byte(tmp_path_factory, rows, end, encoding, data):
    """Written by the standard library, with a header that has no sign of the grammar in it."""
    if end == "\n":  # the writer then puts a carriage return into no quotes
        rows = [[cell.replace("\r", "") for cell in row] for row in rows]
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end).writerows([[f"c{n}" for n in range(len(rows[0]))], *rows])
    file = tmp_path_factory.mktemp("t") / "t.csv"
    file.write_bytes(text.getvalue().encode(encoding))
    table = open_table(file)
    if table.form.delimiter != ",":  # what is in quotes may look like another table
        return
    assert [list(record.cells) for record in table.records()] == rows
    assert rewritten(table) == file.read_bytes()
    row = data.draw(st.integers(0, len(rows) - 1))
    column = data.draw(st.integers(0, len(rows[0]) - 1))
    new = data.draw(cells)
    file.write_bytes(rewritten(table, RowChange(number=row + 1, cell=new, old=rows[row][column]), column=column))
    expected = [list(cells) for cells in rows]
    expected[row][column] = new
    again = [list(record.cells) for record in open_table(file).records()]
    assert again == expected


def test_the_same_table_in_every_form_gives_the_same_cells(tmp_path):
    rows = [("Ada", 3, "x"), ("Alan", 12, None), ("Grace", 7, "z")]
    (tmp_path / "t.csv").write_text("name,n,out\n" + "".join(f"{a},{n},{c or ''}\n" for a, n, c in rows))
    (tmp_path / "t.tsv").write_text("name\tn\tout\n" + "".join(f"{a}\t{n}\t{c or ''}\n" for a, n, c in rows))
    lines = [json.dumps({"name": a, "n": n, "out": c}) for a, n, c in rows]
    (tmp_path / "t.jsonl").write_text("\n".join(lines))
    book = openpyxl.Workbook()
    for row in [("name", "n", "out"), *rows]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    for suffix in ("csv", "tsv", "jsonl", "xlsx"):
        table = open_table(tmp_path / f"t.{suffix}")
        found = [tuple(None if is_blank(cell) else str(cell) for cell in record.cells) for record in table.records()]
        assert (list(table.columns), found) == (["name", "n", "out"], [(a, str(n), c) for a, n, c in rows]), suffix


def test_lines_of_json_keep_everything_but_the_filled_value(tmp_path):
    file = tmp_path / "t.jsonl"
    file.write_bytes(b'{"b" : null ,"a": 1.0, "x": {"k": [1,2]}}\r\n\n{"a":2}\n')
    table = open_table(file)
    assert list(table.columns) == ["b", "a", "x"]
    out = rewritten(
        table, RowChange(number=1, cell="v"), RowChange(number=2, cell=[3], why="hm"), column=0, checks=True, label="b"
    )
    assert out == b'{"b" : "v" ,"a": 1.0, "x": {"k": [1,2]}}\r\n\n{"a":2,"b":[3],"b: check":"hm"}\n'


def test_a_workbook_keeps_formats_formulas_and_other_sheets(tmp_path):
    file = tmp_path / "t.xlsx"
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Bericht"])
    sheet.append(["Tag", "netto", "brutto"])
    for day, net, gross in [(1, 10, 11.9), (2, 20, None), (3, 30, None), (4, 5, "=B6*2")]:
        sheet.append([date(2024, 3, day), net, gross])
    sheet["C3"].number_format = "0.00"
    book.create_sheet("other")["A1"] = "kept"
    book.save(file)
    table = open_table(file)
    records = list(table.records())
    assert [record.line for record in records] == [3, 4, 5, 6]
    assert list(records[0].cells) == ["2024-03-01", 10, 11.9]
    assert [is_blank(record.cells[2]) for record in records] == [False, True, True, False]
    (tmp_path / "out.xlsx").write_bytes(
        rewritten(table, RowChange(number=2, cell=23.8), RowChange(number=3, cell="=1", why="odd"))
    )
    new = openpyxl.load_workbook(tmp_path / "out.xlsx")
    cells = new.active
    assert (cells["C4"].value, cells["C4"].number_format, cells["C4"].comment) == (23.8, "0.00", None)
    assert (cells["C5"].data_type, cells["C5"].comment.text, cells["C5"].fill.fill_type) == ("s", "odd", "solid")
    assert (cells["C6"].value, new["other"]["A1"].value, cells["A1"].value) == ("=B6*2", "kept", "Bericht")


@pytest.mark.parametrize(
    ("cells", "value", "written"),
    [
        (["3,50", "12,00"], 1234.5, "1234,50"),
        (["1.234,50", "12,00"], -1234.5, "-1.234,50"),
        (["1,234.50", "0.10"], 9876543.2, "9,876,543.20"),
        (["1\u202f234,50", "12,00"], -1234.5, "-1\u202f234,50"),
        (["1’234.50", "12.00"], 9876543.2, "9’876’543.20"),
        (["3.5", "12"], 4.0, "4"),
        (["3.5", "12.25"], 0.1 + 0.2, "0.3"),
        (["1", "2"], 4.0, "4"),
        (["1.50", "2.25"], 12.5545, "12.55"),
    ],
)
def test_a_number_is_written_as_the_cells_of_its_column_are(cells, value, written):
    kind = text_column(cells, loose=True)
    assert kind.is_number
    assert kind.write(value) == (written, None)
    assert kind.read(written) == pytest.approx(value, rel=1e-3)


@pytest.mark.parametrize("cells", [["007", "12"], ["1.2.3", "4"], ["+1", "2"], ["", "2"], ["1,23,456.0", "2.0"]])
def test_what_would_not_survive_the_way_to_a_number_stays_text(cells):
    assert not text_column(cells, loose=True).is_number


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("t.csv", b"", "the file is empty"),
        ("t.csv", b"a,b\n1\n", "the row has 1 cell, the header has 2"),
        ("t.csv", b'a,b\n1,"2\n', "a quotation mark is not closed"),
        ("t.csv", "a,b\n1,2\n".encode("utf-16")[:-1], "the text is not utf-16-le"),
        ("t.csv", b"\xef\xbb\xbfa,b\n1,\xff\n", "the text is not utf-8"),
        ("t.xls", b"\xd0\xcf\x11\xe0", "cannot read a .xls file"),
        ("t.xlsx", b"PK\x03\x04nothing", "the workbook is damaged"),
        ("t.csv", b"PK\x03\x04nothing", "is a workbook"),
        ("t.jsonl", b'{"a": 1}\n[2]\n', "the line is not an object"),
        ("t.jsonl", b'{"a": NaN}\n', "not JSON"),
        ("t.jsonl", b'{"a": 1e400}\n', "not JSON"),
    ],
)
def test_what_is_no_table_is_told_in_a_sentence(tmp_path, name, data, why):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TaskError, match=why):
        list(open_table(tmp_path / name).records())


_TOO_MUCH = {
    "a line of CSV": ("t.csv", b"a,b\n1,2\n" + b"x" * (1 << 25) + b",1\n", "t.csv:3: the line is longer"),
    "a line of JSON": ("t.jsonl", b'{"a": 1}\n{"a": "%s"}\n' % (b"x" * (1 << 25)), "t.jsonl:2: the line is longer"),
    "keys": (
        "t.jsonl",
        b"".join(b'{"%d": 1}\n' % n for n in range(20_001)),
        "t.jsonl:20001: the lines have more than 20,000 diff",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("much", _TOO_MUCH)
def test_what_would_take_memory_or_time_without_end_is_refused(tmp_path, much):
    name, data, why = _TOO_MUCH[much]
    (tmp_path / name).write_bytes(data)
    with pytest.raises(TaskError, match=why):
        list(open_table(tmp_path / name).records())


def changed_package(file, change=lambda name, data: data, **more):
    """Writes a workbook's package again with other parts, or further ones."""
    with zipfile.ZipFile(file) as package:
        parts = {name: change(name, package.read(name)) for name in package.namelist()}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package:
        for name, data in {**parts, **more}.items():
            package.writestr(name, data)
    return file


@pytest.fixture
def book(tmp_path):
    made = openpyxl.Workbook()
    for row in [("a", "b"), (1, 2), (2, None), (3, 6)]:
        made.active.append(row)
    made.save(tmp_path / "t.xlsx")
    return tmp_path / "t.xlsx"


@pytest.mark.parametrize(
    "damage", ["sheet cut off", "sheet of another kind", "styles cut off", "encrypted", "bad data"]
)
def test_a_damaged_workbook_is_told_by_its_name(book, damage):
    def change(name, data):
        if damage == "sheet cut off" and "sheet1" in name:
            return data[: len(data) // 2]
        if damage == "sheet of another kind" and "sheet1" in name:
            return b"<html><p>1</p></html>"
        if damage == "styles cut off" and "styles" in name:
            return data[: len(data) // 2]
        return data

    changed_package(book, change)
    data = bytearray(book.read_bytes())
    at = data.index(b"PK\x01\x02")
    while damage == "encrypted" and at >= 0:
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    if damage == "bad data":
        at = data.index(b"sheet1.xml") + len(b"sheet1.xml")
        data[at : at + 40] = b"\xff" * 40
    book.write_bytes(data)
    with pytest.raises(TaskError, match="t.xlsx: (the workbook is damaged|the sheet has no row)"):
        open_table(book)


def test_a_chart_sheet_that_was_open_leaves_the_first_sheet_with_cells(book):
    made = openpyxl.load_workbook(book)
    chart = openpyxl.chart.BarChart()
    chart.add_data(openpyxl.chart.Reference(made.active, min_col=1, min_row=1, max_row=4))
    made.create_chartsheet("picture", 0).add_chart(chart)
    made.active = 0
    made.save(book)
    assert open_table(book).form.sheet == "Sheet"
    made = openpyxl.load_workbook(book)
    made._charts = []
    made["picture"]._charts = []
    made.save(book)
    with pytest.raises(TaskError, match="t.xlsx: the workbook is damaged"):
        open_table(book)


def test_what_begins_as_a_formula_does_stays_text(book):
    table = open_table(book)
    book.write_bytes(rewritten(table, RowChange(number=1, cell="=1+1"), column=2, label="=2+2"))
    sheet = openpyxl.load_workbook(book).active
    assert [(sheet[at].value, sheet[at].data_type) for at in ("C1", "C2")] == [("=2+2", "s"), ("=1+1", "s")]


def test_a_number_beyond_all_numbers_is_a_text(book):
    changed_package(book, lambda name, data: data.replace(b"<v>3</v>", b"<v>1e400</v>"))
    assert [record.cells[0] for record in open_table(book).records()] == [1, 2, "inf"]


def test_a_format_on_whole_columns_makes_no_rows(book):
    made = openpyxl.load_workbook(book)
    for column in (2, 6):
        made.active.cell(1_048_576, column).number_format = "0.00"
    made.active.column_dimensions["H"].number_format = "0.00"
    made.save(book)
    table = open_table(book)
    assert (list(table.columns), [record.line for record in table.records()]) == (["a", "b"], [2, 3, 4])
    cells = openpyxl.load_workbook(io.BytesIO(rewritten(table, RowChange(number=2, cell=4)))).active
    assert (cells["B3"].value, cells.cell(1_048_576, 6).number_format) == (4, "0.00")


_EVERYWHERE = b'ref="A1:XFD1048576"'
_BOMBS = {
    "merged": (b"<pageM", b'<mergeCells count="1"><mergeCell %s /></mergeCells><pageM' % _EVERYWHERE),
    "linked": (b"<pageM", b'<hyperlinks><hyperlink %s location="A1" /></hyperlinks><pageM' % _EVERYWHERE),
    "linked columns": (b"<pageM", b'<hyperlinks><hyperlink ref="&#65;:XFD" location="A1" /></hyperlinks><pageM'),
    "far": (b"</sheetData>", b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
    "empty cells": (b"</sheetData>", b"<row>%s</row></sheetData>" % (b"<c/>" * 9_000_000)),
    "empty rows": (b"</sheetData>", b"%s</sheetData>" % (b"<row/>" * 5_000_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("bomb", [*_BOMBS, "linked elsewhere", "in UTF-16", "table", "unpacked"])
def test_a_small_file_that_unpacks_to_more_than_fits_is_refused(book, bomb):
    def change(name, data):
        here, there = _BOMBS["linked" if bomb in ("linked elsewhere", "in UTF-16") else bomb]
        changed = data.replace(here, there) if "sheet1.xml" in name and "rels" not in name else data
        return changed.decode().encode("utf-16") if bomb == "in UTF-16" and changed is not data else changed

    if bomb in ("table", "unpacked"):
        table = b'<table xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" id="1" %s />' % _EVERYWHERE
        more = {"xl/tables/table1.xml": table} if bomb == "table" else {"xl/media/a.png": bytes(257 * 2**20)}
        changed_package(book, **more)
    else:
        changed_package(book, change)
    if bomb == "linked elsewhere":
        with zipfile.ZipFile(book) as package:
            parts = {name: package.read(name).replace(b"sheet1.xml", b"sheet1.dat") for name in package.namelist()}
        with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as package:
            for name, data in parts.items():
                package.writestr(name.replace("sheet1.xml", "sheet1.dat"), data)
    with pytest.raises(
        TaskError,
        match="t.xlsx: the (sheet|workbook) (has more|is larger)",
    ):
        open_table(book)


@pytest.mark.slow
def test_a_link_fills_no_cell_that_is_blank_and_stays(book):
    made = openpyxl.load_workbook(book)
    made.active["C1"] = "page"
    made.active["C4"] = "https://example.org"
    for place in ("C3", "C4"):
        made.active[place].hyperlink = "https://example.org"
    made.active.add_table(openpyxl.worksheet.table.Table(displayName="t", ref="A1:C4"))
    made.save(book)
    changed_package(
        book, lambda name, data: data.replace(b'<c r="C3" t="inlineStr"><is><t>https://example.org</t></is></c>', b"")
    )
    table = open_table(book)
    assert [record.cells[2] for record in table.records()] == [None, None, "https://example.org"]
    book.write_bytes(rewritten(table, RowChange(number=2, cell=4), column=1))
    assert [record.cells for record in open_table(book).records()][1:] == [[2, 4, None], [3, 6, "https://example.org"]]
    sheet = openpyxl.load_workbook(book).active
    assert [sheet[place].hyperlink.target for place in ("C3", "C4")] == ["https://example.org"] * 2


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("xl/threadedComments/threadedComment1.xml", "threads of comments"),
        ("customXml/item1.xml", "custom XML"),
        ("xl/connections.xml", "connections to data"),
        ("xl/embeddings/oleObject1.bin", "embedded objects"),
        ("xl/ctrlProps/ctrlProp1.xml", "controls"),
        ("xl/vbaProject.bin", "macros"),
        ("xl/newThings/thing1.xml", "the part xl/newThings/thing1.xml"),
        (b"<x14:sparklineGroups><x14:sparklineGroup /></x14:sparklineGroups>", "sparklines"),
        (b"<x14:dataValidations><x14:dataValidation /></x14:dataValidations>", "checks of input"),
        (b"<x14:other />", "extensions of a sheet"),
        ("", ""),
    ],
)
def test_what_is_lost_in_writing_a_workbook_is_told_before(book, part, told):
    def change(name, data):
        if isinstance(part, bytes) and "sheet1" in name:
            extension = b'<extLst><ext uri="{0}" xmlns:x14="urn:x">%s</ext></extLst></worksheet>' % part
            return data.replace(b"</worksheet>", extension)
        return data

    changed_package(book, change, **({part: b"<a />"} if part and isinstance(part, str) else {}))
    loss = open_table(book).loss
    assert loss == "" if not told else told in loss and "cannot carry over" in loss


def test_values_of_formulas_are_a_loss_where_they_were_saved(book):
    made = openpyxl.load_workbook(book)
    made.active["C1"], made.active["C2"] = "c", "=A2*10"
    made.save(book)
    assert open_table(book).loss == ""
    changed_package(book, lambda name, data: data.replace(b"<v />", b"<v>10</v>").replace(b"<v></v>", b"<v>10</v>"))
    table = open_table(book)
    assert "values of formulas" in table.loss
    assert next(table.records()).cells[2] == 10


def test_formats_within_a_cell_are_kept(book):
    from openpyxl.cell.rich_text import CellRichText, TextBlock
    from openpyxl.cell.text import InlineFont

    made = openpyxl.load_workbook(book)
    text = CellRichText("a ", TextBlock(InlineFont(b=True), " bold "), " end ")
    made.active["C1"], made.active["C2"] = "note", text
    made.save(book)
    table = open_table(book)
    assert next(table.records()).cells[2] == "a  bold  end "
    new = openpyxl.load_workbook(io.BytesIO(rewritten(table, RowChange(number=2, cell=4), column=1)), rich_text=True)
    assert new.active["C2"].value == text


@pytest.mark.parametrize("words", ["名前;値段\n山田;三百円\n佐藤;五百円\n", "Имя;Цена\nИван;три\nОльга;пять\n"])
@pytest.mark.parametrize(("encoding", "mark"), [("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")])
def test_a_byte_order_mark_is_believed_in_every_script(tmp_path, words, encoding, mark):
    file = tmp_path / "t.csv"
    file.write_bytes(mark + words.encode(encoding))
    table = open_table(file)
    assert table.form.encoding == encoding
    assert [";".join(record.cells) for record in table.records()] == words.split("\n")[1:3]


@pytest.mark.parametrize(
    ("cells", "value", "written"),
    [
        (["1763875471.121", "1.5"], 9876543210.987, "9876543210.987"),
        (["0.5", "12.25"], 0.1 + 0.2, "0.3"),
        (["0.5", "12.25"], 1.1 * 3, "3.3"),
        (["0.5", "12.25"], 1 / 3, repr(1 / 3)),
        (["0.50", "2.25"], 98765432109876.55, "98765432109876.55"),
        (["0.50", "2.25"], 12345678901234567, "12345678901234567.00"),
        (["0.50", "2.25"], 1.005, "1.01"),
        (["0.50", "2.25"], 0.1 + 0.2, "0.30"),
        (["0.5", "2.25"], 10**25, "1" + "0" * 25 + ".0"),
    ],
)
def test_only_the_noise_of_sums_is_left_out_of_a_number(cells, value, written):
    kind = text_column(cells, loose=True)
    assert kind.write(value)[0] == written


@pytest.mark.parametrize("cells", [["1", "2"], ["1.50", "2.25"], ["1.5", "2.25"], ["x"]])
def test_a_number_that_no_cell_can_hold_is_told_and_not_written(cells):
    kind = text_column(cells, loose=True)
    for value in (10**400, -(10**5000), float("inf"), float("nan")):
        cell, why = kind.write(value)
        assert cell is None and why == reason("too_many_digits", most=LONGEST_NUMBER)


def test_an_amount_that_no_float_holds_to_its_last_digit_is_marked():
    kind = text_column(["1.50", "2.25"], loose=True)
    assert kind.write(7654321098765.43)[1] == kind.write(10**20)[1] is None
    assert kind.write(98765432109876543.0)[1] == reason("inexact")
    assert text_column(["1", "2"]).write(2.0**60)[1] == reason("inexact")
    large = text_column(["1.234.567", "12"], loose=True)
    assert large.read("12.345.678.901.234.567.890") == 12345678901234567890
    assert kind.read("12345678901234567.89") == "12345678901234567.89", "no kind of number that is held here"
    assert kind.read("12345678901234567.00") == 12345678901234567
    assert text_column(["1.5", "2"]).read("12345678901234567") == 12345678901234567


def test_a_whole_number_that_no_float_holds_stays_whole_among_others(tmp_path):
    file = tmp_path / "t.jsonl"
    large = "1" + "0" * 400
    file.write_text(f'{{"a": 1.5}}\n{{"a": 12345678901234567890}}\n{{"a": {large}}}\n{{"a": 2}}\n')
    cells = [record.cells[0] for record in open_table(file).records()]
    kind = typed_column(cells)
    read = [kind.read(cell) for cell in cells]
    assert read == [1.5, 12345678901234567890, 10**400, 2.0] and isinstance(read[3], float)
    assert all(map(kind.accepts_value, read))


def test_only_a_first_line_declares_the_delimiter_and_each_value_lands_in_its_row(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes(b"\nsep=;\na;1\nb;2\nc;\nd;\n")
    table = open_table(file)
    assert [list(record.cells) for record in table.records()] == [["a", "1"], ["b", "2"], ["c", ""], ["d", ""]]
    out = rewritten(table, RowChange(number=3, cell="3"), RowChange(number=4, cell="4"))
    assert out == b"\nsep=;\na;1\nb;2\nc;3\nd;4\n"
    file.write_bytes(b"sep=;\na;1\nb;\n")
    table = open_table(file, header=False)
    assert rewritten(table, RowChange(number=2, cell="2"), column=1, label="x") == b"sep=;\na;1\nb;2\n"


@pytest.mark.parametrize(("name", "text"), [("t.csv", "a,b\n1,2\n3,\n"), ("t.jsonl", '{"a":1,"b":2}\n{"a":3}\n')])
def test_a_value_is_written_into_no_cell_that_was_not_read_blank(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    table = open_table(tmp_path / name)
    for number in (1, 3):
        with pytest.raises(TaskError, match="changed while evolve worked"):
            rewritten(table, RowChange(number=number, cell="9"))
    assert rewritten(
        table, RowChange(number=1, cell="9", old="2" if name == "t.csv" else 2), RowChange(number=2, cell="8")
    )
