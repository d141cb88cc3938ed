"""What a function holds of a person's rows leaves only where the person says so."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.core.episodes import Row
from evolve.core.errors import UsageError
from evolve.skills import Skill
from evolve.skills.export import ExportRules
from evolve.skills.export.row_literals import holds_rows
from evolve.skills.hard_coded import copied_rows
from tests.export.exports import export

NAMES = ("Margit Kovacs", "Odon Zsigmondy", "Balthasar Quux", "Nora Bakerly")
ROWS = tuple(Row(input=(name,), output=1000 + 37 * number) for number, name in enumerate(NAMES))
PAY = {row.input[0]: row.output for row in ROWS}
DOC = '    """The pay of a person."""\n'


def skill(code: str, rows: tuple[Row, ...] = ROWS) -> Skill:
    return Skill(
        name="pay",
        description="The pay of a person.",
        entry="pay",
        signature="(name: str) -> int",
        code=code,
        test_code="",
        rows=rows,
        status="admitted",
    )


TABLE = skill(f"PAY = {PAY!r}\n\ndef pay(name):\n{DOC}    return PAY.get(name, 0)\n")
CHAIN = skill(
    f"def pay(name):\n{DOC}    return 1000 if name == {NAMES[0]!r} else 1037 if name == {NAMES[1]!r} else 1\n"
)
SOME = skill(f"SOME = ('Margit', 'Odon', 'Nora')\n\ndef pay(name):\n{DOC}    return (name.split()[0] in SOME) * 5\n")
RULE = skill(f"def pay(name):\n{DOC}    return len(name) * 10\n")


@pytest.mark.parametrize("one", [TABLE, CHAIN, SOME])
def test_rows_in_code_leave_only_with_rows(one, tmp_path):
    with pytest.raises(UsageError, match="your rows"):
        export([one], tmp_path / "out")
    assert export([one], tmp_path / "out", ExportRules(with_rows=True))


def test_a_rule_and_what_others_wrote_and_words_of_outputs_leave():
    low = tuple(Row(input=(number,), output="medium" if number > 5 else "small") for number in range(9))
    bins = "def pay(name):\n    return 'medium' if name > 5 else 'small'\n"
    months = tuple(Row(input=(name,), output=number) for number, name in enumerate(("March", "April", "June", "July")))
    table = f"PAY = {dict((row.input[0], row.output) for row in months)!r}\n\ndef pay(name):\n    return PAY[name]\n"
    for one in (RULE, replace(TABLE, owner="imported"), skill(bins, low), skill(table, months)):
        assert holds_rows(one) == ""


def test_a_draft_that_holds_its_rows_is_told():
    rows = [row.input for row in ROWS]
    assert [copied_rows(one.code, rows) for one in (TABLE, CHAIN, RULE)] == [4, 2, 0]
