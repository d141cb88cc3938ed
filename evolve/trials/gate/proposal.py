"""A proposal that is put before the gate, and what the gate found of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from evolve.core.episodes import Cost
from evolve.core.files import canonical_json, digest
from evolve.tasks import Suite
from evolve.trials.gate.confirmation import Confirmation
from evolve.trials.gate.eprocess import TestState
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
    def names(self) -> dict[str, str]:
        """What tells one judgement from another."""
        return {"run": self.run, "parent": self.parent, "variant": self.variant, "suite": self.suite.digest}

    @property
    def key(self) -> str:
        """Identity of the judgement: a run judges a pair of variants on a suite once."""
        return pair_key(**self.names)


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
