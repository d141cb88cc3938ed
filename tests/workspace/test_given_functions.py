"""A function that is given to a table: which column it fills, which it reads, and how."""

from __future__ import annotations

import pytest

import evolve
from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.core.reasons import reason
from evolve.skills import AdmissionVerdict, Skill
from evolve.workspace import FlagReasons

GROSS = "def gross(netto: float) -> float:\n    return round(netto * 1.19, 2)\n"


@pytest.fixture(scope="module")
def workspace(tmp_path_factory, private_home):
    with evolve.open(tmp_path_factory.mktemp("ws") / "ws") as opened:
        saved = [
            ("give-brutto-1", "Give Brutto from Kunde and Netto.", "(kunde: str, netto: float) -> float", GROSS_OF),
            ("give-short-1", "Give short from name.", "(name: str) -> str", SHORT),
        ]
        for name, description, signature, code in saved:
            entry = code.split("(")[0].split()[-1]
            rows = ROWS[entry]
            skill = Skill(
                name=name,
                description=description,
                entry=entry,
                signature=signature,
                code=code,
                rows=rows,
                test_code="def test_it(): pass\n",
            )
            opened.stores.skills.add(skill, AdmissionVerdict(digest=skill.digest, admitted=True))
        yield opened


GROSS_OF = "def give_brutto_1(kunde: str, netto: float) -> float:\n    return round(netto * 1.19, 2)\n"
SHORT = "def give_short_1(name: str) -> str:\n    return name.split()[-1]\n"
ROWS = {
    "give_brutto_1": (Row(input=("a", 1.5), output=1.79), Row(input=("b", 10.0), output=11.9)),
    "give_short_1": (Row(input=("Ada Byron",), output="Byron"), Row(input=("Alan Turing",), output="Turing")),
}


@pytest.fixture
def table(tmp_path):
    """Writes a table, and a function beside it."""

    def write(text, function=GROSS, name="t.csv"):
        (tmp_path / "f.py").write_text(function)
        file = tmp_path / name
        file.write_bytes(text.encode())
        return file, tmp_path / "f.py"

    return write


def lines(filled):
    return filled.out.read_text().splitlines()[1:]


@pytest.mark.slow
def test_a_column_that_the_function_reads_is_never_filled(workspace, table):
    file, function = table("Kunde;Netto;Brutto\na;10,00;\nb;;\nc;2,00;\n")
    filled = workspace.fill(file, function=function)
    assert (filled.column, filled.filled, [mark.row for mark in filled.marks]) == ("Brutto", 2, [2])
    assert workspace.fill(file, skill="give-brutto-1", out=file.with_name("o.csv")).column == "Brutto"


def test_the_column_that_the_function_was_learned_for_comes_first(workspace, table):
    file, _ = table("Kunde;Netto;Brutto;Ort\na;10,00;;Bonn\nb;1,00;;\n")
    assert workspace.fill(file, skill="give-brutto-1").column == "Brutto"
    full, _ = table("Kunde;Netto;Brutto;Ort\na;10,00;11,90;\nb;1,00;1,19;\n")
    with pytest.raises(UsageError, match="every cell of 'Brutto' is filled") as caught:
        workspace.fill(full, skill="give-brutto-1", out=full.with_name("o.csv"))
    assert "--column" in caught.value.hint


def test_where_only_what_it_reads_has_blank_cells_the_column_is_asked_for(workspace, table):
    file, function = table("Kunde;Netto\na;10,00\nb;\n")
    with pytest.raises(UsageError, match="nothing to fill") as caught:
        workspace.fill(file, function=function)
    assert "--column" in caught.value.hint


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_a_cell_that_is_no_number_harms_its_own_row_alone(workspace, table, name):
    text = (
        "Netto;Brutto\n1.000,00;\nn/a;\n-5,25;\n"
        if name == "t.csv"
        else '{"Netto": 1000}\n{"Netto": "n/a"}\n{"Netto": -5.25}\n'
    )
    file, function = table(text, name=name)
    filled = workspace.fill(file, function=function, column="Brutto")
    flag = FlagReasons(left="not filled", reasons=(reason("not_a_number", value="n/a"),))
    assert [(mark.row, mark.value, mark.flag) for mark in filled.marks] == [(2, None, flag)]
    assert filled.filled == 2


def test_filled_rows_with_a_cell_that_is_no_number_are_marked_as_such(workspace, table):
    file, function = table("Netto;Brutto\n10,00;11,90\nn/a;5,00\n20,00;\n")
    filled = workspace.fill(file, function=function)
    flag = FlagReasons(left="not compared", reasons=(reason("not_a_number", value="n/a"),))
    assert [(mark.row, mark.value, mark.flag) for mark in filled.marks] == [(2, "5,00", flag)]
    assert lines(filled)[2].startswith("20,00;23,80")


@pytest.mark.parametrize(
    ("netto", "brutto"),
    [
        ("1.000,50 20,00 5,25", "1.190,60 23,80 6,25"),
        ("1,000.50 20.00 5.25", "1,190.60 23.80 6.25"),
        ("1000,5 20 5,25", "1190,6 23,8 6,25"),
        ("1.000,50 n/a 5,25", "1.190,60  6,25"),
        ("1.000 20 5", "1.190 23,8 5,95"),
    ],
)
def test_a_new_column_is_written_as_the_numbers_that_are_read_are(workspace, table, netto, brutto):
    file, function = table("Netto;Brutto\n" + "".join(f"{cell};\n" for cell in netto.split()))
    filled = workspace.fill(file, function=function)
    assert [line.split(";")[1] for line in lines(filled)] == brutto.split(" ")


def test_digits_that_the_numbers_read_do_not_have_are_not_cut_off(workspace, table):
    rate = "def rate(netto: float) -> float:\n    return netto / 1000\n"
    file, function = table("Netto;Rate\n1000,50;\n20,00;\n", rate)
    assert lines(workspace.fill(file, function=function)) == ["1000,50;1,0005", "20,00;0,02"]
    count = "def items(netto: float) -> int:\n    return int(netto)\n"
    file, function = table("Netto;Items\n1000,50;\n20,00;\n", count)
    assert lines(workspace.fill(file, function=function, out=file.with_name("o.csv"))) == ["1000,50;1000", "20,00;20"]


def test_columns_that_the_function_does_not_read_need_not_be_there(workspace, table):
    unread = "def gross(kunde, netto: float, note='') -> float:\n    return round(netto * 1.19, 2)\n"
    file, function = table("Nr;Netto;Brutto\n1;10,00;\n", unread)
    for how in ({"skill": "give-brutto-1"}, {"function": function}):
        filled = workspace.fill(file, **how, out=file.with_name(f"{len(how)}.csv"))
        assert (filled.inputs, lines(filled)) == (("Netto",), ["1;10,00;11,90"])
        filled.out.unlink()


def test_what_is_saved_takes_what_it_reads_alone(workspace, table, tmp_path):
    unread = (
        "def gross(kunde: str, netto: float, *, rate: float = 1.19) -> float:\n    return netto * rate\n",
        "def gross(\n    kunde: str,\n    netto: float,  # of Größe\n    x='ä',\n) -> float:\n    return netto\n",
        "def gross(kunde, netto: float) -> float:\n    return eval('netto') * 1.19\n",
        "def gross(kunde, netto: float) -> float:\n    return gross(kunde, netto - 1) if netto > 9 else netto\n",
    )
    heads = []
    for code in unread:
        file, function = table("Kunde;Netto;Brutto\na;10,00;\n", code)
        workspace.fill(file, function=function, out=tmp_path / "o.csv", save=tmp_path / "saved.py")
        heads.append((tmp_path / "saved.py").read_text().split("->")[0].partition("def ")[2].split())
        (tmp_path / "o.csv").unlink()
        (tmp_path / "saved.py").unlink()
    assert [" ".join(head) for head in heads] == [
        "gross(kunde: str, netto: float, *, rate: float = 1.19)",
        "gross(netto: float)",
        "gross(kunde, netto: float)",
        "gross(kunde, netto: float)",
    ]


def test_a_saved_function_is_never_given_columns_of_other_names(workspace, table):
    file, function = table("Name;Betrag;Steuer\na;10,00;\n")
    with pytest.raises(UsageError, match="no column is called 'netto'") as caught:
        workspace.fill(file, skill="give-brutto-1", column="Steuer")
    assert "rename" in caught.value.hint and "--function" in caught.value.hint
    first, function = table("n;Steuer\n10,00;\n")
    assert lines(workspace.fill(first, function=function)) == ["10,00;11,90"]


def test_a_row_unlike_those_that_a_saved_function_was_learned_from_is_marked(workspace, table):
    file, _ = table("name,short\nGrace Hopper,\nLeslie B. Lamport,\n")
    filled = workspace.fill(file, skill="give-short-1")
    assert lines(filled)[1].startswith("Leslie B. Lamport,Lamport,")
    flag = FlagReasons(reasons=(reason("unknown_trait", trait="'.'"),))
    assert [(mark.row, mark.value, mark.flag) for mark in filled.marks] == [(2, "Lamport", flag)]
    numbers, _ = table("Kunde;Netto;Brutto\nanybody at all;99,00;\n")
    assert workspace.fill(numbers, skill="give-brutto-1", out=numbers.with_name("o.csv")).marked == 0
