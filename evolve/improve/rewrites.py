"""Proposals for prompts inside a run: paid from its budget, and kept, so that a run that goes on asks nothing twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from evolve.episodes import Cost
from evolve.errors import BudgetExhausted, ModelMistake
from evolve.faults import hit
from evolve.files import canonical_json, digest
from evolve.improve.journal import Journal
from evolve.ledger import Ledger
from evolve.optimizer.engine import SearchEnded
from evolve.policies import Edit, Rewriter
from evolve.policies.language import EpisodeMeter


@dataclass(frozen=True, kw_only=True)
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

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = ""
    ) -> tuple[Edit, ...]:
        """The edits; () where the model gave nothing usable.

        Raises:
            SearchEnded: The budget is spent, or may not cover the question.
            EndpointProblem: The model could not be asked; nothing is kept.
        """
        name = f"rewrite:{digest(canonical_json([list(items), list(traces), seed, about]))}"
        known = self.journal.done(name)
        if known is None:
            known = self._asked(items, traces, seed, about)
            self.journal.finish(name, known)
            hit("rewrite.kept")
        else:
            self.ledger.settle(Cost(), Cost(**known["cost"]))
        return tuple(Edit(**one) for one in known["edits"])

    def _asked(self, items: Sequence[str], traces: Sequence[str], seed: int, about: str) -> dict[str, Any]:
        if self.ledger.exhausted:
            raise SearchEnded(self.ledger.exhausted)
        self.meter.start(self.ledger.left)
        before = self.meter.spent
        try:
            edits = self.rewriter.propose(items, traces, seed=seed, about=about)
        except ModelMistake:  # it is paid for, and tells nothing
            edits = ()
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
        return {"edits": [asdict(edit) for edit in edits], "cost": asdict(cost)}
