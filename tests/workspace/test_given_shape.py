"""A cell that is written in another way than all cells that were given is flagged, now and in a later month."""

from __future__ import annotations

import pytest

import evolve

pytestmark = pytest.mark.usefixtures("few_rivals")

MARCH = {
    "Rosa Milano": "2026-03-02",
    "Tim Becker": "2026-03-09",
    "Anna Schulz": "2026-04-01",
    "Paul Weber": "2026-04-13",
    "Lena Vogt": "2026-03-16",
    "Omar Haddad": "2026-04-20",
    "Nina Keller": "2026-03-23",
}


def code(name, day):
    first, last = name.split(maxsplit=1)
    return f"{last[:3].upper()}{first[0]}-{day[2:4]}{day[5:7]}"


def flagged(filled):
    return {mark.row: mark.flag.reasons[0].code for mark in filled.marks}


def test_codes_of_months_that_no_filled_row_has_are_flagged_where_they_may_be_wrong(tmp_path):
    later = {"Carla Brandt": "2026-10-05", "Jan Petersen": "2027-01-04", "Max Winter": "2026-05-04"}
    lines = [f"{name},{day},{code(name, day)}" for name, day in MARCH.items()]
    lines += [f"{name},{day}," for name, day in later.items()]
    (tmp_path / "hr.csv").write_text("\n".join(["Name,Start date,Staff code", *lines, ""]))
    with evolve.open(tmp_path / "ws", model="") as workspace:
        filled = workspace.fill(tmp_path / "hr.csv")
    cells = [line.split(",")[2] for line in filled.out.read_text().splitlines()[-3:]]
    wrong = {row for row, cell, one in zip((8, 9, 10), cells, later.items(), strict=True) if cell != code(*one)}
    assert wrong <= set(flagged(filled)) and 10 not in flagged(filled)


def test_a_shape_that_no_learned_cell_has_is_flagged_in_a_later_month(tmp_path):
    names = ["Milano", "Becker", "Schulz", "Weber", "Vogt", "Haddad", "Keller"]
    rows = [f"{name},{n + 20},{name[:3].upper()}-{n + 20}" for n, name in enumerate(names)]
    (tmp_path / "march.csv").write_text("\n".join(["name,number,code", *rows, "Brandt,31,", "Li,32,", ""]))
    (tmp_path / "april.csv").write_text("name,number,code\nWinter,41,WIN-41\nOh,42,\nSommer,43,\n")
    with evolve.open(tmp_path / "ws", model="") as workspace:
        march = workspace.fill(tmp_path / "march.csv")
        april = workspace.fill(tmp_path / "april.csv")
        named = workspace.fill(tmp_path / "april.csv", skill=april.used.name)
    assert march.result.verified and flagged(march)[9] == "other_shape" and 8 not in flagged(march)
    assert flagged(april) == flagged(named) == {2: "other_shape"}
