"""What fill refuses because something would be lost or learned that nobody means."""

from __future__ import annotations

import openpyxl
import pytest

import evolve
from evolve.core.errors import UsageError


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, private_home):
    with evolve.open(tmp_path_factory.mktemp("ws") / "ws") as opened:
        yield opened


@pytest.fixture
def function(tmp_path):
    file = tmp_path / "f.py"
    file.write_text("def f(net):\n    return net * 2\n")
    return file


def book(file, cells):
    made = openpyxl.Workbook()
    for row in [("net", "gross"), *cells]:
        made.active.append(row)
    made.save(file)
    return file


def test_formulas_without_values_are_no_examples(workspace, tmp_path):
    file = book(tmp_path / "t.xlsx", [(10, "=A2*2"), (20, "=A3*2"), (30, None)])
    with pytest.raises(UsageError, match="'gross' has formulas"):
        workspace.fill(file)
    assert [path.name for path in tmp_path.iterdir()] == ["t.xlsx"]


@pytest.mark.parametrize("lock", [".~lock.{}#", "~${}"])
@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_that_is_open_in_a_spreadsheet_is_not_written(workspace, tmp_path, function, lock, in_place):
    table = book(tmp_path / "t.xlsx", [(10, 20), (20, None)])
    target = table if in_place else book(tmp_path / "o.xlsx", [])
    before = target.read_bytes()
    held = tmp_path / lock.format(target.name)
    held.touch()
    how = {"in_place": True} if in_place else {"out": target}
    with pytest.raises(UsageError) as refused:
        workspace.fill(table, function=function, **how)
    assert held.name in refused.value.hint and target.read_bytes() == before
    held.unlink()
    assert workspace.fill(table, function=function, **how).filled == 1


def test_a_fill_with_a_given_function_may_be_repeated(workspace, tmp_path, function):
    table = book(tmp_path / "t.xlsx", [(10, 20), (20, None)])
    first, again = (workspace.fill(table, function=function) for _ in range(2))
    assert first.out == again.out and again.filled == 1


def test_one_of_two_columns_of_a_name_is_filled_by_its_number(workspace, tmp_path):
    file, function = tmp_path / "t.csv", tmp_path / "f.py"
    file.write_text("2,name,name\nada,ADA,\nalan,,ALAN\n")
    function.write_text("def f(column_1):\n    return column_1.upper()\n")
    for column in (None, "name"):
        with pytest.raises(UsageError) as refused:
            workspace.fill(file, function=function, column=column)
        assert "number" in refused.value.hint and "2" in refused.value.hint
    done = workspace.fill(file, function=function, column="3", out=tmp_path / "o.csv")
    assert done.out.read_text() == "2,name,name\nada,ADA,ADA\nalan,,ALAN\n"
    with pytest.raises(UsageError, match="every cell of '2'"):  # a name goes before a number
        workspace.fill(file, function=function, column="2")


def test_filling_another_sheet_leaves_what_was_filled_in_the_first(workspace, function, tmp_path):
    file = book(tmp_path / "t.xlsx", [(1, 2), (2, None)])
    made = openpyxl.load_workbook(file)
    made.copy_worksheet(made.active).title = "April"
    made.save(file)
    first = workspace.fill(file, function=function)
    second = workspace.fill(file, function=function, sheet="April")
    assert first.out != second.out
    assert openpyxl.load_workbook(first.out).active["B3"].value == 4
    assert openpyxl.load_workbook(second.out)["April"]["B3"].value == 4


def test_filling_another_column_does_not_lose_the_first(workspace, function, tmp_path):
    (tmp_path / "t.csv").write_text("net,gross,twice\n1,2,2\n2,,\n")
    first = workspace.fill(tmp_path / "t.csv", function=function, column="gross")
    again = workspace.fill(tmp_path / "t.csv", function=function, column="2")  # the same, by its number
    with pytest.raises(UsageError, match="'gross'") as refused:
        workspace.fill(tmp_path / "t.csv", function=function, column="twice")
    assert f"evolve fill {first.out} --column twice --in-place" in refused.value.hint
    both = workspace.fill(first.out, function=function, column="twice", in_place=True)
    assert (again.out, both.out) == (first.out, first.out)
    assert both.out.read_text().splitlines()[1:] == ["1,2,2", "2,4,4"]
