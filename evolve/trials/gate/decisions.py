"""The record of the gate: its verdicts, every look at test tasks, and seals on the splits of suites."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, cast, get_args

from evolve.core.errors import UsageError
from evolve.core.failpoints import hit
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, Value, value_of
from evolve.tasks import Suite
from evolve.tasks.model import SplitName, suite_digest
from evolve.trials.gate.confirmation import Confirmation
from evolve.trials.gate.eprocess import Tally, TestState, Verdict
from evolve.trials.gate.error_budget import (
    DRAWN,
    JUDGED,
    KEPT_BACK,
    OLDER,
    Earlier,
    ErrorBudget,
    GateLevel,
    GroupUsage,
    Served,
    error_level,
    suite_mark,
)
from evolve.trials.gate.paired_runner import PairTotals
from evolve.trials.gate.proposal import GateReport, pair_key


@dataclass(frozen=True, kw_only=True)
class GateDecision:
    """One verdict of the gate.

    Attributes:
        id: Number of the row.
        proposal: One plus the most proposals that any group it was judged on had served, from 1.
        suite: Digest of the suite whose gate tasks were used.
        alpha: Error level it was tested at; 0 for a variant that was refused untested.
        further: Predicted number of further pairs, None when no practical number would do.
        planned: Groups that could have been tried, 0 where that was not written down.
        standing: Both arms over all pairs.
        regressed: Tasks that worked and no longer do.
        pins: Digests of what was measured with, by part.
        confirmation: What came of it on tasks that judged nothing before; None where there are none, or none were due.
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
    standing: PairTotals = field(default_factory=PairTotals)
    regressed: tuple[str, ...] = ()
    pins: Mapping[str, str] = field(default_factory=dict)
    confirmation: Confirmation | None = None


@dataclass(frozen=True, kw_only=True)
class OpenJudgement:
    """A judgement as it was begun.

    Attributes:
        proposal: One plus the most proposals that any group it was judged on had served, from 1.
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


class DecisionRepository:
    """The one table of verdicts, and the error level of every proposal.

    Args:
        db: The record.
        budget: Its ``alpha`` bounds all levels; the capital is that of confirmations on tasks drawn for them.
        clock: Seconds since the epoch.
        earlier: Groups that a run of an older version judged on, as far as they are known.
    """

    def __init__(
        self,
        db: Database,
        *,
        budget: ErrorBudget | None = None,
        clock: Callable[[], float] = time.time,
        earlier: Earlier = lambda run: (),
    ) -> None:
        self._db = db
        self._budget = budget or ErrorBudget()
        self._clock = clock
        self.reuse = GroupUsage(db, earlier=earlier)

    def next_level(self, suite: str, groups: Iterable[str] = ()) -> tuple[int, float]:
        """Number and error level of the next proposal; what was refused untested used no level.

        A judgement that was begun and has no verdict counts like one that has: else whoever does not like how one
        goes could break it off and have its level back.

        Args:
            groups: Those it will be judged on; by default those of the last proposal on the suite.
        """
        served = frozenset(groups) or self._last_served(suite)
        number = self.reuse.number(JUDGED, {*served, suite_mark(suite, JUDGED)})
        return number, error_level(self._budget.alpha, number)

    def _last_served(self, suite: str) -> frozenset[str]:
        found = (self.reuse.find(str(row["key"])) for row in reversed(self._db.rows("gate_begun", {"suite": suite})))
        return next((served.groups for served in found if served is not None), frozenset())

    def open_judgements(self, suite: str | None = None) -> list[OpenJudgement]:
        """Judgements without a verdict, on one suite or all, oldest first."""
        where = {} if suite is None else {"suite": suite}
        decided = {row["key"] for row in self._db.rows("gate_decisions", where)}
        return [_begun(row) for row in self._db.rows("gate_begun", where) if row["key"] not in decided]

    def place(self, *, run: str, parent: str, variant: str, suite: str, groups: Iterable[str] = ()) -> int:
        """Number of a judgement: what it got when it was begun, else that of the next."""
        rows = self._db.rows("gate_begun", {"key": pair_key(run, parent, variant, suite)})
        return cast(int, rows[0]["proposal"]) if rows else self.next_level(suite, groups)[0]

    def reserve(self, run: str, suite: str, groups: Iterable[str]) -> float:
        """Takes the number and level of a judgement whose pairs are seen before its variant is made; gives the level.

        Whoever breaks it off does not have the level back; :meth:`open` of the same run and suite uses it. Once done,
        nothing is changed.
        """
        key = pair_key(run, "", "", suite)
        with self._db.transaction():
            known = self.reuse.find(key)
            if known is not None:
                return known.level
            judged = frozenset(groups)
            number, alpha = self.next_level(suite, judged)
            marked = judged | {suite_mark(suite, JUDGED)}
            self.reuse.note(Served(key=key, block=JUDGED, number=number, level=alpha, groups=marked))
            return alpha

    def open(
        self, pins: Mapping[str, str], *, run: str, parent: str, variant: str, suite: str, groups: Iterable[str] = ()
    ) -> OpenJudgement:
        """Notes what a judgement measures with, on which groups and at what level; gives what it first began with."""
        key = pair_key(run, parent, variant, suite)
        with self._db.transaction():
            judged, reserved = frozenset(groups), self.reuse.find(pair_key(run, "", "", suite))
            number, alpha = (reserved.number, reserved.level) if reserved else self.next_level(suite, judged)
            row: dict[str, Value] = {
                "key": key,
                "run": run,
                "variant": variant,
                "suite": suite,
                "proposal": number,
                "alpha": alpha,
                "pins": canonical_json(dict(pins)),
                "at": self._clock(),
            }
            # A judgement that goes on after a break has its row already, and keeps the level and the number in it.
            if self._db.insert("gate_begun", row, key="key"):
                # What was reserved has served already.
                marked = frozenset[str]() if reserved else judged | {suite_mark(suite, JUDGED)}
                self.reuse.note(Served(key=key, block=JUDGED, number=number, level=alpha, groups=marked))
            return _begun(self._db.rows("gate_begun", {"key": key})[0])

    def open_confirmation(self, key: str, suite: str, groups: Iterable[str], *, block: str = KEPT_BACK) -> Served:
        """Notes on which groups an accepted variant is confirmed; gives what that first began with.

        Args:
            key: Of the judgement, by :func:`pair_key`.
            suite: Its digest; where tasks are drawn, the name of what they are drawn from.
            block: :data:`KEPT_BACK`, or :data:`DRAWN` for groups that never judged before.
        """
        with self._db.transaction():
            known = self.reuse.find(key, block)
            if known is not None:
                return known
            marked = frozenset({*groups, suite_mark(suite, block)})
            number = self.reuse.number(block, marked)
            if block == KEPT_BACK:
                # What judged once was read by whoever proposed since, so it counts like a confirmation.
                number += self.reuse.number(JUDGED, {*groups, suite_mark(suite, OLDER)}) - 1
            alpha = self._drawn_level(suite) if block == DRAWN else error_level(self._budget.alpha, number)
            served = Served(key=key, block=block, number=number, level=alpha, groups=marked)
            self.reuse.note(served)
            return served

    def _drawn_level(self, pool: str) -> float:
        """What is left of the budget for confirmations on tasks drawn from a pool; what these leave comes back."""
        grounds = {str(row["key"]): json.loads(str(row["body"])) for row in self._db.rows("gate_grounds")}
        stakes = []
        for served in self.reuse.confirmed_on_fresh():
            if suite_mark(pool, DRAWN) in served.groups:
                found = (grounds.get(served.key) or {}).get("confirmation") or {}
                wealth, accepted = float(found.get("wealth", 0.0)), bool(found.get("confirmed"))
                stakes.append(GateLevel(level=served.level, wealth=wealth, accepted=accepted))
        return self._budget.level(stakes)

    def keep(self, finding: GateReport) -> GateDecision:
        """Keeps what was found, with what it rests on."""
        proposal = finding.proposal
        grounds = {
            "planned": finding.planned,
            "standing": asdict(finding.totals),
            "regressed": list(finding.regressed),
            "pins": dict(finding.pins),
            "confirmation": None if finding.confirmation is None else finding.confirmation.to_json(),
        }
        return self.record(
            finding.state,
            **proposal.names,
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
    ) -> GateDecision:
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

    def log(self, suite: str | None = None) -> list[GateDecision]:
        """Verdicts on one suite, or all, oldest first."""
        rows = self._db.rows("gate_decisions", {} if suite is None else {"suite": suite})
        return [self._decision(row) for row in rows]

    def _decision(self, row: Mapping[str, Any]) -> GateDecision:
        rows = self._db.rows("gate_grounds", {"key": row["key"]})  # verdicts of older versions have none
        grounds = json.loads(str(rows[0]["body"])) if rows else {}
        tally = Tally(
            **{name: row[name] for name in ("wins", "losses", "ties", "void")}, withheld=grounds.get("withheld", 0)
        )
        return value_of(
            GateDecision,
            row,
            tally=tally,
            planned=grounds.get("planned", 0),
            standing=PairTotals(**grounds.get("standing", {})),
            regressed=tuple(grounds.get("regressed", ())),
            pins=grounds.get("pins", {}),
            confirmation=Confirmation.from_json(confirmed) if (confirmed := grounds.get("confirmation")) else None,
        )


def _begun(row: Mapping[str, Any]) -> OpenJudgement:
    return value_of(OpenJudgement, row, pins=json.loads(str(row["pins"])))


@dataclass(frozen=True, kw_only=True)
class HoldoutAccess:
    """One opening of a suite's test tasks; ``at`` in seconds since the epoch."""

    suite: str
    run: str
    purpose: str
    at: float


class HoldoutAccessLog:
    """The log of looks. A suite is known by its content, so renaming it hides nothing.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def open(self, suite: str, *, run: str, purpose: str) -> int:
        """Logs a look before it is taken; gives the number of looks so far, this one included.

        A run that is resumed and opens the same suite for the same purpose again takes no second look.

        Args:
            suite: Digest of the suite.
            run: Id of the run that looks.
        """
        row: dict[str, Value] = {
            "key": digest(canonical_json([suite, run, purpose])),
            "suite": suite,
            "run": run,
            "purpose": purpose,
            "at": self._clock(),
        }
        hit("look.before")
        self._db.insert("gate_looks", row, key="key")
        hit("look.after")
        return self.count(suite)

    def count(self, suite: str) -> int:
        """How often the suite's test tasks have been opened."""
        return len(self._db.rows("gate_looks", {"suite": suite}))

    def log(self, suite: str | None = None) -> list[HoldoutAccess]:
        """The looks at one suite, or at all, oldest first."""
        rows = self._db.rows("gate_looks", {} if suite is None else {"suite": suite})
        return [value_of(HoldoutAccess, row) for row in rows]


class SuiteSeals:
    """The sealed splits of every suite that was ever judged on.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def check(self, suite: Suite) -> None:
        """Seals the splits of a suite when it is met first; later holds it against its seal.

        Raises:
            UsageError: A task changed, or lies in another split, under the digest of a sealed suite.
        """
        # One digest per split over which tasks lie in it and what they ask, `meta` left out.
        digests = {name: suite_digest(suite.split(name)) for name in get_args(SplitName)}
        row: dict[str, Value] = {"suite": suite.digest, "splits": canonical_json(digests), "at": self._clock()}
        self._db.insert("gate_seals", row, key="suite")  # leaves a row that is there as it is
        (stored,) = self._db.rows("gate_seals", {"suite": suite.digest})
        sealed = json.loads(str(stored["splits"]))
        broken = [name for name in digests if digests[name] != sealed.get(name)]
        if suite.digest != suite_digest(suite.tasks):
            broken = broken or ["suite's digest"]
        if broken:
            raise UsageError(
                f"the {' and '.join(broken)} of the suite {suite.name!r} is not what was sealed",
                hint="a changed suite is another suite: load it anew, so that it gets a digest of its own",
            )

    def log(self) -> Mapping[str, Mapping[str, str]]:
        """The seals by suite digest, one digest per split."""
        return {str(row["suite"]): json.loads(str(row["splits"])) for row in self._db.rows("gate_seals")}
