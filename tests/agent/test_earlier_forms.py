"""Rows and checkpoints that earlier versions wrote, read as values of today."""

from __future__ import annotations

from evolve.core.episodes import (
    Action,
    Alternative,
    Ambiguity,
    BudgetEnd,
    EnvironmentState,
    Limits,
    Observation,
    Plan,
    Recalled,
    SampleRequest,
    StageNote,
    Subgoal,
)
from evolve.core.episodes.codec import from_data, to_data

GOALS = [{"id": "s1", "goal": "read", "postcondition": "", "needs": []}]
FACTS = [
    {"id": "i-abcdef01", "of": "abcdef0123", "kind": "insight", "text": "Dates are short.", "status": "supported"},
    {"id": "p-77777777", "of": "7" * 32, "kind": "preference", "text": "Day first.", "status": None, "author": "Ada"},
]
TOLD = (
    Recalled(id="abcdef0123", kind="insight", text="Dates are short.", score=0.0, status="supported"),
    Recalled(id="7" * 32, kind="preference", text="Day first.", score=0.0, author="Ada"),
)


def earlier_action(**data):
    return from_data(Action, {"kind": "code", "code": "x", "text": "", "data": data, "consumed": []})


def test_an_answer_of_the_search_with_rivals_and_what_stages_said() -> None:
    asked = {"input": ["a b"], "outputs": ["a", "b"], "code": "y"}
    rival = {"code": "z", "data": {"tree": ["input", 0], "price": 7, "candidates": 9}, "consumed": ["skill:1"]}
    found = earlier_action(
        tree=["input", 0],
        price=3,
        candidates=5,
        budget=400,
        ambiguity=asked,
        rivals=[rival],
        drawn=[[100, 2]],
        deliberation=[{"stage": "vote", "text": "two of three", "doubtful": False}, {"stage": "search", "text": "no"}],
        settled=True,
    )
    assert found == Action(
        kind="code",
        code="x",
        private={"tree": ["input", 0], "price": 3, "candidates": 5},
        allowed=Limits(candidates=400, seconds=None),
        ambiguity=Ambiguity(input=("a b",), outputs=("a", "b"), code="y"),
        rivals=(Alternative(code="z", private=dict(rival["data"]), consumed=("skill:1",)),),
        drawn=(SampleRequest(candidates=100, wanted=2),),
        notes=(StageNote(stage="vote", text="two of three", doubtful=False), StageNote(stage="search", text="no")),
        settled=True,
    )


def test_an_answer_of_a_model_with_the_plan_that_it_began_with() -> None:
    found = earlier_action(subgoal="s1", facts=FACTS, goal="read it", plan=GOALS, written="short", subgoals=GOALS)
    goals = (Subgoal(id="s1", goal="read", postcondition=""),)
    assert found.plan == Plan(goal="read it", subgoals=goals, told=TOLD)
    assert (found.subgoal, found.source, found.revised, found.private) == ("s1", "short", goals, {})
    asked = earlier_action(samples=[{"code": "a", "written": "b", "consumed": ["i"]}], decided=True, explores=True)
    assert asked.samples == (Alternative(code="a", written="b", consumed=("i",)),)
    assert asked.decided and asked.explores


def test_a_plan_and_its_end() -> None:
    plan = {"goal": "g", "subgoals": GOALS}
    told = from_data(Plan, {**plan, "data": {"facts": FACTS}})
    assert told.told == TOLD
    ended = from_data(Plan, {**plan, "data": {"unfit": "no room", "budget ended": {"tokens": 9}}})
    assert (ended.unfit, ended.ended) == ("no room", BudgetEnd(tokens=9))
    priced = from_data(Plan, {**plan, "data": {"prices": {"sort": 3}, "likely": [], "recalled": ["i"], "share": 0.5}})
    assert priced.private == {"prices": {"sort": 3}, "likely": [], "recalled": ["i"], "share": 0.5}


def test_what_came_back_from_a_folder_and_from_a_person() -> None:
    said = {"snapshot": "d", "parent": 2, "score": 0.5, "changed": ["a"], "protected": [], "output": "o", "check": "c"}
    found = from_data(Observation, {"ok": False, "outputs": [], "data": said})
    state = EnvironmentState(snapshot="d", parent=2, score=0.5, changed=("a",), output="o", check="c")
    assert found.state == state
    assert from_data(Observation, {"ok": False, "data": {}}).state is None
    assert from_data(Observation, {"ok": False, "data": {"person": True}}).person
    assert from_data(Observation, {"ok": False, "data": {"interrupted": True}}).interrupted
    assert from_data(Observation, {"ok": False, "data": {"readings": [1, 2]}}).readings == (1, 2)


def test_a_recalled_insight() -> None:
    data = {"cause": "operation:sort", "direction": -1, "similarity": 0.5, "status": "contested", "provenance": "p"}
    found = from_data(Recalled, {"id": "i", "kind": "insight", "text": "t", "score": 1.0, "data": data})
    assert (found.cause, found.direction, found.status, found.provenance) == ("operation:sort", -1, "contested", "p")


def test_todays_form_holds_what_was_said_and_reads_as_it_was_written() -> None:
    action = Action(kind="code", code="x", rivals=(Alternative(code="y"),), plan=Plan(goal="g", told=TOLD))
    assert from_data(Action, to_data(action)) == action
    assert "samples" not in to_data(action) and "code" in to_data(Action(kind="finish"))
