"""The one thing in which two arms differ, and what a pair says of it."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from evolve.core.episodes import Cost, EpisodeRecord, Limits, Row
from evolve.policies.language.prompt_items import parse_prompt
from evolve.tasks import Task
from evolve.trials import Change, run_pairs
from evolve.trials.comparisons import by_cost
from evolve.trials.learned_state import LearnedState

PROMPT = "Do it.\n\nAdvice:\n- Read first.\n- Write last.\n"
ARM = LearnedState(variant="v", prompts={"act.md": PROMPT, "plan.md": "Plan.\n"}, lacking=frozenset({"map"}))
ROWS = tuple(Row(input=(number,), output=number) for number in range(4))
TASK = Task(id="t", family="f", instruction="", signature="(n: int) -> int", examples=ROWS[:2], verify=ROWS[1:])
LIMITS = Limits(candidates=10, seconds=None, tokens=0)


def differing(one, other):
    return {item.name for item in fields(one) if getattr(one, item.name) != getattr(other, item.name)}


def test_no_change_changes_nothing() -> None:
    assert (Change().apply_to(ARM), Change().changed_task(TASK), Change().limits(LIMITS)) == (ARM, TASK, LIMITS)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        (Change(causes=frozenset({"sort"})), "lacking"),
        (Change(texts={"act.md": "Other."}), "prompts"),
        (Change(advice=frozenset({parse_prompt(PROMPT).items[0].id})), "prompts"),
    ],
)
def test_a_change_of_one_part_leaves_the_others(change, part) -> None:
    assert differing(ARM, change.apply_to(ARM)) == {part}


def test_left_out_advice_leaves_the_other_lines() -> None:
    first, second = parse_prompt(PROMPT).items
    left = Change(advice=frozenset({first.id})).apply_to(ARM).prompts
    assert [item.id for item in parse_prompt(left["act.md"]).items] == [second.id]
    assert left["plan.md"] == ARM.prompts["plan.md"]


def test_a_row_is_left_out_wherever_it_stands() -> None:
    changed = Change(row=ROWS[1]).changed_task(TASK)
    assert (changed.examples, changed.verify) == (ROWS[:1], ROWS[2:])


def test_what_has_no_bound_gets_none_by_more_to_spend() -> None:
    assert Change(times=3).limits(LIMITS) == replace(LIMITS, candidates=30)


@pytest.mark.parametrize(
    ("status", "verified", "cost", "found"),
    [
        ("solved", True, 50, ("prevents", 1)),
        ("solved", True, 51, ("necessary", -1)),
        ("solved", True, 199, ("necessary", -1)),
        ("solved", True, 200, ("necessary", 1)),
        ("unsolved", False, 10, ("necessary", 1)),
        ("budget", False, 400, ("necessary", 1)),
        ("fault", False, 400, None),
        ("interrupted", False, 400, None),
    ],
)
def test_what_the_cost_without_a_cause_says_beside_a_hundred_with_it(status, verified, cost, found) -> None:
    record = EpisodeRecord(
        episode="e",
        run="r",
        task="t",
        suite="",
        group="g",
        split="probe",
        variant="v",
        seed=0,
        status=status,
        verified=verified,
        cost=Cost(candidates=cost),
    )
    said = by_cost(100, record)
    assert (said and (said.relation, said.direction)) == found


@pytest.mark.parametrize("change", [Change(row=ROWS[0]), Change(times=2)])
def test_pairs_are_refused_where_both_arms_would_not_get_the_same(change) -> None:
    with pytest.raises(ValueError, match="one task and one limit"):
        run_pairs(None, [TASK], ARM, change, names=("with", "without"))
