"""Whether learning has helped on a person's own tasks: what counts, what does not, and how often chance is believed."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.episodes import Cost
from evolve.core.schema import GATE
from evolve.core.store import Database
from evolve.trials.gate import DecisionRepository, PersonTaskOutcomes, PrequentialPair, Proof
from tests.gate.own_pairs import arm, pair


@pytest.fixture
def own(tmp_path: Path):
    with Database(tmp_path / "memory.db", GATE) as db:
        yield DecisionRepository(db, clock=lambda: 1.0)


def won(task: str) -> PersonTaskOutcomes:
    return PersonTaskOutcomes(unlearned=arm(task, 100), learned=arm(task, 10, variant="v"))


def lost(task: str) -> PersonTaskOutcomes:
    return PersonTaskOutcomes(unlearned=arm(task, 10), learned=arm(task, 100, variant="v"))


def test_wins_on_distinct_problems_show_that_learning_helped(own: DecisionRepository) -> None:
    assert not own.proof().helped and own.proof().counted == 0
    for number in range(8):
        assert own.add_own_pair(f"e{number}", "text", [f"problem {number}"], won(f"t{number}"), met=False)
    proof = own.proof()
    assert proof.helped and (proof.counted, proof.solved_learned, proof.solved_unlearned) == (8, 8, 8)
    assert proof.mean_ratio == pytest.approx(0.1) and proof.cost_learned / proof.cost_unlearned == pytest.approx(0.1)
    assert [(row.family, row.tally.wins) for row in proof.families] == [("text", 8)]


def test_losses_show_that_it_harmed(own: DecisionRepository) -> None:
    for number in range(20):
        own.add_own_pair(f"e{number}", "text", [f"problem {number}"], lost(f"t{number}"), met=False)
    assert own.proof().harmed and not own.proof().helped


def test_the_same_problem_again_is_shown_and_is_no_evidence(own: DecisionRepository) -> None:
    for number in range(60):
        own.add_own_pair(f"e{number}", "text", [f"problem {number % 3}", f"row {number}"], won(f"t{number}"), met=False)
    proof = own.proof()
    assert (proof.counted, proof.alike) == (3, 57) and not proof.helped
    assert [one.alike for one in own.own_pairs()] == [False] * 3 + [True] * 57


def test_any_trait_in_common_makes_tasks_alike_even_through_one_that_did_not_count(own: DecisionRepository) -> None:
    own.add_own_pair("e1", "text", ["table a", "row 1"], won("t1"), met=False)
    own.add_own_pair("e2", "text", ["table a", "row 2"], won("t2"), met=False)
    own.add_own_pair("e3", "text", ["table b", "row 2"], won("t3"), met=False)
    assert [one.alike for one in own.own_pairs()] == [False, True, True]


def test_what_was_learned_from_elsewhere_is_no_evidence(own: DecisionRepository) -> None:
    own.add_own_pair("e1", "text", ["problem 1"], won("t1"), met=True)
    assert own.proof().counted == 0 and own.proof().alike == 1


def test_an_episode_is_judged_once_whatever_comes_later(own: DecisionRepository) -> None:
    assert own.add_own_pair("e1", "text", ["problem 1"], lost("t1"), met=False)
    assert not own.add_own_pair("e1", "text", ["problem 9"], won("t1"), met=False)
    assert [one.outcome for one in own.own_pairs()] == ["loss"] and not own.met_of(["problem 9"])


def test_a_fault_of_what_was_learned_is_no_way_out_of_a_loss(own: DecisionRepository) -> None:
    for number in range(8):
        own.add_own_pair(f"w{number}", "text", [f"problem {number}"], won(f"w{number}"), met=False)
    for number in range(4):
        failed = replace(arm(f"f{number}", 10, solved=False, variant="v"), status="fault")
        both = PersonTaskOutcomes(unlearned=arm(f"f{number}", 10), learned=failed)
        own.add_own_pair(f"f{number}", "text", [f"other {number}"], both, met=False)
    assert own.proof().state.tally.withheld == 4 and not own.proof().helped


def test_two_tasks_are_no_pair(own: DecisionRepository) -> None:
    both = PersonTaskOutcomes(unlearned=arm("a", 1), learned=arm("b", 1))
    with pytest.raises(ValueError, match="not a pair"):
        own.add_own_pair("e1", "text", ["problem 1"], both, met=False)


def test_each_policy_has_a_test_of_its_own(own: DecisionRepository) -> None:
    for number in range(8):
        own.add_own_pair(
            f"e{number}", "text", [f"problem {number}"], replace(won(f"t{number}"), policy="language:a"), met=False
        )
    own.add_own_pair("e8", "text", ["problem 8"], replace(won("t8"), policy="language:b"), met=False)
    assert own.proof("language:a").helped
    assert own.proof("language:b").counted == 1 and not own.proof("language:b").helped
    assert own.proof().is_empty


def test_what_is_not_judged_yet_counts_as_neither_and_proves_nothing(own: DecisionRepository) -> None:
    for number in range(8):
        own.add_own_pair(f"e{number}", "text", [f"problem {number}"], won(f"t{number}"), met=False)
    groups = [f"t{number}" for number in range(10)]
    proof = own.proof(missing=groups)
    assert (proof.missing, proof.counted, proof.helped) == (2, 8, False)
    assert (proof.state.tally.losses, proof.state.tally.withheld) == (0, 0)
    for number in (8, 9):
        own.add_own_pair(f"e{number}", "text", [f"problem {number}"], won(f"t{number}"), met=False)
    assert own.proof(missing=groups).missing == 0 and own.proof(missing=groups).helped


def test_an_arm_that_was_not_run_withholds_the_pair_and_what_it_cost_is_kept(own: DecisionRepository) -> None:
    both = PersonTaskOutcomes(unlearned=None, learned=arm("t", 10), cost=Cost(tokens=70, calls=2))
    own.add_own_pair("e", "text", ["problem 1"], both, met=False)
    proof = own.proof()
    assert proof.state.tally.withheld == 1 and proof.state.wealth < 1.0 and proof.spent == Cost(tokens=70, calls=2)


def test_a_pair_that_an_earlier_version_kept_is_read(own: DecisionRepository) -> None:
    sides = [{"solved": True, "cost": 9.0, "seconds": 0.5}, {"solved": True, "cost": 3.0, "seconds": 0.25}]
    row = {"episode": "e", "family": "f", "alike": 0, "outcome": "win", "arms": json.dumps(sides), "at": 1.0}
    own._db.insert("own_pairs", row, key="episode")
    (old,) = own.own_pairs()
    assert (old.policy, old.learned.cost, old.spent) == ("search", 3.0, Cost()) and own.proof().counted == 1


@pytest.mark.slow
@given(st.lists(st.sampled_from(["win", "loss", "tie", "void", "withheld"]), max_size=40), st.integers(0, 20))
def test_what_is_missing_only_ever_takes_evidence_away(outcomes: list[str], missing: int) -> None:
    pairs = [pair(outcome) for outcome in outcomes]
    assert Proof.from_pairs(pairs, missing=missing).state.wealth <= Proof.from_pairs(pairs).state.wealth * (1 + 1e-9)


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(["win", "loss", "tie", "void", "withheld"]), st.booleans()), max_size=40))
def test_what_is_alike_moves_nothing(outcomes: list[tuple[str, bool]]) -> None:
    every = [pair(outcome, alike=alike) for outcome, alike in outcomes]
    counted = [one for one in every if not one.alike]
    assert Proof.from_pairs(every).state == Proof.from_pairs(counted).state
    assert Proof.from_pairs(every).counted == len(counted)


@pytest.mark.slow
def test_looked_at_after_every_task_chance_is_believed_at_most_once_in_twenty() -> None:
    drawn = random.Random(7)
    believed = 0
    for _ in range(200):
        seen: list[PrequentialPair] = []
        for _ in range(40):
            seen.append(pair(drawn.choice(["win", "loss", "tie"])))
            if Proof.from_pairs(seen).helped:
                believed += 1
                break
    assert believed <= 200 * 0.05
