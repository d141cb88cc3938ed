"""What was learned must do no harm by now: when that is said, and how often by chance."""

from __future__ import annotations

from functools import partial
from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.trials.gate import Pair, PairTotals, SequentialTest, Tally, harm_test, paired_outcome
from evolve.trials.gate.two_sided import LAST


def episode(status: str, tokens: int) -> EpisodeRecord:
    return EpisodeRecord(
        episode="e", run="r", task="t", suite="s", group="g", split="gate", variant="v", seed=0, status=status,
        verified=status == "solved", cost=Cost(tokens=tokens),
    )  # fmt: skip


def pair(before: tuple[str, int], after: tuple[str, int]) -> Pair:
    parent, variant = episode(*before), episode(*after)
    return Pair(
        task="t", group="g", outcome=paired_outcome(parent, variant), parent=parent, variant=variant,
        state=SequentialTest(alpha=0.025).judge(Tally()), standing=PairTotals(),
    )  # fmt: skip


CHEAPER = pair(("solved", 100), ("solved", 10))
DEARER = pair(("solved", 10), ("solved", 100))
SAME = pair(("solved", 10), ("solved", 10))
GAINED = pair(("unsolved", 10), ("solved", 10))
LOST = pair(("solved", 10), ("unsolved", 10))
BROKEN = pair(("solved", 10), ("fault", 10))
VOID = pair(("fault", 10), ("unsolved", 10))
ANY = st.lists(st.sampled_from([CHEAPER, DEARER, SAME, GAINED, LOST, BROKEN, VOID]), max_size=30)


def test_one_task_that_was_lost_among_many_wins_is_no_harm() -> None:
    assert not harm_test([*[CHEAPER] * 9, *[DEARER] * 5, LOST, *[CHEAPER] * 21])


def test_what_is_lost_by_now_is_harm_whatever_was_won_before() -> None:
    assert harm_test([*[CHEAPER] * 30, *[DEARER] * 6]) == "it lost 6 of the last 10 pairs that were no tie"
    assert not harm_test([*[DEARER] * 6, *[CHEAPER] * 30])
    assert not harm_test([*[CHEAPER] * 30, *[DEARER] * 5]), "as many as it wins"


def test_tasks_that_are_given_up_are_harm_however_much_cheaper_the_others_are() -> None:
    assert not harm_test([*[CHEAPER] * 4, LOST] * 2)
    assert harm_test([*[CHEAPER] * 4, LOST] * 3) == "of the last 3 tasks that one arm alone solved it gave up 3"
    assert not harm_test([*[CHEAPER] * 4, LOST, GAINED] * 3)


@given(ANY, st.integers(0, 29))
def test_breaking_off_what_would_be_lost_hides_nothing(pairs: list[Pair], place: int) -> None:
    broken = [BROKEN if one is LOST else one for one in pairs]
    assert harm_test(broken) == harm_test(pairs)


@pytest.mark.slow
@given(ANY, st.integers(0, 30))
def test_ties_and_void_pairs_say_nothing(pairs: list[Pair], place: int) -> None:
    assert harm_test([*pairs[:place], SAME, VOID, *pairs[place:]]) == harm_test(pairs)


@pytest.mark.slow
@given(ANY)
def test_only_the_last_pairs_count(pairs: list[Pair]) -> None:
    assert harm_test([*[GAINED] * 5, *[LOST] * 5, *pairs, *[GAINED] * LAST]) == ""


def chance_of_harm(pairs: int, won: float, win: Pair, loss: Pair) -> float:
    """By trying every order of wins and losses."""
    orders = product((True, False), repeat=pairs)
    probability = partial(weight, won=won)
    return sum(probability(order) for order in orders if harm_test([win if one else loss for one in order]))


def weight(order: tuple[bool, ...], won: float) -> float:
    return won ** sum(order) * (1 - won) ** (len(order) - sum(order))


@pytest.mark.parametrize(
    ("won", "refused"), [(0.8, 0.006), (0.7, 0.047), (0.6, 0.166), (0.5, 1 - 0.623), (0.3, 1 - 0.150), (0.2, 1 - 0.033)]
)
def test_how_often_the_last_pairs_err_is_as_told(won: float, refused: float) -> None:
    assert chance_of_harm(LAST, won, CHEAPER, DEARER) == pytest.approx(refused, abs=6e-4)


def test_how_often_answers_err_is_as_told() -> None:
    # Cheaper pairs in between leave the verdict to the answers.
    def chance(pairs: int, won: float) -> float:
        orders = product((True, False), repeat=pairs)
        listed = [(order, [CHEAPER if one is None else one for one in spaced(order)]) for order in orders]
        return sum(weight(order, won) for order, mixed in listed if harm_test(mixed))

    even = [chance(pairs, 0.5) for pairs in range(3, LAST + 1)]
    assert even[0] == pytest.approx(0.125, abs=6e-4) and even[-1] == pytest.approx(0.172, abs=6e-4)
    assert max(even) == pytest.approx(0.254, abs=6e-4)
    assert max(chance(pairs, 2 / 3) for pairs in range(3, LAST + 1)) <= 0.046


def spaced(order: tuple[bool, ...]) -> list[Pair | None]:
    """Gains and losses of answers, with two pairs that are won by the cost after each."""
    return [one for gained in order for one in (GAINED if gained else LOST, None, None)]


@pytest.mark.parametrize(
    ("share", "pairs", "passed", "accepted"),
    [
        (0.1, 15, 0.816, None),
        (0.1, 23, 0.592, None),
        (0.1, 45, 0.159, None),
        (0.2, 15, 0.398, 0.167),
        (0.2, 23, 0.133, 0.133),
        (0.2, 45, 0.003, 0.003),
    ],
)
def test_how_often_tasks_are_given_up_unseen_is_as_told(
    share: float, pairs: int, passed: float, accepted: float | None
) -> None:
    chances = [comb(pairs, lost) * share**lost * (1 - share) ** (pairs - lost) for lost in range(pairs + 1)]
    # With this few losses no ten pairs in a row have more of them than wins, in whichever order they come.
    unseen = [lost for lost in range(pairs + 1) if not harm_test([*[CHEAPER] * (pairs - lost), *[LOST] * lost])]
    assert sum(chances[lost] for lost in unseen) == pytest.approx(passed, abs=6e-4)
    test = SequentialTest(alpha=0.025)
    believed = [lost for lost in unseen if test.judge(Tally(wins=pairs - lost, losses=lost)).verdict == "accept"]
    if accepted is not None:
        assert sum(chances[lost] for lost in believed) == pytest.approx(accepted, abs=6e-4)
