"""The sequential test keeps its error level at every look, and decides when the difference is large."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.trials.gate import BETS, ErrorBudget, GateLevel, SequentialTest, Tally, log_wealth
from evolve.trials.gate.eprocess import beta_cdf, beta_quantile

counts = st.integers(0, 60)


def exact_wealth(wins: int, losses: int) -> Fraction:
    """The mean of what each bet makes of the stake, in fractions."""
    bets = [Fraction(x) for x in BETS]
    return sum(((1 + x) ** wins * (1 - x) ** losses for x in bets), Fraction(0)) / len(bets)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.integers(0, 40), st.integers(0, 40))
def test_wealth_is_the_even_mixture_of_the_bets(wins: int, losses: int) -> None:
    assert log_wealth(wins, losses) == pytest.approx(math.log(exact_wealth(wins, losses)), abs=1e-9)


def test_wealth_of_thousands_of_pairs_stays_a_number() -> None:
    assert math.isfinite(log_wealth(50_000, 30_000))
    assert math.isfinite(log_wealth(30_000, 50_000))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 60), st.sampled_from([0.05, 0.01, 0.0001]))
def test_the_fewest_wins_that_are_needed_are_enough_and_no_fewer_are(losses: int, alpha: float) -> None:
    test = SequentialTest(alpha=alpha)
    needed = test.wins_needed(losses)
    assert test.judge(Tally(wins=needed, losses=losses)).verdict == "accept"
    assert test.judge(Tally(wins=needed - 1, losses=losses)).verdict != "accept"


@settings(max_examples=100, deadline=None)
@given(counts, counts)
def test_a_fair_coin_gains_nothing_on_average(wins: int, losses: int) -> None:
    """The martingale property, which validity rests on: one more fair toss leaves the expected wealth as it is."""
    now = math.exp(log_wealth(wins, losses))
    ahead = (math.exp(log_wealth(wins + 1, losses)) + math.exp(log_wealth(wins, losses + 1))) / 2
    assert ahead == pytest.approx(now, rel=1e-9)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(counts, counts)
def test_a_win_never_lowers_and_a_loss_never_raises_the_wealth(wins: int, losses: int) -> None:
    now = log_wealth(wins, losses)
    assert log_wealth(wins, losses + 1) <= now + 1e-12 <= log_wealth(wins + 1, losses) + 2e-12


def first_verdict(test: SequentialTest, win_rate: float, tie_rate: float, pairs: int, seed: int) -> tuple[str, int]:
    rng = random.Random(seed)
    tally = Tally()
    for number in range(1, pairs + 1):
        roll = rng.random()
        won = rng.random() < win_rate
        tally = tally.with_outcome("tie" if roll < tie_rate else "win" if won else "loss")
        verdict, stop = verdict_of(test, tally, pairs - number)
        if stop:
            return verdict, number
    raise AssertionError("the last pair must stop the run")


@cache
def verdict_of(test: SequentialTest, tally: Tally, left: int) -> tuple[str, bool]:
    state = test.judge(tally, left=left)
    return state.verdict, state.stop


@pytest.mark.slow
def test_a_variant_that_is_no_better_is_accepted_at_most_as_often_as_allowed() -> None:
    test = SequentialTest(alpha=0.05)
    accepted = 0
    for seed in range(2000):
        rng = random.Random(seed)
        tally = Tally()
        for _ in range(60):
            tally = tally.with_outcome("win" if rng.random() < 0.5 else "loss")
            if crossed(test.alpha, tally):
                accepted += 1
                break
    # Two standard deviations of a binomial count above the bound.
    assert accepted / 2000 <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / 2000)
    assert accepted > 0


@cache
def crossed(alpha: float, tally: Tally) -> bool:
    return SequentialTest(alpha=alpha).judge(tally).verdict == "accept"


def test_the_whole_rule_with_giving_up_accepts_no_more_often() -> None:
    test = SequentialTest(alpha=0.05)
    verdicts = [first_verdict(test, 0.5, 0.0, 40, seed)[0] for seed in range(300)]
    assert verdicts.count("accept") <= 300 * 0.05 + 2 * math.sqrt(300 * 0.05 * 0.95)
    assert verdicts.count("reject") > 100


def test_a_clear_gain_is_accepted_within_twenty_pairs() -> None:
    test = SequentialTest(alpha=0.05)
    runs = [first_verdict(test, 0.9, 0.0, 60, seed) for seed in range(200)]
    assert sum(verdict == "accept" for verdict, _ in runs) >= 196
    assert sorted(pairs for _, pairs in runs)[100] <= 15
    assert sum(pairs <= 20 for _, pairs in runs) >= 150


def test_clear_harm_is_rejected_early() -> None:
    runs = [first_verdict(SequentialTest(), 0.1, 0.0, 60, seed) for seed in range(100)]
    assert all(verdict == "reject" for verdict, _ in runs)
    assert sorted(pairs for _, pairs in runs)[50] <= 15


def test_ties_and_void_pairs_move_nothing() -> None:
    bare = SequentialTest().judge(Tally(wins=3, losses=1))
    padded = SequentialTest().judge(Tally(wins=3, losses=1, ties=40, void=9))
    assert (bare.wealth, bare.harm, bare.verdict) == (padded.wealth, padded.harm, padded.verdict)
    assert bare.further is not None and padded.further is not None
    assert padded.further > bare.further


def test_seven_wins_in_a_row_are_the_least_that_decides_at_five_percent() -> None:
    assert SequentialTest().judge(Tally(wins=6)).verdict == "undecided"
    assert SequentialTest().judge(Tally(wins=7)).verdict == "accept"


def test_the_prediction_comes_true_when_the_rates_hold() -> None:
    test = SequentialTest()
    tally = Tally(wins=6, losses=2)
    further = test.judge(tally).further
    assert further is not None and further > 0
    rate = 7 / 10
    later = Tally(wins=6 + round(further * rate), losses=2 + further - round(further * rate))
    assert test.judge(later).verdict == "accept"


def test_no_gain_so_far_predicts_no_end() -> None:
    state = SequentialTest().judge(Tally(wins=5, losses=6))
    assert (state.verdict, state.further) == ("undecided", None)
    assert "more pairs than are practical" in state.reason


def test_no_prediction_goes_beyond_what_is_practical() -> None:
    assert SequentialTest(alpha=0.005).predict(Tally(ties=20)) is not None
    assert SequentialTest(alpha=0.005).predict(Tally(ties=200)) is None
    assert SequentialTest(alpha=0.005).judge(Tally(ties=200), left=0).verdict == "reject"


def test_no_gain_and_too_few_pairs_left_is_a_rejection() -> None:
    tally = Tally(wins=10, losses=12)
    assert SequentialTest().judge(tally).verdict == "undecided"
    assert SequentialTest().judge(tally, left=500).verdict == "undecided"
    assert SequentialTest().judge(tally, left=5).verdict == "reject"
    assert SequentialTest().judge(tally, left=0).verdict == "reject"


def test_a_gain_with_too_few_pairs_left_stops_undecided_with_a_prediction() -> None:
    state = SequentialTest().judge(Tally(wins=4), left=1)
    assert (state.verdict, state.stop) == ("undecided", True)
    assert state.further is not None and state.further >= 3
    assert not SequentialTest().judge(Tally(wins=4), left=3).stop


def test_two_early_losses_are_no_reason_to_give_up() -> None:
    assert not SequentialTest().judge(Tally(losses=2), left=58).stop


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(counts, counts, st.integers(0, 30))
def test_giving_up_never_turns_into_acceptance_or_hides_one(wins: int, losses: int, left: int) -> None:
    tally = Tally(wins=wins, losses=losses)
    free, bounded = SequentialTest().judge(tally), SequentialTest().judge(tally, left=left)
    assert (free.verdict == "accept") == (bounded.verdict == "accept")
    if free.verdict == "reject":
        assert bounded.verdict == "reject"


def test_without_returns_the_levels_add_up_to_the_whole_budget() -> None:
    budget, stakes = ErrorBudget(alpha=0.05), []
    for _ in range(300):
        stakes.append(GateLevel(level=budget.next_level(stakes), wealth=0.0, accepted=False))
    total = sum(one.level for one in stakes)
    assert stakes[0].level == 0.025
    assert 0.0498 < total < 0.05
    assert [one.level for one in stakes] == sorted((one.level for one in stakes), reverse=True)


stakes_of = st.lists(
    st.builds(lambda wealth, accepted: (wealth, accepted), st.floats(0.0, 1e6), st.booleans()), max_size=60
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(stakes_of)
def test_capital_never_grows_and_never_ends(outcomes: list[tuple[float, bool]]) -> None:
    budget, stakes, before = ErrorBudget(alpha=0.05), [], 0.05
    for wealth, accepted in outcomes:
        level = budget.next_level(stakes)
        stakes.append(GateLevel(level=level, wealth=wealth, accepted=accepted))
        after = budget.remaining_capital(stakes)
        assert 0.0 < after <= before + 1e-15
        # A loser costs what its test lost, and one that was accepted costs nothing.
        assert before - after == pytest.approx(0.0 if accepted else level * max(0.0, 1.0 - wealth), abs=1e-12)
        before = after


def test_pairs_the_variant_alone_failed_to_finish_count_against_accepting_it_only() -> None:
    test = SequentialTest()
    whole = test.judge(Tally(wins=7, withheld=3))
    assert (whole.verdict, whole.wealth) == ("undecided", test.judge(Tally(wins=7, losses=3)).wealth)
    assert test.judge(Tally(wins=1, withheld=30), left=10).harm == test.judge(Tally(wins=1)).harm
    assert test.judge(Tally(wins=20, withheld=3)).verdict == "accept"


def test_levels_outside_zero_and_one_are_refused() -> None:
    for value in (0.0, 1.0, -1.0, 2.0):
        with pytest.raises(ValueError, match="alpha"):
            SequentialTest(alpha=value)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.floats(0.01, 0.99))
def test_beta_quantiles_invert_the_distribution(a: int, b: int, level: float) -> None:
    assert beta_cdf(a, b, beta_quantile(a, b, level)) == pytest.approx(level, abs=1e-6)


def test_beta_against_closed_forms() -> None:
    assert beta_cdf(1, 1, 0.3) == pytest.approx(0.3)
    assert beta_cdf(5, 1, 0.5) == pytest.approx(0.5**5)
    assert beta_cdf(2, 2, 0.5) == pytest.approx(0.5)
