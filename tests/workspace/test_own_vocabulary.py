"""A function of the vocabulary that filled a person's column is a skill of theirs, and counts what it does later."""

from __future__ import annotations

import csv

import pytest

import evolve

pytestmark = pytest.mark.usefixtures("few_rivals")
PRICES = ("$1,204.50", "EUR 88.10", "12,000.00 USD", "$7.25", "(45.00)", "$3,000.10", "99.99 EUR", "$15.5")
AMOUNTS = (1204.5, 88.1, 12000, 7.25, -45, 3000.1, 99.99, "")


def write(file, prices, amounts):
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([("price", "amount"), *zip(prices, amounts, strict=True)])
    return file


def test_a_parsed_amount_is_a_skill_and_helps_in_the_next_month(tmp_path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(write(tmp_path / "jan.csv", PRICES, AMOUNTS)).result
        assert "parse_amount(" in result.answer and len(result.skills) == 1
        workspace.fill(write(tmp_path / "feb.csv", ("$2,204.50", "EUR 18.10"), ("", 18.1)))
        (skill,) = workspace.skills.list()
        history = workspace.skills.histories([skill])[skill.digest]
        for month, price in (("mar", "EUR 7.20"), ("apr", "EUR 9.80")):
            workspace.fill(write(tmp_path / f"{month}.csv", ("$1.50", price), ("", float(price[4:]))))
        assert workspace.skills.show(skill.name).status == "trusted"
    # One row is given there; that with those of January it is verified, the person is told, so it counts.
    assert (history.used, history.helped) == (1, 1)


NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Tony Hoare", "Mary Shaw", "Jean Bartik", "Robin Milner")


def people(file, wanted, label):
    return write_table(file, ("name", label), [*((name, wanted(name)) for name in NAMES), ("Fran Allen", "")])


def write_table(file, header, rows):
    with file.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    return file


def test_one_operation_is_a_skill_that_is_found_and_no_operation_of_its_own(tmp_path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(people(tmp_path / "a.csv", lambda name: name.split()[-1], "last")).result
        assert result.skills == ("last-from-name",)
        assert [skill.name for skill in workspace.skills.find("last from name")] == ["last-from-name"]
        other = workspace.fill(people(tmp_path / "b.csv", lambda name: name.split()[-1].upper(), "loud")).result
        assert "last_from_name" not in other.answer  # the search has that operation under its own name


def test_a_column_of_numbers_is_named_by_its_abbreviation(tmp_path) -> None:
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(people(tmp_path / "a.csv", lambda name: name.split()[0], "No.")).result
        assert result.skills == ("no-from-name",)


def test_the_word_of_a_person_makes_a_skill_that_is_exported_until_they_forget_it(tmp_path) -> None:
    rows = [("Ada Lovelace", "AL"), ("Alan Turing", "AT"), ("Grace Hopper", "GH"), ("Tony Hoare", "")]
    with evolve.open(tmp_path / "ws") as workspace:
        result = workspace.fill(write_table(tmp_path / "a.csv", ("name", "code"), rows)).result
        assert not result.verified and workspace.skills.list() == []
        skill = workspace.runs.keep(result.run_id)
        assert (skill.name, skill.owner, skill.status) == ("code-from-name", "user", "admitted")
        assert workspace.skills.find("code from name") == [skill]
        assert workspace.runs.keep(result.run_id) == skill
        done = workspace.skills.export([skill.name], to=tmp_path / "out")
        assert done.names == {skill.name: skill.name}
        later = write_table(tmp_path / "b.csv", ("name", "code"), [("Mary Shaw", ""), ("Jean Bartik", "")])
        used = workspace.fill(later).used
        assert used.name == skill.name and used.kept and not used.verified
        workspace.runs.leave(result.run_id)
        assert workspace.skills.find("code from name") == []
