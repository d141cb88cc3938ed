"""How the file of a delimited table is read: which delimiter, which quotes, and what a refusal says of it."""

from __future__ import annotations

import io
import itertools

import pytest

from evolve.core.errors import TaskError
from evolve.tasks.tables import Rewriting, RowChange, open_table, translate_read_errors

_TABLES = {
    "a comma in every name": ("Last, First|Dept|Code\nKnuth, Donald|CS|a1\nHopper, Grace|NV|\n", "|", 3),
    "a comma in the header and in prices": ("Preis, netto;Menge\n3,50;2\n4,17;\n", ";", 2),
    "prices alone": ("Preis, netto;Preis, brutto\n3,50;4,17\n4,17;4,96\n", ";", 2),
    "a price beside two words": ("Preis|Menge|Art\n1,5|2|x\n2,5|3|y\n", "|", 3),
    "a comma in every text": ("Text;Note\nHello, you;5\nGood, bad;6\n", ";", 2),
    "a semicolon in every tag": ("id,tags,n\n1,a;b,2\n2,c;d,3\n", ",", 3),
    "commas between tabs": ("a, x\tb, y, z\n1, 2\t3, 4, 5\n", "\t", 2),
    "a title above": ("Report, March\na;b;c\n1;2;3\n3;4;\n", ";", 2),
}


def rewritten(table, *changes, **more):
    out = io.BytesIO()
    column = len(table.columns) - 1
    table.rewrite(Rewriting(column=column, label=table.columns[column], changes=iter(changes), **more), out)
    return out.getvalue().decode()


def opened(tmp_path, text, name="t.csv"):
    (tmp_path / name).write_bytes(text.encode())
    return open_table(tmp_path / name)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("case", [one for one in _TABLES if one != "a title above"])
def test_of_readings_with_equal_rows_the_one_with_most_whole_cells_is_taken(tmp_path, case, end):
    text, delimiter, width = _TABLES[case]
    table = opened(tmp_path, text.replace("\n", end))
    assert (table.form.delimiter, len(table.columns)) == (delimiter, width)
    assert {len(record.cells) for record in table.records()} == {width}
    assert rewritten(table) == text.replace("\n", end)


@pytest.mark.parametrize(("joint", "others"), [*itertools.permutations(",;|", 2)])
def test_prose_with_another_delimiter_is_no_reason_for_it(tmp_path, joint, others):
    rows = [("name", f"note{others} more", "n"), ("A", f"x{others} y", "1"), ("B", f"z{others} w", "2")]
    table = opened(tmp_path, "\n".join(map(joint.join, rows)))
    assert [tuple(record.cells) for record in table.records()] == rows[1:]


@pytest.mark.parametrize(
    ("text", "cells", "written"),
    [
        ('a, "b, x", c\n1, "2, y", \n', [["1", "2, y", ""]], 'a, "b, x", c\n1, "2, y", new\n'),
        ('"a" ,"b" ,"c"\n"1" ,"2, y" ,""\n', [["1", "2, y", ""]], '"a" ,"b" ,"c"\n"1" ,"2, y" ,"new"\n'),
        ('a; "b"; c\n 1; "2\n3;"; ""\n', [["1", "2\n3;", ""]], 'a; "b"; c\n 1; "2\n3;"; new\n'),
        ('a|  "b ""q"""|c\nx y|  "2"|  \n', [["x y", "2", ""]], 'a|  "b ""q"""|c\nx y|  "2"|  new\n'),
    ],
)
def test_blanks_beside_quotes_are_no_part_of_a_cell_and_stay(tmp_path, text, cells, written):
    table = opened(tmp_path, text)
    assert [list(record.cells) for record in table.records()] == cells
    assert rewritten(table) == text
    assert rewritten(table, RowChange(number=1, cell="new")) == written


def test_what_stands_behind_a_quote_is_refused_where_blanks_may(tmp_path):
    table = opened(tmp_path, 'a, "b"\n' * 600 + '1, "2"x\n')
    with pytest.raises(TaskError, match=r"t.csv:601: a quotation mark is not closed"):
        list(table.records())


def test_a_line_end_within_a_cell_leaves_every_cell_quoted(tmp_path):
    text = '"a","b"\n"x\ny","1"\n"z",\n'
    table = opened(tmp_path, text)
    assert table.form.quoted
    assert rewritten(table, RowChange(number=2, cell="new")) == '"a","b"\n"x\ny","1"\n"z","new"\n'
    assert not opened(tmp_path, '"a","b"\n"x\ny",1\n"z",\n').form.quoted


@pytest.mark.parametrize(
    ("text", "line"),
    [(_TABLES["a title above"][0], 2), ("Report\n\na;b;c\n1;2;3\n", 3), ("a;b;c\n1;2;3\n4;5;\nTotal;4\n", 4)],
)
def test_a_row_of_another_length_is_refused_with_the_way_on_and_how_it_was_read(tmp_path, text, line):
    table = opened(tmp_path, text)
    with pytest.raises(TaskError, match=rf"t\.csv:{line}: ") as refused, translate_read_errors(table):
        list(table.records())
    assert refused.value.line == line
    assert "delete" in refused.value.hint
    assert "separated by semicolons" in refused.value.hint


def test_a_row_of_many_lines_is_read_once(tmp_path):
    """Were each line looked at from where its row begins, this would take hours."""
    text = "a,b\n" + '"\n",' * 20_000 + "\n"
    table = opened(tmp_path, 'a, "b"\n' + text)
    assert sum(1 for _ in table._raw()) == 3
