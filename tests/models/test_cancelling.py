"""A person ends a call that is under way, whatever it is waiting for."""

from __future__ import annotations

import threading
import time

import pytest

from evolve.cancellation import Cancellation
from evolve.errors import Cancelled
from evolve.ledger import Budget, Ledger
from evolve.models import Deadlines, Exchange, Failure, Message, ModelRequest, ModelSetup, OpenAIWire, open_models
from evolve.models.addressing import parse_model
from evolve.testing import Scenario, ScriptedEndpoint

SLACK_S = 10.0
"""For a busy machine; the calls would last a minute."""


@pytest.mark.parametrize("fault", ["hang", "stalled stream"])
def test_a_call_that_is_ended_before_its_connection_stands_is_cut_as_soon_as_it_does(fault):
    cancellation = Cancellation()
    cancellation.cancel()
    with ScriptedEndpoint(Scenario(replies=[{"fault": fault}])) as serving:
        wire = OpenAIWire(parse_model(serving.model))
        body = {"model": "scripted", "messages": [], "stream": fault != "hang"}
        exchange = Exchange(base_url=serving.base_url, path="chat/completions", body=body)
        started = time.monotonic()
        answer = wire.send(exchange, Deadlines(cancellation=cancellation), lambda piece: None)
        assert time.monotonic() - started < SLACK_S
        wire.close()
    assert isinstance(answer, Failure)


@pytest.mark.slow
def test_a_cancelled_call_is_booked_and_not_tried_again():
    cancellation, meter = Cancellation(), Ledger(Budget(tokens=100_000))
    with ScriptedEndpoint(Scenario(replies=[{"fault": "hang"}] * 3)) as serving:
        with open_models(ModelSetup(model=serving.model, meter=meter)) as models:
            threading.Timer(1.0, cancellation.cancel).start()
            with pytest.raises(Cancelled):
                models.complete(ModelRequest(messages=[Message(role="user", text="x")]), None, cancellation)
        assert len(serving.requests) <= 1
    assert meter.spent.tokens > 0


@pytest.mark.slow
def test_nobody_waits_out_a_pause_after_they_said_stop():
    cancellation = Cancellation()
    scenario = Scenario(replies=[{"status": 429, "retry_after": 50}])
    with ScriptedEndpoint(scenario) as serving, open_models(ModelSetup(model=serving.model)) as models:
        threading.Timer(1.0, cancellation.cancel).start()
        started = time.monotonic()
        with pytest.raises(Cancelled):
            models.complete(ModelRequest(messages=[Message(role="user", text="x")]), None, cancellation)
        assert time.monotonic() - started < 1.0 + SLACK_S


TEXT = "The quick brown fox jumps over the lazy dog while the committee reads its report. " * 60
"""English of 4,920 bytes; tokenizers in use make 900 to 1,200 tokens of it."""


@pytest.mark.parametrize("step", [{"fault": "hang"}, {"fault": "cut stream", "text": "one two three " * 40}])
def test_a_call_that_a_person_stopped_is_counted_by_what_was_sent_and_received(step):
    cancellation, meter = Cancellation(), Ledger(Budget(tokens=100_000))
    heard = []

    def listen(piece):
        heard.append(piece)
        if piece:
            cancellation.cancel()

    with ScriptedEndpoint(Scenario(replies=[step] * 3)) as serving:
        with open_models(ModelSetup(model=serving.model, meter=meter)) as models:
            if step["fault"] == "hang":
                threading.Thread(target=cancel_once_asked, args=(serving, cancellation), daemon=True).start()
            with pytest.raises(Cancelled):
                models.complete(ModelRequest(messages=[Message(role="user", text=TEXT)]), listen, cancellation)
        assert len(serving.requests) == 1
    assert bool("".join(heard)) == (step["fault"] != "hang")
    assert 900 <= meter.spent.tokens <= 1_900
    assert meter.spent.calls == 1


def cancel_once_asked(serving, cancellation):
    while not serving.requests:
        time.sleep(0.01)
    cancellation.cancel()
