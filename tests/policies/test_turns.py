"""Learned and static prices take turns, so that neither can hold up the other for long."""

from __future__ import annotations

import random

import pytest

from evolve.core.episodes import TaskView
from evolve.policies.search import SearchPolicy
from evolve.policies.search.episode_search import SHARE, TURN, AlternatingSearch
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import problem_of
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.searcher import Searcher, Solution
from tests.policies.samples import HELD_OUT, PRACTICE, TEXTS, unsolvable, view_of, views_of

POLICY = SearchPolicy()
VIEWS = [*views_of({**PRACTICE, **HELD_OUT}), view_of(lambda x: x.split()[0][::-1].upper(), *TEXTS[:4])]
LIMIT = 40_000
AT_ONCE = 4_000
"""Candidates that one turn may take too many: functions of two arguments are made all at once."""


def searcher(view: TaskView, prices: dict[str, int], meter: SearchMeter) -> Searcher:
    return Searcher(problem_of(view), POLICY.vocabulary, prices, meter)


def turns(view: TaskView, prices: dict[str, int], limit: int = LIMIT) -> AlternatingSearch:
    meter = SearchMeter(limit=limit)
    return AlternatingSearch(searcher(view, prices, meter), lambda: searcher(view, {}, meter))


def first(search: AlternatingSearch | Searcher) -> Solution | None:
    return next((solution for solution in search.paced_programs() if solution is not None), None)


def misleading(seed: int) -> dict[str, int]:
    """Prices that say nothing of any task."""
    rng = random.Random(seed)
    return {name: rng.randint(1, 14) for name in sorted(POLICY.vocabulary.static)}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_wrong_prices_cost_a_fixed_multiple_of_static_ones(seed: int) -> None:
    prices = misleading(seed)
    for view in VIEWS:
        alone = first(searcher(view, {}, SearchMeter(limit=LIMIT)))
        if alone is not None and alone.candidates * (SHARE + 2) < LIMIT:
            both = first(turns(view, prices))
            assert both is not None
            assert both.candidates <= (SHARE + 1) * (alone.candidates + TURN) + AT_ONCE, view.id


@pytest.mark.slow
def test_what_learned_prices_find_soon_costs_what_it_costs_alone() -> None:
    soon = 0
    for view in VIEWS:
        prices = misleading(1)
        alone = first(searcher(view, prices, SearchMeter(limit=SHARE * TURN)))
        if alone is not None:
            soon += 1
            assert first(turns(view, prices)) == alone
    assert soon > 3


@pytest.mark.slow
@pytest.mark.parametrize("view", [VIEWS[0], VIEWS[3], unsolvable()], ids=lambda view: str(view.id))
def test_a_search_that_pauses_gives_the_same_programs(view: TaskView) -> None:
    whole = [solution for solution in turns(view, misleading(2), 6_000).paced_programs() if solution is not None]
    search, found, pauses = turns(view, misleading(2), 6_000), [], 0
    search.pause_at = 500
    for solution in search.paced_programs():
        if solution is None:
            assert search.meter.used >= 500
            pauses += 1
            search.pause_at = None if pauses > 6 else search.meter.used + 500
        else:
            found.append(solution)
    assert terms(found) == terms(whole)
    assert pauses > 3


def terms(solutions: list[Solution]) -> list[Term]:
    return [solution.term for solution in solutions]


def test_the_budget_is_kept() -> None:
    for limit in (0, 10, SHARE * TURN, SHARE * TURN + 30, 5_000):
        search = turns(unsolvable(), misleading(0), limit)
        assert first(search) is None
        assert search.meter.used <= limit + 100  # what solvers work out is counted once it is done
