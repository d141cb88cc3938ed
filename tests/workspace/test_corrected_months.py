"""A person corrects a cell of the next month's table: what was verified before stays, and is searched with as well."""

from __future__ import annotations

import csv
import shutil

import pytest

import evolve
from evolve.core.errors import UsageError

pytestmark = pytest.mark.usefixtures("few_rivals")

MARCH = (
    "Ada Lovelace",
    "Alan Turing",
    "Grace Hopper",
    "Edsger Dijkstra",
    "Barbara Liskov",
    "Tony Hoare",
    "John Backus",
)
APRIL = ("Niklaus Wirth", "Margaret Hamilton", "John von Neumann", "Dennis Ritchie", "Jean van de Velde")
LITTLE = "2k-candidates"
"""Enough where nothing is to be found."""
TEAMS = ("red", "blue", "green")


def short(name):
    return f"{name[0]}. {name.split()[-1].upper()}"


def whole(name):
    return f"{name[0]}. {name.partition(' ')[2].upper()}"


def write(file, names, given):
    rows = [(f"{file.stem[0]}{n}", name, TEAMS[n % 3], given.get(name, "")) for n, name in enumerate(names, 1)]
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("id", "name", "team", "short"), *rows])
    return file


def cells(filled, label="short"):
    with filled.out.open(newline="") as file:
        return {row["name"]: row[label] for row in csv.DictReader(file)}


@pytest.fixture(scope="module")
def taught(tmp_path_factory, private_home):
    """A folder with a workspace that learned short names from March and filled April; the skill; and a copy.

    Two names of April have more words than any of March.
    """
    folder = tmp_path_factory.mktemp("months") / "work"
    folder.mkdir()
    with evolve.open(folder / "ws") as workspace:
        march = write(folder / "march.csv", [*MARCH, "Frances Allen"], {name: short(name) for name in MARCH})
        result = workspace.fill(march).result
        assert result.verified
        filled = workspace.fill(write(folder / "april.csv", APRIL, {}), skill=result.skills[0])
        assert [mark.row for mark in filled.marks] == [3, 5]
    shutil.copytree(folder, folder.with_name("saved"))
    return folder, result.skills[0], folder.with_name("saved")


@pytest.fixture
def folder(taught):
    """The folder, always at the same place, as it was then."""
    place, _, saved = taught
    shutil.rmtree(place)
    return shutil.copytree(saved, place)


@pytest.fixture
def april(taught, folder):
    """The open workspace, the skill and April's table."""
    with evolve.open(folder / "ws") as workspace:
        yield workspace, taught[1], folder / "april.csv"


def corrected(filled, old, new):
    text = filled.read_text()
    assert old in text
    filled.write_text(text.replace(old, new))


def test_a_corrected_cell_leads_to_a_function_that_fits_the_earlier_rows_as_well(april, folder):
    workspace, skill, table = april
    write(table, APRIL, {"John von Neumann": "J. VON NEUMANN"})
    filled = workspace.fill(table)
    assert cells(filled) == {name: whole(name) for name in APRIL}
    assert filled.result.verified and (filled.against.function.name, filled.against.rows) == (skill, (3,))
    # the earlier rows do not speak for a cell that the earlier function gave in another way
    assert [(mark.row, mark.flag.reasons[0].code) for mark in filled.marks] == [(5, "kept_gives")]
    assert workspace.skills.show(skill).status == "retired"
    may = workspace.fill(write(folder / "may.csv", ["Mary Shaw", "Robin Milner"], {"Mary Shaw": "M. SHAW"}))
    assert may.used.rows == len(MARCH) + 1 and may.used.verified


def test_where_the_table_is_filled_once_more_the_function_is_as_sure_and_the_cell_as_doubtful(april):
    workspace, _, table = april
    write(table, APRIL, {"John von Neumann": "J. VON NEUMANN"})
    first, again = workspace.fill(table), workspace.fill(table)
    assert again.result.verified and cells(again) == cells(first) and again.marks == first.marks


def test_where_no_function_fits_both_the_kept_one_stays_and_the_cell_as_well(april):
    workspace, skill, table = april
    write(table, APRIL, {"John von Neumann": "Johnny"})
    filled = workspace.fill(table, budget=LITTLE)
    assert cells(filled) == {name: short(name) for name in APRIL} | {"John von Neumann": "Johnny"}
    assert (filled.used.name, filled.used.given, filled.against.rows) == (skill, 0, (3,))
    assert [mark.row for mark in filled.marks] == [5]
    assert workspace.skills.show(skill).status == "admitted"


def test_own_cells_that_verify_another_function_are_a_new_rule(april, folder, short_search):
    workspace, _, _ = april
    names = ["Mary Shaw", "Robin Milner", "Jean Sammet", "Lynn Conway", "Adele Goldberg", "Alan Kay", "Radia Perlman"]
    filled = workspace.fill(
        write(folder / "may.csv", [*names, "Leslie Lamport"], {name: name.split()[-1] for name in names})
    )
    assert filled.result.verified and filled.against is None
    assert cells(filled)["Leslie Lamport"] == "Lamport"


@pytest.mark.parametrize("times", [1, 2])
def test_cells_that_are_corrected_in_the_filled_file_are_given_cells(april, folder, times):
    workspace, _, table = april
    out = folder / "april.filled.csv"
    corrected(out, "J. NEUMANN", "J. VON NEUMANN")
    for _ in range(times):  # what stands there then is still the person's
        filled = workspace.fill(table)
    assert filled.out == out and (filled.typed, filled.given) == (1, 1)
    assert filled.result.verified and filled.against.rows == (3,)
    assert cells(filled) == {name: whole(name) for name in APRIL}
    assert [mark.row for mark in filled.marks] == [5]


def test_a_value_that_a_person_typed_into_the_filled_file_stays_where_no_function_gives_it(april, folder):
    workspace, skill, table = april
    corrected(folder / "april.filled.csv", "J. NEUMANN", "Johnny")
    corrected(folder / "april.filled.csv", "J. VELDE", "Jeannie")
    filled = workspace.fill(table, budget=LITTLE)
    assert cells(filled) == {name: short(name) for name in APRIL} | {APRIL[2]: "Johnny", APRIL[4]: "Jeannie"}
    assert (filled.typed, filled.used.name, filled.against.rows) == (2, skill, (3, 5))


def test_a_flag_stays_where_other_cells_are_corrected_and_the_value_is_the_same(april, folder):
    workspace, skill, _ = april
    table = write(folder / "april.csv", [*APRIL, "Jörg Müller"], {})
    assert [mark.row for mark in workspace.fill(table, skill=skill).marks] == [3, 5, 6]
    corrected(folder / "april.filled.csv", "J. NEUMANN", "J. VON NEUMANN")
    corrected(folder / "april.filled.csv", "J. VELDE", "J. VAN DE VELDE")
    for _ in range(2):
        again = workspace.fill(table)
        assert cells(again)["Jörg Müller"] == "J. MÜLLER" and [mark.row for mark in again.marks] == [6]
    corrected(folder / "april.filled.csv", cells(again, "short: check")["Jörg Müller"], "")
    assert workspace.fill(table).marked == 0


def test_who_clears_the_reason_beside_a_cell_gives_it(april, folder):
    workspace, _, table = april
    out = folder / "april.filled.csv"
    lines = out.read_text().splitlines()
    out.write_text("\n".join(f"{line.rpartition(',')[0]}," if line.startswith("a3,") else line for line in lines))
    filled = workspace.fill(table)
    assert (filled.typed, filled.against, filled.used.given) == (1, None, 1)
    assert cells(filled)["John von Neumann"] == "J. NEUMANN" and [mark.row for mark in filled.marks] == [5]


def test_guesses_of_an_earlier_fill_are_no_given_cells(april, folder):
    workspace, _, table = april
    out = folder / "april.filled.csv"
    rows = list(csv.reader(out.read_text().splitlines()))
    out.write_text("\n".join(";".join(row[:4]) for row in rows) + "\n")  # saved anew, and without the reasons
    filled = workspace.fill(table)
    assert (filled.used.given, filled.typed, filled.filled) == (0, 0, len(APRIL))


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: text.replace("Dennis Ritchie", "Denis Ritchie"),
        lambda text: text + "a6,Ken Thompson,red,K. THOMPSON,\n",
        lambda text: "\n".join(f"{line},mine" for line in text.splitlines()),
    ],
    ids=["another cell", "another row", "another column"],
)
def test_a_filled_file_with_other_changes_is_left_alone(april, folder, edit):
    workspace, _, table = april
    out = folder / "april.filled.csv"
    out.write_text(edit(out.read_text()))
    before = out.read_bytes()
    with pytest.raises(UsageError):
        workspace.fill(write(table, APRIL, {"Dennis Ritchie": "D. RITCHIE"}))
    assert out.read_bytes() == before


def test_a_cell_that_is_changed_in_both_files_is_nobodys_to_choose(april, folder):
    workspace, _, table = april
    out = folder / "april.filled.csv"
    corrected(out, "D. RITCHIE", "dmr")
    before = out.read_bytes()
    with pytest.raises(UsageError):
        workspace.fill(write(table, APRIL, {"Dennis Ritchie": "DMR"}), budget=LITTLE)
    assert out.read_bytes() == before
    same = workspace.fill(write(table, APRIL, {"Dennis Ritchie": "dmr"}), budget=LITTLE)
    assert same.typed == 0 and cells(same)["Dennis Ritchie"] == "dmr"


def test_rows_that_are_added_to_the_table_take_no_correction_away(april, folder):
    workspace, _, table = april
    corrected(folder / "april.filled.csv", "J. NEUMANN", "Johnny")
    workspace.fill(table, budget=LITTLE)
    filled = workspace.fill(write(table, [*APRIL, "Ken Thompson"], {}), budget=LITTLE)
    assert filled.typed == 1 and cells(filled)["John von Neumann"] == "Johnny"
    assert cells(filled)["Ken Thompson"] == "K. THOMPSON"
