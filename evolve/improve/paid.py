"""Calls of a model outside of episodes: paid from the run's budget, and stored, so that none is made twice."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

from evolve.episodes import Cost, Json
from evolve.errors import BudgetExhausted
from evolve.failpoints import hit
from evolve.ledger import Ledger
from evolve.optimizer.engine import SearchEnded
from evolve.policies.language import EpisodeMeter
from evolve.record.journal import Journal


class PaidAnswers:
    """A model's answers that belong to a run.

    Args:
        meter: What the models that are asked book on.
        ledger: What the run may spend.
        journal: Where the run's answers are kept, each with its cost.
    """

    def __init__(self, meter: EpisodeMeter, ledger: Ledger, journal: Journal) -> None:
        self._meter, self._ledger, self._journal = meter, ledger, journal
        self._booked: set[str] = set()

    def once(self, name: str, ask: Callable[[], Json]) -> Json:
        """The answer kept under a name, else the one that ``ask`` gives now.

        What an earlier process of the run paid for an answer is booked when it is first read here.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """
        known = self._journal.done(name)
        if known is None:
            known = self._asked(ask)
            self._journal.finish(name, known)
            hit("answer.kept")
        elif name not in self._booked:
            self._ledger.settle(Cost(), Cost(**known["cost"]))
        self._booked.add(name)
        return known["answer"]

    def _asked(self, ask: Callable[[], Json]) -> dict[str, Json]:
        if self._ledger.exhausted:
            raise SearchEnded(self._ledger.exhausted)
        self._meter.start(self._ledger.left)
        before = self._meter.spent
        try:
            answer = ask()
        except BudgetExhausted as error:
            raise SearchEnded(str(error)) from error
        finally:
            cost = self._meter.spent - before
            self._ledger.settle(Cost(), cost)
        return {"answer": answer, "cost": asdict(cost)}
