"""What a policy learned, put to one task: the prices that its search goes by."""

from __future__ import annotations

from evolve.policies.search.clues import Clues
from evolve.policies.search.features import features_of
from evolve.policies.search.guide import Guide
from evolve.policies.search.pricing import Pricing
from evolve.policies.search.problem import Problem
from evolve.policies.search.searcher import Vocabulary


class Planner:
    """Prices a vocabulary for tasks, as a guide says."""

    def __init__(self, guide: Guide, vocabulary: Vocabulary) -> None:
        self._guide = guide
        self._clues, self._pricing = Clues(vocabulary), Pricing(vocabulary.static, guide.names)

    def prices(self, problem: Problem) -> dict[str, int]:
        """A price for every name of the vocabulary."""
        clues = self._clues.reader(problem).pairs()
        return self._pricing.prices(self._guide.likely(features_of(problem), clues))
