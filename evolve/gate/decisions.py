"""Verdicts as rows, and the error budget they draw on."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from evolve.files import canonical_json, digest
from evolve.gate.eprocess import AlphaSpending, Tally, TestState, Verdict
from evolve.store import Database


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One verdict of the gate.

    Attributes:
        id: Number of the row.
        proposal: Place of the variant in the stream of proposals for this suite, from 1.
        suite: Digest of the suite whose gate tasks were used.
        further: Predicted number of further pairs, None when no practical number would do.
    """

    id: int
    run: str
    proposal: int
    parent: str
    variant: str
    suite: str
    verdict: Verdict
    alpha: float
    wealth: float
    tally: Tally
    further: int | None
    reason: str
    at: float


class Decisions:
    """The log of verdicts. The error budget runs over all proposals ever made on a suite.

    Args:
        db: The record, opened with :data:`evolve.gate.MIGRATIONS`.
        spending: The budget; one per suite, since each suite's tasks are data of their own.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, db: Database, *, spending: AlphaSpending | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._db = db
        self._spending = spending or AlphaSpending()
        self._clock = clock

    def next_level(self, suite: str) -> tuple[int, float]:
        """Number and error level of the next proposal on a suite."""
        proposal = len(self._db.rows("gate_decisions", {"suite": suite})) + 1
        return proposal, self._spending.level(proposal)

    def record(self, state: TestState, *, run: str, parent: str, variant: str, suite: str) -> Decision:
        """Keeps a verdict; the same run judging the same pair of variants again keeps the first one."""
        key = digest(canonical_json([run, parent, variant, suite]))
        with self._db.transaction():
            row: dict[str, Any] = {
                "key": key,
                "run": run,
                "proposal": self.next_level(suite)[0],
                "parent": parent,
                "variant": variant,
                "suite": suite,
                "verdict": state.verdict,
                "alpha": state.alpha,
                "wealth": state.wealth,
                "wins": state.tally.wins,
                "losses": state.tally.losses,
                "ties": state.tally.ties,
                "void": state.tally.void,
                "further": state.further,
                "reason": state.reason,
                "at": self._clock(),
            }
            self._db.insert("gate_decisions", row, key="key")
            return _decision(self._db.rows("gate_decisions", {"key": key})[0])

    def log(self, suite: str | None = None) -> list[Decision]:
        """Verdicts on one suite, or all, oldest first."""
        rows = self._db.rows("gate_decisions", {} if suite is None else {"suite": suite})
        return [_decision(row) for row in rows]


def _decision(row: dict[str, Any]) -> Decision:
    return Decision(
        id=row["id"],
        run=row["run"],
        proposal=row["proposal"],
        parent=row["parent"],
        variant=row["variant"],
        suite=row["suite"],
        verdict=cast(Verdict, row["verdict"]),
        alpha=row["alpha"],
        wealth=row["wealth"],
        tally=Tally(wins=row["wins"], losses=row["losses"], ties=row["ties"], void=row["void"]),
        further=row["further"],
        reason=row["reason"],
        at=row["at"],
    )
