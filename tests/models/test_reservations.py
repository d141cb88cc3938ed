"""What is set aside for a call: so little that a long history uses its budget up, and never silently too little."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.core.errors import BudgetExhausted, EndpointProblem
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import AbilityStore, ExchangeFailure, Price
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import ask
from tests.models.test_spending import local

PRICE = Price(input=1.0, output=4.0)


def counting(density):
    """An endpoint that reports so many tokens for each byte of the prompt, and ten of its reply."""

    def answer(body):
        size = sum(len(message["content"].encode()) for message in body["messages"])
        more = density(size) if callable(density) else density
        usage = {"prompt_tokens": round(size * more), "completion_tokens": 10}
        return chat_completion_body("fine", usage=usage)

    return answer


def calls_within(budget, prompt, density=0.25, book=None):
    ledger = Ledger(budget)
    model = local(counting(density), ledger, PRICE, abilities=book or AbilityStore())
    number = 0
    with pytest.raises(BudgetExhausted):
        for number in range(1_000):  # noqa: B007
            model.complete(ask(prompt))
    return number, ledger


def test_a_long_history_uses_its_budget_up():
    number, ledger = calls_within(Budget(tokens=60_000), "a line of a long history\n" * 800)  # 20 kB, 5,000 tokens
    assert number >= 10
    assert 0.85 * 60_000 < ledger.spent.tokens <= 60_000


def test_before_anything_is_known_a_byte_may_be_a_token():
    prompt = "word " * 2_000
    model = local(counting(0.25), Ledger(Budget(tokens=10_000)))
    with pytest.raises(BudgetExhausted):
        model.complete(ask(prompt))
    assert local(counting(0.25), Ledger(Budget(tokens=10_200))).complete(ask(prompt)).text == "fine"


def test_what_was_learned_of_an_endpoint_is_still_known_in_the_next_process(tmp_path):
    kept, prompt = tmp_path / "abilities.json", "word " * 2_000
    local(counting(0.25), Ledger(Budget()), abilities=AbilityStore(kept)).complete(ask(prompt))
    model = local(counting(0.25), Ledger(Budget(tokens=4_000)), abilities=AbilityStore(kept))
    assert model.complete(ask(prompt)).text == "fine"


def test_text_that_becomes_denser_is_covered_from_the_next_call_on():
    book = AbilityStore()
    model = local(counting(0.2), Ledger(Budget()), abilities=book)
    for _ in range(5):
        model.complete(ask("x" * 5_000))
    ledger = Ledger(Budget(tokens=14_000))
    dense = local(counting(0.6), ledger, abilities=book)
    sizes = 0
    with pytest.raises(BudgetExhausted):
        while True:
            dense.complete(ask("x" * 5_000))
            sizes += 1
    assert sizes == 4
    assert ledger.overshoot.tokens == 0


def test_one_large_prompt_that_is_thinner_does_not_undo_it():
    book = AbilityStore()
    local(counting(0.6), Ledger(Budget()), abilities=book).complete(ask("x" * 5_000))
    local(counting(0.2), Ledger(Budget()), abilities=book).complete(ask("x" * 50_000))
    with pytest.raises(BudgetExhausted):
        local(counting(0.6), Ledger(Budget(tokens=3_000)), abilities=book).complete(ask("x" * 5_000))


def test_a_host_that_counts_nonsense_does_not_shut_the_model_off():
    book = AbilityStore()
    local(counting(5_000.0), Ledger(Budget()), abilities=book).complete(ask("x" * 5_000))
    assert local(counting(0.2), Ledger(Budget(tokens=20_000)), abilities=book).complete(ask("x" * 5_000)).text == "fine"


def test_an_overshoot_is_booked_in_full_and_told():
    ledger = Ledger(Budget(tokens=30_000, money=1.0))
    model = local(counting(lambda size: 0.2 if size < 6_000 else 0.9), ledger, PRICE)
    model.complete(ask("x" * 5_000))
    model.complete(ask("x" * 50_000))  # set aside were 12,500 tokens and a bit
    assert ledger.spent.tokens == 1_000 + 45_000 + 20
    assert ledger.overshoot.tokens == 16_020
    assert ledger.overshoot.money == 0.0
    with pytest.raises(BudgetExhausted, match="budget of 30,000 tokens reached"):
        model.complete(ask("x"))


def test_the_room_of_a_reply_does_not_end_a_budget_early():
    ledger = Ledger(Budget(tokens=60_000))
    model = local(counting(0.25), ledger)
    with pytest.raises(BudgetExhausted):
        for _ in range(1_000):
            model.complete(ask("word " * 800, max_tokens=16_384))  # 1,000 tokens, of replies of ten
    assert 0.9 * 60_000 < ledger.spent.tokens <= 60_000


def test_before_some_replies_are_known_the_next_may_fill_its_room():
    """Also of a model that thinks for long: what is reported has its thoughts in it."""
    spent = []
    for known in (0, 2, 3):
        book = AbilityStore()
        model = local(replying(1_000), Ledger(Budget()), abilities=book)
        for _ in range(known):
            model.complete(ask())
        ledger = Ledger(Budget(tokens=10_000))
        with pytest.raises(BudgetExhausted):
            for _ in range(100):
                local(replying(1_000), ledger, abilities=book).complete(ask(max_tokens=9_000))
        spent.append(ledger.spent.tokens)
    assert spent[:2] == [1_010, 1_010] and spent[2] > 7_000


def test_short_replies_alone_leave_room_for_a_longer_one():
    """Such as verdicts, or what a probe asks for, before code is asked for."""
    book = AbilityStore()
    model = local(replying(5), Ledger(Budget()), abilities=book)
    for _ in range(5):
        model.complete(ask())
    with pytest.raises(BudgetExhausted):
        local(replying(5), Ledger(Budget(tokens=1_000)), abilities=book).complete(ask(max_tokens=9_000))


def replying(*lengths):
    """An endpoint that reports these lengths of its replies, the last again and again."""
    left = list(lengths)

    def answer(body):
        tokens = left.pop(0) if len(left) > 1 else left[0]
        return chat_completion_body("fine", usage={"prompt_tokens": 10, "completion_tokens": tokens})

    return answer


def test_a_reply_longer_than_any_before_is_booked_in_full_and_told():
    ledger = Ledger(Budget(tokens=3_000))
    model = local(replying(20, 20, 20, 20, 20, 4_000), ledger)
    for _ in range(6):
        model.complete(ask(max_tokens=2_000 if ledger.spent.tokens < 120 else 5_000))
    assert ledger.spent.tokens == 4_160
    assert ledger.overshoot.tokens == 1_160
    with pytest.raises(BudgetExhausted, match="3,000 tokens reached"):
        model.complete(ask(max_tokens=10))


def test_one_short_reply_does_not_undo_what_long_ones_taught():
    book = AbilityStore()
    model = local(replying(3_000, 3_000, 3_000, 3_000, 20), Ledger(Budget()), abilities=book)
    for _ in range(5):
        model.complete(ask(max_tokens=5_000))
    with pytest.raises(BudgetExhausted):
        local(replying(20), Ledger(Budget(tokens=4_000)), abilities=book).complete(ask(max_tokens=5_000))


def test_what_is_lost_is_booked_as_the_longest_reply_that_was_allowed():
    book, ledger = AbilityStore(), Ledger(Budget())
    model = local(replying(20), Ledger(Budget()), abilities=book)
    for _ in range(5):
        model.complete(ask())
    late = local(
        lambda body: ExchangeFailure(kind="timeout", text="late", billed=True, final=True), ledger, abilities=book
    )
    with pytest.raises(EndpointProblem):
        late.complete(ask(max_tokens=5_000))
    assert ledger.spent.tokens > 5_000


class Watching(Ledger):
    """A ledger that adds up by how much calls went past what was set aside for them."""

    def __init__(self, budget):
        super().__init__(budget)
        self.excess = {"tokens": 0, "calls": 0, "money": 0.0}

    def settle(self, reserved, actual):
        super().settle(reserved, actual)
        for kind in self.excess:
            self.excess[kind] += max(0, getattr(actual, kind) - getattr(reserved, kind))


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    tokens=st.none() | st.integers(1_000, 60_000),
    money=st.none() | st.integers(1, 60).map(lambda mills: mills / 1_000),
    spread=st.sampled_from([1.0, 1.2, 3.0, 8.0]),
)
def test_what_is_spent_passes_the_budget_by_what_is_told_and_no_more(seed, tokens, money, spread):
    rng = random.Random(seed)
    base = rng.uniform(0.1, 0.7)
    ledger = Watching(Budget(tokens=tokens, money=money))
    model = local(counting(lambda size: min(1.0, base * rng.uniform(1.0, spread))), ledger, PRICE)
    for _ in range(rng.randint(1, 25)):
        try:
            model.complete(ask("x" * rng.randint(1, 9_000), max_tokens=rng.randint(10, 900)))
        except BudgetExhausted:
            break
    for kind, bound in (("tokens", tokens), ("money", money)):
        spent, told = getattr(ledger.spent, kind), getattr(ledger.overshoot, kind)
        assert bound is None or spent <= bound + told + 1e-12
        assert (told > 0) is (bound is not None and spent > bound)
        assert told <= ledger.excess[kind] + 1e-9
        if spread <= 1.2:  # within the margin nothing goes past
            assert told == 0


def test_the_parts_of_a_usage_are_told_apart():
    usage = {
        "prompt_tokens": 1_000,
        "completion_tokens": 300,
        "prompt_tokens_details": {"cached_tokens": 800},
        "completion_tokens_details": {"reasoning_tokens": 250},
    }
    ledger = Ledger(Budget())
    model = local(
        lambda body: chat_completion_body("fine", usage=usage), ledger, Price(input=1.0, output=10.0, cached=0.1)
    )
    said = model.complete(ask()).usage
    assert (said.prompt, said.cached, said.completion, said.reasoning) == (1_000, 800, 300, 250)
    assert said.money == pytest.approx((200 * 1.0 + 800 * 0.1 + 300 * 10.0) / 1e6)
    spent = ledger.spent
    assert (spent.tokens, spent.completion, spent.cached, spent.calls) == (1_300, 300, 800, 1)


def test_an_endpoint_that_counts_nothing_uses_the_budget_up_all_the_same():
    usage = {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0}
    ledger = Ledger(Budget(tokens=5_000))
    model = local(lambda body: chat_completion_body("fine", usage=usage), ledger)
    said = model.complete(ask("word " * 500)).usage
    assert said.estimated and said.prompt >= 500 and said.completion > 0
    with pytest.raises(BudgetExhausted):
        for _ in range(10):
            model.complete(ask("word " * 500))


@pytest.mark.parametrize(
    "more",
    [
        {"prompt_tokens_details": {"cached_tokens": 800}},
        {"prompt_cache_hit_tokens": 800, "prompt_cache_miss_tokens": 200},
        {"cached_tokens": 800},
        {"cache_read_input_tokens": 800},
        {"prompt_tokens_details": None, "cached_tokens": 800},
    ],
)
def test_hosts_name_the_cached_part_in_several_ways(more):
    usage = {"prompt_tokens": 1_000, "completion_tokens": 3, **more}
    model = local(lambda body: chat_completion_body("fine", usage=usage), Ledger(Budget()))
    assert model.complete(ask()).usage.cached == 800
