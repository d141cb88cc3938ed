"""A target chooses among candidates that do no worse by solves and cost, and overrules neither."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost, EpisodeRecord, TaskView
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateJudgement,
    CandidateTrial,
    EngineSettings,
    RemainingBudget,
)
from evolve.improve.optimizer.linked import LinkedEngine
from evolve.improve.optimizer.population import ScoredCandidate, compare, is_preferred, rank_by_target, target_evidence
from evolve.trials.gate import paired_outcome

TASKS = tuple("abcdef")


def named(number):
    return Candidate(workflow=Workflow().with_knobs(steps=number))


def trial(task, score, cost, target=None):
    return CandidateTrial(
        task=task, group=task, score=score, solved=score == 1.0, cost=Cost(tokens=cost), target=target
    )


def member(number, rows):
    trials = [trial(task, *row) for task, row in zip(TASKS, rows, strict=False)]
    return ScoredCandidate(candidate=named(number), trials={one.task: one for one in trials})


def rows(targets):
    one = st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 200), targets)
    return st.lists(one, min_size=len(TASKS), max_size=len(TASKS))


NONE, SOME = st.none(), st.sampled_from([None, 0.0, 1.0])


@pytest.mark.slow
@given(rows(SOME), rows(SOME))
def test_who_is_worth_judging_depends_on_solves_and_cost_alone(mine, theirs):
    child, other = member(1, mine), member(2, theirs)
    wins, losses = compare(child, other)
    solved_more = sum(trial.score > other.trials[task].score for task, trial in child.trials.items())
    solved_less = sum(trial.score < other.trials[task].score for task, trial in child.trials.items())
    better = wins > losses or solved_more > solved_less
    assert (rank_by_target(child, other) is not None) == better, "the target alone sends nobody to the gate"
    assert (target_evidence(child, other) > 0.0) == better
    if wins < losses:
        assert not is_preferred(child, other)


@pytest.mark.slow
@given(rows(NONE), rows(NONE), rows(NONE))
def test_without_a_target_the_order_is_by_solves_and_cost_alone(first, second, third):
    one, two, base = member(1, first), member(2, second), member(3, third)

    def before(child):
        wins, losses = compare(child, base)
        net = sum((t.score > base.trials[k].score) - (t.score < base.trials[k].score) for k, t in child.trials.items())
        return (-net, losses - wins, -child.score, child.cost) if wins > losses or net > 0 else None

    assert (rank_by_target(one, base) is None) == (before(one) is None)
    if before(one) and before(two):
        assert (rank_by_target(one, base) < rank_by_target(two, base)) == (before(one) < before(two))


def test_solves_go_before_the_target_and_the_target_before_cost():
    base = member(1, [(1.0, 100, 0.0), (1.0, 100, 0.0), (0.0, 100, None)])
    solver = member(2, [(1.0, 100, 0.0), (1.0, 100, 0.0), (1.0, 100, 0.0)])
    liked = member(3, [(1.0, 50, 1.0), (1.0, 100, 1.0), (0.0, 100, None)])
    cheap = member(4, [(1.0, 10, 0.0), (1.0, 10, 0.0), (0.0, 100, None)])
    ranked = sorted([liked, cheap, solver], key=lambda one: rank_by_target(one, base))
    assert [one.candidate for one in ranked] == [solver.candidate, liked.candidate, cheap.candidate]


class Taste:
    """Who takes more than two steps is cheaper; of those, who takes more than five is liked."""

    def __init__(self, *, asked, cheaper):
        self._asked, self._cheaper, self.judged = asked, cheaper, []
        self.incumbent = Candidate(workflow=Workflow().with_knobs(steps=2))

    @property
    def tasks(self):
        return [TaskView(id=name, family="", instruction="", signature="", examples=()) for name in TASKS]

    def screen(self, candidate, tasks):
        steps = candidate.workflow.knobs.steps
        liked = float(steps > 5) if self._asked else None
        return [trial(name, 1.0, self._cheaper if steps > 2 else 100, liked) for name in tasks]

    def judge(self, candidate, parent):
        self.judged.append(candidate.workflow.knobs.steps)
        return CandidateJudgement(accepted=False)

    def remaining(self):
        return RemainingBudget()


def judged(**how):
    trials = Taste(**how)
    settings = EngineSettings(seed=1, only="knobs", proposals=60)
    LinkedEngine(settings=settings).search(trials, trials.incumbent)
    return trials.judged


def test_of_those_that_are_better_a_search_hands_over_who_is_liked():
    assert judged(asked=True, cheaper=50)[0] > 5
    assert min(judged(asked=False, cheaper=50)) > 2


def test_what_is_liked_and_no_better_otherwise_is_not_handed_over():
    assert judged(asked=True, cheaper=100) == []


@given(st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)), st.tuples(st.integers(0, 10**6), st.integers(1, 10**6)))
def test_which_of_two_costs_is_less_is_what_the_gate_would_say(mine, theirs):
    """Dear candidates are not cheap because they are few."""
    one, other = (Cost(candidates=candidates, work=work) for candidates, work in (mine, theirs))
    both = [
        ScoredCandidate(candidate=named(number), trials={"a": replace(trial("a", 1.0, 0), cost=cost)})
        for number, cost in enumerate((one, other), 1)
    ]
    record = EpisodeRecord(
        episode="e", run="r", task="a", suite="s", group="a", split="gate", variant="v", seed=0, status="solved",
        verified=True,
    )  # fmt: skip
    outcome = paired_outcome(replace(record, cost=other), replace(record, cost=one))
    assert compare(*both) == (outcome == "win", outcome == "loss")
