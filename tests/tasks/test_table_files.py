"""Tables of examples as people save them, with the output in any column and rows that are not filled yet."""

from __future__ import annotations

import openpyxl
import pytest

from evolve.core.errors import TaskError, UsageError
from evolve.tasks import load_examples
from evolve.tasks.reading.partly_filled import column_task
from evolve.tasks.tables import open_table

NAMES = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Zoë Müller", "Tony Hoare", "John Backus"]
ROWS = [("name", "short", "place"), *((name, name.split()[0], "x") for name in NAMES), ("Donald Knuth", "", "y")]


def text(delimiter):
    return "".join(delimiter.join(row) + "\r\n" for row in ROWS)


def every_row(task):
    return sorted((row.input, row.output) for row in (*task.examples, *task.verify))


@pytest.mark.parametrize("form", ["comma", "cp1252", "utf-16", "bom", "tabs", "xlsx"])
def test_however_a_table_was_saved_it_is_the_same_task(tmp_path, form):
    file = tmp_path / ("t.xlsx" if form == "xlsx" else "t.csv")
    if form == "xlsx":
        book = openpyxl.Workbook()
        for row in ROWS:
            book.active.append([cell or None for cell in row])
        book.save(file)
    else:
        written = {
            "comma": text(",").encode(),
            "cp1252": text(";").encode("cp1252"),
            "utf-16": text("\t").encode("utf-16"),
            "bom": text(";").encode("utf-8-sig"),
            "tabs": text("\t").encode(),
        }
        file.write_bytes(written[form])
    task = load_examples(file, target="short")
    assert every_row(task) == sorted(((name, "x"), name.split()[0]) for name in NAMES)
    assert task.unlabelled == (("Donald Knuth", "y"),)
    assert task.signature == "(name: str, place: str) -> str"
    assert task.instruction == "Give short from name and place."
    assert any("evolve fill" in warning for warning in task.warnings)


def test_a_blank_last_cell_is_no_wanted_output(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,2\n2,4\n3,\n4,\n5,10\n")
    task = load_examples(file)
    assert every_row(task) == [((1,), 2), ((2,), 4), ((5,), 10)]
    assert task.unlabelled == ((3,), (4,))
    assert task.warnings[0].startswith("2 rows have no 'b', so no example; `evolve fill")


def test_a_column_to_fill_says_where_it_came_from_and_what_is_wanted(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("nr,unit,a,b,empty\n1,kg,x 1,X,\n2,kg,y 2,Y,\n3,kg,z 3,,\n4,kg,z 3,,\n")
    task, wanted = column_task(open_table(file), "b")
    assert (wanted.given, wanted.blank, wanted.inputs.columns) == (2, 2, (0, 2))
    assert [(row.input, row.output) for row in task.examples] == [((1, "x 1"), "X"), ((2, "y 2"), "Y")]
    assert task.unlabelled == ((3, "z 3"), (4, "z 3"))
    assert (task.entry, len(task.source.split())) == ("b", 2)


def test_a_target_that_is_not_there_and_one_of_no_table_are_told(tmp_path):
    (tmp_path / "t.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError, match="no column 'c'"):
        load_examples(tmp_path / "t.csv", target="c")
    (tmp_path / "t.json").write_text('[{"input": [1], "output": 2}]')
    with pytest.raises(UsageError, match="is no table"):
        load_examples(tmp_path / "t.json", target="c")
    with pytest.raises(TaskError, match="at least two columns"):
        (tmp_path / "one.csv").write_text("a\n1\n")
        load_examples(tmp_path / "one.csv")


def test_a_column_that_a_fill_added_is_neither_output_nor_argument(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,b: check\nx,X,\ny,Y,odd\n")
    task = load_examples(tmp_path / "t.csv")
    assert [(row.input, row.output) for row in task.examples] == [(("x",), "X"), (("y",), "Y")]
    (tmp_path / "t.csv").write_text("b,b: check\nx,X\n")
    with pytest.raises(TaskError, match="at least two columns"):
        load_examples(tmp_path / "t.csv")


def test_another_column_that_may_be_meant_is_named(tmp_path):
    (tmp_path / "t.csv").write_text("a,b,c\nx,X,1\ny,,2\n")
    task = load_examples(tmp_path / "t.csv")
    assert any("'c' is looked for" in one and "'b' is meant" in one for one in task.warnings)
    assert not any("is meant" in one for one in load_examples(tmp_path / "t.csv", target="c").warnings)


@pytest.mark.parametrize(("outputs", "is_number"), [(["5,90 EUR", "frei"], True), (["{} kg", "{} kg"], False)])
def test_numbers_with_a_comma_are_read_whatever_the_other_column_mixes(tmp_path, outputs, is_number):
    values = ["88,10", "120,00", "45,50", "150,00", "99,95", "200,00", "20,25"]
    lines = [f"A-{n};{value};{outputs[n % 2].format(value)}" for n, value in enumerate(values)]
    (tmp_path / "t.csv").write_text("\n".join(["id;worth;out", *lines, "A-8;7,50;", ""]))
    task, wanted = column_task(open_table(tmp_path / "t.csv"), "out")
    assert [kind.is_number for kind in wanted.inputs.kinds][-1] == is_number
    assert task.examples[0].input[-1] == (88.1 if is_number else "88,10")
