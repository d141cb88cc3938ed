"""Next month's table: a verified skill fills it, however few cells are given; unverified answers are not taken up."""

from __future__ import annotations

import csv
import json
import shutil

import pytest

import evolve
from evolve.core.errors import UsageError
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.workspace import Person
from tests.cli import conftest

cli, command_tree = conftest.cli, conftest.command_tree

MARCH = [
    "Ada Lovelace",
    "Alan Turing",
    "Grace Hopper",
    "Barbara Liskov",
    "Donald Knuth",
    "Edsger Dijkstra",
    "Tony Hoare",
]
APRIL = ["John Backus", "Frances Allen", "Niklaus Wirth", "Adele Goldberg"]
LITTLE = "1k-candidates"
"""Enough where nothing is to be found."""
TEAMS = ["red", "blue", "green"]


def short(name):
    return f"{name[0]}. {name.split()[-1]}"


def write(file, names, given, header=("name", "team", "short"), row=None, wanted=short):
    row = row or (lambda name, team, cell: (name, team, cell))
    with file.open("w", newline="") as out:
        rows = [row(name, TEAMS[n % 3], wanted(name) if n < given else "") for n, name in enumerate(names)]
        csv.writer(out).writerows([header, *rows])
    return file


def cells(filled, label="short"):
    with filled.out.open(newline="") as file:
        return [row[label] for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def learned(tmp_path_factory, private_home):
    """A workspace that filled a wrong April before it learned from March."""
    folder = tmp_path_factory.mktemp("months")
    with evolve.open(folder / "ws") as workspace:
        early = workspace.fill(write(folder / "april.csv", APRIL, 1))
        assert not early.result.verified and cells(early)[1:] != [short(name) for name in APRIL[1:]]
        march = workspace.fill(write(folder / "march.csv", [*MARCH, "Kurt Goedel"], 7))
        assert march.result.verified and march.result.skills
    shutil.copytree(folder / "ws", folder / "saved")
    with evolve.open(folder / "ws") as workspace:
        yield workspace


@pytest.fixture
def copied(learned, tmp_path):
    """The folder of a copy of that workspace, as it was before any test."""
    saved = learned.paths.root.with_name("saved")
    return evolve.init(shutil.copytree(saved, tmp_path / "ws"), trust=True).paths.root


@pytest.mark.parametrize("given", [1, 2])
def test_the_given_cells_of_the_next_month_verify_the_skill_of_the_last(learned, tmp_path, given):
    # what a fill wrote is no given cell of the next one
    names = APRIL if given == 1 else ["Mary Shaw", "Jean Sammet", "Robin Milner"]
    filled = learned.fill(write(tmp_path / "april.csv", names, given))
    assert cells(filled) == [short(name) for name in names]
    assert (filled.result.verified, filled.marked) == (True, 0)
    used = json.loads(json.dumps(filled.to_json()))["used"]
    assert (used["rows"], used["given"], used["verified"]) == (7, given, True)
    assert used["name"] in [skill.name for skill in learned.skills.list()]
    assert used["learned"] == learned.stores.runs.run(filled.result.run_id).started[:10]


@pytest.mark.parametrize("teacher", ["search", "model"])
def test_with_a_model_it_is_used_without_asking_that_where_it_gives_the_given_cells(tmp_path, teacher):
    march, april = [*MARCH, "Kurt Goedel"], ["Mary Shaw", "Jean Sammet", "Robin Milner"]
    code = "def short(name, team):\n    return f'{name[0]}. {name.split()[-1]}'\n"
    skill = json.dumps({"name": "short-name", "description": "Abbreviate the first name of a person."})
    replies = [f"So.\n```python\n{code}```\n", skill]
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        with evolve.open(tmp_path / "ws", model=serving.model if teacher == "model" else None) as workspace:
            assert workspace.fill(write(tmp_path / "march.csv", march, 7)).result.verified
        asked = len(serving.requests)
        with evolve.open(tmp_path / "ws", model=serving.model) as workspace:
            filled = workspace.fill(write(tmp_path / "april.csv", april, 1))
        assert len(serving.requests) == asked
    assert (filled.used.verified, filled.used.given, filled.marked) == (True, 1, 0)
    assert cells(filled) == ["M. Shaw", "J. Sammet", "R. Milner"]


@pytest.mark.parametrize(("said", "verified", "own"), [("yes", True, 0), ("no", False, 1), (None, False, 1)])
def test_what_an_earlier_fill_wrote_counts_once_the_person_says_that_they_checked_it(
    tmp_path, few_rivals, said, verified, own
):
    names, asked = [*MARCH, "Kurt Goedel"], []
    person = Person(respond=lambda question: asked.append(question) or said)
    with evolve.open(tmp_path / "ws") as workspace:
        first = workspace.fill(write(tmp_path / "march.csv", names, 5, wanted=str.upper), person=person)
        assert (first.result.grounds.missing, first.marked, asked) == (1, 0, [])
        again = workspace.fill(
            write(tmp_path / "march.csv", names, 6, wanted=str.upper), out=tmp_path / "again.csv", person=person
        )
        assert len([one for one in asked if one.id.startswith("own:")]) == 1
    assert (again.own, again.result.verified) == (own, verified)


def test_columns_may_stand_elsewhere_be_more_or_be_the_same_in_every_row(learned, tmp_path):
    def moved(name, team, cell):
        return ("x", cell, name, "Berlin" if team == "red" else "Bonn")

    file = write(tmp_path / "april.csv", APRIL, 1, header=("team", "short", "name", "city"), row=moved)
    filled = learned.fill(file)
    assert (cells(filled), filled.result.verified) == ([short(name) for name in APRIL], True)


@pytest.mark.parametrize("given", [0, 1])
def test_where_the_skill_abstains_the_cell_stays_empty_with_the_reason(copied, tmp_path, given):
    """A name of digits gives a value, and none that anybody could have verified."""
    file = write(tmp_path / "april.csv", [*APRIL, "12 34", "3 7", "Mary Shaw"], given)
    with evolve.open(copied) as workspace:
        (skill,) = [skill.name for skill in workspace.skills.list()]
        filled = workspace.fill(file) if given else workspace.fill(file, skill=skill, column="short")
    assert cells(filled) == [*map(short, APRIL), "", "", "M. Shaw"]
    assert [(mark.row, mark.value, mark.flag.left) for mark in filled.marks] == [
        (5, None, "not filled"),
        (6, None, "not filled"),
    ]
    assert [one.code for mark in filled.marks for one in mark.flag.reasons] == ["out_of_contract"] * 2


def test_a_cell_unlike_all_rows_of_the_skill_is_flagged(learned, tmp_path):
    names = ["Carl Gauss", *APRIL[1:], "Jean-Luc van 't Hoff 3rd"]
    filled = learned.fill(write(tmp_path / "april.csv", names, 1))
    assert [mark.row for mark in filled.marks] == [5]


def test_a_number_that_would_lose_its_leading_zeros_is_flagged(tmp_path, few_rivals):
    with evolve.open(tmp_path / "ws") as workspace:
        header, march = (
            ("order", "number"),
            [f"K{n % 3}-{2020 + n % 5}-{n}" for n in (713, 4820, 9911, 1200, 377, 5402, 88123)],
        )
        row = {"header": header, "row": lambda order, _, cell: (order, cell), "wanted": lambda order: order[8:]}
        taught = workspace.fill(write(tmp_path / "march.csv", [*march, "K1-2021-7777"], 7, **row)).result
        april = write(tmp_path / "april.csv", ["K2-2024-6117", "K1-2022-5120", "K0-2023-00731"], 1, **row)
        filled = workspace.fill(april)
    assert taught.verified and filled.result.verified
    assert cells(filled, "number")[:2] == ["6117", "5120"]
    assert [mark.row for mark in filled.marks] == [3]


def test_codes_that_were_texts_last_month_are_texts_where_they_look_like_numbers(tmp_path, few_rivals):
    with evolve.open(tmp_path / "ws") as workspace:
        march = [
            f"K{int(n) % 3}-{2020 + int(n) % 5}-{n}" for n in ("00713", "4820", "09911", "1200", "377", "5402", "88123")
        ]
        row = {
            "header": ("order", "number"),
            "row": lambda order, _, cell: (order, cell),
            "wanted": lambda order: order[8:],
        }
        taught = workspace.fill(write(tmp_path / "march.csv", [*march, "K1-2021-7777"], 7, **row)).result
        filled = workspace.fill(write(tmp_path / "april.csv", ["K2-2024-6117", "K0-2023-00731"], 1, **row))
    assert taught.verified and filled.result.verified and filled.used.given == 1
    assert cells(filled, "number") == ["6117", "00731"]


def test_a_given_cell_that_contradicts_it_stays_and_every_other_is_doubtful(learned, tmp_path):
    filled = learned.fill(write(tmp_path / "april.csv", APRIL, 1, wanted=str.upper), budget=LITTLE)
    assert cells(filled) == ["JOHN BACKUS", *map(short, APRIL[1:])]
    assert (filled.against.rows, filled.used.given, filled.result) == ((1,), 0, None)
    assert [mark.row for mark in filled.marks] == [2, 3, 4]


def test_without_a_given_cell_the_only_one_fills_the_column(learned, tmp_path):
    filled = learned.fill(write(tmp_path / "april.csv", APRIL, 0))
    assert cells(filled) == [short(name) for name in APRIL]
    assert (filled.used.verified, filled.used.given, filled.marked, filled.against) == (True, 0, 0, None)
    with pytest.raises(UsageError):
        learned.fill(write(tmp_path / "may.csv", APRIL, 0, header=("name", "team", "long")))


def test_who_takes_the_offer_has_the_cells(learned, tmp_path):
    asked = []
    person = Person(respond=lambda question: asked.append(question) or "yes")
    filled = learned.fill(write(tmp_path / "april.csv", APRIL, 0), person=person, in_place=True)
    assert len(asked) == 1 and filled.used.verified
    assert (cells(filled), filled.marked) == ([short(name) for name in APRIL], 0)


def test_before_the_table_itself_is_written_the_command_waits_for_a_person_and_names_the_skill(copied, cli, tmp_path):
    file = write(tmp_path / "april.csv", APRIL, 0)
    told = cli("fill", file, "--json")
    used = json.loads(told.out)["used"]
    assert told.code == 0 and used["given"] == 0
    with evolve.open(copied, read_only=True) as workspace:
        assert used["name"] in [skill.name for skill in workspace.skills.list()]
    before, name = file.read_bytes(), used["name"]
    asked = cli("fill", file, "--in-place")
    assert asked.code == 6 and f"--with {name} --in-place" in asked.err and file.read_bytes() == before
    assert cli("fill", file, "--with", name, "--in-place").code == 0 and file.read_bytes() != before


def test_an_answer_that_was_contested_is_neither_known_nor_makes_a_verified_skill(tmp_path, private_home):
    with evolve.open(tmp_path / "ws") as workspace:
        rows = [(20, 4.9), (80, 0), (30, 4.9), (90, 0), (95, 0), (60, 0), (99, 0), (85, 0)]
        file = tmp_path / "t.csv"
        file.write_text("value,fee\n" + "".join(f"{value},{cell}\n" for value, cell in rows) + "40,\n")
        first = workspace.fill(file, budget="20k-candidates")
        again = workspace.fill(file, out=tmp_path / "again.csv", budget="20k-candidates")
    assert first.result.solved and first.result.reason and not first.result.verified
    assert "known since" not in again.result.note and not again.result.verified


@pytest.fixture(scope="module")
def unlearned(tmp_path_factory, private_home):
    """A workspace whose verified answer to March became no skill, and its run."""
    folder = tmp_path_factory.mktemp("unlearned")
    with evolve.open(folder / "ws") as workspace:
        person = Person(learn="off")
        march = workspace.fill(write(folder / "march.csv", [*MARCH, "Kurt Goedel"], 7), person=person)
        assert march.result.verified and not workspace.skills.list()
    return folder / "ws", march.result.run_id


@pytest.fixture
def unkept(unlearned, tmp_path):
    """A copy of it, open."""
    folder, run = unlearned
    evolve.init(shutil.copytree(folder, tmp_path / "ws"), trust=True)
    with evolve.open(tmp_path / "ws") as workspace:
        yield workspace, run


@pytest.mark.parametrize("given", [1, 2])
def test_a_verified_run_that_became_no_skill_fills_the_next_month(unkept, tmp_path, given):
    workspace, run = unkept
    filled = workspace.fill(write(tmp_path / "april.csv", APRIL, given))
    assert (cells(filled), filled.result.verified) == ([short(name) for name in APRIL], True)
    assert (filled.used.run, filled.used.rows, filled.used.given, filled.marked) == (run, 7, given, 0)
    again = workspace.fill(write(tmp_path / "may.csv", [*APRIL[1:], "Jean-Luc van 't Hoff 3rd"], 1))
    assert [mark.row for mark in again.marks] == [4]


def test_a_verified_run_is_used_and_named_by_its_id(unkept, tmp_path):
    workspace, run = unkept
    file = write(tmp_path / "april.csv", APRIL, 0)
    for filled in (workspace.fill(file), workspace.fill(file, skill=run)):
        assert cells(filled) == [short(name) for name in APRIL] and filled.used.run == run


def test_a_given_cell_that_contradicts_the_run_is_told(unkept, tmp_path):
    workspace, run = unkept
    filled = workspace.fill(write(tmp_path / "april.csv", APRIL, 1, wanted=str.upper), budget=LITTLE)
    assert (filled.against.function.run, filled.against.rows, filled.used.run) == (run, (1,), run)


def test_a_run_that_nothing_verified_is_no_function_for_another_table(tmp_path, few_rivals):
    with evolve.open(tmp_path / "ws") as workspace:
        march = workspace.fill(write(tmp_path / "march.csv", MARCH, 2)).result
        assert march.solved and not march.verified
        file = write(tmp_path / "april.csv", APRIL, 0)
        with pytest.raises(UsageError):
            workspace.fill(file)
        with pytest.raises(UsageError):
            workspace.fill(file, skill=march.run_id)


def test_a_corrected_month_takes_the_place_of_its_earlier_answer(unkept, tmp_path):
    workspace, _ = unkept
    again = write(tmp_path / "march.csv", [*MARCH, "Kurt Goedel"], 2, wanted=str.upper)
    assert not workspace.fill(again, out=tmp_path / "m.csv", person=Person(learn="off")).result.verified
    with pytest.raises(UsageError):
        workspace.fill(write(tmp_path / "april.csv", APRIL, 0))


def test_retiring_the_skill_of_a_run_retires_its_answer_too(copied, tmp_path):
    with evolve.open(copied) as workspace:
        for skill in workspace.skills.list():
            workspace.skills.retire(skill.name)
        with pytest.raises(UsageError):
            workspace.fill(write(tmp_path / "april.csv", APRIL, 0))


@pytest.mark.slow
def test_a_doubtful_function_is_as_doubtful_when_its_own_table_is_filled_again(tmp_path, private_home):
    given = {
        "030 / 123 45 67": "+49301234567",
        "(089) 987-654": "+4989987654",
        "0171-5556677": "+491715556677",
        "040 22 33 44": "+4940223344",
        "0221/998877": "+49221998877",
        "(0711) 12 34 56": "+49711123456",
        "+49 30 777888": "",
        "0049 89 112233": "",
    }
    table = tmp_path / "phones.csv"
    with table.open("w", newline="") as out:
        csv.writer(out).writerows([("phone", "clean"), *given.items()])
    with evolve.open(tmp_path / "ws") as workspace:
        first, *again = [workspace.fill(table, out=tmp_path / f"{number}.csv") for number in range(3)]
    assert not first.result.verified and first.marked == 2 and first.used is None
    for one in again:
        assert one.used is None
        assert (one.result.verified, one.marked, cells(one, "clean")) == (False, 2, cells(first, "clean"))


def test_what_a_saved_function_wrote_into_an_empty_column_is_no_evidence_for_it(learned, tmp_path):
    names = ["Mary Shaw", "Jean Sammet", "Robin Milner", "Lynn Conway"]
    skill = learned.skills.list()[0].name
    file = learned.fill(write(tmp_path / "june.csv", names, 0), skill=skill, in_place=True).out
    corrected = file.read_text().replace("M. Shaw", "Shaw").replace("L. Conway", "")
    file.write_text(corrected)
    again = learned.fill(file, out=tmp_path / "again.csv", budget=LITTLE)
    assert (again.given, again.own, again.used.given, again.against.rows) == (3, 2, 0, (1,))


def test_rows_that_taught_a_function_are_no_new_evidence_where_they_are_given_again(learned, tmp_path):
    filled = learned.fill(write(tmp_path / "copy.csv", [*MARCH[:2], "Mary Shaw", "Jean Sammet"], 3))
    assert (filled.used.rows, filled.used.given, filled.result.verified) == (7, 1, True)


def test_a_skill_is_named_by_the_columns_that_its_function_reads(learned):
    for skill in learned.skills.list():
        assert skill.description.startswith("Give short from name. ") and "team" not in skill.name


@pytest.fixture
def of_two(tmp_path, private_home, few_rivals):
    """A workspace that filled two columns of a table, each while the other one was whole, and writes later tables."""

    def table(name, people, filled, memo):
        cells = [(name_, memo(n), short(name_), name_.upper()) for n, name_ in enumerate(people)]
        lines = [
            [*row[:2], *(cell if n < filled[at] else "" for at, cell in enumerate(row[2:]))]
            for n, row in enumerate(cells)
        ]
        with (tmp_path / name).open("w", newline="") as out:
            csv.writer(out).writerows([("name", "memo", "short", "loud"), *lines])
        return tmp_path / name

    def memos(n):
        return f"m{n % 3}"

    with evolve.open(tmp_path / "ws") as workspace:
        for name, filled in (("one.csv", (7, 8)), ("two.csv", (8, 7))):
            workspace.runs.keep(workspace.fill(table(name, [*MARCH, "Kurt Goedel"], filled, memos)).result.run_id)
        yield workspace, lambda name, filled, memo=memos: table(name, APRIL, filled, memo)


def test_an_empty_column_with_a_function_goes_before_one_with_a_blank_that_was_given_then(of_two):
    workspace, table = of_two
    filled = workspace.fill(table("april.csv", (0, 4), lambda n: "" if n == 1 else f"m{n % 3}"))
    assert filled.column == "short" and cells(filled) == [short(name) for name in APRIL]
    # a filled cell in a column that has a function says that it is meant
    assert workspace.fill(table("april.csv", (1, 0))).column == "short"


def test_of_several_empty_columns_with_functions_the_person_names_one(of_two):
    workspace, table = of_two
    april, asked = table("april.csv", (0, 0)), []
    with pytest.raises(UsageError) as refused:
        workspace.fill(april)
    assert "short" in str(refused.value) and "loud" in str(refused.value)
    said = {"offer:column": "loud"}
    person = Person(respond=lambda question: asked.append(question) or said.get(question.id, "yes"))
    filled = workspace.fill(april, person=person)
    assert asked[0].options == ("short", "loud") and cells(filled, "loud") == [name.upper() for name in APRIL]


def test_a_table_that_a_skill_fills_by_itself_counts_as_a_use(learned, tmp_path):
    [skill] = [one for one in learned.skills.list() if not one.part]
    before = learned.skills.histories([skill])[skill.digest]
    write(tmp_path / "june.csv", [*APRIL, "Adele Goldberg"], 0)
    for _ in range(2):  # the same file again is one table
        assert learned.fill(tmp_path / "june.csv", skill=skill.name).result is None
    after = learned.skills.histories([skill])[skill.digest]
    assert (after.used, after.of) == (before.used + 1, before.of + 1)
