"""What models may spend, what they did spend, and what is paid only once."""

from __future__ import annotations

import json
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import BudgetExhausted, EndpointProblem, ModelMistake, RecordDamaged, UsageError, WorkspaceError
from evolve.core.ledger import Budget, Ledger, LimitedLedger, SpendingLimits
from evolve.runtime.models import (
    Endpoint,
    EndpointModel,
    Exchange,
    ExchangeFailure,
    ModelClientSetup,
    Price,
    Prices,
    RetryRules,
    exchange_digest,
    load_wording,
)
from evolve.testing import LocalWire
from evolve.testing.endpoint_faults import bad_bodies, chat_completion_body
from tests.models.conftest import SUM, ask, recorded

WORDING = load_wording()
HERE = Endpoint(base_url="http://local.example/v1", model="m")
BAD = [json.loads(bad_bodies()[kind]()) for kind in ("null choices", "empty content", "an unknown tool")]


def local(handler, meter, price=None, **more):
    services = ModelClientSetup(
        wire=LocalWire(handler), wording=WORDING, meter=meter, price=price, sleep=lambda seconds: None, **more
    )
    return EndpointModel(HERE, services)


def erratic(rng):
    """An endpoint that does anything, and never uses more than it was allowed."""

    def answer(body):
        kind = rng.random()
        if kind < 0.15:
            return ExchangeFailure(kind="server", text="down")
        if kind < 0.25:
            return ExchangeFailure(kind="timeout", text="late", billed=True)
        if kind < 0.35:
            return rng.choice(BAD)
        prompt = sum(len(message["content"]) for message in body["messages"])
        usage = {"prompt_tokens": rng.randint(1, prompt), "completion_tokens": rng.randint(0, body["max_tokens"])}
        text = rng.choice(['{"sum": 42}', "no JSON"])
        return chat_completion_body(text, usage=rng.choice([usage, usage, None]))

    return answer


@pytest.mark.slow
@settings(max_examples=1_000)
@given(
    seed=st.integers(0, 2**32),
    tokens=st.none() | st.integers(1, 3_000),
    calls=st.none() | st.integers(1, 12),
    money=st.none() | st.integers(1, 900).map(lambda mills: mills / 1_000),
)
def test_what_is_spent_never_passes_the_budget(seed, tokens, calls, money):
    rng = random.Random(seed)
    ledger = Ledger(Budget(tokens=tokens, calls=calls, money=money))
    model = local(erratic(rng), ledger, Price(input=100.0, output=400.0), rules=RetryRules(attempts=2))
    for _ in range(rng.randint(1, 5)):
        try:
            model.complete(ask(schema=rng.choice([None, SUM]), max_tokens=rng.randint(1, 300)))
        except BudgetExhausted:
            break
        except (EndpointProblem, ModelMistake):
            continue
    for kind, bound in (("tokens", tokens), ("calls", calls), ("money", money)):
        assert bound is None or getattr(ledger.spent, kind) <= bound


def test_threads_share_one_budget():
    ledger = Ledger(Budget(tokens=20_000, calls=60, money=3.0))
    model = local(erratic(random.Random(1)), ledger, Price(input=100.0, output=400.0))

    def work(number):
        try:
            model.complete(ask(max_tokens=100 + number))
        except (BudgetExhausted, EndpointProblem, ModelMistake) as error:
            return type(error)

    with ThreadPoolExecutor(8) as pool:
        ends = list(pool.map(work, range(80)))
    spent = ledger.spent
    assert BudgetExhausted in ends
    assert spent.tokens <= 20_000
    assert spent.calls <= 60
    assert spent.money <= 3.0
    left = ledger.remaining
    assert left.calls == 60 - spent.calls  # nothing is still set aside
    assert left.tokens == 20_000 - spent.tokens


def test_a_call_that_does_not_fit_is_not_made(bench):
    one = bench("fine", setup={"meter": Ledger(Budget(tokens=100))})
    with pytest.raises(BudgetExhausted, match="may take .* tokens, and less than that is left"):
        one.complete(ask(max_tokens=500))
    assert one.bodies == []


def test_the_usage_of_a_reply_is_what_the_ledger_books(bench):
    ledger = Ledger(Budget(tokens=10_000))
    one = bench({"bad": "null content"}, {"text": "fine", "usage": {"prompt_tokens": 7, "completion_tokens": 3}})
    one.models.model_for("act").services = replaced(one, meter=ledger)
    usage = one.complete().usage
    assert (usage.tokens, usage.calls) == (ledger.spent.tokens, ledger.spent.calls)
    assert usage.calls == 2


def replaced(one, **more):
    from dataclasses import replace

    return replace(one.models.model_for("act").services, **more)


def test_money_cannot_be_limited_where_the_price_is_not_known():
    model = local(lambda body: "fine", Ledger(Budget(money=1.0)))
    with pytest.raises(UsageError, match="price of .* is not known") as caught:
        model.complete(ask())
    assert "prices.toml" in caught.value.hint
    free = local(lambda body: "fine", Ledger(Budget(tokens=1_000)))
    assert not free.complete(ask()).usage.priced


class TestPrices:
    def test_the_table_that_ships(self):
        prices = Prices()
        mini = Endpoint(base_url="https://api.openai.com/v1", model="gpt-5-mini")
        dated = Endpoint(base_url="https://api.openai.com/v1", model="gpt-5-mini-2025-08-07")
        assert prices.price_of(mini) == prices.price_of(dated) == Price(input=0.25, output=2.0, cached=0.025)
        assert prices.price_of(mini).call_cost(1_000_000, 500_000, 400_000) == pytest.approx(0.15 + 0.01 + 1.0)

    def test_what_runs_here_is_free_and_what_is_unknown_is_not(self):
        assert Prices().price_of(Endpoint(base_url="http://127.0.0.1:8080/v1", model="m")) == Price(input=0, output=0)
        assert Prices().price_of(Endpoint(base_url="https://host.example/v1", model="gpt-5")) is None
        assert Prices().price_of(Endpoint(base_url="https://api.openai.com/v1", model="gpt-99")) is None

    def test_a_workspace_adds_its_own(self, tmp_path):
        own = tmp_path / "prices.toml"
        own.write_text('[models]\n"https://host.example/v1#m" = { input = 1, output = 2 }\n')
        endpoint = Endpoint(base_url="https://host.example/v1", model="m")
        assert Prices(own).price_of(endpoint) == Price(input=1, output=2)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("[models]\nm = 3", "prices.toml: m: expected input, output"),
            ("[models.m]\ninput = 1", "prices.toml: m: expected input, output"),
            ("[models.m]\ninput = 1\noutput = -2", "prices.toml: m: output: not a price"),
            ("models = 1", "prices.toml: models: expected a table"),
            ("[models", "prices.toml: not valid TOML"),
        ],
    )
    def test_mistakes_are_named(self, tmp_path, text, message):
        (tmp_path / "prices.toml").write_text(text)
        with pytest.raises(WorkspaceError, match=message):
            Prices(tmp_path / "prices.toml")


class TestRecords:
    def test_what_was_recorded_is_had_again_for_nothing(self, bench, tmp_path):
        one = bench("fine", {"bad": "null choices"}, "again", setup=recorded(tmp_path))
        first, second = one.complete(), one.complete(ask("another"))
        ledger = Ledger(Budget(tokens=1_000_000))
        again = replay(one, tmp_path, "only", meter=ledger)
        assert (again.complete(ask()).text, again.complete(ask("another")).text) == (first.text, second.text)
        assert again.complete(ask()).usage.calls == 0
        assert ledger.spent.tokens == ledger.spent.calls == 0
        assert len(one.bodies) == 3

    def test_a_replay_names_what_it_lacks_and_asks_nobody(self, bench, tmp_path):
        one = bench("fine")
        again = replay(one, tmp_path, "only")
        body = {"model": "scripted", "messages": [{"role": "user", "content": "What is 17 + 25?"}], "max_tokens": 50}
        wanted = exchange_digest(Exchange(base_url=one.endpoint.base_url, path="chat/completions", body=body))
        with pytest.raises(EndpointProblem, match=f"nothing is recorded for the request {wanted}") as caught:
            again.complete(ask())
        assert not caught.value.retryable
        assert one.bodies == []

    def test_reuse_pays_once(self, bench, tmp_path):
        one = bench("fine", "never", setup=recorded(tmp_path, "reuse"))
        assert [one.complete().text for _ in range(3)] == ["fine"] * 3
        assert one.complete(ask(seed=1)).text == "never"

    def test_trouble_is_not_recorded(self, bench, tmp_path):
        one = bench({"fault": "cut stream"}, {"status": 500}, "fine", setup=recorded(tmp_path))
        one.complete(on_delta=lambda text: None)
        heard = []
        assert replay(one, tmp_path, "only").complete(ask(), heard.append).text == "".join(heard) == "fine"
        assert len(list(tmp_path.iterdir())) == 1

    def test_a_replay_takes_the_same_way_around_what_the_endpoint_refuses(self, bench, tmp_path):
        sent = [{"status": 500}, {"data": {"sum": 42}}]
        file = recorded(tmp_path / "all.jsonl", "reuse")
        one = bench(*sent, supports=("chat", "json_object"), setup=file)
        assert one.complete(ask(schema=SUM)).rung == "fenced"  # one form it does not know, at one it breaks
        again = replay(one, tmp_path / "all.jsonl", "only").complete(ask(schema=SUM))
        assert (again.rung, again.data, len(one.bodies)) == ("fenced", {"sum": 42}, 2)

    def test_a_torn_line_of_a_recording_is_no_exchange_and_a_wrong_one_is_named(self, bench, tmp_path):
        file = tmp_path / "all.jsonl"
        one = bench("first", "second", "third", setup=recorded(file, "reuse"))
        one.complete(ask("a"))
        one.complete(ask("b"))
        file.write_bytes(file.read_bytes()[:-20])
        again = bench("third", setup={"model": one.endpoint.model, **recorded(file, "reuse")})
        assert [again.complete(ask(text)).text for text in "ab"] == ["first", "third"]
        last = replay(one, file, "only")
        assert [last.complete(ask(text)).text for text in "ab"] == ["first", "third"]
        file.write_text("{}\n" + file.read_text())
        with pytest.raises(RecordDamaged, match=r"all.jsonl:1 is not"):
            replay(one, file, "only").complete(ask("a"))

    def test_a_damaged_record_is_named(self, bench, tmp_path):
        one = bench("fine", setup=recorded(tmp_path))
        one.complete()
        (path,) = tmp_path.iterdir()
        path.write_text("{}")
        with pytest.raises(RecordDamaged, match=path.name):
            replay(one, tmp_path, "only").complete(ask())


def replay(one, folder, mode, **more):
    from evolve.runtime.models import ModelSetup, open_models

    return open_models(ModelSetup(model=one.endpoint.model, environ={}, **recorded(folder, mode), **more))


def test_a_model_keeps_to_the_limit_of_the_day(bench, tmp_path):
    book = SpendingLimits(tmp_path / "spending.db", day=Budget(calls=2))
    one = bench(*["fine"] * 3, setup={"meter": LimitedLedger(Ledger(Budget()), book)})
    one.complete()
    one.complete()
    with pytest.raises(BudgetExhausted, match="limit of 2 calls for today is reached"):
        one.complete()
    assert len(one.bodies) == 2
