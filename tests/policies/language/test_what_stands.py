"""What a model is told of code that failed after it had acted, and of blocks that were not done."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Action, FunctionCall, Observation, Step, TaskView
from evolve.policies.language.results import observation_text

VIEW = TaskView(id="q", family="words", instruction="order", signature="", examples=(), environment="words")


def call(function: str, does: str, state: str = "answered") -> FunctionCall:
    return FunctionCall(function=function, digest="d", source="", does=does, arguments='{"item": "tea"}', state=state)


def step(error: str, *calls: FunctionCall, said: str = "") -> Step:
    action = Action(kind="code", code="x", explores=True, said=said)
    observed = Observation(ok=False, error=error, text=f"error: {error}" if error else "value: 1", calls=calls)
    return Step(number=1, action=action, observation=observed)


def test_code_that_failed_after_it_had_acted_is_told_what_stands():
    ordered, looked = call("order", "changes something and costs money"), call("stock", "reads")
    told = observation_text(
        VIEW, step("NameError: total", looked, ordered, call("mail", "sends data away", "doubtful"))
    )
    assert 'which stand:\norder({"item": "tea"}): done\nmail(' in told and "nobody knows" in told
    assert "stock(" not in told


@pytest.mark.parametrize("calls", [(call("stock", "reads"),), (call("order", "costs money", "refused"),)])
def test_nothing_is_told_where_nothing_was_done(calls):
    assert "stand" not in observation_text(VIEW, step("NameError: total", *calls))
    assert "stand" not in observation_text(VIEW, step("", call("order", "costs money")))


def test_a_block_beside_code_that_was_not_done_is_named():
    said = "I look.\n```python\nx\n```\n```recall\ntea\n```\n```answer\n12\n```\n"
    assert "not done, because code stood in the same reply: `recall`, `answer`" in observation_text(
        VIEW, step("", said=said)
    )
    assert "not done" not in observation_text(VIEW, step("", said="```python\nx\n```\n```python\ny\n```\n"))
