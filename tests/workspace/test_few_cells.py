"""A cell or two given in a later month, beside odd cells: what was learned before fills the rest."""

from __future__ import annotations

import csv

import pytest

import evolve

pytestmark = pytest.mark.usefixtures("few_rivals")

MARCH = [("Abel", 3), ("Bauer", 6), ("Conti", 12), ("Dietz", 4), ("Ernst", 9), ("Fuchs", 5), ("Gomez", 7), ("Huber", 8)]


def month(number):
    return f"M{number + 3:02d}"


def table(file, rows):
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("name", "months", "recall"), *rows])
    return file


def cells(filled):
    with filled.out.open(newline="") as file:
        return [row["recall"] for row in csv.DictReader(file)]


@pytest.fixture(scope="module")
def learned(tmp_path_factory, private_home):
    folder = tmp_path_factory.mktemp("recall")
    with evolve.open(folder / "ws") as workspace:
        given = [(name, number, month(number)) for name, number in MARCH]
        march = workspace.fill(table(folder / "march.csv", [*given, ("Ivers", 10, "")]))
        assert march.result.verified
        yield workspace, march.result.skills[0]


def test_one_cell_that_agrees_and_a_word_among_the_numbers_lose_no_function(learned, tmp_path):
    workspace, skill = learned
    rows = [("Jung", 2, month(2)), ("Klein", 11, ""), ("Lang", "6-9", ""), ("Meier", "none", ""), ("Noll", 1, "")]
    filled = workspace.fill(table(tmp_path / "april.csv", rows))
    assert (filled.used.name, filled.used.given, filled.against) == (skill, 1, None)
    assert cells(filled) == [month(2), month(11), "", "", month(1)]
    assert [mark.row for mark in filled.marks] == [3, 4]


def test_a_cell_typed_into_an_odd_row_stays_and_the_rest_is_as_before(learned, tmp_path):
    workspace, skill = learned
    rows = [("Jung", "", "M99"), ("Klein", 11, ""), ("Lang", "6-9", ""), ("Noll", 1, "")]
    filled = workspace.fill(table(tmp_path / "april.csv", rows))
    assert (filled.used.name, filled.used.given) == (skill, 0)
    assert cells(filled) == ["M99", month(11), "", month(1)]


def test_where_no_given_cell_agrees_every_other_is_doubtful(learned, tmp_path):
    workspace, skill = learned
    rows = [("Jung", 2, "X02"), ("Klein", 11, ""), ("Lang", "6-9", ""), ("Noll", 1, "")]
    filled = workspace.fill(table(tmp_path / "april.csv", rows))
    assert (filled.used.name, filled.against.rows, filled.against.searched) == (skill, (1,), False)
    assert cells(filled) == ["X02", month(11), "", month(1)]
    assert {mark.row for mark in filled.marks} >= {2, 3, 4}
