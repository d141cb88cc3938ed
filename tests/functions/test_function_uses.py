"""How often functions were of use: what counts, what does not, and that nothing counts twice."""

from __future__ import annotations

import pytest

from evolve.agent import FunctionCounts, RunRepository
from evolve.core.episodes import Action, EpisodeRecord, FunctionCall, Observation, Step
from evolve.core.schema import IMPROVE
from evolve.core.store import Database


@pytest.fixture
def uses(tmp_path):
    with Database(tmp_path / "evolve.db", IMPROVE) as db:
        yield RunRepository(db)


def call(state: str) -> FunctionCall:
    return FunctionCall(function="f", digest="d", source="s", does="reads", arguments="{}", state=state)


def episode(task: str = "t", *states: str, split: str = "own", **more) -> EpisodeRecord:
    action = Action(kind="code", offered=("skill:other", "function:d", "function:never"))
    step = Step(number=0, action=action, observation=Observation(ok=True, calls=tuple(map(call, states))))
    told = {"episode": f"{task}{states}", "run": "r", "suite": "s", "group": "g", "variant": "v", "seed": 0}
    return EpisodeRecord(**told, task=task, split=split, status="solved", steps=(step,), **more)


def test_an_answered_call_counts_and_one_that_was_refused_failed_or_is_in_doubt_does_not(uses):
    uses.note_uses(episode("t", "refused", "failed", "doubtful"))
    assert uses.function_counts() == {"d": FunctionCounts(offered=1), "never": FunctionCounts(offered=1)}
    uses.note_uses(episode("t", "refused", "answered"))
    assert uses.function_counts()["d"] == FunctionCounts(offered=1, called=1)


def test_it_helped_where_the_answer_held_and_a_task_counts_once(uses):
    uses.note_uses(episode("a", "answered"))
    uses.note_uses(episode("b", "answered", "answered", verified=True))
    uses.note_uses(episode("b", "answered", verified=True))
    uses.note_uses(episode("c", "answered", checked=True))
    assert uses.function_counts()["d"] == FunctionCounts(offered=3, called=3, helpful=2)
    assert uses.function_counts()["never"] == FunctionCounts(offered=3)


@pytest.mark.parametrize("split", ["gate", "test"])
def test_tasks_that_only_measure_count_for_nothing(uses, split):
    uses.note_uses(episode("t", "answered", split=split, verified=True))
    assert uses.function_counts() == {}
