"""What a skill needs of its arguments: it never refuses a row that it was drawn from, and says why it abstains."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Row, SkillDraft
from evolve.policies.language.skills import skill_files
from evolve.runtime.sandbox import open_sandbox
from evolve.skills import Skill, read_folder, write_folder
from evolve.skills.contract import Abstained, condition_from_rows, contract_violation
from evolve.tasks import BUILTIN, load_suite

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=4),
    max_leaves=12,
)
DATES = [(f"2026-0{month}-1{month}",) for month in range(1, 8)]
YEAR = Skill.from_draft(
    SkillDraft(
        name="give-year",
        description="Give the year.",
        entry="give_year",
        signature="(date: str) -> int",
        code="def give_year(date: str) -> int:\n    return int(date[:4] or 0)\n",
        tests=tuple(Row(input=row, output=2026) for row in DATES[:2]),
        source="dates-1",
    )
)


@given(st.lists(st.lists(JSON, min_size=2, max_size=2), min_size=1, max_size=9))
def test_no_row_is_refused_that_the_conditions_were_drawn_from(rows) -> None:
    needs = condition_from_rows(rows)
    assert [contract_violation(needs, row) for row in rows] == [""] * len(rows)


@given(st.lists(st.lists(JSON, max_size=3), max_size=6), st.lists(JSON, max_size=4))
def test_any_arguments_are_either_in_contract_or_refused_in_words(rows, arguments) -> None:
    assert isinstance(contract_violation(condition_from_rows(rows), arguments), str)


@given(JSON)
def test_conditions_of_a_later_version_refuse_nothing(value) -> None:
    assert contract_violation([{"unheard of": [1]}], [value]) == ""


@pytest.mark.parametrize(
    ("value", "lacks"),
    [
        (None, "nothing"),
        (3, "number"),
        ("", "empty"),
        ("n/a", "digit"),
        ("12/31/2026", "'-'"),
        ("1999-12-31", ""),
        ("99-1-1", ""),
    ],
)
def test_what_every_date_shares_is_needed_and_no_more(value, lacks) -> None:
    reason = contract_violation(condition_from_rows(DATES), [value], ["date"])
    assert lacks in reason and bool(reason) == bool(lacks)


def test_records_need_the_keys_that_all_had_and_maps_of_data_need_none() -> None:
    records = [({"name": f"n{n}", "age": n, **({"nick": "x"} if n % 2 else {})},) for n in range(6)]
    assert "age" in contract_violation(condition_from_rows(records), [{"name": "Ada"}])
    assert contract_violation(condition_from_rows(records), [{"name": "Ada", "age": 3, "more": 1}]) == ""
    towns = [({"Porto": 1, f"town {n}": 2, f"other {n}": 3},) for n in range(6)]
    assert contract_violation(condition_from_rows(towns), [{"Graz": 1}]) == ""


def test_few_rows_show_hardly_anything() -> None:
    assert contract_violation(condition_from_rows(DATES[:2]), ["any text"]) == ""
    assert contract_violation(condition_from_rows([([],), ([1],)]), [[]]) == ""


def test_hardly_a_row_of_the_suites_is_refused_that_the_conditions_were_not_drawn_from() -> None:
    refused = rows = 0
    for suite in BUILTIN:
        for task in load_suite(suite.name).tasks:
            needs = condition_from_rows([row.input for row in (*task.examples, *task.verify)])
            rows += len(task.hidden)
            refused += sum(bool(contract_violation(needs, row.input)) for row in task.hidden)
    assert rows > 10_000 and refused <= 0.001 * rows


def test_a_contract_changes_no_digest_and_travels_with_the_skill(tmp_path) -> None:
    skill = replace(YEAR, needs=tuple(condition_from_rows(DATES)))
    assert skill.digest == YEAR.digest and "needs" not in YEAR.to_json()
    assert Skill.from_json(skill.to_json()).needs == skill.needs
    assert read_folder(write_folder(skill, tmp_path)).needs == skill.needs


def test_a_skill_without_conditions_on_record_takes_those_of_its_own_rows() -> None:
    assert YEAR.abstention_for([None]).reason == "date is nothing and not text"
    assert YEAR.abstention_for(["1999-12-31"]) is None


def test_abstaining_is_no_result() -> None:
    value = Abstained("date is empty")
    assert not value and value != "" and value != Abstained("date is empty")
    with pytest.raises(TypeError):
        value + 1


def test_code_that_imports_a_skill_is_told_that_it_abstains() -> None:
    skill = replace(YEAR, needs=tuple(condition_from_rows(DATES)))
    with open_sandbox() as sandbox, sandbox.session() as session:
        session.execute("import sys\nsys.path.insert(0, '')", files=skill_files([skill]))
        session.execute("from skills.give_year import give_year")
        ran = session.execute("[give_year('1999-12-31'), repr(give_year(date='n/a')), bool(give_year(''))]")
    assert ran.value == [1999, "Abstained('date has no digit')", False]


def test_a_skill_may_call_itself_with_what_nobody_gives_it() -> None:
    code = "def count_all(items):\n    return items if isinstance(items, int) else sum(map(count_all, items))\n"
    rows = tuple(Row(input=([[n, n + 1], [n]],), output=3 * n + 1) for n in range(4))
    skill = replace(YEAR, name="count-all", entry="count_all", signature="(items: list[list[int]]) -> int", code=code)
    skill = replace(skill, rows=rows, needs=tuple(condition_from_rows(row.input for row in rows)))
    with open_sandbox() as sandbox, sandbox.session() as session:
        session.execute("import sys\nsys.path.insert(0, '')", files=skill_files([skill]))
        ran = session.execute("from skills.count_all import count_all\n[count_all([[1, 2], [3]]), repr(count_all(7))]")
    assert ran.value == [6, "Abstained('items is a number and not a list')"]


def test_the_contract_is_told_in_words() -> None:
    skill = replace(YEAR, needs=tuple(condition_from_rows(DATES)))
    assert skill.contract_text == "date: text with digit, '-'"
    assert (
        replace(skill, needs=({"kinds": ["text"], "filled": True},)).contract_text == "date: text with something in it"
    )
