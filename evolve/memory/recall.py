"""Recall: the episodes nearest to a task, and the insights they are evidence for.

The score of an insight is a kernel estimate (Nadaraya, 1964; Watson, 1964) of what its evidence
says at this task, times the posterior of the claim. Age plays no part.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evolve.core.episodes import FACT, MOVE, QUOTED, TRIAL, Recalled, RunOrigin, Scope
from evolve.core.extensions import find
from evolve.memory.index import Hit, Where
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import INFLUENTIAL, Insight, InsightStatus, relation_camp
from evolve.memory.sentences import tested_with

if TYPE_CHECKING:
    from evolve.memory.notes import NoteQuestion

NEIGHBOURS = 32
"""Episodes looked at, or four times ``k`` if that is more."""
_KERNEL_WIDTH = 0.05
"""Loss of cosine similarity, from the nearest episode on, that makes an episode count e times less."""

Search = Callable[[int, Where | None], list[Hit]]
"""``search(k, where)``: the nearest episodes to the task in question."""

_MOST_TRIALS = 2


@dataclass(frozen=True, kw_only=True)
class RecallRequest:
    """What to recall.

    Attributes:
        scope: Only insights of this environment and family ("" means any), whose preconditions
            the scope fulfils where it names some.
        statuses: Insights of other statuses stay out.
        notes: Whether notes are looked up as well.
        replaced: Whether notes that later ones replaced are among them.
        without: Ids of insights that are left out; the next best take their places.
        origin: Where it is asked for. A claim of the search then acts in its own environment. One in a model's words
            acts in its own family once trials on two problems agree, and elsewhere once trials of two families from
            two sources do. One that repeats what a program or a file had said must be confirmed first.
        trials: Also give such claims that may not act there yet, to be tried.
    """

    query: str
    k: int
    scope: Scope | None = None
    statuses: frozenset[InsightStatus] = INFLUENTIAL
    insights: bool = True
    notes: bool = True
    replaced: bool = False
    without: frozenset[str] = frozenset()
    origin: RunOrigin | None = None
    trials: bool = False

    @property
    def policy(self) -> str | None:
        """Who asks; None where all evidence is read as one."""
        return None if self.origin is None else self.origin.policy


def recall_request(query: str, k: int, scope: Scope | RunOrigin | None, kinds: Sequence[str] | None) -> RecallRequest:
    """Reads ``kinds``: ``insight``, ``note``, ``trial``, or a status to see insights that do not influence runs.

    ``replaced`` are notes, with those that later ones replaced.

    Raises:
        ValueError: A kind is unknown.
    """
    statuses: dict[str, frozenset[InsightStatus]] = {
        "insight": INFLUENTIAL,
        "note": frozenset(),
        "replaced": frozenset(),
        TRIAL: frozenset(),
        "hypothesis": frozenset({"hypothesis"}),
        "contested": frozenset({"contested"}),
        "refuted": frozenset({"refuted"}),
        "expired": frozenset({"expired"}),
    }
    chosen_kinds = ("insight", "note") if kinds is None else tuple(kinds)
    unknown = sorted(set(chosen_kinds) - set(statuses))
    if unknown:
        raise ValueError(f"unknown kind {unknown[0]!r}; known are {', '.join(sorted(statuses))}")
    chosen_statuses = frozenset().union(*(statuses[kind] for kind in chosen_kinds))
    return RecallRequest(
        query=query,
        k=k,
        scope=None if isinstance(scope, RunOrigin) else scope,
        statuses=chosen_statuses,
        insights=bool(chosen_statuses),
        notes="note" in chosen_kinds or "replaced" in chosen_kinds,
        replaced="replaced" in chosen_kinds,
        origin=scope if isinstance(scope, RunOrigin) else None,
        trials=TRIAL in chosen_kinds,
    )


def recall_insights(book: InsightBook, search: Search, want: RecallRequest) -> list[Recalled]:
    """At most ``k`` insights, best first, equal scores by id; behind them what is to be tried, where that is wanted.

    In front of them, and beyond ``k``, what the kind of environment recalls itself.
    """
    if want.k < 1 or not want.insights:
        return []
    origin = want.origin if want.origin is not None and want.statuses >= INFLUENTIAL else None
    # What experiments showed is found by no words, and is told all the same.
    kind = find("environments", origin.environment) if origin is not None and origin.place else None
    own = kind.recall(book, origin) if kind is not None else []
    near = _recall_near(book, search, want) if book.entries else []
    return [*own, *near]


def _recall_near(book: InsightBook, search: Search, want: RecallRequest) -> list[Recalled]:
    hits = search(max(NEIGHBOURS, 4 * want.k), _where(want.scope))
    # An id that has left the record since the index was written is no neighbour.
    near = [hit for hit in hits if hit.id in book.entries]
    if not near:
        return []
    closest = near[0].distance
    shares: dict[str, _Share] = {}
    total = 0.0
    for hit in near:
        # Relative to the nearest, so that a task unlike all others still has neighbours that count.
        weight = math.exp((closest - hit.distance) / _KERNEL_WIDTH)
        total += weight
        for name, direction in book.insight_directions(hit.id).items():
            share = shares.get(name)
            if share is None:
                # Neighbours come nearest first, so the first to bear on an insight is its nearest.
                share = shares[name] = _Share(similarity=1.0 - hit.distance)
            share.local += weight * direction
            share.episodes += 1
    scored: dict[str, list[tuple[float, str, Insight, _Share]]] = {"insight": [], TRIAL: []}
    for name, share in shares.items():
        insight = book.get(name, want.policy)
        kind = _kind(book, insight, want) if name not in want.without and _in_scope(insight, want.scope) else ""
        if kind:
            # Over all neighbours: those that say nothing of it count as undecided.
            share.local /= total
            scored[kind].append((-_score(insight, share), name, insight, share))
    return [
        _recalled(insight, share, len(near), kind)
        for kind, most in (("insight", want.k), (TRIAL, _MOST_TRIALS))
        for _, _, insight, share in heapq.nsmallest(most, scored[kind], key=lambda entry: entry[:2])
    ]


def _kind(book: InsightBook, insight: Insight, want: RecallRequest) -> str:
    """The kind under which an insight is recalled: to act on, to be tried, or "" for not at all."""
    counts = insight.status in want.statuses
    origin = want.origin
    if origin is None:
        return "insight" if counts else ""
    if insight.cause.startswith(MOVE):
        return ""  # asked for by its place
    if not insight.cause.startswith(FACT):
        # What the search found speaks of its operations, which mean nothing to work of another kind and to a model.
        own = origin.policy is None or book.made_by(insight.id) <= {origin.policy, ""}
        return "insight" if counts and own and insight.scope.environment in ("", origin.environment) else ""
    if insight.cause.startswith(QUOTED):
        counts = counts and insight.status == "confirmed"
    at_home = (insight.scope.environment, insight.scope.family) == (origin.environment, origin.family)
    promising = book.worth_trying(insight.id, origin.policy)
    # Pairs of two origins are two pairs, even where each family has but one of them.
    elsewhere = promising and want.statuses >= INFLUENTIAL and book.acts_anywhere(insight.id, origin.policy)
    if (counts and at_home) or (elsewhere and (counts or not insight.cause.startswith(QUOTED))):
        return "insight"
    return TRIAL if want.trials and (promising or book.to_be_tried_anew(insight.id, origin)) else ""


@dataclass(kw_only=True)
class _Share:
    """What the neighbours say of one insight: weighted mean direction, and how near the nearest is."""

    similarity: float
    local: float = 0.0
    episodes: int = 0


def note_question(want: RecallRequest, now: float | None, clock: float) -> NoteQuestion:
    """What a request asks of the notes.

    Args:
        now: The time that was asked for, or None.
        clock: The time it is.
    """
    from evolve.memory.notes import NoteQuestion

    place = want.scope or want.origin
    return NoteQuestion(
        text=want.query,
        k=want.k if want.notes else 0,
        now=clock if now is None else now,
        as_of=now is not None,
        environment=place.environment if place is not None else "",
        family=place.family if place is not None else "",
        told=want.origin is not None,
        past=want.replaced,
    )


def _score(insight: Insight, share: _Share) -> float:
    # The posterior speaks for the claim; where the neighbours say the opposite its rest counts.
    agrees = (share.local > 0) == (relation_camp(insight.relation) == "promotes")
    return abs(share.local) * (insight.credence if agrees else 1.0 - insight.credence)


def _recalled(insight: Insight, share: _Share, neighbours: int, kind: str) -> Recalled:
    # What acts on the word of several families is supported, whatever one of them says.
    bound = insight.cause.startswith(FACT) and kind == "insight" and insight.status == "hypothesis"
    return Recalled(
        id=insight.id,
        kind=kind,
        text=insight.text,
        score=_score(insight, share),
        scores={"vector": share.similarity, "evidence": share.local, "posterior": insight.credence},
        why=(
            f"{share.episodes} of the {neighbours} nearest episodes bear on it, the nearest at similarity "
            f"{share.similarity:.2f}; {insight.status} by {insight.posterior.agree} interventions "
            f"against {insight.posterior.disagree}"
        ),
        cause=insight.cause,
        relation=insight.relation,
        effect=insight.effect,
        direction=(share.local > 0) - (share.local < 0),
        status="supported" if bound else insight.status,
        provenance=_provenance(insight),
    )


def _provenance(insight: Insight) -> str:
    """Who made a claim, where, and what speaks for it."""
    maker = "worded by a language model" if insight.cause.startswith(FACT) else "composed by the search"
    maker = "tested by replays" if insight.cause.startswith(MOVE) else maker
    maker += " after a text that it was shown" if insight.cause.startswith(QUOTED) else ""
    place = " ".join(part for part in (insight.scope.environment, insight.scope.family) if part)
    trials = f"{insight.posterior.agree} trials for it and {insight.posterior.disagree} against"
    if insight.others and not insight.evidence:
        return f"{maker} in work on {place or 'any kind'}; {insight.status}, {tested_with(insight)}"
    return f"{maker} on {insight.groups} problems of {place or 'any kind'}; {insight.status}, {trials}"


def _where(scope: Scope | None) -> Where | None:
    if scope is None:
        return None
    tags = {"environment": scope.environment, "family": scope.family}
    return {name: value for name, value in tags.items() if value} or None


def _in_scope(insight: Insight, scope: Scope | None) -> bool:
    if scope is None:
        return True
    own = insight.scope
    same_place = all(
        not requested or not actual or requested == actual
        for requested, actual in ((scope.environment, own.environment), (scope.family, own.family))
    )
    return same_place and (not scope.preconditions or set(own.preconditions) <= set(scope.preconditions))
