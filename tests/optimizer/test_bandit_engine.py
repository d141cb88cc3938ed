"""The engine that mutates workflows: it gets around what deceives a hill climber, and repeats itself exactly."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from benchmarks.landscapes import Landscape
from evolve.episodes import Limits, TaskView
from evolve.optimizer.bandit import BanditEngine, OperatorBandit
from evolve.optimizer.engine import Candidate, EngineSettings, Judgement, Left, SearchEnded, Trial
from evolve.optimizer.population import Member, Population, compare
from evolve.optimizer.scope import Scope
from evolve.workflow import Workflow


class Hill:
    """Trials on a landscape; says what was asked and ends after ``most`` candidates."""

    def __init__(self, landscape: Landscape, most: int) -> None:
        self.landscape, self.most = landscape, most
        self.asked: list[str] = []
        self.tried: list[tuple[str, str]] = []
        self.judged: list[bool] = []
        self.incumbent = Candidate(workflow=landscape.start)

    @property
    def tasks(self):
        return [TaskView(id=f"{n}", family="", instruction="", signature="", examples=()) for n in range(7)]

    def screen(self, candidate, tasks):
        if candidate.digest not in self.asked:
            if len(self.asked) == self.most:
                raise SearchEnded("enough")
            self.asked.append(candidate.digest)
        self.tried += [(candidate.digest, task) for task in tasks]
        scores = self.landscape.scores(candidate.workflow)
        return [
            Trial(task=name, group=name, score=scores[int(name)], solved=scores[int(name)] == 1, cost=1)
            for name in tasks
        ]

    def judge(self, candidate, parent):
        assert parent.digest == self.incumbent.digest
        better = self._total(candidate) > self._total(parent)
        self.judged.append(better)
        if better:
            self.incumbent = candidate
        return Judgement(accepted=better)

    def left(self):
        return Left()

    def _total(self, candidate):
        return sum(self.landscape.scores(candidate.workflow))


def searched(seed, most=120, **settings):
    trials = Hill(Landscape(kind="smooth", seed=900 + seed), most)
    with pytest.raises(SearchEnded):
        BanditEngine(settings=EngineSettings(seed=seed, **settings)).search(trials, trials.incumbent)
    return trials


def test_the_same_seed_asks_the_same_questions() -> None:
    assert searched(3).asked == searched(3).asked
    assert searched(3).asked != searched(4).asked


def test_nothing_is_tried_twice_and_what_the_gate_accepted_only_gets_better() -> None:
    trials = searched(1)
    assert len(trials.tried) == len(set(trials.tried))
    assert any(trials.judged)
    assert trials._total(trials.incumbent) > trials._total(Candidate(workflow=trials.landscape.start))


def test_only_knobs_leaves_stages_and_routes_alone() -> None:
    trials = searched(2, most=200, only="knobs")
    start = trials.landscape.start
    assert trials.incumbent.workflow != start
    assert (trials.incumbent.workflow.stages, trials.incumbent.workflow.routes) == (start.stages, start.routes)


def test_changes_that_no_trial_could_show_are_never_tried() -> None:
    scope = Scope(policy="search", limits=Limits(candidates=1000, seconds=1.0))
    start = Workflow().with_knobs(candidates=1000, seconds=1.0)
    assert not scope.shows(start, start.with_knobs(samples=4, withhold=0.3, tokens=5000))
    assert not scope.shows(start, scope.fitted(start.with_knobs(candidates=90_000)))
    assert scope.shows(start, start.with_knobs(candidates=500))


def test_an_operator_that_stops_paying_is_used_less() -> None:
    random, bandit = Random(0), OperatorBandit(["a", "b"], discount=0.9)
    for _ in range(40):
        bandit.reward("a", 1.0)
    early = sum(bandit.choose(random) == "a" for _ in range(200))
    for _ in range(80):
        bandit.reward("a", 0.0)
        bandit.reward("b", 0.6)
    late = sum(bandit.choose(random) == "a" for _ in range(200))
    assert early > 150 > 50 > late


class Capped(Hill):
    """Tasks solved by whoever may try enough candidates; nothing else matters."""

    @property
    def tasks(self):
        return [TaskView(id=f"{n}", family="", instruction="", signature="", examples=()) for n in range(24)]

    def screen(self, candidate, tasks):
        if candidate.digest not in self.asked and len(self.asked) == self.most:
            raise SearchEnded("enough")
        self.asked += [candidate.digest] * (candidate.digest not in self.asked)
        self.tried += [(candidate.digest, task) for task in tasks]
        cap = candidate.workflow.knobs.candidates
        needed = {name: 40 * (int(name) + 1) for name in tasks}
        return [
            Trial(task=n, group=n, score=float(needed[n] <= cap), solved=needed[n] <= cap, cost=min(cap, needed[n]))
            for n in tasks
        ]

    def _total(self, candidate):
        return candidate.workflow.knobs.candidates


def test_a_child_that_nothing_tells_from_its_parent_is_tried_on_few_tasks_and_the_knob_that_counts_is_found() -> None:
    trials = Capped(Landscape(kind="smooth", seed=1), 1_000)
    trials.incumbent = Candidate(workflow=Workflow().with_knobs(candidates=100))
    reason = BanditEngine(settings=EngineSettings(seed=1, proposals=60)).search(trials, trials.incumbent)
    assert reason == "all 60 proposals made"
    assert trials.incumbent.workflow.knobs.candidates >= 960
    # Neutral changes drifted along on the way; what was not seen to help is not proposed.
    assert trials.incumbent.workflow == Workflow().with_knobs(candidates=trials.incumbent.workflow.knobs.candidates)
    tried = [sum(digest == name for digest, _ in trials.tried) for name in trials.asked]
    assert tried[0] == 24
    assert sum(number <= 8 for number in tried) > 30


def trial(task, score, cost):
    return Trial(task=task, group=task, score=score, solved=score == 1.0, cost=cost)


def named(number):
    return Candidate(workflow=Workflow().with_knobs(steps=number))


def test_the_front_holds_who_is_best_on_some_task_at_about_the_least_cost() -> None:
    population = Population()
    population.add(named(1), [trial("a", 1.0, 100), trial("b", 0.0, 100)])
    population.add(named(2), [trial("a", 0.0, 100), trial("b", 1.0, 100)])
    population.add(named(3), [trial("a", 1.0, 300), trial("b", 0.0, 100)])
    front = {member.candidate.workflow.knobs.steps: number for member, number in population.front()}
    assert front == {1: 1, 2: 1}
    population.add(named(4), [trial("a", 1.0, 10), trial("b", 1.0, 10)])
    assert {member.candidate.workflow.knobs.steps for member, _ in population.front()} == {4}


def test_a_stepping_stone_is_drawn_though_it_is_on_no_front() -> None:
    population = Population()
    population.add(named(1), [trial("a", 1.0, 10), trial("b", 1.0, 10)])
    stone = population.add(named(2), [trial("a", 1.0, 10), trial("b", 0.9, 10)])
    random = Random(1)
    assert any(population.parent(random) is stone for _ in range(100))


def test_a_trial_that_failed_for_reasons_of_the_machine_says_nothing() -> None:
    ill = replace(trial("a", 0.0, 0), informative=False)
    one = Population().add(named(1), [ill, trial("b", 1.0, 10)])
    other = Member(candidate=named(2), trials={"a": trial("a", 1.0, 10), "b": trial("b", 1.0, 7)})
    assert compare(other, one) == (1, 0)
