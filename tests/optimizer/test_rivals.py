"""Who goes to the gate against the incumbent, and when."""

from __future__ import annotations

from evolve.optimizer.engine import Candidate, Left, Trial
from evolve.optimizer.population import Population
from evolve.optimizer.rivals import Rivals
from evolve.workflow import Workflow

TASKS = 24


def trials(solved: int, cost: int = 100) -> list[Trial]:
    return [
        Trial(task=f"t{at}", group=f"t{at}", score=float(at < solved), solved=at < solved, cost=cost)
        for at in range(TASKS)
    ]


class Field:
    """A population with an incumbent that solves four tasks of 24 at a cost of 100 each."""

    def __init__(self) -> None:
        self.population = Population()
        self.rivals = Rivals(self.population, self.member(4))

    def member(self, solved: int, *, cost: int = 100, like=None):
        number = len(self.population.members) + 1
        candidate = Candidate(workflow=Workflow().with_knobs(steps=number))
        return self.population.add(candidate, trials(solved, cost), like=like)

    def child(self, solved: int, *, spent: float = 0.0, **how):
        member = self.member(solved, **how)
        self.rivals.consider(member, spent=spent)
        return member


def test_only_who_did_better_is_a_rival_and_the_best_comes_first() -> None:
    field = Field()
    field.child(3)
    field.child(4, cost=99)
    assert field.rivals.best is None
    better, best = field.child(5), field.child(9)
    assert field.rivals.best is best
    field.rivals.judged(best, accepted=False)
    assert field.rivals.best is better


def test_who_behaves_like_one_that_was_judged_is_not_judged_again() -> None:
    field = Field()
    best = field.child(9)
    field.rivals.judged(best, accepted=False)
    twins = [field.child(9), field.child(9, like=best)]
    assert field.rivals.best is None
    assert all(field.rivals.was_judged(one) for one in (best, *twins, field.rivals.incumbent))
    assert not field.rivals.was_judged(field.child(10))


def test_an_accepted_rival_is_the_incumbent_and_others_must_beat_it() -> None:
    field = Field()
    field.child(6)
    best = field.child(9)
    field.rivals.judged(best, accepted=True)
    assert field.rivals.incumbent is best and field.rivals.best is None
    next_best = field.child(12)
    assert field.rivals.best is next_best


def test_the_best_is_judged_when_as_much_was_spent_without_finding_a_better_one() -> None:
    field, left = Field(), Left(pairs=64, wins=8)
    field.child(9)
    for solved in (10, 11, 12, 13):
        field.child(solved, spent=50_000.0)
        assert not field.rivals.is_time(left)
    # Nine more of 24 are eight wins in some 21 pairs, of 200 each.
    field.child(4, spent=4_000.0)
    assert not field.rivals.is_time(left)
    field.child(4, spent=300.0)
    assert field.rivals.is_time(left)


def test_a_gain_that_may_be_chance_is_not_judged_while_there_is_time() -> None:
    field = Field()
    field.child(5)
    field.child(4, spent=100_000.0)
    assert not field.rivals.is_time(Left(pairs=64, wins=8))
    assert not field.rivals.is_time(Left(pairs=64, wins=8, cost=1_000_000.0))


def test_a_rival_is_judged_when_the_search_can_pay_for_little_more() -> None:
    field = Field()
    field.child(10)
    assert not field.rivals.is_time(Left(pairs=64, wins=8, cost=4_000.0))
    assert field.rivals.is_time(Left(pairs=64, wins=8, cost=3_000.0))
    weak = Field()
    weak.child(5, cost=130)  # a win, and losses by cost
    assert not weak.rivals.is_time(Left(pairs=64, wins=8, cost=4_000.0))


def test_a_search_is_over_without_a_rival_and_means_to_find_one_or_without_judgements() -> None:
    field = Field()
    assert field.rivals.is_over(Left(pairs=64, wins=8, cost=700.0))
    assert not field.rivals.is_over(Left(pairs=64, wins=8, cost=900.0))
    assert not field.rivals.is_over(Left(pairs=64, wins=8))
    field.child(9)
    assert not field.rivals.is_over(Left(pairs=64, wins=8, cost=700.0))
    assert field.rivals.is_over(Left(pairs=64, wins=8, judgements=0))
