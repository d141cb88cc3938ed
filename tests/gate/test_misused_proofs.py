"""Ways to bet on own tasks that prove nothing: none is open, and each would be believed too often if it were."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.trials.gate import DecisionRepository, PersonTaskOutcomes, Proof
from tests.gate.own_pairs import arm, pair

PERSONS, TASKS = 100, 60
"""Of these the misuse convinces 14 and 20, where 5 are allowed; more persons show no more."""
OUTCOMES = st.lists(st.sampled_from(["win", "loss", "tie", "void", "withheld"]), max_size=60)


def proof(outcomes: Sequence[str]) -> Proof:
    return Proof.from_pairs(pair(outcome) for outcome in outcomes)


@pytest.mark.slow
@given(OUTCOMES, st.randoms())
def test_a_learner_that_breaks_off_where_it_loses_is_no_better_off(outcomes: list[str], rng: random.Random) -> None:
    broken = ["withheld" if outcome == "loss" and rng.random() < 0.5 else outcome for outcome in outcomes]
    assert proof(broken).helped == proof(outcomes).helped


@pytest.mark.slow
@given(OUTCOMES, st.randoms())
def test_in_which_order_they_were_judged_moves_nothing(outcomes: list[str], rng: random.Random) -> None:
    mixed = rng.sample(outcomes, len(outcomes))
    assert proof(mixed).state == proof(outcomes).state


def fifteen_problems(rng: random.Random) -> list[tuple[str, bool]]:
    """What is shared, and whether learning wins: settled for each of fifteen problems, which come again and again."""
    wins = {f"problem {number}": rng.random() < 0.5 for number in range(15)}
    drawn = rng.choices(sorted(wins), k=TASKS)
    return [(problem, wins[problem]) for problem in drawn]


def six_templates(rng: random.Random) -> list[tuple[str, bool]]:
    """The same with one instruction per template, which settles nine tasks in ten."""
    wins = {f"words {number}": rng.random() < 0.5 for number in range(6)}
    drawn = rng.choices(sorted(wins), k=TASKS)
    return [(words, wins[words] if rng.random() < 0.9 else rng.random() < 0.5) for words in drawn]


@pytest.mark.slow
@pytest.mark.parametrize("drawn", [fifteen_problems, six_templates])
def test_what_is_shared_is_bet_on_once(
    drawn: Callable[[random.Random], list[tuple[str, bool]]], tmp_path: Path
) -> None:
    rng = random.Random(5)
    believed = if_each_counted = 0
    for _ in range(PERSONS):
        tasks = drawn(rng)
        firsts = {trait: place for place, (trait, _) in reversed(list(enumerate(tasks)))}
        pairs = [
            pair("win" if won else "loss", alike=firsts[trait] != place) for place, (trait, won) in enumerate(tasks)
        ]
        believed += any(Proof.from_pairs(pairs[: place + 1]).helped for place in firsts.values())
        # Nobody is believed after a loss that is not believed before it.
        won = (place for place, one in enumerate(pairs) if one.outcome == "win")
        if_each_counted += any(proof([one.outcome for one in pairs[: place + 1]]).helped for place in won)
    assert believed <= 0.05 * PERSONS < if_each_counted

    with Database(tmp_path / "memory.db", GATE) as db:  # and those are the ones that are told to be alike
        own = DecisionRepository(db, clock=lambda: 1.0)
        for place, (trait, won) in enumerate(tasks):
            costs = (100, 10) if won else (10, 100)
            before, after = arm(f"t{place}", costs[0], "unlearned"), arm(f"t{place}", costs[1], "v")
            arms = PersonTaskOutcomes(unlearned=before, learned=after)
            own.add_own_pair(f"e{place}", "f", [trait, f"row {place}"], arms, met=False)
        assert [(one.outcome, one.alike) for one in own.own_pairs()] == [(one.outcome, one.alike) for one in pairs]
