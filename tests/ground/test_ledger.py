from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Cost
from evolve.core.errors import UsageError
from evolve.core.ledger import Budget, Ledger, LedgerPart, Spent, parse_budget


class Clock:
    """Seconds that pass only when the test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("texts", "budget"),
    [
        ([], Budget()),
        (["60s"], Budget(seconds=60)),
        (["5m"], Budget(seconds=300)),
        (["1.5h"], Budget(seconds=5400)),
        (["1d"], Budget(seconds=86400)),
        (["200k-candidates"], Budget(candidates=200_000)),
        (["2M-tokens"], Budget(tokens=2_000_000)),
        (["1-candidate"], Budget(candidates=1)),
        (["0.5k-tokens"], Budget(tokens=500)),
        (["500-calls"], Budget(calls=500)),
        (["$2"], Budget(money=2)),
        (["$0.25", " 2h ", "10k-candidates"], Budget(money=0.25, seconds=7200, candidates=10_000)),
        (["2h", "60s", "1h"], Budget(seconds=60)),
    ],
)
def test_budgets_as_people_write_them(texts: list[str], budget: Budget) -> None:
    assert parse_budget(texts) == budget


@pytest.mark.parametrize("text", ["", "60", "s", "-5s", "2 hours", "k-tokens", "5x-tokens", "2$", "$", "0s", "$0"])
def test_what_is_not_a_budget_is_named(text: str) -> None:
    with pytest.raises(UsageError, match="--budget"):
        parse_budget([text])


amounts = st.builds(
    Cost,
    candidates=st.integers(0, 50),
    tokens=st.integers(0, 50),
    calls=st.integers(0, 9),
    money=st.integers(0, 300).map(lambda cents: cents / 100),
    seconds=st.integers(0, 20).map(float),
)


@pytest.mark.slow
@given(
    budget=st.builds(
        Budget,
        seconds=st.none() | st.integers(1, 200).map(float),
        candidates=st.none() | st.integers(1, 300),
        tokens=st.none() | st.integers(1, 300),
        calls=st.none() | st.integers(1, 60),
        money=st.none() | st.integers(1, 2_000).map(lambda cents: cents / 100),
    ),
    works=st.lists(st.tuples(amounts, st.floats(0, 1), st.integers(0, 3)), max_size=40),
)
def test_what_is_spent_never_passes_the_budget(budget: Budget, works: list[tuple[Cost, float, int]]) -> None:
    """Work that keeps to its reservation, with up to four pieces of it at a time."""
    clock = Clock()
    ledger = Ledger(budget, clock=clock)
    running: list[tuple[Cost, Cost, float]] = []

    def finish_first() -> None:
        # Pieces run side by side, so one that ends later than the clock moves it, others do not.
        reserved, actual, ends = min(running, key=lambda item: item[2])
        running.remove((reserved, actual, ends))
        clock.now = max(clock.now, ends)
        ledger.settle(reserved, actual)

    for wanted, share, parallel in works:
        while len(running) > parallel:
            finish_first()
        if ledger.reserve(wanted):
            actual = Cost(
                candidates=int(wanted.candidates * share),
                tokens=int(wanted.tokens * share),
                calls=int(wanted.calls * share),
                money=wanted.money * share,
                seconds=wanted.seconds * share,
            )
            running.append((wanted, actual, clock.now + actual.seconds))
    while running:
        finish_first()

    for kind in ("seconds", "candidates", "tokens", "calls", "money"):
        bound = getattr(budget, kind)
        assert bound is None or getattr(ledger.spent, kind) <= bound


@pytest.mark.slow
@given(
    budget=st.builds(
        Budget,
        tokens=st.none() | st.integers(1, 5_000),
        calls=st.none() | st.integers(1, 60),
        money=st.none() | st.integers(1, 2_000).map(lambda cents: cents / 100),
    ),
    waves=st.lists(st.lists(st.floats(0, 1), min_size=1, max_size=9), max_size=6),
)
def test_work_side_by_side_shares_what_is_left(budget: Budget, waves: list[list[float]]) -> None:
    """Nobody works on nothing while another holds more than its share, and what is not used can be had again."""
    ledger = Ledger(budget)
    for used in waves:
        left, running = ledger.remaining, []
        for place in range(len(used)):
            share = ledger.share_of_remaining(len(used) - place)
            cost = Cost(tokens=share.tokens or 0, calls=share.calls or 0, money=share.money or 0.0)
            if 0 in (share.tokens, share.calls, share.money) or not ledger.reserve(cost):
                continue
            running.append(cost)
        for kind, unit in (("tokens", 1), ("calls", 1), ("money", 1e-9)):
            held, had = [getattr(cost, kind) for cost in running], getattr(left, kind)
            assert had is None or sum(held) <= had * (1 + 1e-12)
            assert had is None or not held or (min(held) > 0 and max(held) - min(held) <= unit * 1.5)
        for cost, share_used in zip(running, used, strict=False):
            actual = Cost(tokens=int(cost.tokens * share_used), calls=int(cost.calls * share_used))
            ledger.settle(cost, actual)
    for kind in ("tokens", "calls", "money"):
        bound = getattr(budget, kind)
        assert bound is None or getattr(ledger.spent, kind) <= bound


def test_a_budget_of_which_the_rest_buys_nothing_is_over() -> None:
    ledger = Ledger(Budget(money=1.0))
    ledger.end("the next call may take $0.02, and less than that is left")
    assert "$0.02" in ledger.exhausted_bound and not ledger.reserve(Cost())


def test_a_reservation_is_held_until_it_is_settled() -> None:
    ledger = Ledger(Budget(candidates=100))
    big = Cost(candidates=70)
    assert ledger.reserve(big)
    assert not ledger.reserve(big)
    assert ledger.remaining.candidates == 30
    ledger.settle(big, Cost(candidates=20))
    assert ledger.spent.candidates == 20
    assert ledger.reserve(big)


def test_time_passes_whether_or_not_anything_is_booked() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=60), clock=clock)
    clock.now += 50
    assert ledger.remaining.seconds == 10
    assert not ledger.reserve(Cost(seconds=11))
    assert ledger.reserve(Cost(seconds=9))
    clock.now += 10
    assert "time budget of 60 s" in ledger.exhausted_bound
    assert not ledger.reserve(Cost())


def test_a_reached_bound_is_named_and_ends_all_work() -> None:
    ledger = Ledger(Budget(tokens=1_000, money=5))
    assert ledger.exhausted_bound == ""
    ledger.reserve(Cost(tokens=1_000))
    ledger.settle(Cost(tokens=1_000), Cost(tokens=1_000))
    assert ledger.exhausted_bound == "budget of 1,000 tokens reached"
    assert not ledger.reserve(Cost())


def test_a_run_that_goes_on_starts_from_what_it_had_spent() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=60, money=1), spent=Spent(seconds=59, money=0.75), clock=clock)
    assert ledger.remaining == Budget(seconds=1, money=0.25)
    assert not ledger.reserve(Cost(money=0.5))


def test_ten_dimes_are_a_dollar() -> None:
    ledger = Ledger(Budget(money=1.0))
    for _ in range(10):
        assert ledger.reserve(Cost(money=0.1))
        ledger.settle(Cost(money=0.1), Cost(money=0.1))
    assert ledger.spent.money == 1.0
    assert ledger.exhausted_bound == "budget of $1 reached"


def test_overspending_is_booked_in_full() -> None:
    ledger = Ledger(Budget(candidates=10))
    assert ledger.reserve(Cost(candidates=5))
    ledger.settle(Cost(candidates=5), Cost(candidates=50))
    assert ledger.spent.candidates == 50
    assert ledger.remaining.candidates == 0


def test_settling_what_was_never_reserved_is_a_bug() -> None:
    with pytest.raises(ValueError, match="reserved"):
        Ledger(Budget()).settle(Cost(candidates=1), Cost())


def test_without_bounds_everything_fits() -> None:
    ledger = Ledger(Budget())
    assert ledger.budget.unlimited
    assert ledger.reserve(Cost(candidates=10**12, seconds=1e9, money=1e6, tokens=10**12))


def test_a_part_books_on_the_whole_and_keeps_to_its_own_bounds() -> None:
    clock = Clock()
    whole = Ledger(Budget(candidates=1000), clock=clock)
    part, other = (LedgerPart(whole, share, name="searching", clock=clock) for share in (0.5, 0.3))
    assert part.reserve(Cost(candidates=400)) and not part.reserve(Cost(candidates=101))
    part.settle(Cost(candidates=400), Cost(candidates=300))
    assert part.remaining.candidates == 200 and whole.remaining.candidates == 700 and other.remaining.candidates == 300
    assert other.reserve(Cost(candidates=300))
    other.settle(Cost(candidates=300), Cost(candidates=300))
    assert part.remaining.candidates == 200, "what another part spends does not show"
    assert "for searching is spent" in other.exhausted_bound and not part.exhausted_bound and not whole.exhausted_bound
    part.end("nothing more")
    assert part.exhausted_bound == "nothing more" and not whole.exhausted_bound


def test_a_part_that_the_whole_cannot_cover_is_refused_and_sets_nothing_aside() -> None:
    whole = Ledger(Budget(candidates=100))
    part = LedgerPart(whole, 0.9, name="searching")
    assert whole.reserve(Cost(candidates=50))
    assert (
        not part.reserve(Cost(candidates=60)) and part.remaining.candidates == 90 and whole.remaining.candidates == 50
    )


def test_the_clock_of_a_part_stands_still_while_another_works() -> None:
    clock = Clock()
    whole = Ledger(Budget(seconds=100.0), clock=clock)
    part = LedgerPart(whole, 0.5, name="searching", spent=Spent(seconds=10.0), clock=clock)
    part.go_on()
    clock.now += 5.0
    part.pause()
    clock.now += 60.0
    part.go_on()
    assert part.spent.seconds == 15.0 and part.remaining.seconds == 35.0 and part.run_seconds == 65.0
    clock.now += 36.0
    assert "for searching is spent" in part.exhausted_bound


def test_time_in_which_a_person_was_asked_is_none_of_the_budgets() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=60), clock=clock)
    clock.now += 100
    ledger.exclude_wait(90)
    assert ledger.spent.seconds == 10 and not ledger.exhausted_bound
