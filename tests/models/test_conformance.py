"""What every wire, every meter and every model does alike."""

from __future__ import annotations

import threading

import pytest

from evolve.core.episodes import Cost
from evolve.core.errors import BudgetExhausted
from evolve.core.ledger import Budget, Ledger, LimitedLedger, SpendingLimits
from evolve.runtime.models import (
    Deadlines,
    Endpoint,
    Exchange,
    ExchangeFailure,
    FolderStore,
    ModelSetup,
    OpenAIWire,
    RawReply,
    RecordingWire,
    open_models,
)
from evolve.runtime.models.recording import exchange_digest
from evolve.runtime.models.replies import read_reply
from evolve.testing import LocalWire, Scenario, ScriptedEndpoint
from tests.models.conftest import ask

PATIENT = Deadlines(connect=2.0, idle=2.0, total=4.0)


class Parrot:
    def answer(self, body):
        text = body["messages"][-1]["content"]
        return ExchangeFailure(kind="server", text="HTTP 500: scripted", status=500) if text == "fail" else text


@pytest.fixture(params=["http", "local", "recording"])
def wire(request, tmp_path):
    if request.param == "local":
        yield LocalWire(Parrot())
        return
    with ScriptedEndpoint(Scenario(replies=["hello", {"status": 500}, "hello"])) as serving:
        made = OpenAIWire(Endpoint(base_url=serving.base_url, model="scripted"))
        yield made if request.param == "http" else RecordingWire(made, FolderStore(tmp_path), "reuse")
        made.close()


def exchange(text, **more):
    body = {"model": "scripted", "messages": [{"role": "user", "content": text}], "max_tokens": 5, **more}
    return Exchange(base_url="http://x.example/v1", path="chat/completions", body=body)


def test_wires_give_replies_and_failures_as_values(wire):
    sound = wire.send(exchange("hello"), PATIENT)
    assert isinstance(sound, RawReply)
    assert read_reply(sound.content, streamed=False).text == "hello"
    failed = wire.send(exchange("fail"), PATIENT)
    assert isinstance(failed, ExchangeFailure)
    assert (failed.kind, failed.status, failed.is_retryable) == ("server", 500, True)
    again = wire.send(exchange("hello"), PATIENT)
    assert read_reply(again.content, streamed=False).text == "hello"
    wire.close()
    wire.close()


@pytest.fixture(params=["run", "run, day and workspace"])
def meter(request, tmp_path):
    budget = Budget(tokens=100, calls=3, money=1.0)
    if request.param == "run":
        return Ledger(budget)
    return LimitedLedger(Ledger(Budget()), SpendingLimits(tmp_path / "s.db", day=budget, total=Budget(tokens=10_000)))


def test_meters_hold_what_is_set_aside_until_it_is_settled(meter):
    most = Cost(tokens=60, calls=1, money=0.25)
    assert meter.reserve(most)
    assert (meter.remaining.tokens, meter.remaining.calls, meter.remaining.money) == (40, 2, 0.75)
    assert not meter.reserve(most)
    meter.settle(most, Cost(tokens=20, calls=1, money=0.05))
    assert meter.reserve(most)
    meter.settle(most, Cost(tokens=60, calls=2))
    assert "3 calls" in meter.exhausted_bound
    assert not meter.reserve(Cost())
    with pytest.raises(ValueError, match="reserved"):
        meter.settle(most, Cost())


def test_meters_keep_their_bound_among_threads(meter):
    passed = []

    def work():
        if meter.reserve(Cost(tokens=30)):
            passed.append(1)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(passed) == 3


@pytest.mark.parametrize("level", [0, 1])
def test_models_answer_alike_one_by_one_and_by_role(level):
    ledger = Ledger(Budget(calls=2))
    setup = ModelSetup(
        model="http://a/v1#a,http://b/v1#b", environ={}, meter=ledger, wire=lambda _: LocalWire(Parrot())
    )
    with open_models(setup) as models:
        one = models.escalate(level).model_for("act")
        assert one.name == ["http://a/v1#a", "http://b/v1#b"][level]
        for model in (one, models.escalate(level)):
            assert model.complete(ask("hello")).text == "hello"
        for model in (one, models.escalate(level)):
            with pytest.raises(BudgetExhausted):
                model.complete(ask("hello"))
            model.close()
            model.close()


def test_a_recording_is_found_on_another_day(tmp_path):
    def exchange(text):
        body = {"messages": [{"role": "user", "content": text}, {"role": "user", "content": [{"text": text}]}]}
        return Exchange(base_url="http://x/v1", path="/chat/completions", body=body)

    first, later = (exchange(f"Today is {day}.\nMore.") for day in ("Monday, 2026-01-05", "Friday, 2027-11-12"))
    assert exchange_digest(first) == exchange_digest(later)
    others = ("Today is Monday, 2026-01-05 or so.", "Today is a day.", "On Monday, 2026-01-05.\nMore.")
    assert len({exchange_digest(exchange(text)) for text in (*others, "Today is Monday, 2026-01-05.\nMore.")}) == 4
