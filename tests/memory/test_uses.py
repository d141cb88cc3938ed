"""Claims that move nothing: chance withholds a share of what is recalled, and what makes no difference is retired."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent import sampling_fraction
from evolve.core.episodes import RunOrigin
from evolve.memory.usage import FEWEST, WORTH, OutcomeRates

FACT, ONE, OTHER = "fact:dates are written day first", "language:one", "language:other"
SHARE, MOST = 0.1, 300
"""The share of recalls that is withheld where nothing else is set, and the tasks within which nine of ten go."""


@pytest.fixture
def used(memory, lesson):
    """Works on tasks, with a claim that chance withholds on some, until it is told no longer; gives after how many."""
    for number in range(2):
        taught = lesson(number, cause=FACT, family="dates", policy=ONE)
        memory.commit(replace(taught, episode=f"planted {number}"), instruction="read it")
    [claim] = memory.list_insights()
    assert standing(memory) == "supported"

    def work(seed, *, with_it, without, tasks=MOST, share=SHARE, **more):
        rng = random.Random(seed)
        for number in range(tasks):
            if standing(memory) == "expired":
                return number
            episode = worked(lesson, f"{seed} {number}", **more)
            told = sampling_fraction(seed, episode.task, claim.id) >= share
            solved = rng.random() < (with_it if told else without)
            episode = replace(episode, **({"recalled": (claim.id,)} if told else {"withheld": (claim.id,)}))
            if episode.status == "solved" and not solved:
                episode = replace(episode, status="refused", verified=False)
            memory.commit(episode)
        return tasks + (standing(memory) != "expired")

    return work


def worked(lesson, name, *, solved=True, **more):
    done = replace(lesson(0, policy=ONE, **more), claims=(), episode=f"e {name}", task=f"t {name}", group=f"g {name}")
    return done if solved else replace(done, status="refused", verified=False)


def chosen(claim, told):
    return {"recalled": (claim.id,)} if told else {"withheld": (claim.id,)}


def standing(memory, policy=ONE):
    return next(one.status for one in memory.list_insights(policy=policy) if one.cause == FACT)


def asks(memory, policy=ONE):
    at = RunOrigin(environment="programs", family="dates", policy=policy)
    return [one.kind for one in memory.recall("read it", 5, features=(1.0, 0.0), kinds=("insight", "trial"), scope=at)]


@pytest.mark.parametrize("rate", [0.4, 0.7])
def test_a_planted_claim_that_moves_nothing_is_retired_within_three_hundred_tasks(memory, used, rate) -> None:
    assert asks(memory) == ["insight"]
    assert used(1, with_it=rate, without=rate) <= MOST
    assert standing(memory) == "expired" and asks(memory) == []
    [told] = memory.insight_sentences(ONE).values()
    assert "told no longer: solved" in told.text and "on which chance withheld it" in told.text
    assert asks(memory.snapshot()) == []


def gone(seed, rates, share=SHARE):
    """Whether chance and a claim's worth retire it, given the rates of success with it and without, by task."""
    rng, counts = random.Random(seed), OutcomeRates()
    for number in range(MOST):
        told = rng.random() >= share
        with_it, without = rates(rng, number)
        solved = rng.random() < (with_it if told else without)
        name = "told" if told else "withheld"
        more = {name: getattr(counts, name) + 1, f"{name}_solved": getattr(counts, f"{name}_solved") + solved}
        counts = replace(counts, **more)
        if not told and counts.moves_nothing:
            return True
    return False


@pytest.mark.parametrize("rate", [0.3, 0.6])
def test_nine_of_ten_that_move_nothing_go(rate) -> None:
    assert sum(gone(seed, lambda rng, number: (rate, rate)) for seed in range(100)) >= 85


@pytest.mark.slow
def test_few_that_help_go_and_what_harms_does() -> None:
    assert sum(gone(seed, lambda rng, number: (0.8, 0.4)) for seed in range(100)) <= 15
    assert sum(gone(seed, lambda rng, number: (0.8, 1.0)) for seed in range(100)) >= 95


def among_easy_ones(rng, number):
    return (1.0, 1.0) if rng.random() < 0.8 else (0.7, 0.2)


def after_easy_ones(rng, number):
    return (1.0, 1.0) if number < 200 else (0.7, 0.2)


@pytest.mark.parametrize("tasks", [among_easy_ones, after_easy_ones])
def test_easy_tasks_do_not_retire_what_helps_with_hard_ones(tasks) -> None:
    assert sum(gone(seed, tasks) for seed in range(100)) <= 25


@pytest.mark.slow
@given(st.booleans(), st.integers(0, 2**32))
def test_tasks_that_come_out_the_same_with_it_and_without_say_nothing(solved, seed) -> None:
    assert not gone(seed, lambda rng, number: (solved, solved), share=0.5)


@pytest.mark.slow
def test_what_helps_stays(memory, used) -> None:
    assert used(2, with_it=0.9, without=0.4) > MOST
    assert asks(memory) == ["insight"]


def test_a_later_trial_that_agrees_brings_it_back_and_counting_begins_anew(memory, used, lesson) -> None:
    used(1, with_it=0.5, without=0.5)
    assert asks(memory) == []
    memory.commit(lesson(50, cause=FACT, family="dates", policy=ONE, direction=-1))
    assert asks(memory) == []
    memory.commit(lesson(51, cause=FACT, family="dates", policy=ONE))
    assert asks(memory) == ["trial"]  # three of four
    memory.commit(lesson(52, cause=FACT, family="dates", policy=ONE))
    assert asks(memory) == ["insight"]
    memory.commit(replace(worked(lesson, "one more"), withheld=(memory.list_insights()[0].id,)))
    assert asks(memory) == ["insight"]


def test_one_model_is_told_no_longer_and_the_other_is(memory, used, lesson) -> None:
    for number in range(60, 64):
        memory.commit(lesson(number, cause=FACT, family="dates", policy=OTHER))
    used(1, with_it=0.5, without=0.5)
    assert (asks(memory, ONE), asks(memory, OTHER)) == ([], ["insight"])
    assert standing(memory, None) != "expired"


@pytest.mark.parametrize("more", [{"status": "fault"}, {"split": "test"}, {"split": "probe"}, {"status": "unverified"}])
def test_faults_trials_held_out_tasks_and_what_nothing_judged_do_not_count(memory, used, more) -> None:
    assert used(1, with_it=0.5, without=0.5, share=0.5, tasks=60, **more) == 61
    assert asks(memory) == ["insight"]


def test_an_answer_that_was_played_back_does_not_count(memory, lesson) -> None:
    memory.commit(lesson(0, cause=FACT, policy=ONE))
    [claim] = memory.list_insights()
    for number in range(20 * FEWEST):
        done = worked(lesson, str(number), solved=number % 4 < 2)
        played = replace(done, cost=replace(done.cost, candidates=0))
        memory.commit(replace(played, **chosen(claim, number % 2)))
    assert memory.list_insights()[0].status != "expired"


def test_it_is_on_record_and_goes_with_the_claim(store, lesson) -> None:
    memory = store.memory()
    for number in range(2):
        memory.commit(lesson(number, cause=FACT, family="dates", policy=ONE))
    [claim] = memory.list_insights()
    for number in range(80):
        worked_on = worked(lesson, str(number), solved=number % 4 < 2)
        names = chosen(claim, number % 2)
        memory.commit(replace(worked_on, **names))
        memory.commit(replace(worked_on, **names))
    assert standing(memory) == "expired"
    store.close()
    memory = store.memory()
    assert standing(memory) == "expired"
    memory.forget(claim.id)
    db = store.opened[0][1]
    assert db.rows("memory_uses") == db.rows("memory_retirements") == [] and db.check() == []


@pytest.mark.slow
@given(st.integers(0, 50), st.integers(0, 50), st.integers(0, 50), st.integers(0, 50))
def test_what_was_seen_to_add_enough_stays_and_little_settles_nothing(solved, failed, others_solved, others) -> None:
    told, withheld = solved + failed, others_solved + others
    rates = OutcomeRates(told=told, told_solved=solved, withheld=withheld, withheld_solved=others_solved)
    assert 0.0 <= rates.probability_worthwhile <= 1.0
    adds = solved / max(told, 1) - others_solved / max(withheld, 1)
    assert not (rates.moves_nothing and (withheld < FEWEST or (told >= FEWEST and adds >= WORTH)))


@pytest.mark.slow
def test_one_problem_says_only_once_what_a_claim_is_worth(memory, lesson, used):
    [claim] = memory.list_insights()
    for number in range(MOST):
        again = replace(worked(lesson, f"again {number}", solved=number % 3), group="one problem")
        memory.commit(replace(again, **chosen(claim, number % 10)))
    assert standing(memory) == "supported"


@pytest.mark.slow
def test_the_end_of_a_budget_says_nothing_of_a_claim(memory, lesson, used):
    [claim] = memory.list_insights()
    for number in range(MOST):
        done = worked(lesson, f"cut {number}")
        ended = done if number % 3 else replace(done, status="budget", verified=False)
        memory.commit(replace(ended, **chosen(claim, number % 10)))
    assert standing(memory) == "supported"
