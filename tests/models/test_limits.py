"""How much fits a model, and where that is known from."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import suppress
from dataclasses import asdict
from itertools import pairwise

import pytest

from evolve.core.errors import EndpointProblem, PromptTooLong
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import (
    Endpoint,
    ExchangeFailure,
    FolderStore,
    Message,
    ModelRequest,
    ModelSetup,
    RawReply,
    Recording,
    TokenLimits,
    open_models,
)
from evolve.runtime.models.abilities import Abilities, limits_of, window_in
from evolve.runtime.models.costs import Price, listed_model
from tests.models.conftest import ask, recorded
from tests.models.test_spending import local

OPENAI = "https://api.openai.com/v1"


class ListingWire:
    """An endpoint that gives a list of models, and counts how often it was asked for it."""

    def __init__(self, *rows):
        self.rows, self.asked = rows, 0

    def send(self, exchange, deadlines, on_bytes=None):
        assert exchange.path == "models"
        self.asked += 1
        return RawReply(content=json.dumps({"data": list(self.rows)}).encode())

    def close(self):
        pass


def opened(model, wire, **more):
    return open_models(ModelSetup(model=model, environ={}, wire=lambda endpoint: wire, **more))


def test_the_list_of_prices_knows_windows_and_nobody_is_asked():
    wire = ListingWire()
    limits = opened(f"{OPENAI}#gpt-5-mini", wire).limits()
    assert limits == TokenLimits(window=400_000, reply=16_384, known=True)
    assert wire.asked == 0


@pytest.mark.slow
def test_the_list_is_read_without_a_network():
    code = """
import socket
def refuse(*arguments, **more): raise AssertionError("something was asked for over the network")
socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse
from evolve.runtime.models import Endpoint, Prices
print(Prices().price_of(Endpoint(base_url="https://api.openai.com/v1", model="gpt-4.1")).output)
"""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("8.0", "")


def test_what_the_list_says_of_another_host_is_not_believed():
    known = listed_model(Endpoint(base_url=OPENAI, model="gpt-4o"))
    assert known.price is not None
    for url in ("https://host.example/v1", "http://127.0.0.1:1/v1"):
        assert listed_model(Endpoint(base_url=url, model="gpt-4o")).price is None


def test_a_price_that_rises_with_the_prompt_is_that_of_all_its_tokens():
    price = listed_model(Endpoint(base_url="https://api.anthropic.com/v1", model="claude-sonnet-4-5")).price
    assert price.call_cost(200_000, 1_000) == pytest.approx(0.2 * 3 + 0.001 * 15)
    assert price.call_cost(200_001, 1_000) == pytest.approx(0.200001 * 6 + 0.001 * 22.5)
    assert Price(input=1, output=2).call_cost(1_000_000, 0) == 1.0


@pytest.mark.parametrize(
    ("row", "window"),
    [
        ({"max_model_len": 8192}, 8_192),
        ({"meta": {"n_ctx_train": 131_072, "n_ctx": 16_384}}, 16_384),
        ({"meta": {"n_ctx_train": 131_072}}, 32_768),
        ({"meta": {"n_ctx_train": 4_096}}, 4_096),
        ({"loaded_context_length": 4_096, "max_context_length": 131_072}, 4_096),
        ({"context_length": 200_000, "top_provider": {"context_length": 128_000}}, 128_000),
        ({"context_window": 131_072}, 131_072),
        ({"max_model_len": None}, None),
        ({"max_model_len": "8192", "context_length": True, "meta": 5}, None),
    ],
)
def test_windows_in_the_lists_of_several_servers(row, window):
    assert window_in(row) == window
    wire = ListingWire({"id": "other", "max_model_len": 999}, {"id": "m", **row})
    models = opened("http://127.0.0.1:1/v1#m", wire)
    limits = [models.limits(role) for role in ("act", "judge", "act")]
    assert limits[0].window == (window or 32_768)
    assert limits[0].known is (window is not None)
    assert limits[0].reply <= limits[0].window // 4
    assert wire.asked == 1


def test_unknown_is_a_stated_default(bench):
    assert bench().models.limits() == TokenLimits(window=32_768, reply=8_192, known=False)


def test_an_endpoint_that_refuses_a_prompt_names_its_window_and_it_is_remembered(bench, tmp_path):
    kept = tmp_path / "abilities.json"
    one = bench(context=1_000, setup={"abilities": kept})
    with pytest.raises(PromptTooLong):
        one.complete(ask("x" * 2_000))
    assert one.models.limits() == TokenLimits(window=1_000, reply=250, known=True)
    again = bench(setup={"abilities": kept, "model": one.endpoint.model})
    assert again.models.limits().window == 1_000


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4 tokens. However, you requested 500 tokens.",
        "max_tokens is too large: 50. This model supports at most 1 completion tokens, whereas you provided 50.",
    ],
)
def test_a_figure_that_no_model_has_is_not_remembered(bench, tmp_path, message):
    """Remembered, it would leave no room for any prompt or reply of later runs."""
    kept = tmp_path / "abilities.json"
    one = bench({"status": 400, "message": message}, "fine", setup={"abilities": kept})
    with suppress(EndpointProblem):
        one.complete(ask("x" * 2_000))
    again = bench("fine", setup={"abilities": kept, "model": one.endpoint.model})
    assert again.models.limits() == TokenLimits(window=32_768, reply=8_192, known=False)


def test_work_that_may_go_to_a_dearer_model_fits_that_one_too():
    wire = ListingWire({"id": "cheap", "max_model_len": 64_000}, {"id": "dear", "max_model_len": 16_000})
    models = opened("http://127.0.0.1:1/v1#cheap, http://127.0.0.1:1/v1#dear", wire)
    assert models.limits().window == 16_000
    assert models.limits().reply == 4_000


def test_a_replay_knows_the_limits_of_its_recording(tmp_path):
    wire = ListingWire({"id": "m", "max_model_len": 8_192})
    model = "http://127.0.0.1:1/v1#m"
    assert opened(model, wire, **recorded(tmp_path)).limits().window == 8_192
    again = opened(model, ListingWire(), recording=Recording(place=tmp_path, mode="only"))
    assert again.limits().window == 8_192
    elsewhere = opened(model, wire, recording=Recording(place=tmp_path / "empty", mode="record"))
    assert elsewhere.limits().known
    assert isinstance(FolderStore(tmp_path / "empty"), FolderStore)


def test_a_replay_asks_as_its_recording_did_whatever_was_found_out_since(tmp_path):
    model, kept = "http://127.0.0.1:1/v1#m", tmp_path / "abilities.json"

    def draws(**setup):
        return opened(model, ListingWire(), **setup).limits().draws

    kept.write_text(json.dumps({model: {**asdict(Abilities()), "draws": 12}}))
    assert draws(abilities=kept, **recorded(tmp_path / "recording")) == 12
    kept.unlink()
    assert draws(recording=Recording(place=tmp_path / "recording", mode="only")) == 12
    assert draws(abilities=kept, **recorded(tmp_path / "other")) == 1


@pytest.mark.parametrize(("speed", "draws", "reply"), [(10.0, 12, 1_200), (1.0, 12, 1_024), (10.0, 1, 8_192)])
def test_a_reply_that_runs_away_is_bounded_by_the_speed_of_a_model_that_repeats_itself_only(speed, draws, reply):
    assert limits_of(None, Abilities(speed=speed, draws=draws)).reply == reply


class TestTurns:
    """A prompt that is too long loses whole turns: roles still alternate, in the order that they had."""

    def request(self):
        turns = [
            Message(role="system", text="rules" * 20, priority=100),
            Message(role="user", text="task" * 20, priority=100),
        ]
        for number in range(6):
            turns.append(Message(role="assistant", text=f"act {number} " + "a" * 200, priority=20, kind="act"))
            turns.append(Message(role="user", text=f"saw {number} " + "s" * 200, priority=30, kind="saw"))
        turns.append(Message(role="user", text="facts" * 20, priority=10, kind="facts"))
        turns.append(Message(role="user", text="go on", priority=100))
        return ModelRequest(messages=turns, max_tokens=20)

    @pytest.mark.parametrize("context", [700, 1_000, 1_500, 2_200])
    def test_an_act_goes_with_what_came_of_it(self, bench, context):
        one = bench("fine", context=context)
        one.complete(self.request())
        sent = [(message["role"], message["content"]) for message in one.bodies[0]["messages"]]
        whole = [(message.role, message.text) for message in self.request().messages]
        assert sent == [message for message in whole if message in sent]
        numbers = [text.split()[1] for role, text in sent if role == "assistant"]
        assert numbers == [text.split()[1] for _, text in sent if text.startswith("saw")]
        # The oldest go first.
        assert numbers == [str(number) for number in range(6 - len(numbers), 6)]
        roles = [role for role, _ in sent]
        assert all(pair != ("assistant", "assistant") for pair in pairwise(roles))

    def test_a_kept_turn_keeps_its_answer(self, bench):
        request = self.request()
        messages = list(request.messages)
        messages[2] = Message(role="assistant", text="act 0 " + "a" * 200, priority=100, kind="act")
        one = bench("fine", context=1_000)
        one.complete(ModelRequest(messages=messages, max_tokens=20))
        texts = [message["content"][:5] for message in one.bodies[0]["messages"]]
        assert texts[2:4] == ["act 0", "saw 0"]


def test_what_one_call_learns_is_not_forgotten_by_another_that_began_before_it():
    told = "max_tokens is too large: 900. This model supports at most 40 completion tokens."

    def answer(body):
        if body.get("max_tokens") == 50:
            model.complete(ask(max_tokens=900))  # another call, while this one is under way
        return ExchangeFailure(kind="request", text=told, status=400) if body.get("max_tokens") == 900 else "fine"

    model = local(answer, Ledger(Budget()))
    model.complete(ask("x" * 2_000, max_tokens=50))
    assert model.limits().reply == 40
