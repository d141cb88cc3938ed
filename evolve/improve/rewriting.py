"""A rewriter whose proposals are kept and booked: the run that goes on gets the same edits and pays for none twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.agent.codec import from_data, to_data
from evolve.episodes import Cost
from evolve.files import canonical_json, digest
from evolve.improve.session import Session
from evolve.ledger import Budget
from evolve.optimizer.engine import SearchEnded
from evolve.policies.protocol import Edit, Rewriter


@dataclass(frozen=True, kw_only=True)
class Writing:
    """A rewriter and the meter its calls are booked on.

    Attributes:
        begin: Says what the next proposal may spend.
        spent: What was spent since the meter was made.
    """

    rewriter: Rewriter
    begin: Callable[[Budget], None]
    spent: Callable[[], Cost]


class KeptRewriter:
    """Asks a rewriter within the session's budget; implements :class:`evolve.policies.protocol.Rewriter`."""

    def __init__(self, session: Session, writing: Writing) -> None:
        self._session, self._writing = session, writing
        self._booked: set[str] = set()

    def propose(
        self, items: Sequence[str], traces: Sequence[str], *, seed: int = 0, about: str = ""
    ) -> tuple[Edit, ...]:
        """The edits, from the journal where the same was asked before.

        Raises:
            SearchEnded: The budget is spent.
        """
        step = f"rewrite:{digest(canonical_json([list(items), list(traces), seed, about]))}"
        known: Any = self._session.journal.done(step)
        ledger = self._session.ledger
        if known is not None:
            if step not in self._booked:  # an earlier process paid for it
                ledger.settle(Cost(), from_data(Cost, known["cost"]))
                self._booked.add(step)
            return tuple(from_data(Edit, one) for one in known["edits"])
        if ledger.exhausted:
            raise SearchEnded(ledger.exhausted)
        before = self._writing.spent()
        self._writing.begin(ledger.left)
        edits = self._writing.rewriter.propose(items, traces, seed=seed, about=about)
        after = self._writing.spent()
        cost = Cost(
            tokens=after.tokens - before.tokens, money=after.money - before.money, calls=after.calls - before.calls
        )
        ledger.settle(Cost(), cost)
        self._booked.add(step)
        self._session.journal.finish(step, {"edits": [to_data(one) for one in edits], "cost": to_data(cost)})
        return edits
