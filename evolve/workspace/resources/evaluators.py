"""What packages tell right answers apart by: targets of a search, and ``ws.criteria`` to look at them."""

from __future__ import annotations

import builtins
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from evolve.core import extensions
from evolve.core.errors import UsageError
from evolve.workspace.resources.base import Resource

if TYPE_CHECKING:
    from evolve.runtime.sandbox import Sandbox
    from evolve.tasks import Submission, Task


@dataclass(frozen=True, kw_only=True)
class Criterion:
    """Something in which right answers differ.

    Attributes:
        id: Unique, and kept for as long as it is there.
        name: What a person calls it.
        definition: What it measures, in a sentence.
    """

    id: str
    name: str
    definition: str

    @property
    def comments(self) -> frozenset[str]:
        """Ids of the comments on runs that it came of."""
        return frozenset()


@dataclass(frozen=True, kw_only=True)
class Opinion:
    """Who tells how answers do by a criterion.

    Attributes:
        criterion: What is told.
        judge: Name of a model, or of what else tells it.
        wanted: The criterion as a question for the judge, which prompts are edited by as well.
        score: How an answer to a task does: 1 or 0, or None where nothing is said that counts.
        version: What else the opinion hangs on, such as the digest of a prompt.
    """

    criterion: Criterion
    judge: str
    wanted: str
    score: Callable[[Task, Submission, Sandbox], float | None]
    version: str = ""


class Evaluator(ABC):
    """Criteria of one kind. Each is a target that a search may have; what the gate counts are verified solves.

    Args:
        services: The parts of the workspace that runs and loops work with (:class:`evolve.workspace.services.Desk`).
    """

    def __init__(self, services: Any) -> None:
        self.services = services

    @abstractmethod
    def criteria(self) -> Sequence[Criterion]:
        """All of them, oldest first."""

    @abstractmethod
    def opinion(self, criterion: Criterion) -> Opinion:
        """Who tells how answers do by one of them.

        Raises:
            UsageError: Nobody does whose opinion counts.
        """

    def gather(self) -> frozenset[str]:
        """Takes in the comments on runs that are new; gives the ids of the criteria that came of it."""
        return frozenset()

    def forget(self, ids: Sequence[str]) -> int:
        """Deletes some of them; gives how many.

        Raises:
            UsageError: One cannot be deleted; then nothing is.
        """
        raise UsageError(f"{' and '.join(ids)}: a package says this, so nothing of it can be forgotten")


C = TypeVar("C", bound=Criterion)


def named_evaluator(name: str, some: Sequence[C]) -> C:
    """The one of this name, this id, or an id that begins like this.

    Raises:
        UsageError: There is none, or more than one.
    """
    matches = [one for one in some if name in (one.name, one.id)] or [
        one for one in some if name and one.id.startswith(name)
    ]
    if len(matches) != 1:
        problem = "no metric" if not matches else f"{len(matches)} metrics"
        hint = "" if extensions.extension_names("evaluators") else extensions.install_hint("metrics")
        raise UsageError(f"{problem} called {name!r}", hint=hint or "evolve lab metrics list")
    return matches[0]


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
                raise extensions.extension_error("evaluators", name, f"makes {type(evaluator).__name__}, no evaluator")
            yield evaluator
