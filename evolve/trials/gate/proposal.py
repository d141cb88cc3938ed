"""A proposal that is put before the gate, what the gate found of it, and the verdict that it keeps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evolve.core.episodes import Cost
from evolve.core.files import canonical_json, digest
from evolve.core.store import value_of
from evolve.tasks import Suite
from evolve.trials.gate.confirmation import Confirmation
from evolve.trials.gate.eprocess import Tally, TestState, Verdict
from evolve.trials.gate.paired_runner import Pair, PairTotals


def pair_key(run: str, parent: str, variant: str, suite: str) -> str:
    """Identity of one judgement, as text."""
    return digest(canonical_json([run, parent, variant, suite]))


@dataclass(frozen=True, kw_only=True)
class VariantProposal:
    """A variant put before the gate.

    Attributes:
        run: Id of the run that asks; it judges the same pair of variants on a suite once.
        parent, variant: Digests, or ``unlearned``.
        texts: Everything the variant would put before a policy, by name; looked through for held-out text.
        learned_from: Groups that something was learned from, such as in a person's own runs; they are not tried.
    """

    run: str
    parent: str
    variant: str
    suite: Suite
    texts: Mapping[str, str] = field(default_factory=dict)
    learned_from: frozenset[str] = frozenset()

    @property
    def identifying_names(self) -> dict[str, str]:
        """What tells one judgement from another."""
        return {"run": self.run, "parent": self.parent, "variant": self.variant, "suite": self.suite.digest}

    @property
    def key(self) -> str:
        """Identity of the judgement: a run judges a pair of variants on a suite once."""
        return pair_key(**self.identifying_names)


@dataclass(frozen=True, kw_only=True)
class GateReport:
    """What the gate found; nothing is written yet.

    Attributes:
        pairs: The pairs the verdict rests on, in order.
        planned: Groups that could have been tried; every one of them counts.
        regressed: Tasks that worked and no longer do.
        refused: Why the variant was not compared at all, or "".
        void: Why the comparison says nothing, or "".
        pins: Digests of what was measured with.
        confirmation: What came of it on tasks that judged nothing before; None where there are none, or none were due.
    """

    proposal: VariantProposal
    state: TestState
    pairs: tuple[Pair, ...] = ()
    planned: int = 0
    regressed: tuple[str, ...] = ()
    refused: str = ""
    void: str = ""
    pins: Mapping[str, str] = field(default_factory=dict)
    cost: Cost = field(default_factory=Cost)
    confirmation: Confirmation | None = None

    @property
    def accepted(self) -> bool:
        """Whether the variant may take its parent's place."""
        return self.state.verdict == "accept"

    @property
    def totals(self) -> PairTotals:
        """Both arms over all pairs."""
        return self.pairs[-1].standing if self.pairs else PairTotals()


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

    @classmethod
    def from_row(cls, row: Mapping[str, Any], grounds: Mapping[str, Any]) -> GateDecision:
        """The verdict of a row.

        Args:
            grounds: What it rests on besides; {} for verdicts of older versions.
        """
        counts = {name: row[name] for name in ("wins", "losses", "ties", "void")}
        confirmed = grounds.get("confirmation")
        return value_of(
            cls,
            row,
            tally=Tally(**counts, withheld=grounds.get("withheld", 0)),
            planned=grounds.get("planned", 0),
            standing=PairTotals(**grounds.get("standing", {})),
            regressed=tuple(grounds.get("regressed", ())),
            pins=grounds.get("pins", {}),
            confirmation=Confirmation.from_json(confirmed) if confirmed else None,
        )


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

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> OpenJudgement:
        """The judgement of a row."""
        return value_of(cls, row, pins=json.loads(str(row["pins"])))
