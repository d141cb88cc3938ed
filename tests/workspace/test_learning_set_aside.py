"""Learning that is set aside for something else goes on later, where it was, and pays for nothing twice."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager

import pytest

import evolve
from evolve.core.cancellation import Cancellation
from evolve.testing import ScriptedEndpoint
from evolve.workspace import Person
from tests.workspace.test_found_while_learning import SIX, TASK, coder

PATIENCE_S = 120.0


class Interrupting:
    """A model that has learning set aside while it answers the question with that number."""

    def __init__(self):
        self.answers, self.at, self.number, self.have_it_set_aside = coder(), 0, 0, None

    def answer(self, body):
        self.number += 1
        if self.number == self.at:
            self.have_it_set_aside()
        return self.answers(body)


@contextmanager
def serve():
    """An endpoint that nobody has asked before: what one can do is remembered by its address."""
    double = Interrupting()
    with ScriptedEndpoint(double=double) as serving:
        yield serving, double


@pytest.fixture
def served():
    with serve() as found:
        yield found


def solved(workspace):
    with workspace.delivering():
        return workspace.run(TASK)


def prompts(serving):
    return [json.dumps(body["messages"]) for body in serving.requests]


@pytest.mark.slow
def test_set_aside_before_every_question_it_asks_each_once_and_learns_the_same(served, tmp_path):
    with serve() as (serving, _), evolve.open(tmp_path / "straight", model=serving.model) as workspace:
        solved(workspace)
        start = len(serving.requests)
        (straight,) = workspace.learn()
        (record,) = workspace.stores.runs.episodes()
        asked = prompts(serving)[start:]
    serving, double = served
    with evolve.open(tmp_path / "ws", model=serving.model) as workspace:
        solved(workspace)
        start, calls = len(serving.requests), []
        taught = None
        while taught is None or taught.stopped:
            stop = Cancellation()
            double.at, double.have_it_set_aside = double.number + 1, stop.wind_down
            (taught,) = workspace.learn(person=Person(cancellation=stop))
            calls.append(taught.cost.calls)
        assert prompts(serving)[start:] == asked and len(calls) > 3
        assert calls[:3] == [1, 2, 3]  # one question each time, whose answer is kept
        (again,) = workspace.stores.runs.episodes()
    assert (taught.learned, taught.found.answer, taught.cost.tokens) == (straight.learned, SIX, straight.cost.tokens)
    assert (again.claims, again.cost.calls, again.cost.tokens) == (record.claims, record.cost.calls, record.cost.tokens)


@pytest.mark.slow
def test_a_call_that_is_stopped_is_counted_and_asked_again(served, tmp_path):
    serving, _ = served
    with evolve.open(tmp_path / "ws", model=serving.model) as workspace:
        solved(workspace)
        serving.add({"fault": "hang"})
        stop = Cancellation()
        ending = threading.Thread(target=lambda: (waiting(serving), stop.cancel()))
        ending.start()
        (taught,) = workspace.learn(person=Person(cancellation=stop))
        ending.join()
        assert taught.stopped and taught.cost.calls == 1 and taught.cost.tokens and taught.note
        (done,) = workspace.learn()
        assert not done.stopped and done.found.answer == SIX
        assert done.cost.tokens > taught.cost.tokens
        assert workspace.learn() == ()


def waiting(serving):
    """Until the step that was added is taken."""
    given_up = threading.Event()
    for _ in range(int(PATIENCE_S * 20)):
        if not serving.left:
            return
        given_up.wait(0.05)


def test_what_is_left_of_a_budget_bounds_learning_and_the_rest_stays_to_be_learned_from(served, tmp_path):
    serving, _ = served
    with evolve.open(tmp_path / "ws", model=serving.model) as workspace:
        solved(workspace)
        start = len(serving.requests)
        (taught,) = workspace.learn(budget="1-calls")
        assert taught.cost.calls <= 1 and len(serving.requests) - start <= 1
