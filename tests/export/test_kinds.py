"""What a description says of the values that a skill takes and gives."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Row
from evolve.skills import Skill
from evolve.skills.export import describe


@pytest.mark.parametrize(
    ("rows", "takes", "gives"),
    [
        ([("2024-12-19", "Thursday"), ("2024-03-08", "Friday")], "a date", "a weekday"),
        ([("ana.lopez@example.org", "Ana Lopez"), ("bo.li@example.org", "Bo Li")], "a mail address", "a name"),
        ([("nothing known", "x"), ("of this", "y z")], "a text", "a text"),
    ],
)
def test_kinds_of_values_stand_in_a_description_and_no_value_does(
    rows: list[tuple[str, str]], takes: str, gives: str
) -> None:
    skill = Skill(
        name="given-to-wanted",
        description="Give Wanted from Given.",
        entry="given_to_wanted",
        signature="(given: str) -> str",
        code="def given_to_wanted(given):\n    return given\n",
        rows=tuple(Row(input=(one,), output=other) for one, other in rows),
        test_code="",
        source="test",
    )
    told = describe(skill)
    assert f"Takes {takes} (given); gives {gives}." in told
    assert not any(value in told for row in rows for value in row if len(value) > 3)
