"""Filling a column: what is an example, what is written, what is marked, and that a file is whole or untouched."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace

import openpyxl
import pytest

import evolve
from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.reasons import reason
from evolve.workspace import FlagReasons
from tests.architecture.source import ROOT

pytestmark = pytest.mark.usefixtures("few_rivals")

PEOPLE = [
    *("Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Tony Hoare"),
    *("John Backus", "Donald Knuth", "Leslie Lamport", "Niklaus Wirth"),
]


SMALL = "10k-candidates"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, private_home):
    with evolve.open(tmp_path_factory.mktemp("ws") / "ws") as opened:
        yield opened


@pytest.fixture
def table(tmp_path):
    """Writes a table, and the function that fills it."""

    def write(text, function="def f(a):\n    return a.upper()\n", name="t.csv"):
        (tmp_path / "f.py").write_text(function)
        file = tmp_path / name
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file, tmp_path / "f.py"

    return write


def test_filled_rows_are_the_examples_and_the_others_are_filled(workspace, tmp_path):
    lines = [f"{name},{'EU' if n % 2 else 'US'},{name.upper() if n < 7 else ''}" for n, name in enumerate(PEOPLE)]
    file = tmp_path / "people.csv"
    file.write_text("\r\n".join(["name,place,shout", *lines]) + "\r\n", newline="")
    filled = workspace.fill(file)
    assert filled.result.verified and filled.result.entry == "shout"
    assert (filled.column, filled.inputs, filled.given, filled.filled, filled.marked) == ("shout", ("name",), 7, 3, 0)
    assert filled.out == tmp_path / "people.filled.csv"
    expected = file.read_bytes()
    for name, place in zip(PEOPLE[7:], ("EU", "US", "EU"), strict=True):
        expected = expected.replace(f"{name},{place},".encode(), f"{name},{place},{name.upper()}".encode())
    assert filled.out.read_bytes() == expected
    assert json.loads(json.dumps(filled.to_json()))["result"]["verified"]


def test_a_file_that_evolve_wrote_is_replaced_and_one_that_a_person_changed_is_not(workspace, tmp_path):
    file = tmp_path / "people.csv"
    lines = [f"{name},{name.upper() if n < 7 else ''}" for n, name in enumerate(PEOPLE)]
    file.write_text("\n".join(["name,shout", *lines]) + "\n")
    out = workspace.fill(file).out
    file.write_text("\n".join(["name,shout", *lines, "zoe,"]) + "\n")
    assert workspace.fill(file).out == out
    assert "zoe,ZOE" in out.read_text()
    corrected = out.read_text().replace("zoe,", "zoi,")
    out.write_text(corrected)
    with pytest.raises(UsageError):
        workspace.fill(file)
    assert out.read_text() == corrected


@pytest.mark.slow
def test_a_text_of_megabytes_is_filled_but_nothing_is_tried_on_it(workspace, tmp_path):
    rows = [{"name": name, "shout": name.upper()} for name in PEOPLE[:7]] + [{"name": "x y" * 1_000_000}]
    file = tmp_path / "people.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    filled = workspace.fill(file, budget="20k-candidates")
    assert filled.result.solved
    assert json.loads(filled.out.read_text().splitlines()[-1])["shout"] == "X Y" * 1_000_000


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "xlsx"])
def test_what_a_fill_guessed_verifies_nothing_in_the_next_one(workspace, tmp_path, form):
    rows = [("ab cd", "ab"), ("ef gh", "ef"), ("ij kl", "ij"), *((f"{a} {a}v w", None) for a in "mnopqrst")]
    file = tmp_path / f"t.{form}"
    if form == "csv":
        file.write_text("\n".join(["text,out", *(f"{text},{out or ''}" for text, out in rows), ""]))
    else:
        book = openpyxl.Workbook()
        for row in [("text", "out"), *rows]:
            book.active.append(row)
        book.save(file)
    first = workspace.fill(file, in_place=True)
    assert (first.filled, first.marked, first.result.verified) == (8, 8, False)
    if form == "csv":
        file.write_text(file.read_text() + "xx yy,,\n")
    else:
        book = openpyxl.load_workbook(file)
        book.active.append(("xx yy",))
        book.save(file)
    again = workspace.fill(file, in_place=True)
    assert (again.filled, again.result.verified) == (1, False)
    assert {mark.row for mark in first.marks} <= {mark.row for mark in again.marks}
    assert (again.given, again.doubted) == (11, 8)


def write(file, people, cells):
    rows = list(zip(people, cells, strict=True))
    if file.suffix == ".csv":
        file.write_text("\n".join(["name,out", *(f"{name},{cell or ''}" for name, cell in rows), ""]))
    elif file.suffix == ".jsonl":
        file.write_text("\n".join(json.dumps({"name": name, "out": cell}) for name, cell in rows) + "\n")
    else:
        book = openpyxl.Workbook()
        for row in [("name", "out"), *rows]:
            book.active.append(row)
        book.save(file)


def append(file, name):
    if file.suffix == ".csv":
        more = file.read_text().partition("\n")[0].count(",")
        file.write_text(f"{file.read_text()}{name}{',' * more}\n")
    elif file.suffix == ".jsonl":
        file.write_text(f"{file.read_text()}{json.dumps({'name': name, 'out': None})}\n")
    else:
        book = openpyxl.load_workbook(file)
        book.active.append((name,))
        book.save(file)


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "jsonl", "xlsx"])
def test_what_evolve_filled_is_no_evidence_until_a_person_changes_it(tmp_path, form):
    file, lengths = tmp_path / f"t.{form}", [len(name.split()[0]) for name in PEOPLE]
    with evolve.open(tmp_path / "ws") as ws:
        write(file, PEOPLE, [*lengths[:3], *[None] * 7])
        first = ws.fill(file, in_place=True, budget=SMALL)
        assert first.filled == 7 and not first.result.verified
        unmarked = sorted(set(range(4, 11)) - {mark.row for mark in first.marks})
        append(file, "Frances Allen")
        again = ws.fill(file, out=tmp_path / f"again.{form}", budget=SMALL)
        assert (again.given, again.doubted, again.own) == (10, first.marked, len(unmarked))
        assert again.filled == 1 and not again.result.verified
        lengths[unmarked[0] - 1] += 50
        write(file, [*PEOPLE, "Frances Allen"], [*lengths, None])
        corrected = ws.fill(file, out=tmp_path / f"corrected.{form}", budget=SMALL)
        assert corrected.own == len(unmarked) - 1 > 0


@pytest.mark.slow
def test_where_no_function_is_found_nothing_is_written(workspace, tmp_path):
    file = tmp_path / "noise.csv"
    file.write_text("a,b\n1,731\n2,15\n3,9981\n4,2\n5,77123\n6,403\n7,\n")
    filled = workspace.fill(file, budget="300-candidates")
    assert (filled.out, filled.filled, filled.result.solved) == (None, 0, False)
    assert [path.name for path in tmp_path.iterdir()] == ["noise.csv"]


@pytest.mark.parametrize(
    ("text", "column", "why", "hint"),
    [
        ("a,b,c\n1,,2\n2,3,\n", None, "2 columns of t.csv are partly filled: 'b', 'c'", "--column"),
        ("a,b\n1,2\n", None, "no column of t.csv has blank cells", "clear"),
        ("a,b\n1,\n", None, "no cell of 'b' is filled", "by hand"),
        ("a,b\n1,\n2,3\n", "c", "no column 'c'", "'a', 'b'"),
        ("a,b\n1,2\n2,3\n", "b", "every cell of 'b' is filled", "clear"),
        ("b,c\nx,\nx,3\n", "c", "no column beside 'c'", "something to go by"),
    ],
)
def test_what_is_not_clear_is_told_with_the_way_on(workspace, table, text, column, why, hint):
    file, _ = table(text)
    with pytest.raises(UsageError, match=why) as caught:
        workspace.fill(file, column=column)
    assert hint in caught.value.hint


def test_what_fails_or_is_unlike_the_others_is_marked_and_never_guessed(workspace, table):
    code = "def f(a):\n    return {'x': 'fine', 'n': 3, 'e': '', 'l': [1], 'o': None}[a[0]]\n"
    file, function = table("a,b\nx1,fine\nx2,other\nn1,\ne1,\nl1, \no1,\nzz,\nx3,\n,\n", code)
    filled = workspace.fill(file, function=function)
    assert (filled.given, filled.filled, filled.marked) == (2, 2, 6)
    marks = {mark.row: mark for mark in filled.marks}
    assert (marks[2].value, marks[2].others) == ("other", ("fine",))
    codes = {row: [one.code for one in mark.flag.reasons] for row, mark in marks.items()}
    assert (codes[2], codes[3], marks[3].value) == (["differs"], ["other_kind"], "3")
    assert [marks[row].value for row in (4, 5, 6, 7)] == [None] * 4
    assert marks[7].flag == FlagReasons(left="not filled", reasons=(reason("fails", values=["zz"]),))
    lines = filled.out.read_text().splitlines()
    assert lines[0] == "a,b,b: check"
    assert (lines[1], lines[3].split(",")[:2], lines[8], lines[9]) == ("x1,fine,", ["n1", "3"], "x3,fine,", ",,")


@pytest.mark.slow
def test_a_rival_that_gives_something_else_makes_a_cell_doubtful(workspace, tmp_path, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n" + "".join(f"{name},{name.split()[-1] if n < 7 else ''}\n" for n, name in enumerate(PEOPLE)))
    with file.open("a") as stream:
        stream.write("Leslie B. Lamport,\n")
    run = workspace.run
    second = "def b(a):\n    return a.split()[1]\n"

    def with_rival(*args, **more):
        return replace(run(*args, **more), rivals=(second,))

    monkeypatch.setattr(workspace, "run", with_rival)
    filled = workspace.fill(file)
    assert [(mark.row, mark.value, mark.others) for mark in filled.marks] == [(11, "Lamport", ("B.",))]
    assert filled.marks[0].flag.reasons == (reason("another_gives", value="B."),)
    assert filled.filled == 4


@pytest.mark.slow
def test_what_no_filled_row_has_is_told(workspace, tmp_path, monkeypatch):
    file = tmp_path / "t.csv"
    file.write_text("a,b\n" + "".join(f"{name},{name.split()[-1]}\n" for name in PEOPLE[:7]) + "Leslie.Lamport x,\n")
    run = workspace.run
    less_plain = "def b(a):\n    return a.replace('.', ' ').split()[1]\n"
    monkeypatch.setattr(
        workspace, "run", lambda *args, **more: replace(run(*args, **more), rivals=(), distant=(less_plain,))
    )
    mark = workspace.fill(file).marks[0]
    assert mark.flag.reasons == (reason("another_gives", value="Lamport"), reason("unknown_trait", trait="'.'"))


@pytest.mark.slow
def test_a_row_unlike_every_filled_one_is_held_against_less_plain_functions(workspace, tmp_path):
    names = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Kurt Weil", "Emmy Noether", "John Backus", "Tony Hoare"]
    file = tmp_path / "t.csv"
    file.write_text(
        "a,b\n" + "".join(f"{name},{name.split()[-1]}\n" for name in names) + "Jean Bartik,\nLeslie B. Lamport,\n"
    )
    filled = workspace.fill(file)
    assert [mark.row for mark in filled.marks] == [9]
    assert filled.result is not None and filled.result.reason


def test_a_cell_of_another_kind_than_its_column_makes_the_row_doubtful(workspace, table):
    rows = "".join(f"{n},{2 * n}\n" for n in range(30))
    file, function = table(f"a,b\n{rows}40,\nn/a,\n", "def f(a):\n    return a * 2\n")
    filled = workspace.fill(file, function=function)
    assert [(mark.row, mark.value) for mark in filled.marks] == [(32, "n/an/a")]
    assert filled.marks[0].flag.reasons == (reason("unlike_column", value="n/a", column="a"),)
    assert filled.out.read_text().splitlines()[31] == "40,80,"


def test_numbers_keep_the_decimal_comma(workspace, table):
    text = "netto;brutto\n10,00;11,90\n20,00;23,80\n1,50;\n1000,00;\n".encode("cp1252")
    file, function = table(text, "def f(netto):\n    return netto * 1.19\n")
    filled = workspace.fill(file, function=function)
    assert "decimal comma" in filled.form
    assert filled.out.read_bytes().decode("cp1252").split("\n")[3:5] == ["1,50;1,79", "1000,00;1190,00"]
    assert filled.marked == 0


def test_a_decimal_comma_in_a_text_is_not_taken_for_thousands(workspace, tmp_path):
    shares = ["5,5", "19,0", "7,2", "23,0", "41,9", "88,0", "12,1"]
    rows = "".join(f"{one} %;{float(one.replace(',', '.')) / 100:.4f}\n".replace(".", ",") for one in shares)
    file = tmp_path / "t.csv"
    file.write_text(f"rate;share\n{rows}66 %;\n9,25 %;\n")
    filled = workspace.fill(file)
    assert filled.out.read_text().splitlines()[-2:] == ["66 %;0,6600", "9,25 %;0,0925"]


def test_whole_numbers_among_others_reach_the_function_as_it_takes_them_and_stay_whole(workspace, table):
    lines = ['{"a": 1.5, "b": 3.0}', '{"a": 2, "b": 4}', '{"a": 7}', '{"a": 0.25}']
    file, function = table(
        "\n".join(lines), "def f(a):\n    assert isinstance(a, float)\n    return a * 2\n", "t.jsonl"
    )
    filled = workspace.fill(file, function=function)
    assert filled.out.read_text().split("\n")[2:] == ['{"a": 7, "b": 14}', '{"a": 0.25, "b": 0.5}']
    assert filled.marked == 0


def test_a_letter_that_the_encoding_lacks_leaves_the_cell_empty(workspace, table):
    file, function = table("a;b\nÄ;x\nÖ;\n".encode("cp1252"), "def f(a):\n    return {'Ä': 'x'}.get(a, '→')\n")
    filled = workspace.fill(file, function=function)
    why = reason("no_such_character", character="→", encoding="cp1252")
    assert [mark.flag for mark in filled.marks] == [FlagReasons(left="not filled", reasons=(why,))]


def test_a_function_is_given_the_columns_that_are_called_like_its_parameters(workspace, table):
    file, function = table(
        "id,last,first,out\n1,Hopper,Grace,\n", "def f(first, last):\n    return first + ' ' + last\n"
    )
    filled = workspace.fill(file, function=function, column="out")
    assert filled.inputs == ("first", "last")
    assert filled.out.read_text().splitlines()[1] == "1,Hopper,Grace,Grace Hopper"


def test_a_column_that_is_not_there_is_added(workspace, table):
    file, function = table("a\tb\nx\ty\n", name="t.tsv")
    filled = workspace.fill(file, function=function, column="loud")
    assert filled.out.read_text() == "a\tb\tloud\nx\ty\tX\n"


def test_a_saved_function_is_applied_to_the_next_table(workspace, tmp_path):
    first = tmp_path / "march.csv"
    rows = [
        f"{name},{name.split()[1].lower() + '.' + name.split()[0].lower() if n < 8 else ''}"
        for n, name in enumerate(PEOPLE)
    ]
    first.write_text("\n".join(["name,login", *rows]) + "\n")
    done = workspace.fill(first)
    assert done.result.skills, "the answer itself becomes a skill"
    april = tmp_path / "april.csv"
    april.write_text("nr,name,login\n1,Frances Allen,\n2,Robert Floyd,\n")
    whole = next(name for name in done.result.skills if workspace.skills.show(name).signature == "(name: str) -> str")
    filled = workspace.fill(april, skill=whole, column="login")
    assert filled.out.read_text().splitlines()[1:] == ["1,Frances Allen,allen.frances", "2,Robert Floyd,floyd.robert"]
    assert filled.result is None
    with pytest.raises(UsageError):
        workspace.fill(april, skill="no-such-skill", column="login", in_place=True)


def test_which_file_is_written_is_asked_for(workspace, table, tmp_path):
    file, function = table("a,b\nx,\n")
    with pytest.raises(UsageError, match="is the table itself"):
        workspace.fill(file, function=function, out=file)
    with pytest.raises(UsageError, match="not the same kind"):
        workspace.fill(file, function=function, out=tmp_path / "t.xlsx")
    os.chmod(file, 0o640)
    assert workspace.fill(file, function=function, in_place=True).out == file
    assert (file.read_text(), file.stat().st_mode & 0o777) == ("a,b\nx,X\n", 0o640)


def test_a_table_that_changes_meanwhile_is_not_written(workspace, table, monkeypatch):
    from evolve.workspace.fill import filling

    file, function = table("a,b\nx,\n")

    class Changing(filling.Applier):
        def __call__(self, rows):
            file.write_text("a,b\nx,\ny,\n")
            return super().__call__(rows)

    monkeypatch.setattr(filling, "Applier", Changing)
    with pytest.raises(WorkspaceError, match="somebody changed"):
        workspace.fill(file, function=function, in_place=True)
    assert file.read_text() == "a,b\nx,\ny,\n"
    assert sorted(path.name for path in file.parent.iterdir()) == ["f.py", "t.csv"]


def test_a_table_that_changes_while_it_is_opened_is_not_written(workspace, table, monkeypatch):
    """A workbook is read whole there, so what comes after would be lost."""

    from evolve.workspace.fill import table as fill_table

    file, function = table(b"", name="t.xlsx")
    book = openpyxl.Workbook()
    for row in [("a", "b"), ("x", None)]:
        book.active.append(row)
    book.save(file)
    opened = fill_table.open_table

    def then_changed(*args, **more):
        found = opened(*args, **more)
        book.active.append(("kept", "kept"))
        book.save(file)
        return found

    monkeypatch.setattr(fill_table, "open_table", then_changed)
    with pytest.raises(WorkspaceError, match="somebody changed"):
        workspace.fill(file, function=function, in_place=True)
    assert openpyxl.load_workbook(file).active["A3"].value == "kept"


@pytest.mark.slow
def test_rows_that_take_too_long_are_marked_and_the_others_filled(workspace, table):
    text = "a,b\n" + "".join(f"x{n},\n" for n in range(150))
    file, function = table(text, "def f(a):\n    while a == 'x120':\n        pass\n    return a.upper()\n")
    filled = workspace.fill(file, function=function)
    assert filled.filled >= 120
    assert filled.marked == 150 - filled.filled
    assert "x120" not in {mark.value for mark in filled.marks}


KILLED = """
import os, sys, evolve
table, function, point = sys.argv[1:]
with evolve.open(os.environ["WS"]) as ws:
    ws.open_sandbox().run_programs([], [])
    os.environ["EVOLVE_FAULT"] = f"{point}:kill"
    ws.fill(table, function=function, in_place=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "point", ["file.begin:1", "file.written:2", "file.synced:3", *map("file.renamed:{}".format, range(1, 5))]
)
def test_a_fill_that_is_killed_leaves_the_old_file_or_the_new_one(empty_place, table, point):
    file, function = table("a,b\n" + "".join(f"x{n},\n" for n in range(3_000)))
    before = file.read_text()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "WS": str(empty_place)}
    ended = subprocess.run([sys.executable, "-c", KILLED, file, function, point], env=env, check=False)
    after = "a,b\n" + "".join(f"x{n},X{n}\n" for n in range(3_000))
    # What is kept for undoing is written first, and only where the workspace has it not yet.
    assert file.read_text() in {-9: (before, after), 0: (after,)}[ended.returncode]


@pytest.fixture(scope="module")
def empty_place(tmp_path_factory, private_home):
    folder = tmp_path_factory.mktemp("killed") / "ws"
    with evolve.open(folder):
        return folder


MANY = """
import os, resource, sys, evolve
table, function = sys.argv[1:]
with evolve.open(os.environ["WS"]) as ws:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    filled = ws.fill(table, function=function, in_place=True)
    print(filled.filled, filled.marked, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
def test_memory_does_not_grow_with_the_table(empty_place, table):
    """A table of many megabytes, of which a few are held at a time."""
    rows = 100_000
    text = "a,note,b\n" + "".join(f"name {n},{'some remark ' * 30},\n" for n in range(rows))
    file, function = table(text, "def f(a):\n    return a.upper()\n")
    size_kb = file.stat().st_size // 1024
    env = {**os.environ, "PYTHONPATH": str(ROOT), "WS": str(empty_place)}
    done = subprocess.run(
        [sys.executable, "-c", MANY, file, function], env=env, check=True, capture_output=True, text=True
    )
    filled, marked, grown_kb = map(int, done.stdout.split())
    assert (filled, marked) == (rows, 0)
    assert size_kb > 36_000
    assert grown_kb < 30_000
    with file.open() as stream:
        assert sum(line.rstrip().endswith(f",NAME {n}") for n, line in enumerate(stream, -1)) == rows


@pytest.mark.slow
def test_a_result_can_be_called_and_applied_outside_of_this_process(tmp_path, private_home):
    import pickle

    from evolve.core.errors import ModelMistake

    pairs = [(name, name.split()[1]) for name in PEOPLE[:7]]
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.run(examples=pairs)
        assert result("Frances Allen") == "Allen"
    again = pickle.loads(pickle.dumps(result))
    assert again == result
    values = again.apply(["Robert Floyd", ("Alan Perlis",), ""])
    assert values[:2] == ["Floyd", "Perlis"]
    assert values[2].error
    with pytest.raises(ModelMistake, match="fails"):
        result("")
    with pytest.raises(UsageError, match="JSON"):
        result(object())
    assert "calls" not in result.to_json()
    with evolve.open(tmp_path / "ws") as workspace, pytest.raises(UsageError, match="no function to call"):
        workspace.run(examples=[(1, 731), (2, 15), (3, 9981), (4, 2)], budget="200-candidates")(1)


def test_a_workbook_is_filled_coloured_and_never_stripped_in_place(workspace, tmp_path):
    from openpyxl.chart import BarChart, Reference

    (tmp_path / "f.py").write_text("def f(net: float):\n    return round(net * 1.19, 2) if net else None\n")
    book = openpyxl.Workbook()
    for row in [("net", "gross"), (10, 11.9), (20, 24), (30.5, None), (0, None)]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    filled = workspace.fill(tmp_path / "t.xlsx", function=tmp_path / "f.py", in_place=True)
    assert [(mark.row, mark.line, mark.value) for mark in filled.marks] == [(2, 3, 24), (4, 5, None)]
    sheet = openpyxl.load_workbook(tmp_path / "t.xlsx").active
    assert [cell.value for cell in sheet["B"]] == ["gross", 11.9, 24, 36.3, None]
    assert [cell.comment is not None for cell in sheet["B"]] == [False, False, True, False, True]
    chart = BarChart()
    chart.add_data(Reference(book.active, min_col=1, min_row=1, max_row=4))
    book.active.add_chart(chart, "D1")
    book.save(tmp_path / "c.xlsx")
    with pytest.raises(UsageError, match="cannot carry over .*charts"):
        workspace.fill(tmp_path / "c.xlsx", function=tmp_path / "f.py", in_place=True)
    assert "charts" in workspace.fill(tmp_path / "c.xlsx", function=tmp_path / "f.py").loss


def book_of(file, *rows, **cells):

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    for place, value in cells.items():
        book.active[place] = value
    book.save(file)
    return file


@pytest.mark.parametrize("sign", ["\x01", "\x1b", "\ufffe"])
def test_a_reason_with_a_control_character_leaves_a_workbook_that_can_be_opened(workspace, tmp_path, sign):

    (tmp_path / "f.py").write_text(f"def f(a):\n    return 'a' + {sign!r} + a\n")
    file = book_of(tmp_path / "t.xlsx", ("x", "y"), ("p", "q"), ("r", None))
    filled = workspace.fill(file, function=tmp_path / "f.py", in_place=True)
    assert [mark.value for mark in filled.marks] == ["q", None]
    sheet = openpyxl.load_workbook(file).active
    assert ascii(sign)[1:-1] in sheet["B2"].comment.text and sign not in sheet["B2"].comment.text
    assert sheet["B3"].value is None


def test_a_blank_cell_inside_a_merged_one_is_left_and_marked(workspace, tmp_path):

    (tmp_path / "f.py").write_text("def f(a):\n    return a * 2\n")
    file = book_of(tmp_path / "t.xlsx", ("x", "y"), (1, 2), (2, 4), (3, None), (5, None))
    book = openpyxl.load_workbook(file)
    book.active.merge_cells("B3:B4")
    book.save(file)
    filled = workspace.fill(file, function=tmp_path / "f.py", in_place=True)
    assert [(mark.line, mark.value) for mark in filled.marks] == [(4, None)]
    assert (filled.marks[0].flag.reasons, filled.filled) == ((reason("merged"),), 1)
    sheet = openpyxl.load_workbook(file).active
    assert [cell.value for cell in sheet["B"]] == ["y", 2, 4, None, 10]
    assert "B4" in sheet["B3"].comment.text


@pytest.mark.parametrize(
    ("given", "function", "marked", "written"),
    [
        (2, "10**400", True, None),
        (2, "-10**400", True, None),
        (2, "2**53 + 1", True, None),
        (2, "2**60", False, 2**60),
        (0.5, "1e16 + 0.5 * a", True, 1e16 + 2),
        (0.5, "0.1 + 0.2", False, 0.1 + 0.2),
    ],
)
def test_a_number_stands_in_a_workbook_exactly_or_not_at_all(workspace, tmp_path, given, function, marked, written):

    (tmp_path / "f.py").write_text(f"def f(a):\n    return {function} if a > 3 else {given}\n")
    file = book_of(tmp_path / "t.xlsx", ("x", "y", "other"), (1, given, 0.1 + 0.7), (2, given, 2**60), (4, None, "z"))
    filled = workspace.fill(file, function=tmp_path / "f.py", in_place=True)
    assert [mark.line for mark in filled.marks] == ([4] if marked else [])
    assert not marked or filled.marks[0].flag.reasons[0].code in ("no_workbook_number", "inexact")
    sheet = openpyxl.load_workbook(file).active
    assert [cell.value for cell in sheet["C"]] == ["other", 0.1 + 0.7, 2**60, "z"]
    assert sheet["B4"].value == written


def test_a_workbook_that_would_lose_saved_values_is_not_written_in_place(workspace, tmp_path, recwarn):
    import zipfile

    (tmp_path / "f.py").write_text("def f(x):\n    return x * 2\n")
    file = book_of(tmp_path / "t.xlsx", ("x", "y", "z"), (1, 2, "=A2"), (2, None, "=A3"))
    with zipfile.ZipFile(file) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    with zipfile.ZipFile(file, "w") as package:
        for name, data in parts.items():
            package.writestr(name, data.replace(b"<v />", b"<v>1</v>").replace(b"<v></v>", b"<v>1</v>"))
    before = file.read_bytes()
    with pytest.raises(UsageError, match="values of formulas"):
        workspace.fill(file, column="y", function=tmp_path / "f.py", in_place=True)
    assert file.read_bytes() == before
    assert "values of formulas" in workspace.fill(file, column="y", function=tmp_path / "f.py").loss
    assert not recwarn.list


def test_a_script_is_saved_over_no_file_of_yours(workspace, table, tmp_path):
    file, function = table("a,b\nx,\n")
    own = tmp_path / "own.py"
    own.write_text("print('mine')\n")
    link = tmp_path / "link.py"
    link.symlink_to(file)
    before = {path: path.read_bytes() for path in (file, function, own)}
    for save, why in (
        (file, "the table"),
        (link, "the table"),
        (tmp_path / "t.filled.csv", "the file to fill"),
        (function, "with the function"),
        (tmp_path / "notes.txt", "does not end in .py"),
        (own, "already exists"),
        (tmp_path / "folder.py", "already exists"),
    ):
        (tmp_path / "folder.py").mkdir(exist_ok=True)
        with pytest.raises(UsageError, match=why) as caught:
            workspace.fill(file, function=f"{function}:f", save=save)
        assert "--save" in caught.value.hint
    assert before == {path: path.read_bytes() for path in before}
    assert not (tmp_path / "t.filled.csv").exists(), "refused before any work"
    for _ in range(2):  # what was written as a script is written anew
        workspace.fill(file, function=function, out=tmp_path / "o.csv", save=tmp_path / "new.py")


def test_a_number_that_is_written_unlike_a_filled_one_is_told(workspace, table):
    text = "x;y\n1763875471.121;1763875471.121\n1.5;1.5\n9876543210.987;\n"
    file, function = table(text, "def f(x):\n    return x\n")
    filled = workspace.fill(file, function=function)
    assert (filled.marked, filled.out.read_text()) == (0, text.replace("987;", "987;9876543210.987"))
    file, function = table(
        "x,y\n1.5,1763875471.121\n2,1.5\n3,\n", "def f(x):\n    return {1.5: 1763875471.85, 2: 1.5}.get(x, 4.5)\n"
    )
    filled = workspace.fill(file, function=function, in_place=True)
    assert [mark.row for mark in filled.marks] == [1], "equal within the tolerance of floats, and another text"


def test_a_number_of_any_size_fills_or_marks_its_own_cell_alone(workspace, table):
    code = "def f(a):\n    return 10 ** 400 if a == 'x' else float(2 ** 60) if a == 'z' else 7\n"
    for given in ("7", "7.00"):
        file, function = table(f"a,b\ny,{given}\nx,\ny,\nz,\n", code)
        filled = workspace.fill(file, function=function, in_place=True)
        assert [mark.row for mark in filled.marks] == [2, 4]
        assert filled.marks[0].value is None
    large = "1" + "0" * 400
    lines = f'{{"a": 1.5, "b": 1.5}}\n{{"a": {large}, "b": {large}}}\n{{"a": 12345678901234567890}}\n'
    file, function = table(lines, "def f(a):\n    return a\n", "t.jsonl")
    filled = workspace.fill(file, function=function, in_place=True)
    assert file.read_text().splitlines()[2] == '{"a": 12345678901234567890, "b": 12345678901234567890}'
    assert filled.marked == 0
    file, function = table(
        '{"a": 1, "b": 1.0}\n{"a": 12345678901234567890}\n', "def f(a):\n    return a * 1.0\n", "u.jsonl"
    )
    assert workspace.fill(file, function=function).marks[0].flag.reasons == (reason("inexact"),)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a;b\n1,234;2,468\n1,500;3,000\n750;\n", "750;1,500"),
        ('a,b\n"1,234","2,468"\n"2,500","5,000"\n"1,750",\n', '"1,750","3,500"'),
        ("a;b\n1,234;2,468\n0,500;1,000\n1,750;\n", "1,750;3,500"),
        ("a;b;c\n1,234;2,468;0,5\n2,500;5,000;7,5\n1,750;;3,5\n", "1,750;3,500;3,5"),
        ("a;b\n1,234;2,468\n2500,000;5000,000\n750,500;\n", "750,500;1501,000"),
        ("a;b;c\n1.234;2.468;0,5\n2.500;5.000;7,5\n750;;3,5\n", "750;1.500;3,5"),
    ],
)
def test_what_stands_between_thousands_is_no_decimal_sign(workspace, table, text, written):
    file, function = table(text, "def f(a):\n    return a * 2\n")
    filled = workspace.fill(file, function=function, column="b")
    assert (filled.marked, filled.out.read_text().splitlines()[-1]) == (0, written)


def test_where_a_comma_may_be_either_the_cells_are_texts(workspace, table):
    file, function = table("a\tb\n1,234\t2,468\n2,500\t5,000\n1,750\t\n", "def f(a):\n    return a * 2\n", "t.tsv")
    filled = workspace.fill(file, function=function, column="b")
    assert [mark.row for mark in filled.marks] == [1, 2], "nothing says which, so no number is made of it"


def test_a_name_that_the_encoding_lacks_is_told_before_the_work(workspace, table):
    file, function = table("a;b\nGröße;x\n".encode("cp1252"), "def f(a):\n    return a\n")
    with pytest.raises(UsageError, match="cannot hold the name"):
        workspace.fill(file, function=function, column="Größe→")
    file, function = table('{"a": 1}\n', "def f(a):\n    return a\n", "t.jsonl")
    with pytest.raises(UsageError, match="cannot hold the name"):
        workspace.fill(file, function=function, column="\ud800")


def test_any_key_of_json_keeps_its_name(workspace, table):
    text = '{"\\ud800": 1, "a": "x", "": "X"}\n{"\\ud800": 1, "a": "y"}\n'
    file, function = table(text, "def f(a):\n    return a.upper()\n", "t.jsonl")
    filled = workspace.fill(file, function=function, column="", in_place=True)
    assert (filled.marked, file.read_text()) == (0, text.replace('"y"', '"y", "": "Y"'))
    file, function = table('{"a": "x", "\\ud800": "X"}\n{"a": "y"}\n', "def f(a):\n    return a.upper()\n", "u.jsonl")
    filled = workspace.fill(file, function=function, in_place=True)
    assert [json.loads(line)["\ud800"] for line in file.read_text().splitlines()] == ["X", "Y"]
    json.dumps(filled.to_json(), ensure_ascii=False)


@pytest.mark.slow
def test_a_cell_beside_a_row_that_does_not_fit_is_marked(workspace, tmp_path):
    """Either that row is mistyped or the function is wrong there, and nothing given lies between."""
    file = tmp_path / "grades.csv"
    points = {95: "A", 84: "B", 72: "C", 91: "A", 67: "D", 79: "C", 88: "B", 55: "F", 60: "D", 99: "A", 81: "B"}
    rows = [f"{number},{letter}" for number, letter in points.items()]
    file.write_text("\n".join(["points,grade", *rows, "58,", "75,", ""]))
    filled = workspace.fill(file)
    assert [misfit.input for misfit in filled.result.misfits] == [(55,)]
    marks = {mark.row: mark.flag.reasons for mark in filled.marks}
    assert marks[12] == (reason("wrong_for_nearest", input=55, output="F"),)
    assert sorted(marks) == [8, 12]


@pytest.mark.slow
def test_a_row_that_repeats_a_filled_one_has_its_value_also_where_no_function_is_found(workspace, tmp_path):
    file = tmp_path / "status.csv"
    file.write_text("status,open\nnew,yes\nwon,no\nheld,yes\nlost,no\nvoid,no\nlate,yes\nwon,\nheld,\nmoved,\n")
    filled = workspace.fill(file, budget="300-candidates")
    assert (filled.filled, filled.marked, filled.result.solved) == (2, 1, False)
    assert filled.out.read_text().splitlines()[7:9] == ["won,no,", "held,yes,"]
    assert filled.marks[0].flag.reasons == (reason("no_equal_row"),)


@pytest.mark.parametrize("suffix", ["csv", "xlsx"])
def test_another_column_of_numbers_that_is_partly_filled_stands_in_no_ones_way(tmp_path, suffix):
    rows = [[name, n + 0.5 if n < 5 else None, name.upper() if n < 7 else None] for n, name in enumerate(PEOPLE)]
    table = tmp_path / f"t.{suffix}"
    if suffix == "csv":
        with table.open("w", newline="") as out:
            csv.writer(out).writerows([("name", "hours", "shout"), *rows])
    else:
        book = openpyxl.Workbook()
        for row in [("name", "hours", "shout"), *rows]:
            book.active.append(row)
        book.save(table)
    with evolve.open(tmp_path / "ws") as workspace:
        filled = workspace.fill(table, column="shout")
    assert (filled.result.verified, filled.inputs, filled.marked) == (True, ("name",), 0)


def test_a_row_that_ruled_out_an_answer_counts_among_those_that_fit(tmp_path):
    prices = [(100, 0.19, 119), (249.5, 0.19, 296.91), (2.5, 0.07, 2.68), (1.2, 0.07, 1.28), (39.9, 0.19, 47.48)]
    prices += [(7.99, 0.19, 9.51), (4.49, 0.07, None), (89, 0.19, None)]
    table = tmp_path / "prices.csv"
    with table.open("w", newline="") as out:
        csv.writer(out).writerows([("net", "vat", "gross"), *prices])
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(table).result
    assert "ruled out" in result.note and not result.verified
    assert (result.grounds.given + result.grounds.rows, result.grounds.missing) == (6, 1)
