"""What two episodes that differ in one change say of it, by one rule each.

A comparison of whole variants is decided by the gate's sequential test, which looks after every pair
(:class:`evolve.trials.gate.SequentialTest`). Single claims gather evidence pair by pair: by :func:`by_success` where
chance has a part in the outcome and a posterior counts the pairs, by :func:`by_cost` where the search repeats itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evolve.core.episodes import Claim, EpisodeRecord, Evidence, Relation
from evolve.memory import Insight
from evolve.trials.gate import Pair, is_fresh, is_verified

Direction = Literal[1, -1]
"""+1 speaks for the claim, -1 against it."""

DEARER, CHEAPER = 2.0, 0.5
"""Cost without a cause over cost with it, from which on it is needed, and down to which it stands in the way."""
_ENDED = frozenset({"solved", "unsolved", "budget"})
"""Ways to end that are the search's own doing."""


@dataclass(frozen=True, kw_only=True)
class PairEvidence:
    """What a pair is evidence on."""

    relation: Relation
    direction: Direction

    @property
    def needed(self) -> bool:
        """Whether the task needs the cause."""
        return self.relation == "necessary" and self.direction > 0


def by_success(pair: Pair) -> Direction | None:
    """Whether the variant's or the parent's episode alone was verified; None where both ended alike, or by a fault."""
    if pair.outcome in ("void", "withheld") or is_verified(pair.variant) == is_verified(pair.parent):
        return None
    if not (is_fresh(pair.parent) and is_fresh(pair.variant)):  # an answer played back tells of nothing that acted
        return None
    return 1 if is_verified(pair.variant) else -1


def by_cost(first: int, without: EpisodeRecord) -> PairEvidence | None:
    """Whether a task needs a cause, by the candidates that the search took.

    It does where nothing is found without the cause, or at :data:`DEARER` times the cost or more. It is in the way
    where :data:`CHEAPER` the cost or less suffices. None where a fault or the run's budget ended the episode.

    Args:
        first: Candidates of the search with the cause, which was verified.
        without: The episode without it.
    """
    if without.status not in _ENDED:
        return None
    cost = without.cost.candidates
    if without.verified and cost <= CHEAPER * first:
        return PairEvidence(relation="prevents", direction=1)
    needed = not without.verified or cost >= DEARER * first
    return PairEvidence(relation="necessary", direction=1 if needed else -1)


def claim_on(insight: Insight, seen: Evidence, *, relation: Relation | None = None, text: str = "") -> Claim:
    """The insight with one piece of evidence.

    Args:
        relation: What the evidence is on, if not the insight's own relation.
        text: The claim in those words.
    """
    return Claim(
        cause=insight.cause,
        relation=relation or insight.relation,
        effect=insight.effect,
        scope=insight.scope,
        evidence=(seen,),
        text=text or insight.text,
    )
