"""A table whose first line is a row: what is taken for what, and that no file is damaged by a wrong guess."""

from __future__ import annotations

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve.tasks.tables import open_table

pytestmark = pytest.mark.usefixtures("few_rivals")

ROWS = "ada,ada@x.org,ADA\nalan,alan@x.org,ALAN\ngrace,grace@x.org,GRACE\ntony,tony@x.org,\n"
FUNCTION = "def f(column_1):\n    return column_1.upper()\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, private_home):
    with evolve.open(tmp_path_factory.mktemp("ws") / "ws") as opened:
        yield opened


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(ROWS)
    (tmp_path / "f.py").write_text(FUNCTION)
    return file


@pytest.mark.parametrize(("header", "guessed"), [(None, True), (False, False)])
def test_a_first_line_like_the_others_is_a_row(workspace, table, header, guessed):
    filled = workspace.fill(table, function=table.with_name("f.py"), header=header)
    assert (filled.given, filled.column, filled.first_line, filled.guessed) == (3, "column 3", "row", guessed)
    assert filled.out.read_text() == ROWS.replace("tony@x.org,", "tony@x.org,TONY")


def test_its_columns_are_named_by_their_numbers(workspace, table):
    table.write_text(ROWS.replace("GRACE", ""))
    for name in ("3", "column 3"):
        filled = workspace.fill(
            table, function=table.with_name("f.py"), header=False, column=name, out=table.with_name("o.csv")
        )
        assert (filled.given, filled.filled) == (2, 2)


def test_who_says_that_it_names_the_columns_is_believed(workspace, table):
    (table.with_name("g.py")).write_text(FUNCTION.replace("column_1", "ada"))
    for said in ({"header": True}, {"column": "ADA"}):
        filled = workspace.fill(table, function=table.with_name("g.py"), out=table.with_name("o.csv"), **said)
        assert (filled.given, filled.column, filled.first_line, filled.guessed) == (2, "ADA", "names", False)


@pytest.mark.parametrize("text", [ROWS, ROWS.replace("ada@x.org", "").replace("@x.org", "")])
def test_a_guess_writes_no_table_in_place(workspace, table, text):
    table.write_text(text)
    with pytest.raises(UsageError) as refused:
        workspace.fill(table, function=table.with_name("f.py"), in_place=True)
    assert "header=no" in refused.value.hint and table.read_text() == text
    assert workspace.fill(table, function=table.with_name("f.py"), in_place=True, header=False, column="3").filled == 1


def test_a_first_line_that_the_function_reproduces_is_no_certain_header(workspace, tmp_path):
    text = "ada,ADA\nalan,ALAN\ngrace,GRACE\ntony,TONY\nbarbara,BARBARA\ndonald,DONALD\njohn,JOHN\nx,\n"
    file = tmp_path / "people.csv"
    file.write_text(text)
    filled = workspace.fill(file)
    assert (filled.first_line, filled.guessed, filled.given) == ("names", True, 6)
    with pytest.raises(UsageError) as refused:
        workspace.fill(file, in_place=True)
    assert "header=yes" in refused.value.hint and file.read_text() == text
    assert not workspace.fill(file, header=True).guessed
    file.write_text(text.replace("ada,ADA", "name,loud"))
    assert not workspace.fill(file, out=tmp_path / "o.csv").guessed


def test_without_a_header_a_doubt_is_still_one_when_the_file_is_filled_again(workspace, table):
    table.write_text(ROWS.replace("ALAN", "Turing"))
    first = workspace.fill(table, function=table.with_name("f.py"), header=False, in_place=True)
    table.write_text(table.read_text() + "mary,mary@x.org,,\n")
    again = workspace.fill(table, function=table.with_name("f.py"), header=False, in_place=True)
    assert [mark.row for mark in (*first.marks, *again.marks)] == [2, 2]
    assert {line.count(",") for line in table.read_text().splitlines()} == {3}
    read = open_table(table, header=False)
    assert [read.is_doubted(record, 2) for record in read.records()] == [False, True, False, False, False]


def test_a_column_that_is_not_there_is_told_before_anything_about_the_output(workspace, table):
    table.write_text(f"name,mail,shout\n{ROWS}")
    table.with_name("people.filled.csv").write_text("mine")
    with pytest.raises(UsageError, match="no column 'shuot'") as refused:
        workspace.fill(table, column="shuot")
    assert "--column shout;" in refused.value.hint
