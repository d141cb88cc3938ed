"""Where a claim in a model's words may act: where trials showed it, and no further."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.episodes import Origin

FACT = "fact:dates are written day first"
DATES, NAMES = "dates", "names"


def asks(memory, task="task-99", family=DATES, kinds=("insight", "trial")):
    """Kinds of what a task is offered."""
    at = Origin(environment="programs", family=family, task=task)
    return [one.kind for one in memory.recall("anything", 5, features=(1.0, 0.0), kinds=kinds, scope=at)]


@pytest.fixture
def learned(memory, lesson):
    """Commits lessons on a fact."""

    def learn(*numbers, family=DATES, cause=FACT, **more):
        for number in numbers:
            memory.commit(lesson(number, cause=cause, family=family, **more))
        return memory

    return learn


def test_one_trial_acts_on_its_own_task_alone(learned):
    memory = learned(1)
    assert asks(memory, "task-1") == ["insight"]
    assert asks(memory) == asks(memory, family=NAMES) == ["trial"]
    assert asks(memory, kinds=("insight",)) == []
    assert [one.status for one in memory.claims()] == ["hypothesis"]


def test_trials_on_two_problems_let_it_act_in_its_family(learned):
    memory = learned(1, 2)
    assert asks(memory) == ["insight"]
    assert asks(memory, family=NAMES) == ["trial"]


def test_many_trials_in_one_family_do_not_carry_it_to_another(learned):
    memory = learned(*range(1, 9))
    assert [one.status for one in memory.claims()] == ["confirmed"]
    assert asks(memory, family=NAMES) == ["trial"]


def test_a_trial_in_another_family_that_agrees_does(learned):
    memory = learned(1, 2)
    learned(3, family=NAMES)
    assert set(asks(memory, family="amounts")) <= {"insight", "trial"} and "insight" in asks(memory, family="amounts")


def test_a_trial_in_another_family_that_disagrees_does_not(learned):
    memory = learned(1, 2)
    learned(3, family=NAMES, direction=-1)
    assert "insight" not in asks(memory, family="amounts")


def test_two_trials_on_one_problem_are_one(learned, lesson):
    memory = learned(1)
    again = lesson(1, cause=FACT, family=DATES)
    memory.commit(replace(again, episode="another"))
    assert asks(memory) == ["trial"]


def test_claims_that_the_search_composed_are_not_bound(learned):
    memory = learned(1, cause="operation:sort")
    assert asks(memory) == asks(memory, family=NAMES) == ["insight"]


def test_a_snapshot_says_the_same(learned):
    memory = learned(1)
    assert asks(memory.snapshot(), "task-1") == ["insight"] and asks(memory.snapshot(), family=NAMES) == ["trial"]
    assert asks(memory.snapshot().without([memory.claims()[0].id]), "task-1") == []


def test_a_person_who_looks_something_up_is_not_bound(learned):
    memory = learned(1, 2)
    assert [one.kind for one in memory.recall("anything", features=(1.0, 0.0))] == ["insight"]
