"""The same table month after month: its rows come again, and a person corrects what a saved function wrote."""

from __future__ import annotations

import pytest

import evolve
from evolve.core.errors import UsageError
from tests.workspace.begun import Begun
from tests.workspace.test_corrected_months import MARCH, cells, corrected, short, write

pytestmark = pytest.mark.usefixtures("few_rivals")

NAMES = ["Mary Shaw", "Robin Milner", "Jean Sammet", "Lynn Conway", "Adele Goldberg"]


@pytest.fixture(scope="module")
def begun(tmp_path_factory, private_home):
    return Begun(tmp_path_factory.mktemp("recurring") / "work")


@pytest.fixture
def place(begun):
    """The folder of the tables."""
    return begun.place


@pytest.fixture
def march(begun, place):
    """A workspace with a verified function for short names, and the name of its skill."""

    def learn(workspace):
        table = write(place / "march.csv", [*MARCH, "Frances Allen"], {name: short(name) for name in MARCH})
        return workspace.fill(table).result.skills[0]

    skill = begun.at("verified", learn)
    with evolve.open(place / "ws") as workspace:
        yield workspace, skill


@pytest.fixture
def kept(begun, place):
    """A workspace with a function that nothing verified and the person kept, and its run."""

    def learn(workspace):
        result = workspace.fill(write(place / "march.csv", MARCH, {name: short(name) for name in MARCH[:3]})).result
        assert result.solved and not result.verified
        workspace.runs.keep(result.run_id)
        return result.run_id

    run = begun.at("unverified", learn)
    with evolve.open(place / "ws") as workspace:
        yield workspace, run


def test_in_place_nothing_is_written_until_a_function_is_named(march, place):
    workspace, skill = march
    table = write(place / "april.csv", NAMES, {})
    before = table.read_bytes()
    filled = workspace.fill(table, in_place=True)
    assert filled.out is None and [one.name for one in filled.offered] == [skill] and table.read_bytes() == before


def test_of_two_functions_for_one_empty_column_the_person_names_one(march, place, short_search):
    workspace, _ = march
    names = [*NAMES, "Alan Kay", "Radia Perlman"]
    may = write(place / "may.csv", [*names, "Ken Thompson"], {name: name.split()[-1] for name in names})
    assert workspace.fill(may).result.verified
    filled = workspace.fill(write(place / "april.csv", NAMES, {}))
    assert filled.out is None and len(filled.offered) == 2


@pytest.mark.parametrize("in_place", [False, True])
def test_typed_cells_that_an_earlier_fill_wrote_for_the_same_rows_keep_nothing_from_being_filled(
    march, place, in_place
):
    workspace, skill = march
    april = workspace.fill(write(place / "april.csv", NAMES, {}), skill=skill)
    typed = {name: cells(april)[name] for name in NAMES[:2]}
    table = write(place / "again.csv", NAMES, typed)  # the same rows, as an earlier fill would have filled them
    assert table.read_text().splitlines()[1] != (place / "april.csv").read_text().splitlines()[1]
    filled = workspace.fill(table, in_place=in_place)
    if in_place:
        assert filled.out is None and [one.name for one in filled.offered] == [skill]
        return
    assert cells(filled) == {name: short(name) for name in NAMES}
    assert (filled.used.name, filled.used.given, filled.given, filled.own, filled.marked) == (skill, 0, 2, 2, 0)


def test_where_no_function_is_saved_cells_that_an_earlier_fill_wrote_show_nothing(march, place):
    workspace, skill = march
    april = workspace.fill(write(place / "april.csv", NAMES, {}), skill=skill)
    workspace.skills.retire(skill)
    with pytest.raises(UsageError):
        workspace.fill(write(place / "again.csv", NAMES, {NAMES[0]: cells(april)[NAMES[0]]}))


def test_a_kept_function_fills_the_rest_where_corrected_cells_oppose_it_and_nothing_gives_them(kept, place):
    workspace, _ = kept
    table = write(place / "april.csv", NAMES, {})
    first = workspace.fill(table)
    (skill,) = workspace.skills.list()
    assert (first.used.name, first.used.given) == (skill.name, 0)
    mine = {NAMES[0]: "Polly", NAMES[3]: "L9x"}
    for name, cell in mine.items():
        corrected(first.out, short(name), cell)
    filled = workspace.fill(table, budget="20k-candidates")
    assert cells(filled) == {name: short(name) for name in NAMES} | mine
    used = filled.used
    assert (filled.result, used.name, used.verified, filled.against.rows) == (None, skill.name, False, (1, 4))
    assert workspace.runs.functions_kept() and not {1, 4} & {mark.row for mark in filled.marks}


def test_a_function_that_is_found_goes_before_one_that_was_kept(kept, place):
    workspace, _ = kept
    filled = workspace.fill(write(place / "april.csv", NAMES, {name: name.upper() for name in NAMES[:2]}))
    assert filled.used is None and filled.against is None
    assert cells(filled) == {name: name.upper() for name in NAMES}


def test_one_odd_correction_flags_nothing_where_other_given_cells_agree(march, place):
    workspace, skill = march
    april = workspace.fill(write(place / "april.csv", [*NAMES, "Alan Kay"], {}), skill=skill)
    typed = {name: cells(april)[name] for name in NAMES[:3]} | {NAMES[3]: "LIXW-2604"}
    filled = workspace.fill(write(place / "april.csv", [*NAMES, "Alan Kay"], typed), budget="20k-candidates")
    assert cells(filled) == {name: short(name) for name in [*NAMES, "Alan Kay"]} | {NAMES[3]: "LIXW-2604"}
    assert (filled.against.function.name, filled.against.rows, filled.marked) == (skill, (4,), 0)


def test_where_no_given_cell_agrees_every_other_is_flagged_and_the_given_ones_are_not(march, place):
    workspace, _ = march
    filled = workspace.fill(write(place / "april.csv", NAMES, {NAMES[1]: "Johnny"}), budget="20k-candidates")
    assert [mark.row for mark in filled.marks] == [1, 3, 4, 5] and filled.against.rows == (2,)


def test_guesses_in_a_file_that_was_filled_in_place_do_not_speak_for_the_function(march, place):
    workspace, skill = march
    table = write(place / "april.csv", NAMES, {})
    workspace.fill(table, skill=skill, in_place=True)
    corrected(table, short(NAMES[1]), "Johnny")
    with table.open("a") as file:
        file.write("a6,Alan Kay,red,\n")
    filled = workspace.fill(table, budget="20k-candidates")
    assert [mark.row for mark in filled.marks] == [6] and filled.against.rows == (2,)


@pytest.mark.parametrize("where", ["table", "filled file"])
def test_a_correction_that_a_named_function_does_not_give_is_told_and_stays(march, place, where):
    workspace, skill = march
    table = write(place / "april.csv", NAMES, {})
    out = workspace.fill(table, skill=skill).out
    if where == "table":
        write(table, NAMES, {NAMES[1]: "Robbie"})
    else:
        corrected(out, short(NAMES[1]), "Robbie")
    filled = workspace.fill(table, skill=skill)
    assert cells(filled) == {name: short(name) for name in NAMES} | {NAMES[1]: "Robbie"}
    against = filled.to_json()["against"]
    assert (against["function"]["name"], against["rows"], against["searched"]) == (skill, [2], False)


def orders(file, header, rows):
    file.write_text("".join(f"{','.join(row)}\n" for row in [header, *rows]))
    return file


def test_a_column_with_gaps_beside_an_empty_one_is_not_filled_unless_it_is_named(tmp_path, private_home):
    lands = ["DE", "AT", "DE", "CH", "DE", "", "AT"]
    rows = [(f"{1040 + n}", f"Kunde {n}", land, f"{10 * n + 5}.50", "") for n, land in enumerate(lands)]
    table = orders(tmp_path / "orders.csv", ("Nr", "Kunde", "Land", "Warenwert", "Versand"), rows)
    with evolve.open(tmp_path / "ws") as workspace:
        with pytest.raises(UsageError) as refused:
            workspace.fill(table)
        assert "Versand" in str(refused.value) and "--column Land" in refused.value.hint
        assert [path.name for path in tmp_path.glob("*.csv")] == ["orders.csv"]
        assert workspace.fill(table, column="Land", budget="300-candidates").column == "Land"


def test_a_saved_function_says_which_column_is_meant_beside_an_empty_one(march, place):
    workspace, skill = march
    rows = [("a1", name, "", short(name) if n < 2 else "") for n, name in enumerate(NAMES)]
    filled = workspace.fill(orders(place / "april.csv", ("id", "name", "notes", "short"), rows))
    assert (filled.column, filled.used.name, filled.used.given) == ("short", skill, 2)
