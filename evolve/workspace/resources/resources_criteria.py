"""``ws.criteria``: what installed packages tell right answers apart by."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence

from evolve.core import extensions
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.evaluators import Criterion, Evaluator, Opinion, named_evaluator


class Criteria(Resource):
    """The criteria of all evaluators.

    Args:
        services: What evaluators are made with.
    """

    def __init__(self, services: object) -> None:
        self._services = services

    def list(self) -> builtins.list[Criterion]:
        """All of them, by evaluator, oldest first."""
        return [one for evaluator in self._evaluators() for one in evaluator.criteria()]

    def opinion(self, name: str) -> Opinion:
        """Who tells how answers do by the criterion with this name or id.

        Raises:
            UsageError: There is none, more than one, or nobody whose opinion on it counts.
        """
        chosen = named_evaluator(name, self.list())
        return next(one for one in self._evaluators() if chosen in one.criteria()).opinion(chosen)

    def gather(self) -> frozenset[str]:
        """Takes in the comments on runs that are new; gives the ids of the criteria that came of it."""
        return frozenset[str]().union(*(evaluator.gather() for evaluator in self._evaluators()))

    def forget(self, ids: Sequence[str]) -> int:
        """Deletes criteria by their ids; gives how many.

        Raises:
            UsageError: One cannot be deleted.
        """
        own = [
            (evaluator, [one.id for one in evaluator.criteria() if one.id in ids]) for evaluator in self._evaluators()
        ]
        return sum(evaluator.forget(some) for evaluator, some in own if some)

    def _evaluators(self) -> Iterator[Evaluator]:
        for name in extensions.extension_names("evaluators"):
            evaluator = extensions.find("evaluators", name, Callable)(self._services)
            if not isinstance(evaluator, Evaluator):
                raise extensions.refused("evaluators", name, f"makes {type(evaluator).__name__}, no evaluator")
            yield evaluator
