"""A target chooses among candidates that do no worse by solves and cost, and overrules neither."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evolve.episodes import TaskView
from evolve.optimizer.bandit import BanditEngine
from evolve.optimizer.engine import Candidate, EngineSettings, Judgement, Left, Trial
from evolve.optimizer.population import Member, Population, compare
from evolve.optimizer.targets import is_preferred, standing
from evolve.workflow import Workflow

TASKS = tuple("abcdef")


def named(number):
    return Candidate(workflow=Workflow().with_knobs(steps=number))


def trial(task, score, cost, target=None):
    return Trial(task=task, group=task, score=score, solved=score == 1.0, cost=cost, target=target)


def member(number, rows):
    trials = [trial(task, *row) for task, row in zip(TASKS, rows, strict=False)]
    return Member(candidate=named(number), trials={one.task: one for one in trials})


def rows(targets):
    one = st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 200), targets)
    return st.lists(one, min_size=len(TASKS), max_size=len(TASKS))


NONE, SOME = st.none(), st.sampled_from([None, 0.0, 1.0])


@given(rows(SOME), rows(SOME))
def test_whoever_does_worse_by_solves_and_cost_is_never_worth_judging(mine, theirs):
    child, other = member(1, mine), member(2, theirs)
    wins, losses = compare(child, other)
    if wins < losses:
        assert standing(child, other) is None and not is_preferred(child, other)
    if wins > losses:
        assert standing(child, other) is not None


@given(rows(NONE), rows(NONE), rows(NONE))
def test_without_a_target_the_order_is_by_solves_and_cost_alone(first, second, third):
    one, two, base = member(1, first), member(2, second), member(3, third)

    def before(child):
        wins, losses = compare(child, base)
        return (losses - wins, -child.score, child.cost) if wins > losses else None

    assert (standing(one, base) is None) == (before(one) is None)
    if before(one) and before(two):
        assert (standing(one, base) < standing(two, base)) == (before(one) < before(two))


def test_solves_go_before_the_target_and_the_target_before_cost():
    base = member(1, [(1.0, 100, 0.0), (1.0, 100, 0.0), (0.0, 100, None)])
    solver = member(2, [(1.0, 100, 0.0), (1.0, 100, 0.0), (1.0, 100, 0.0)])
    liked = member(3, [(1.0, 100, 1.0), (1.0, 100, 1.0), (0.0, 100, None)])
    cheap = member(4, [(1.0, 10, 0.0), (1.0, 10, 0.0), (0.0, 100, None)])
    ranked = sorted([liked, cheap, solver], key=lambda one: standing(one, base))
    assert [one.candidate for one in ranked] == [solver.candidate, liked.candidate, cheap.candidate]


def test_among_equals_on_a_task_the_front_keeps_those_with_the_better_target():
    population = Population()
    for number in range(6):
        population.add(named(number + 1), [trial("a", 1.0, 100 - number, float(number < 2))])
    front = {one.candidate.digest for one, _ in population.front()}
    assert {named(1).digest, named(2).digest} <= front and len(front) == 4


class Taste:
    """Every candidate solves everything at the same cost; those with more than three steps are liked."""

    def __init__(self, *, asked):
        self._asked, self.judged = asked, []
        self.incumbent = Candidate(workflow=Workflow().with_knobs(steps=2))

    @property
    def tasks(self):
        return [TaskView(id=name, family="", instruction="", signature="", examples=()) for name in TASKS]

    def screen(self, candidate, tasks):
        liked = float(candidate.workflow.knobs.steps > 3) if self._asked else None
        return [trial(name, 1.0, 100, liked) for name in tasks]

    def judge(self, candidate, parent):
        self.judged.append(candidate)
        return Judgement(verdict="undecided", gain=0.0)

    def left(self):
        return Left()


def test_a_search_hands_over_what_is_liked_and_nothing_where_nobody_asked_for_it():
    settings = EngineSettings(seed=1, only="knobs", proposals=60)
    for asked in (True, False):
        trials = Taste(asked=asked)
        BanditEngine(settings=settings).search(trials, trials.incumbent)
        assert bool(trials.judged) == asked
        assert all(one.workflow.knobs.steps > 3 for one in trials.judged)
