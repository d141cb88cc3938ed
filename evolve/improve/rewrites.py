"""Proposals for prompts inside a run: paid from its budget, and kept, so that a run that goes on asks nothing twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evolve.episodes import Cost
from evolve.errors import BudgetExhausted, EndpointProblem, ModelMistake
from evolve.faults import hit
from evolve.files import canonical_json, digest
from evolve.improve.journal import Journal
from evolve.ledger import Ledger
from evolve.optimizer.engine import SearchEnded
from evolve.policies import Edit, Rewriter
from evolve.policies.language import EpisodeMeter

_UNUSABLE = 3
"""Answers in a row of which nothing can be used, after which the model is no rewriter."""


@dataclass(kw_only=True)
class PaidRewriter:
    """A rewriter whose answers belong to a run.

    Attributes:
        meter: What the rewriter's models book on.
        ledger: What the run may spend.
        journal: Where the run's answers are kept.
    """

    rewriter: Rewriter
    meter: EpisodeMeter
    ledger: Ledger
    journal: Journal
    _unusable: int = 0

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = ""
    ) -> tuple[Edit, ...]:
        """The edits; () where the model gave nothing usable.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked, or gave nothing usable several times in a row; nothing of
                the last question is kept, so another model may answer it.
        """
        name = f"rewrite:{digest(canonical_json([list(items), list(traces), seed, about]))}"
        known = self.journal.done(name)
        if known is None:
            known = self._asked(items, traces, seed, about)
            self._count(known)
            self.journal.finish(name, known)
            hit("rewrite.kept")
        else:
            self._count(known)
            self.ledger.settle(Cost(), Cost(**known["cost"]))
        return tuple(Edit(**one) for one in known["edits"])

    def _count(self, answer: Mapping[str, Any]) -> None:
        self._unusable = self._unusable + 1 if answer.get("unusable") else 0
        if self._unusable >= _UNUSABLE:
            raise EndpointProblem(
                f"the model that rewrites prompts gave nothing usable {_UNUSABLE} times in a row: {answer['unusable']}",
                retryable=False,
                hint="evolve models check; model_rewrite in evolve.toml names another model, where --model is left out",
            )

    def _asked(self, items: Sequence[str], traces: Sequence[str], seed: int, about: str) -> dict[str, Any]:
        if self.ledger.exhausted:
            raise SearchEnded(self.ledger.exhausted)
        self.meter.start(self.ledger.left)
        before, unusable = self.meter.spent, ""
        try:
            edits = self.rewriter.propose(items, traces, seed=seed, about=about)
        except ModelMistake as error:  # it is paid for, and tells nothing
            edits, unusable = (), str(error) or "no reason is given"
        except BudgetExhausted as error:
            raise SearchEnded(str(error)) from error
        finally:
            now = self.meter.spent
            cost = replace(
                Cost(),
                tokens=now.tokens - before.tokens,
                money=now.money - before.money,
                calls=now.calls - before.calls,
            )
            self.ledger.settle(Cost(), cost)
        return {"edits": [asdict(edit) for edit in edits], "cost": asdict(cost), "unusable": unusable}
