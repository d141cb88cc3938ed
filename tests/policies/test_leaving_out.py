"""The searches that leave one row out keep to what is left of a budget."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Row
from evolve.policies.search.ambiguity import LeaveOneOutSearches
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import problem_from_rows
from evolve.policies.search.programs.operations import literals, vocabulary
from evolve.policies.search.searcher import Searcher, Vocabulary

ROWS = [Row(input=(text,), output=text[::-1].upper() + "!") for text in ("abc", "wxyz", "mn", "pqrst")]
WORDS = Vocabulary(vocabulary(), literals())


@pytest.mark.parametrize(("most", "reached"), [(10, False), (None, True)])
def test_they_end_with_the_budget_and_say_so(most, reached):
    def make(problem, candidates):
        return Searcher(problem, WORDS, {}, SearchMeter(limit=candidates))

    found = next(make(problem_from_rows(ROWS, "rows"), 200_000).programs())
    out = LeaveOneOutSearches(term=found.term, rows=ROWS, vocabulary=WORDS, make=make, took=found.candidates, most=most)
    out.decisive_row(range(len(ROWS)))
    assert out.reached == reached
    assert most is None or out.used < found.candidates
