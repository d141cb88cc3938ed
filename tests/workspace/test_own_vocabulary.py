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
