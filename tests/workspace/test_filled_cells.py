"""What stands in a cell that was filled, what is said of it, and what a refusal says of the table."""

from __future__ import annotations

import csv
from dataclasses import replace

import openpyxl
import pytest

import evolve
from evolve.cli.render.reasons import reason_sentence
from evolve.core.errors import UsageError
from evolve.core.reasons import reason
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.workspace import FlagReasons

pytestmark = pytest.mark.usefixtures("few_rivals")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, private_home):
    with evolve.open(tmp_path_factory.mktemp("fill") / "ws", model="") as opened:
        yield opened


@pytest.mark.parametrize(
    "options", [{}, {"column": "c"}, {"column": "b", "function": "def f(x, y, z):\n    return x\n"}]
)
def test_every_refusal_says_how_the_table_was_read(workspace, tmp_path, options):
    (tmp_path / "t.csv").write_text("a;b\n1;2\n2;4\n")
    if "function" in options:
        (tmp_path / "f.py").write_text(options["function"])
        options = {**options, "function": tmp_path / "f.py"}
    with pytest.raises(UsageError) as refused:
        workspace.fill(tmp_path / "t.csv", **options)
    assert "separated by semicolons" in refused.value.hint


@pytest.fixture
def filled(workspace, tmp_path):
    """Fills a table by a function of one argument, and gives its rows."""

    def fill(text, function, name="t.csv", **options):
        (tmp_path / name).write_text(text)
        (tmp_path / "f.py").write_text(f"def f(a):\n    {function}\n")
        return workspace.fill(tmp_path / name, function=tmp_path / "f.py", **options)

    return fill


def rows(result):
    with result.out.open(newline="") as stream:
        return list(csv.reader(stream, delimiter=";"))[1:]


@pytest.mark.parametrize(
    ("given", "text", "written"),
    [
        ("x", "=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("x", "+1+1", "'+1+1"),
        ("x", "-1+1", "'-1+1"),
        ("x", "@SUM(A1)", "'@SUM(A1)"),
        ("x", "\t=1", "'\t=1"),
        ("x", "＝1+1", "'＝1+1"),
        ("=A1", "+1+1", "'+1+1"),
        ("x", "-5", "-5"),
        ("x", "-1.234,50", "-1.234,50"),
        ("x", "+5", "+5"),
        ("x", "a=b", "a=b"),
        ("=A1", "=A2", "=A2"),
        ("+49 1", "+49 2", "+49 2"),
        ("@ada", "@alan", "@alan"),
        ("+49 1", "+cmd|' /C calc'!A0", "'+cmd|' /C calc'!A0"),
        ("=SUM(A2)", "=SUM(CMD|CALC1)", "'=SUM(CMD|CALC1)"),
        ("=SUM(A2)", "=SUM(A3;7.5)", "'=SUM(A3;7.5)"),
        ("=SUM(A2;7)", "=SUM(A3;12.5)", "=SUM(A3;12.5)"),
        ("=SUM(A2)", "=WEBSERVICE(A3)", "'=WEBSERVICE(A3)"),
        ('=A2&"x"', '=A3&"http://x.org"', '\'=A3&"http://x.org"'),
        ("=SUM(A$1:A2)", "=SUM(A$1:A3)", "=SUM(A$1:A3)"),
    ],
)
def test_a_text_that_a_spreadsheet_would_run_is_marked_and_written_as_text(filled, given, text, written):
    quoted = '"' + given.replace('"', '""') + '"'
    done = filled(f"a;b\n1;{quoted}\n2;\n", f"return {given!r} if a == 1 else {text!r}")
    assert rows(done)[1][:2] == ["2", written]
    assert [mark.value for mark in done.marks] == ([written] if written != text else [])


@pytest.mark.parametrize(("gap", "marked"), [("", []), (";\n", ["=A5*2"])])
def test_a_formula_for_another_row_than_its_own_is_marked(filled, gap, marked):
    # ``a`` counts the rows, so a line without cells shifts what it counts
    done = filled(f"a;b\n2;=A2*2\n3;=A3*2\n4;=A4*2\n{gap}5;\n", "return f'=A{a}*2'")
    assert rows(done)[-1][1] == "=A5*2"
    assert [mark.value for mark in done.marks] == marked


def test_a_formula_stays_text_in_a_workbook_also_when_it_is_edited(workspace, tmp_path):
    book = openpyxl.Workbook()
    for row in [("a", "b"), (1, "x"), (2, None), (3, None)]:
        book.active.append(row)
    book.save(tmp_path / "t.xlsx")
    (tmp_path / "f.py").write_text("def f(a):\n    return 'x' if a == 1 else '=1+1' if a == 2 else -3\n")
    done = workspace.fill(tmp_path / "t.xlsx", function=tmp_path / "f.py")
    sheet = openpyxl.load_workbook(done.out).active
    assert (sheet["B3"].value, sheet["B3"].data_type, sheet["B3"].quotePrefix) == ("=1+1", "s", True)
    assert (sheet["B4"].value, sheet["B4"].data_type, sheet["B4"].quotePrefix) == (-3, "n", False)
    assert [mark.row for mark in done.marks] == [2, 3]


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ("return float(a)", reason("not_a_number", value="open")),
        ("return int(a)", reason("not_a_number", value="open")),
        ("return {'1': 2.0, '2': 4.0, '3': 6.0}[a]", reason("fails", values=["open"])),
        ("return len(a) / 0 if a == 'open' else 2.0 * int(a)", reason("fails", values=["open"])),
    ],
)
def test_a_cell_that_the_function_cannot_read_says_so(filled, function, why):
    done = filled("a;b\n1;2\n2;4\n3;\nopen;\n", function)
    marks = [mark for mark in done.marks if mark.row == 4]
    assert [mark.value for mark in marks] == [None]
    assert marks[0].flag == FlagReasons(left="not filled", reasons=(why,))


def test_cells_that_a_function_cannot_handle_are_told_as_they_stand_in_the_table(workspace, tmp_path):
    (tmp_path / "t.csv").write_text("a;b;c\n1,50;2,25;3\n601,25;;\n")
    (tmp_path / "f.py").write_text("def f(a, b):\n    return a + b\n")
    (mark,) = workspace.fill(tmp_path / "t.csv", function=tmp_path / "f.py", column="c").marks[-1:]
    assert mark.flag.reasons == (reason("fails", values=["601,25", ""]),)
    assert reason_sentence(mark.flag.reasons[0]).endswith("'601,25', an empty cell")


@pytest.mark.parametrize("cell", ["", "open"])
def test_what_is_called_no_number_stands_in_the_cell(filled, cell):
    function = "import re\n    return int(''.join(re.findall('[0-9]', a)))"
    done = filled(f"c;a;b\n1;x 1;1\n2;x 2;2\n3;{cell};\n", function)
    (mark,) = done.marks
    assert (mark.row, mark.value) == (3, None)
    assert mark.flag.reasons == (reason("fails", values=[cell]) if cell else reason("blank_inputs"),)


def test_a_number_that_is_given_as_its_text_is_right(filled):
    done = filled("a;b\nx 2001;2001\ny 2002;2002\nz 2003;\nw 0004;\n", "return a.split()[1]")
    assert [row[:2] for row in rows(done)][2:] == [["z 2003", "2003"], ["w 0004", "0004"]]
    assert [mark.row for mark in done.marks] == [4], "'0004' is written as no number of the column is"


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        (("120.00", "80.50", "18,50", "1.00"), [240, 161, 37, 2]),
        (("120,00", "80,50", "18.50", "1,00"), [240, 161, 37, 2]),
        (("1,120.00", "80.50", "1.018,50", "1.00"), [2240, 161, 2037, 2]),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_a_number_with_another_decimal_sign_is_read_where_only_that_can_be_meant(filled, cells, read, place):
    order = [*cells[2:], *cells[:2]] if place else [*cells]
    wanted = [*read[2:], *read[:2]] if place else [*read]
    sign = "," if "," in cells[1] else "."
    text = "".join(f"{cell};\n" for cell in order[1:])
    done = filled(f"a;b\n{order[0]};{wanted[0]}{sign}00\n{text}", "return 2 * a")
    assert [row[1].replace(",", ".") for row in rows(done)] == [f"{value}.00" for value in wanted]
    assert done.marked == 0


PEOPLE = ["Ada Lovelace", "Alan Turing", "Grace Hopper", "Edsger Dijkstra", "Barbara Liskov", "Tony Hoare"]


@pytest.mark.parametrize(
    ("given", "row", "code", "marked"),
    [
        ([(name, name.split()[0]) for name in PEOPLE], "Knuth, Donald", "return a.split()[0]", True),
        ([(name, name.split()[-1]) for name in PEOPLE], "Knuth/Donald", "return a.split()[-1]", True),
        ([(f"Vertrag vom 1.2.202{n}", f"202{n}") for n in range(6)], "Angebot, vom 1.2.2027", "return a[-4:]", True),
        (
            [(f"Vertrag vom 1.2.202{n}", f"202{n}") for n in range(6)],
            "Angebot, vom 1.2.2027",
            "return max(a.replace('.', ' ').split(), key=lambda word: (word.isdigit(), len(word)))",
            False,
        ),
        (
            [(name, name.split()[0]) for name in [*PEOPLE, "Liskov, Barbara"]],
            "Knuth, Donald",
            "return a.split()[0]",
            False,
        ),
    ],
)
def test_a_row_with_a_sign_between_its_parts_that_no_filled_row_has_is_marked(
    workspace, tmp_path, monkeypatch, given, row, code, marked
):
    """Unless the function gives the same whichever part comes first."""
    source = f"def b(a):\n    {code}\n"
    run = workspace.run

    def alone(*args, **more):
        found = replace(run(*args, budget="1k-candidates"), answer=source, status="solved", used=None)
        return replace(found, rivals=(), distant=())

    monkeypatch.setattr(workspace, "run", alone)
    file = tmp_path / "t.csv"
    file.write_text("a;b\n" + "".join(f"{one};{out}\n" for one, out in given) + f"{row};\n")
    done = workspace.fill(file)
    assert (len(given) + 1 in {mark.row for mark in done.marks}) is marked


def test_a_word_and_another_decimal_sign_among_prices_harm_their_own_rows_alone(workspace, tmp_path):
    prices = [("120.00", "240.00"), ("80.00", "160.00"), ("49.90", "99.80"), ("15.50", "31.00"), ("7.25", "14.50")]
    rest = ["35.75", "open", '"18,50"', "1250.00"]
    text = "".join(f"{one},{two}\n" for one, two in prices) + "".join(f"{one},\n" for one in rest)
    (tmp_path / "t.csv").write_text(f"net,twice\n{text}")
    done = workspace.fill(tmp_path / "t.csv")
    assert [line.rsplit(",", 2)[-2] for line in done.out.read_text().splitlines()[6:]] == [
        "71.50",
        "",
        "37.00",
        "2500.00",
    ]
    flag = FlagReasons(left="not filled", reasons=(reason("not_a_number", value="open"),))
    assert [(mark.row, mark.value, mark.flag) for mark in done.marks] == [(7, None, flag)]


@pytest.mark.parametrize(
    ("code", "last", "marked"),
    [
        ("customer.split(' ')[2].lower()", " BERG, Jo", 1),
        ("customer.split(' ')[2].lower()", "  BERG, Jo", 0),
        ("customer.split()[0].lower()", " BERG, Jo", 0),
        ("customer.lower().replace(',', '')[:-1].rsplit(' ', 1)[0]", " BERG, Jo", 0),
    ],
)
def test_a_cell_with_other_blanks_is_marked_where_the_function_counts_them(tmp_path, code, last, marked):
    names = ["  ALT, Ada", "  ROTH, Al", "  HUBER, Grace", "  VOGEL, Tony", "  MAIER, John", "  WOLF, Jean"]
    function = f"def name(customer):\n    return {code}\n"
    (tmp_path / "t.csv").write_text(
        "customer,name\n" + "".join(f'"{one}","{eval(code, {"customer": one})}"\n' for one in names) + f'"{last}",\n'
    )
    replies = [f"So.\n```python\n{function}```\n", "none"]
    with (
        ScriptedEndpoint(Scenario(replies=replies)) as serving,
        evolve.open(tmp_path / "ws", model=serving.model) as opened,
    ):
        done = opened.fill(tmp_path / "t.csv")
    assert (done.filled, len(done.marks)) == (1, marked)
    assert [one.code for mark in done.marks for one in mark.flag.reasons] == ["other_blanks"] * marked


def test_the_function_that_is_told_takes_only_what_it_reads(workspace, tmp_path):
    rows = [("ada", 7), ("alan", 3), ("grace", 9), ("tony", 4), ("john", 1), ("jean", 8), ("mary", 2)]
    file = tmp_path / "t.csv"
    file.write_text("a,b,c\n" + "".join(f"{a},{b},{a.upper() if b != 2 else ''}\n" for a, b in rows))
    done = workspace.fill(file)
    space = {}
    exec(compile(done.function, "<function>", "exec"), space)
    assert space[done.result.entry]("mary") == "MARY"


def test_a_number_between_two_steps_is_flagged_in_its_own_month_and_the_next(tmp_path, private_home):
    given = [(0.4, 4.9), (1.2, 4.9), (1.9, 4.9), (2.1, 6.9), (3.3, 6.9), (4.9, 6.9), (5.2, 9.9), (8, 9.9), (12, 9.9)]

    def table(name, rows):
        file = tmp_path / name
        file.write_text("weight,postage\n" + "".join(f"{weight},{cell}\n" for weight, cell in rows))
        return file

    with evolve.open(tmp_path / "ws") as workspace:
        march = workspace.fill(table("march.csv", [*given, (2.0, ""), (7.5, "")]))
        assert [mark.row for mark in march.marks] == [10]
        april = workspace.fill(
            table("april.csv", [(1.5, 4.9), (5.0, ""), (2.4, ""), (0.9, "")]), skill=march.result.skills[0]
        )
        assert [mark.row for mark in april.marks] == [2]
