"""Where rows leave a format open, an answer for a person reads and writes as earlier answers do, and that is said."""

from __future__ import annotations

import datetime

import pytest

from evolve.policies.search import SearchPolicy, SearchSettings
from evolve.policies.search.known_functions import tree_of
from evolve.policies.search.programs.terms import Apply, Constant, Input
from evolve.policies.search.programs.types import STR, Type
from evolve.skills import Skill
from tests.policies.samples import first_action, view_of

DAY_FIRST, MONTH_FIRST = "parse_date_day_first", "parse_date_month_first"


def reading(how: str) -> Skill:
    """A skill that gives the year and month of a day that is read in one of two ways."""
    term = Apply("format_date", (Constant("%Y-%m", Type("date_format")), Apply(how, (Input(0),))))
    return Skill(
        name="month",
        description="",
        entry="month",
        signature="(text: str) -> str",
        code="def month(text):\n    return text\n",
        rows=(),
        test_code="",
        tree=tree_of(term, (STR,), STR),
        source="other",
    )


def weekday(text: str) -> str:
    """Of a day that is written with the month first."""
    return datetime.datetime.strptime(text, "%m/%d/%Y").strftime("%A")


OPEN = ["03/03/2024", "07/07/2023", "11/11/2021", "02/02/2022", "08/08/2023"]
DECIDED = ["03/04/2024", "07/09/2023", "11/10/2021", "02/05/2022"]


@pytest.mark.parametrize(
    ("usual", "days", "habits", "wanted"),
    [
        (DAY_FIRST, OPEN, True, "Wednesday"),
        (MONTH_FIRST, OPEN, True, "Saturday"),
        (DAY_FIRST, OPEN, False, "Saturday"),
        (DAY_FIRST, DECIDED, True, "Saturday"),
    ],
)
def test_rows_come_first_and_then_what_is_usual(usual, days, habits, wanted):
    policy = SearchPolicy(library=(reading(usual),), settings=SearchSettings(habits=habits))
    view = view_of(weekday, *days, name="weekday")
    action = first_action(policy, view)
    space: dict = {}
    exec(compile(action.code, "<answer>", "exec"), space)
    assert space[view.entry]("06/04/2022") == wanted  # the fourth of June, or the sixth of April
    told = "the rows allow date month first as well as date day first, and the latter is usual here"
    # Nothing is said where the plainest answer is the usual one anyway, or rows decide.
    assert action.habit == (told if (usual, days, habits) == (DAY_FIRST, OPEN, True) else "")
