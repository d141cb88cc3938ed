"""What replays showed of the moves of a world, for an episode in it: what its score needs, what it does without, what
loses the trial.

A claim acts in the variation in which replays showed it, and in others once those of two variations agree. Whoever
played does not matter: the world itself said it. Of another task of the world only what loses a trial is told, as what
another score needs says nothing of this one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.episodes import MOVE, Recalled
from evolve.memory.experiments.moves import WORLDS, number_in, score_in
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import EvidenceRow, Insight

_MOST = {"necessary": 9, "no_effect": 8, "prevents": 4}
"""Claims that are told of each relation."""
_ELSEWHERE = 2
"""Those of other tasks."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    """A claim that may act.

    Attributes:
        here: Replays of the variation itself showed it.
        groups, tried: Variations that agree, and all that say something.
        number: Which move of its plan it is.
    """

    insight: Insight
    here: bool
    groups: int
    tried: int
    number: int

    @property
    def order(self) -> tuple[float, int, bool, str]:
        points = score_in(self.insight.effect)
        # Of what stands at one place of the plan the variation's own comes first, by its own name.
        return (float(points or 0), self.number, "<some " in self.insight.cause, self.insight.cause)


def recall_moves(book: InsightBook, place: str) -> list[Recalled]:
    """The claims that may act in a variation: what is needed first, in the order of the plan.

    Args:
        place: See :attr:`evolve.episodes.TaskView.place`.
    """
    family = place.rpartition("/")[0]
    world = f"{family.partition('/')[0]}/"
    told: dict[str, list[_Known]] = defaultdict(list)
    others = []
    for name, key in book.keys.items():
        if not key.cause.startswith(MOVE) or key.scope.environment != WORLDS:
            continue
        own = key.scope.family == family
        if own or (key.scope.family.startswith(world) and "prevents" in key.texts):
            known = _known(book.get(name), book.evidence(name), place)
            if known is not None and own:
                told[known.insight.relation].append(known)
            elif known is not None and known.insight.relation == "prevents":
                others.append(known)
    chosen = [*_needed(told), *_spare(told)[: _MOST["no_effect"]]]
    chosen += sorted(told["prevents"], key=_by_backing)[: _MOST["prevents"]]
    causes = {one.insight.cause for one in told["prevents"]}
    chosen += [one for one in sorted(others, key=_by_backing) if one.insight.cause not in causes][:_ELSEWHERE]
    return [_recalled(one, family) for one in chosen]


def _known(insight: Insight, rows: Sequence[EvidenceRow], place: str) -> _Known | None:
    if not insight.influences:
        return None
    agreeing = [row for row in rows if row.relation == insight.relation and row.direction > 0]
    groups = {row.group for row in agreeing}
    if place not in groups and len(groups) < 2:
        return None
    nearest = next((row for row in agreeing if row.group == place), agreeing[0])
    return _Known(
        insight=insight,
        here=place in groups,
        groups=len(groups),
        tried=len({row.group for row in rows}),
        number=number_in(nearest.detail),
    )


def _needed(told: dict[str, list[_Known]]) -> list[_Known]:
    """One for each place of the plan, without what is also known not to matter."""
    spare = {one.insight.cause: one.here for one in told["no_effect"]}
    places: dict[tuple[str, int], _Known] = {}
    for one in sorted(told["necessary"], key=lambda each: (not each.here, *each.order)):
        # What the variation itself shows has the last word; else neither is told.
        if one.insight.cause not in spare or (one.here and not spare[one.insight.cause]):
            places.setdefault((one.insight.effect, one.number), one)
    return sorted(places.values(), key=lambda one: one.order)[: _MOST["necessary"]]


def _spare(told: dict[str, list[_Known]]) -> list[_Known]:
    needed = {one.insight.cause: one.here for one in told["necessary"]}
    found: dict[str, _Known] = {}
    for one in sorted(told["no_effect"], key=_by_backing):
        if one.insight.cause not in needed or (one.here and not needed[one.insight.cause]):
            found.setdefault(one.insight.cause, one)
    return list(found.values())


def _by_backing(known: _Known) -> tuple[bool, int, str]:
    return (not known.here, -known.groups, known.insight.cause)


def _recalled(known: _Known, family: str) -> Recalled:
    insight = known.insight
    where = f"{known.groups} of {known.tried} variations" if known.tried > 1 else "this variation"
    where += ", this one among them" if known.here and known.tried > 1 else ""
    task = insight.scope.family
    return Recalled(
        id=insight.id,
        kind="insight",
        text=insight.text,
        score=insight.credence,
        why=f"replays in {where} showed it",
        provenance=where if task == family else f"{where} of {task.partition('/')[2]}",
        cause=insight.cause,
        relation=insight.relation,
        effect=insight.effect,
        status=insight.status,
    )
