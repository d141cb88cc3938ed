"""Stores the gate's verdicts, and says at which error level the next proposal is tested."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from evolve.files import canonical_json, digest
from evolve.gate.eprocess import Tally, TestState, Verdict
from evolve.gate.error_budget import ErrorBudget, Stake
from evolve.gate.proposal import Finding
from evolve.gate.standing import Standing
from evolve.store import Database, Value, value_of


@dataclass(frozen=True, kw_only=True)
class Decision:
    """One verdict of the gate.

    Attributes:
        id: Number of the row.
        proposal: Place of the variant in the stream of proposals for this suite, from 1.
        suite: Digest of the suite whose gate tasks were used.
        alpha: Error level it was tested at; 0 for a variant that was refused untested.
        further: Predicted number of further pairs, None when no practical number would do.
        planned: Groups that could have been tried, 0 where that was not written down.
        standing: Both arms over all pairs.
        regressed: Tasks that worked and no longer do.
        pins: Digests of what was measured with, by part.
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
    planned: int = 0
    standing: Standing = field(default_factory=Standing)
    regressed: tuple[str, ...] = ()
    pins: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Begun:
    """A judgement as it was begun.

    Attributes:
        proposal: Place of the variant in the stream of proposals for this suite, from 1.
        alpha: Error level it is tested at, also after a break.
        pins: Digests of what it measures with, by part.
    """

    run: str
    variant: str
    suite: str
    proposal: int
    alpha: float
    pins: Mapping[str, str]
    at: float


class Decisions:
    """The one table of verdicts. The error budget runs over all proposals ever tested on a suite.

    Args:
        db: The record, opened with :data:`evolve.gate.MIGRATIONS`.
        budget: The error budget; one per suite, since each suite's tasks are data of their own.
        clock: Seconds since the epoch.
    """

    def __init__(
        self, db: Database, *, budget: ErrorBudget | None = None, clock: Callable[[], float] = time.time
    ) -> None:
        self._db = db
        self._budget = budget or ErrorBudget()
        self._clock = clock

    def next_level(self, suite: str) -> tuple[int, float]:
        """Number and error level of the next proposal on a suite; what was refused untested used no level.

        A judgement that was begun and has no verdict counts as lost in full: else whoever does not like how one
        goes could break it off and have its level back.
        """
        rows = self._db.rows("gate_decisions", {"suite": suite})
        stakes = [
            Stake(
                level=cast(float, row["alpha"]), wealth=cast(float, row["wealth"]), accepted=row["verdict"] == "accept"
            )
            for row in rows
            if row["alpha"]
        ]
        stakes += [Stake(level=begun.alpha, wealth=0.0, accepted=False) for begun in self.begun(suite)]
        return len(stakes) + 1, self._budget.level(stakes)

    def begun(self, suite: str | None = None) -> list[Begun]:
        """Judgements without a verdict, on one suite or all, oldest first."""
        where = {} if suite is None else {"suite": suite}
        decided = {row["key"] for row in self._db.rows("gate_decisions", where)}
        return [_begun(row) for row in self._db.rows("gate_begun", where) if row["key"] not in decided]

    def place(self, *, run: str, parent: str, variant: str, suite: str) -> int:
        """Number of a judgement in the stream of proposals: what it got when it was begun, else the next."""
        rows = self._db.rows("gate_begun", {"key": pair_key(run, parent, variant, suite)})
        return cast(int, rows[0]["proposal"]) if rows else self.next_level(suite)[0]

    def open(self, pins: Mapping[str, str], *, run: str, parent: str, variant: str, suite: str) -> Begun:
        """Notes what a judgement measures with, and at what level; gives what it began with the first time."""
        key = pair_key(run, parent, variant, suite)
        with self._db.transaction():
            number, level = self.next_level(suite)
            row: dict[str, Value] = {
                "key": key,
                "run": run,
                "variant": variant,
                "suite": suite,
                "proposal": number,
                "alpha": level,
                "pins": canonical_json(dict(pins)),
                "at": self._clock(),
            }
            # A judgement that goes on after a break has its row already, and keeps the level and the number in it.
            self._db.insert("gate_begun", row, key="key")
            return _begun(self._db.rows("gate_begun", {"key": key})[0])

    def keep(self, finding: Finding) -> Decision:
        """Keeps what was found, with what it rests on."""
        proposal = finding.proposal
        grounds = {
            "planned": finding.planned,
            "standing": asdict(finding.standing),
            "regressed": list(finding.regressed),
            "pins": dict(finding.pins),
        }
        return self.record(
            finding.state,
            run=proposal.run,
            parent=proposal.parent,
            variant=proposal.variant,
            suite=proposal.suite.digest,
            grounds=grounds,
        )

    def record(
        self,
        state: TestState,
        *,
        run: str,
        parent: str,
        variant: str,
        suite: str,
        grounds: Mapping[str, Any] | None = None,
    ) -> Decision:
        """Keeps a verdict; the same run judging the same pair of variants again keeps the first one.

        Args:
            grounds: What it rests on besides, as JSON.
        """
        key = pair_key(run, parent, variant, suite)
        with self._db.transaction():
            row: dict[str, Any] = {
                "key": key,
                "run": run,
                "proposal": self.place(run=run, parent=parent, variant=variant, suite=suite),
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
            body = {"withheld": state.tally.withheld, **(grounds or {})}
            self._db.insert("gate_grounds", {"key": key, "body": canonical_json(body)}, key="key")
            return self._decision(self._db.rows("gate_decisions", {"key": key})[0])

    def log(self, suite: str | None = None) -> list[Decision]:
        """Verdicts on one suite, or all, oldest first."""
        rows = self._db.rows("gate_decisions", {} if suite is None else {"suite": suite})
        return [self._decision(row) for row in rows]

    def _decision(self, row: Mapping[str, Any]) -> Decision:
        rows = self._db.rows("gate_grounds", {"key": row["key"]})  # verdicts of older versions have none
        grounds = json.loads(str(rows[0]["body"])) if rows else {}
        tally = Tally(
            **{name: row[name] for name in ("wins", "losses", "ties", "void")}, withheld=grounds.get("withheld", 0)
        )
        return value_of(
            Decision,
            row,
            tally=tally,
            planned=grounds.get("planned", 0),
            standing=Standing(**grounds.get("standing", {})),
            regressed=tuple(grounds.get("regressed", ())),
            pins=grounds.get("pins", {}),
        )


def _begun(row: Mapping[str, Any]) -> Begun:
    return value_of(Begun, row, pins=json.loads(str(row["pins"])))


def pair_key(run: str, parent: str, variant: str, suite: str) -> str:
    """Identity of one judgement: a run judges a pair of variants on a suite once."""
    return digest(canonical_json([run, parent, variant, suite]))
