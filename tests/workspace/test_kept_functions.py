"""A function that nothing verified is used for later tables once the person keeps it, and no longer than they want."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve.workspace import Person
from tests.workspace.begun import Begun
from tests.workspace.test_next_month import APRIL, MARCH, cells, short, write

pytestmark = pytest.mark.usefixtures("few_rivals")

ROWS = {"given": 3, "wanted": lambda name: f"{name.split()[-1]}, {name[0]}."}


def told(name):
    return ROWS["wanted"](name)


@pytest.fixture(scope="module")
def begun(tmp_path_factory, private_home):
    return Begun(tmp_path_factory.mktemp("kept") / "work")


@pytest.fixture
def place(begun):
    """The folder of the tables."""
    return begun.place


@pytest.fixture
def march(begun, place):
    """A workspace with an answer that nothing verified, and its run."""

    def learn(workspace):
        result = workspace.fill(write(place / "march.csv", MARCH, **ROWS)).result
        assert result.solved and not result.verified
        return result.run_id

    run = begun.at("unverified", learn)
    with evolve.open(place / "ws") as workspace:
        yield workspace, run


def april(place, given):
    return write(place / "april.csv", APRIL, given, wanted=told)


@pytest.mark.parametrize("given", [1, 2])
def test_what_the_person_keeps_fills_the_next_month_and_is_as_unverified_as_before(march, place, given):
    workspace, run = march
    skill = workspace.runs.keep(run)
    filled = workspace.fill(april(place, given))
    assert cells(filled) == [told(name) for name in APRIL]
    used = json.loads(json.dumps(filled.to_json()))["result"]["used"]
    assert (used["name"], used["verified"]) == (skill.name, False) and used["kept"]
    assert not filled.result.verified


def test_without_a_filled_cell_it_is_used_until_it_is_forgotten(march, place):
    workspace, run = march
    with pytest.raises(UsageError):
        workspace.fill(april(place, 0))
    kept = workspace.runs.keep(run)
    assert [one.name for one in workspace.runs.functions_kept()] == [run]
    used = workspace.fill(april(place, 0)).used
    assert (used.name, used.given, used.verified) == (kept.name, 0, False) and used.kept
    assert workspace.runs.why(run).kept and not workspace.runs.why(run).forgotten
    workspace.runs.leave(run)
    assert workspace.runs.why(run).forgotten and not workspace.runs.why(run).kept
    assert workspace.runs.functions_kept() == []
    with pytest.raises(UsageError):
        workspace.fill(april(place, 0))


def test_a_given_cell_that_contradicts_it_goes_before_the_word_of_the_person(march, place):
    workspace, run = march
    skill = workspace.runs.keep(run)
    filled = workspace.fill(write(place / "april.csv", APRIL, 2, wanted=str.upper))
    assert filled.result.used is None and cells(filled) == [name.upper() for name in APRIL]
    assert skill.name in filled.result.note


def test_in_a_table_without_names_it_reads_the_columns_that_stand_where_its_own_did(tmp_path, private_home):
    with evolve.open(tmp_path / "ws") as workspace:
        rows = [("a1", "x", "ada"), ("b2", "y", "alan"), ("c3", "z", "grace"), ("d4", "w", "tony")]
        table = tmp_path / "march.csv"
        table.write_text(
            "nr,team,name,loud\n" + "".join(f"{','.join(row)},{row[2].upper()}\n" for row in rows) + "e5,v,mary,\n"
        )
        run = workspace.fill(table).result.run_id
        workspace.runs.keep(run)
        later = tmp_path / "april.csv"
        later.write_text("f6,u,jean,\ng7,t,robin,\n")
        filled = workspace.fill(later, skill=run, header=False, column="4")
        assert filled.out.read_text() == "f6,u,jean,JEAN\ng7,t,robin,ROBIN\n"


def test_a_later_fill_of_a_table_of_that_name_takes_nothing_from_it(march, place):
    workspace, run = march
    skill = workspace.runs.keep(run)
    again = workspace.fill(write(place / "march.csv", APRIL, 1, wanted=told), out=place / "again.csv")
    assert again.result.used.name == skill.name
    assert [one.name for one in workspace.runs.functions_kept()] == [run]
    assert workspace.fill(april(place, 0)).used.name == skill.name


def test_a_run_without_a_function_is_refused(march, place):
    workspace, _ = march
    noise = place / "noise.csv"
    noise.write_text("a,b\n1,731\n2,15\n3,9981\n4,\n")
    failed = workspace.fill(noise, budget="300-candidates").result
    assert not failed.solved
    for run in (failed.run_id, "r99"):
        with pytest.raises(UsageError):
            workspace.runs.keep(run)
    assert workspace.runs.functions_kept() == []


@pytest.mark.parametrize("retired", [True, False])
def test_a_run_of_which_a_skill_was_made_can_be_kept_too(march, place, retired):
    workspace, _ = march
    known = workspace.fill(write(place / "may.csv", [*MARCH, "Kurt Goedel"], 7, wanted=short)).result
    for name in known.skills if retired else ():
        workspace.skills.retire(name)
    workspace.runs.keep(known.run_id)
    used = workspace.fill(write(place / "june.csv", APRIL, 0)).used
    assert used.kept and used.name == known.skills[0]


def known(workspace):
    return [one.name for one in (*workspace.skills.list(("admitted",)), *workspace.runs.functions())]


@pytest.mark.parametrize("by", ["skill", "run", "later run"])
def test_what_is_forgotten_is_out_of_use_with_every_answer_that_is_the_same_function(tmp_path, private_home, by):
    with evolve.open(tmp_path / "ws") as workspace:
        first = workspace.fill(write(tmp_path / "march.csv", [*MARCH, "Kurt Goedel"], 7)).result
        later = workspace.fill(write(tmp_path / "april.csv", APRIL, 2)).result
        assert later.used.name == first.skills[0]
        workspace.runs.keep(first.run_id)
        if by == "skill":
            workspace.skills.retire(first.skills[0])
        else:
            workspace.runs.leave(first.run_id if by == "run" else later.run_id)
        assert workspace.skills.show(first.skills[0]).status == "retired"
        assert known(workspace) == [] and workspace.runs.functions_kept() == []
        with pytest.raises(UsageError):
            workspace.fill(write(tmp_path / "may.csv", APRIL, 0))
        again = workspace.fill(write(tmp_path / "may.csv", ["Mary Shaw", "Jean Sammet"], 1)).result
        assert again.used is None and "known since" not in again.note
        workspace.runs.keep(later.run_id)
        assert workspace.fill(write(tmp_path / "june.csv", APRIL, 0)).used.kept


def test_the_word_of_a_person_against_an_answer_takes_it_out_of_use_though_rows_verified_it(tmp_path, private_home):
    with evolve.open(tmp_path / "ws") as workspace:
        person = Person(learn="off")
        run = workspace.fill(write(tmp_path / "march.csv", [*MARCH, "Kurt Goedel"], 7), person=person).result.run_id
        assert known(workspace) == [run] and not workspace.runs.why(run).learned
        workspace.runs.leave(run)
        assert known(workspace) == []
        again = workspace.fill(write(tmp_path / "march.csv", [*MARCH, "Kurt Goedel"], 7), out=tmp_path / "again.csv")
        assert "known since" not in again.result.note


def test_whose_fill_is_undone_is_out_of_use(tmp_path, private_home):
    with evolve.open(tmp_path / "ws") as workspace:
        file = write(tmp_path / "march.csv", [*MARCH, "Kurt Goedel"], 7)
        filled = workspace.fill(file, in_place=True)
        assert known(workspace)
        workspace.undo(filled.undo)
        assert known(workspace) == []


def months(file, month, given, cell):
    """A table of one month whose column to fill has a text in its first rows."""
    rows = [(f"RE-{100 + 7 * n}", f"2026-{month:02}-{(5 * n) % 27 + 1:02}") for n in range(6)]
    lines = [f"{number},{date},{cell(number, month) if n < given else ''}\n" for n, (number, date) in enumerate(rows)]
    file.write_text("".join(["number,date,key\n", *lines]))
    return file


@pytest.mark.parametrize("given", [2, 5])
def test_a_rule_that_may_hold_for_one_month_is_narrow_and_flags_the_next_until_a_row_of_it_decides(
    tmp_path, private_home, given
):
    def cell(_, month):
        return f"2026-{month:02}"

    asked = []
    person = Person(respond=lambda question: asked.append(question.text) or "yes")
    with evolve.open(tmp_path / "ws") as workspace:
        march = workspace.fill(months(tmp_path / "march.csv", 3, given, cell))
        assert march.result.narrow is not None and not march.result.verified and march.marked == 0
        workspace.runs.keep(march.result.run_id)
        april = months(tmp_path / "april.csv", 4, 0, cell)
        filled = workspace.fill(april)
        assert filled.filled == filled.marked == 6 and filled.used.doubt == march.result.narrow
        april = months(tmp_path / "other.csv", 4, 0, cell)
        assert workspace.fill(april, person=person, in_place=True).marks == filled.marks
        assert str(filled.marks[0].value) in asked[-1]
        shown = workspace.fill(months(tmp_path / "april.csv", 4, 1, cell), out=tmp_path / "shown.csv")
        assert shown.result.narrow is None and shown.marked == 0
        assert cells(shown, "key") == [cell(number, 4) for number in cells(shown, "number")]


@pytest.mark.parametrize("decimal", [",", "."])
def test_numbers_are_written_as_when_the_function_was_learned_where_no_cell_shows_how(tmp_path, private_home, decimal):
    def table(name, nets, given, sign=","):
        def number(value):
            return f"{value:,.2f}".translate(str.maketrans(",.", ".,")) if sign == "," else f"{value:.2f}"

        lines = [f"{net * 119 // 100};{number(net) if n < given else ''}\n" for n, net in enumerate(nets)]
        (tmp_path / name).write_text("".join(["gross;net\n", *lines]))
        return tmp_path / name

    with evolve.open(tmp_path / "ws") as workspace:
        march = workspace.fill(table("march.csv", [100, 1000, 400, 2500, 300, 1700], 5)).result
        workspace.runs.keep(march.run_id)
        april = table("april.csv", [200, 1500, 10600], 0)
        if decimal == ".":
            april.write_text(april.read_text().replace(";\n", ".00;\n"))
        filled = workspace.fill(april, skill=march.run_id)
    written = [line.split(";")[1] for line in filled.out.read_text().splitlines()[1:]]
    assert written == (["200,00", "1.500,00", "10.600,00"] if decimal == "," else ["200.00", "1500.00", "10600.00"])
