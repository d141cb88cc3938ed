"""The parts of a search's budget, fixed before it begins: an engine must not see in its own what the gate spent.

How long a judgement took tells how close it was, which on tasks that are used again is more than an engine may know.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from evolve.core.episodes import EpisodeRecord
from evolve.core.ledger import LedgerPart, Spent
from evolve.improve.session import Session

SEARCHING, JUDGING = 0.55, 0.3
"""Parts of the budget for trials and for judgements; the rest measures on test tasks what was accepted."""


@dataclass(frozen=True, kw_only=True)
class BudgetSplit:
    """One run as three sessions over the same record.

    Attributes:
        whole: With the whole budget; measures on test tasks.
        search: What engines, rewriters and judges by a metric spend from.
        gate: What judgements spend from.
    """

    whole: Session
    search: Session
    gate: Session

    @contextmanager
    def judging(self, number: int) -> Iterator[Session]:
        """The gate's session while it judges; the search's clock stands still.

        Args:
            number: Of the engine's question.
        """
        search, gate = _part(self.search), _part(self.gate)
        before = gate.spent.seconds
        search.pause()
        gate.go_on()
        try:
            yield self.gate
            self.whole.journal.finish(_took(number), gate.spent.seconds - before)
        finally:
            gate.pause()
            search.go_on()


def split_budget(session: Session) -> BudgetSplit:
    """Divides a run's budget; what earlier processes of the run spent counts where it was spent."""
    records = session.stores.runs.episodes(run=session.run)
    gate = _spent([record for record in records if record.split == "gate"], _judged_seconds(session))
    search = _less(_less(session.ledger.spent, gate), _spent([one for one in records if one.split == "test"], 0.0))
    searching = LedgerPart(session.ledger, SEARCHING, name="searching", spent=search)
    judging = LedgerPart(session.ledger, JUDGING, name="judging", spent=gate)
    searching.go_on()
    return BudgetSplit(
        whole=session,
        search=replace(session, ledger=searching, before=Spent()),
        gate=replace(session, ledger=judging, before=Spent()),
    )


def _part(session: Session) -> LedgerPart:
    assert isinstance(session.ledger, LedgerPart)
    return session.ledger


def _took(number: int) -> str:
    return f"judging:{number}"


def _judged_seconds(session: Session) -> float:
    """Wall seconds of the judgements that earlier processes finished."""
    total, number = 0.0, 0
    asked = session.journal
    while (number == 0) or asked.done(f"answer:{number}") is not None:
        number += 1
        total += float(asked.done(_took(number)) or 0.0)
    return total


def _spent(records: Sequence[EpisodeRecord], seconds: float) -> Spent:
    costs = [record.cost for record in records]
    names = ("candidates", "tokens", "calls", "money", "completion", "cached")
    return Spent(seconds=seconds, **{name: sum(getattr(cost, name) for cost in costs) for name in names})


def _less(one: Spent, other: Spent) -> Spent:
    return Spent(**{name: max(0, count - getattr(other, name)) for name, count in asdict(one).items()})
