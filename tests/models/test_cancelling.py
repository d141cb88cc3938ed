"""A person ends a call that is under way, whatever it is waiting for."""

from __future__ import annotations

import json
import threading
import time

import pytest

from evolve.core.cancellation import Cancellation
from evolve.core.errors import Cancelled
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import (
    Deadlines,
    Exchange,
    ExchangeFailure,
    Message,
    ModelRequest,
    ModelSetup,
    OpenAIWire,
    RawReply,
    open_models,
)
from evolve.runtime.models.addressing import parse_model
from evolve.testing import Scenario, ScriptedEndpoint
from evolve.testing.endpoint_faults import chat_completion_body

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
    assert isinstance(answer, ExchangeFailure)


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


class StoppedWire:
    """Streams a part of a reply; then the person says stop."""

    def __init__(self, cancellation, *deltas):
        self.cancellation, self.deltas = cancellation, deltas

    def send(self, exchange, deadlines, on_bytes=None):
        if not exchange.is_streamed:
            usage = {"prompt_tokens": 2_500, "completion_tokens": 10}
            return RawReply(content=json.dumps(chat_completion_body("fine", usage=usage)).encode())
        for delta in self.deltas:
            on_bytes(b"data: " + json.dumps({"choices": [{"delta": delta}]}).encode() + b"\n\n")
        self.cancellation.cancel()
        return ExchangeFailure(kind="timeout", text="ended", billed=True)

    def close(self):
        pass


@pytest.mark.parametrize(
    ("deltas", "least", "most"),
    [
        ([{"content": "word " * 80}], 2_500 + 80, 2_500 + 200),
        ([{"reasoning_content": "thought " * 80}, {"content": "x"}], 2_500 + 80, 2_500 + 300),
        ([], 2_500 + 8_000, 20_000),  # nobody knows what it was doing
    ],
)
def test_a_stream_that_a_person_ends_is_booked_by_what_was_sent_and_received(deltas, least, most):
    cancellation, meter = Cancellation(), Ledger(Budget(tokens=100_000))
    wire = StoppedWire(cancellation, *deltas)
    models = open_models(ModelSetup(model="http://127.0.0.1:1/v1#m", meter=meter, wire=lambda endpoint: wire))
    request = ModelRequest(messages=[Message(role="user", text="word " * 2_000)], max_tokens=8_000)
    models.complete(request)
    before = meter.spent.tokens
    with pytest.raises(Cancelled):
        models.complete(request, lambda text: None, cancellation)
    assert least <= meter.spent.tokens - before <= most
