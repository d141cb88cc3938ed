"""What the gate writes down and reads back: verdicts, the levels that groups have served, looks, seals, and tasks."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, cast, get_args

from evolve.core.episodes import EpisodeRecord
from evolve.core.errors import UsageError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of
from evolve.tasks import Suite
from evolve.tasks.model import SplitName, suite_digest
from evolve.trials.gate.eprocess import TestState
from evolve.trials.gate.error_budget import (
    DRAWN,
    JUDGED,
    KEPT_BACK,
    OLDER,
    ErrorBudget,
    GateLevel,
    ServedProposal,
    error_level,
    next_number,
    suite_mark,
)
from evolve.trials.gate.judges import Measurement
from evolve.trials.gate.prequential import SEARCH, PersonTaskOutcomes, PrequentialPair, Proof
from evolve.trials.gate.proposal import GateDecision, GateReport, OpenJudgement, pair_key
from evolve.trials.gate.regression import RegressionTask, entering_task


@dataclass(frozen=True, kw_only=True)
class HoldoutAccess:
    """One opening of a suite's test tasks; ``at`` in seconds since the epoch."""

    suite: str
    run: str
    purpose: str
    at: float


class DecisionRepository:
    """All tables of the gate; what follows from their rows are functions beside it.

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
        earlier: Callable[[str], Iterable[str]] = lambda run: (),
    ) -> None:
        self._db = db
        self._budget = budget or ErrorBudget()
        self._clock = clock
        self._earlier = earlier

    def next_level(self, suite: str, groups: Iterable[str] = ()) -> tuple[int, float]:
        """Number and error level of the next proposal; what was refused untested used no level.

        A judgement that was begun and has no verdict counts like one that has: else whoever does not like how one
        goes could break it off and have its level back.

        Args:
            groups: Those it will be judged on; by default those of the last proposal on the suite.
        """
        groups = frozenset(groups) or self._last_served(suite)
        number = next_number(self.times_served(JUDGED), {*groups, suite_mark(suite, JUDGED)})
        return number, error_level(self._budget.alpha, number)

    def _last_served(self, suite: str) -> frozenset[str]:
        found = (self.served(str(row["key"])) for row in reversed(self._db.rows("gate_begun", {"suite": suite})))
        return next((served.groups for served in found if served is not None), frozenset())

    def served(self, key: str, block: str = JUDGED) -> ServedProposal | None:
        """The groups that a judgement was begun with, or None."""
        rows = self._db.rows("gate_served", {"key": key, "block": block})
        return _served(rows[0]) if rows else None

    def times_served(self, block: str) -> Counter[str]:
        """How many proposals each group has served for something."""
        rows = self._db.rows("gate_served")
        counts = Counter(group for row in rows if row["block"] == block for group in _served(row).groups)
        if block != JUDGED:
            return counts
        # Older versions wrote no groups down; what was refused untested served nothing.
        begun = [*self._db.rows("gate_begun"), *(row for row in self._db.rows("gate_decisions") if row["alpha"])]
        listed = {row["key"] for row in rows}
        unlisted = {row["key"]: (str(row["run"]), str(row["suite"])) for row in begun if row["key"] not in listed}
        for run, suite in unlisted.values():
            counts.update({*self._earlier(run), suite_mark(suite, JUDGED), suite_mark(suite, OLDER)})
        return counts

    def _serve(self, key: str, block: str, level: tuple[int, float], groups: Iterable[str]) -> ServedProposal:
        """Writes down what a judgement begins with; the first row of a judgement and block stands."""
        served = ServedProposal(key=key, block=block, number=level[0], level=level[1], groups=frozenset(groups))
        row = {name: value for name, value in vars(served).items() if name != "groups"}
        listed = {"id": digest(canonical_json([key, block])), "problems": canonical_json(sorted(served.groups))}
        self._db.insert("gate_served", {**row, **listed}, key="id")
        return served

    def reserve(self, run: str, suite: str, groups: Iterable[str]) -> float:
        """Takes the number and level of a judgement whose pairs are seen before its variant is made; gives the level.

        Whoever breaks it off does not have the level back; :meth:`open` of the same run and suite uses it. Once done,
        nothing is changed.
        """
        key, judged = pair_key(run, "", "", suite), frozenset(groups)
        with self._db.transaction():
            known = self.served(key)
            if known is None:
                known = self._serve(key, JUDGED, self.next_level(suite, judged), {*judged, suite_mark(suite, JUDGED)})
            return known.level

    def open(
        self, pins: Mapping[str, str], *, run: str, parent: str, variant: str, suite: str, groups: Iterable[str] = ()
    ) -> OpenJudgement:
        """Notes what a judgement measures with, on which groups and at what level; gives what it first began with."""
        key, judged = pair_key(run, parent, variant, suite), frozenset(groups)
        with self._db.transaction():
            reserved = self.served(pair_key(run, "", "", suite))
            level = (reserved.number, reserved.level) if reserved else self.next_level(suite, judged)
            row: dict[str, Any] = {
                "key": key,
                "run": run,
                "variant": variant,
                "suite": suite,
                "proposal": level[0],
                "alpha": level[1],
                "pins": canonical_json(dict(pins)),
                "at": self._clock(),
            }
            # A judgement that goes on after a break has its row already, and keeps the level and the number in it.
            if self._db.insert("gate_begun", row, key="key"):
                # What was reserved has served already.
                self._serve(key, JUDGED, level, () if reserved else {*judged, suite_mark(suite, JUDGED)})
            return OpenJudgement.from_row(self._db.rows("gate_begun", {"key": key})[0])

    def open_confirmation(
        self, key: str, suite: str, groups: Iterable[str], *, block: str = KEPT_BACK
    ) -> ServedProposal:
        """Notes on which groups an accepted variant is confirmed; gives what that first began with.

        Args:
            key: Of the judgement, by :func:`pair_key`.
            suite: Its digest; where tasks are drawn, the name of what they are drawn from.
            block: :data:`KEPT_BACK`, or :data:`DRAWN` for groups that never judged before.
        """
        with self._db.transaction():
            known = self.served(key, block)
            if known is not None:
                return known
            marked = {*groups, suite_mark(suite, block)}
            number = next_number(self.times_served(block), marked)
            if block == KEPT_BACK:
                # What judged once was read by whoever proposed since, so it counts like a confirmation.
                number += next_number(self.times_served(JUDGED), {*groups, suite_mark(suite, OLDER)}) - 1
            alpha = self._drawn_level(suite) if block == DRAWN else error_level(self._budget.alpha, number)
            return self._serve(key, block, (number, alpha), marked)

    def _drawn_level(self, pool: str) -> float:
        """What is left of the budget for confirmations on tasks drawn from a pool; what these leave comes back."""
        grounds = {str(row["key"]): json.loads(str(row["body"])) for row in self._db.rows("gate_grounds")}
        stakes = []
        for served in map(_served, self._db.rows("gate_served", {"block": DRAWN})):
            if suite_mark(pool, DRAWN) in served.groups:
                found = (grounds.get(served.key) or {}).get("confirmation") or {}
                wealth, accepted = float(found.get("wealth", 0.0)), bool(found.get("confirmed"))
                stakes.append(GateLevel(level=served.level, wealth=wealth, accepted=accepted))
        return self._budget.next_level(stakes)

    def open_judgements(self, suite: str | None = None) -> list[OpenJudgement]:
        """Judgements without a verdict, on one suite or all, oldest first."""
        where = _of_suite(suite)
        decided = {row["key"] for row in self._db.rows("gate_decisions", where)}
        begun = self._db.rows("gate_begun", where)
        return [OpenJudgement.from_row(row) for row in begun if row["key"] not in decided]

    def judgement_number(self, *, run: str, parent: str, variant: str, suite: str, groups: Iterable[str] = ()) -> int:
        """Number of a judgement: what it got when it was begun, else that of the next."""
        rows = self._db.rows("gate_begun", {"key": pair_key(run, parent, variant, suite)})
        return cast(int, rows[0]["proposal"]) if rows else self.next_level(suite, groups)[0]

    def save_finding(self, finding: GateReport) -> GateDecision:
        """Keeps what was found, with what it rests on; the first of a run on a pair of variants stands."""
        grounds = {
            "planned": finding.planned,
            "standing": asdict(finding.totals),
            "regressed": list(finding.regressed),
            "pins": dict(finding.pins),
            "confirmation": None if finding.confirmation is None else finding.confirmation.to_json(),
        }
        return self.save_verdict(finding.state, **finding.proposal.identifying_names, grounds=grounds)

    def save_verdict(
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
        names, tally = {"run": run, "parent": parent, "variant": variant, "suite": suite}, asdict(state.tally)
        key, withheld = pair_key(**names), tally.pop("withheld")
        with self._db.transaction():
            row = {name: getattr(state, name) for name in ("verdict", "alpha", "wealth", "further", "reason")}
            row |= {"key": key, "proposal": self.judgement_number(**names), "at": self._clock()}
            self._db.insert("gate_decisions", {**names, **tally, **row}, key="key")
            body = {"withheld": withheld, **(grounds or {})}
            self._db.insert("gate_grounds", {"key": key, "body": canonical_json(body)}, key="key")
            return self._decision(self._db.rows("gate_decisions", {"key": key})[0])

    def list_verdicts(self, suite: str | None = None) -> list[GateDecision]:
        """Verdicts on one suite, or all, oldest first."""
        return [self._decision(row) for row in self._db.rows("gate_decisions", _of_suite(suite))]

    def _decision(self, row: Mapping[str, Any]) -> GateDecision:
        rows = self._db.rows("gate_grounds", {"key": row["key"]})  # verdicts of older versions have none
        return GateDecision.from_row(row, json.loads(str(rows[0]["body"])) if rows else {})

    def override(self, variant: str, tasks: Sequence[str], *, person: str, reason: str) -> None:
        """Logs that a person lets a variant through in spite of these regressed tasks.

        Raises:
            ValueError: Nobody is named, or no reason is given.
        """
        if not person.strip() or not reason.strip():
            raise ValueError("an override names a person and a reason")
        row = {"variant": variant, "tasks": canonical_json(sorted(tasks)), "person": person, "reason": reason}
        self._db.insert("gate_overrides", {**row, "at": self._clock()})

    def overrides(self, variant: str) -> list[Mapping[str, Any]]:
        """The overrides logged for a variant, oldest first."""
        return list(self._db.rows("gate_overrides", {"variant": variant}))

    def check_seal(self, suite: Suite) -> None:
        """Seals the splits of a suite when it is met first; later holds it against its seal.

        Raises:
            UsageError: A task changed, or lies in another split, under the digest of a sealed suite.
        """
        # One digest per split over which tasks lie in it and what they ask, `meta` left out.
        digests = {name: suite_digest(suite.split(name)) for name in get_args(SplitName)}
        row: dict[str, Any] = {"suite": suite.digest, "splits": canonical_json(digests), "at": self._clock()}
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

    def look(self, suite: str, *, run: str, purpose: str) -> int:
        """Logs a look at test tasks before it is taken; gives the number of looks so far, this one included.

        A suite is known by its content, so renaming it hides nothing. A run that is resumed and opens the same suite
        for the same purpose again takes no second look.

        Args:
            suite: Digest of the suite.
            run: Id of the run that looks.
        """
        row = {"key": digest(canonical_json([suite, run, purpose])), "suite": suite, "run": run, "purpose": purpose}
        hit_failpoint("look.before")
        self._db.insert("gate_looks", {**row, "at": self._clock()}, key="key")
        hit_failpoint("look.after")
        return len(self.looks(suite))

    def looks(self, suite: str | None = None) -> list[HoldoutAccess]:
        """The looks at one suite, or at all, oldest first."""
        return [value_of(HoldoutAccess, row) for row in self._db.rows("gate_looks", _of_suite(suite))]

    def admit(self, tries: Sequence[EpisodeRecord], *, stratum: str, required: int = 1) -> bool:
        """Takes a task in that must keep working, if these are ``required`` fresh, different tries that all solved it.

        Args:
            required: 1 for a deterministic policy, 3 for a language model.

        Returns:
            True when the task is kept now and was not before.

        Raises:
            ValueError: The tries are of different tasks or variants.
        """
        task = entering_task(tries, stratum=stratum, required=required)
        if task is None:
            return False
        row = {"problem" if name == "group" else name: value for name, value in vars(task).items()}
        row |= {"key": digest(canonical_json([task.suite, task.task])), "at": self._clock()}
        return self._db.insert("gate_regression", row, key="key")

    def regression_tasks(self, suite: str | None = None) -> list[RegressionTask]:
        """Tasks that must keep working, in order of entry; ``suite`` names the task suite they come from."""
        rows = self._db.rows("gate_regression", _of_suite(suite))
        return [value_of(RegressionTask, row, group=row["problem"]) for row in rows]

    def own_pair(self, episode: str) -> PrequentialPair | None:
        """The pair of the task that this episode answered; None where it was not judged."""
        rows = self._db.rows("own_pairs", {"episode": episode})
        return PrequentialPair.from_row(rows[0]) if rows else None

    def own_pairs(self) -> list[PrequentialPair]:
        """All pairs, in the order of arrival."""
        return [PrequentialPair.from_row(row) for row in self._db.rows("own_pairs")]

    def met_of(self, traits: Iterable[str]) -> frozenset[str]:
        """Those of the traits that an earlier task had."""
        return frozenset(trait for trait in traits if self._db.rows("own_traits", {"trait": trait}))

    def add_own_pair(
        self, episode: str, family: str, traits: Iterable[str], arms: PersonTaskOutcomes, *, met: bool
    ) -> bool:
        """Keeps a pair with the traits by which later tasks are known as like it; the first of an episode stands.

        Args:
            traits: Whatever identifies the task's problem, rows, table and instruction.
            met: What it asks was learned from elsewhere.

        Returns:
            False, with nothing changed, where the episode has a pair already.

        Raises:
            ValueError: The two are not of one task and seed.
        """
        listed = sorted(set(traits))
        how = {"policy": arms.policy, "group": arms.learned.group, "spent": asdict(arms.cost)}
        with self._db.transaction():
            if self.own_pair(episode) is not None:
                return False
            row: dict[str, Any] = {
                "episode": episode,
                "family": family,
                "alike": int(met or bool(self.met_of(listed))),
                "outcome": arms.outcome,
                "arms": canonical_json([*map(asdict, arms.arm_outcomes), how]),
                "at": self._clock(),
            }
            self._db.insert("own_pairs", row, key="episode")
            self.meet(episode, listed)
        return True

    def meet(self, episode: str, traits: Iterable[str]) -> None:
        """Keeps by what a task is known that is learned from, whether it was judged or not; joins a transaction."""
        with self._db.transaction():
            for trait in sorted(set(traits)):
                self._db.insert("own_traits", {"trait": trait, "episode": episode}, key="trait")

    def proof(self, policy: str = SEARCH, *, missing: Iterable[str] = ()) -> Proof:
        """What those of one policy say so far.

        Args:
            missing: Groups that were to count; those that have no pair of this policy are missing.
        """
        pairs = [pair for pair in self.own_pairs() if pair.policy == policy]
        return Proof.from_pairs(pairs, missing=len(set(missing) - {pair.group for pair in pairs}))

    def add_measurement(self, measurement: Measurement) -> Measurement:
        """Keeps a measurement of a judge; its latest counts."""
        dated = replace(measurement, at=self._clock())
        self._db.insert("judge_measurements", dated.to_row())
        return dated

    def measurement(self, model: str, prompt: str) -> Measurement | None:
        """The latest measurement of a model that judges by a prompt, or None."""
        rows = self._db.rows("judge_measurements", {"model": model, "prompt": prompt}, order="seq DESC")
        return Measurement.from_row(rows[0]) if rows else None


def _of_suite(suite: str | None) -> dict[str, Any]:
    return {} if suite is None else {"suite": suite}


def _served(row: Mapping[str, Any]) -> ServedProposal:
    return value_of(ServedProposal, row, groups=frozenset(json.loads(str(row["problems"]))))
