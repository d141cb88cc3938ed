"""What replays showed of the moves of a world, for an episode in it: what is enough for a score, what it does without,
what loses the trial.

A plan that was played in the variation itself is told whole. Where it has none for all points, plans that were enough
in other variations are examples: those of most points, and of these for the goals most like its own. They show a whole
way, which single moves do not; that it leads anywhere here is not said. What a score does without is told in the
variation in which replays showed it, and what loses a trial elsewhere too, once two variations agree. Whoever played
does not matter: the world said it. Of another task of the world only that is told which loses a trial with whatever the
goal does not name: its things, and what its score needs, say nothing of this one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.episodes import MOVE, Recalled, Relation
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import EvidenceRow, Insight
from evolve_worlds.experiments import GOAL, OTHER, THEN, filled_in, score_in, shown_in, words
from evolve_worlds.experiments.moves import WORLDS

_SPARE, _LOSING, _ELSEWHERE = 8, 4, 2
"""Claims that are told of what did not matter, and of what lost trials, here and in other tasks."""
_EXAMPLES = 2
"""Plans of other variations."""
_LONGEST_PLAN, _LONGEST_EXAMPLE = 8_000, 3_000
"""Characters of a plan that is told; a part of one would mislead."""


@dataclass(frozen=True, kw_only=True)
class _Known:
    """A claim on a move that may act.

    Attributes:
        here: Replays of the variation itself showed it.
        groups, tried: How many variations agree, and how many say something.
    """

    insight: Insight
    here: bool
    groups: int
    tried: int

    @property
    def order(self) -> tuple[bool, int, str]:
        return (not self.here, -self.groups, self.insight.cause)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """A plan that held in a variation the last time that it was played alone there, and how it was found."""

    insight: Insight
    row: EvidenceRow

    @property
    def points(self) -> float:
        return float(score_in(self.insight.effect) or 0)

    @property
    def order(self) -> tuple[float, int, str]:
        return (-self.points, self.insight.cause.count(THEN), self.insight.cause)

    def likeness(self, goal: str) -> float:
        """The words that both goals have, of all that either has (Jaccard)."""
        ours, theirs = set(words(goal)), set(words(shown_in(self.row.detail).goal))
        return len(ours & theirs) / max(1, len(ours | theirs))


def recall_moves(book: InsightBook, place: str, goal: str = "") -> list[Recalled]:
    """What may be told in a variation: its plan or examples, what did not matter, and what loses a trial.

    Args:
        place: See :attr:`evolve.core.episodes.TaskView.place`.
        goal: What the world wants there.
    """
    family = place.rpartition("/")[0]
    world = f"{family.partition('/')[0]}/"
    own, others = _Task(place=place), _Task(place=place)
    for name, key in book.keys.items():
        if key.cause.startswith(MOVE) and key.scope.environment == WORLDS and key.scope.family.startswith(world):
            (own if key.scope.family == family else others).add(book.get(name), _in_order(book.live_evidence(name)))
    plan = own.plan()
    examples = own.examples(goal, plan[0].points if plan else 0.0)
    losing = _without_instances(one for one in own.told("prevents") if GOAL not in filled_in(one.insight.cause, goal))
    causes = {one.insight.cause for one in losing}
    # Other tasks have other things, so what they say of single ones, or of those of their goals, says nothing here.
    general = [one for one in others.told("prevents") if OTHER in one.insight.cause]
    elsewhere = [one for one in general if one.insight.cause not in causes][:_ELSEWHERE]
    moves = [_recalled(one, family) for one in (*own.told("no_effect")[:_SPARE], *losing[:_LOSING], *elsewhere)]
    return [*(_recalled_plan(one, place) for one in (*plan, *examples)), *moves]


@dataclass(kw_only=True)
class _Task:
    """What is known of the moves of a task, for one variation of it."""

    place: str
    _known: list[_Known] = field(default_factory=list)
    _needed: set[str] = field(default_factory=set)
    """Causes that the variation needs, whatever the score."""
    _plans: list[_Plan] = field(default_factory=list)

    def add(self, insight: Insight, rows: Sequence[EvidenceRow]) -> None:
        """Takes in a claim with its evidence."""
        self._plans += _plans(insight, rows, self.place)
        if any(row.relation == "necessary" and row.direction > 0 and row.group == self.place for row in rows):
            self._needed.add(insight.cause)
        last = {row.group: row for row in rows if row.relation == insight.relation}
        groups = {group for group, row in last.items() if row.direction > 0}
        if insight.relation == "prevents" and self.place in last.keys() - groups:
            return
        here = self.place in groups
        if insight.may_influence and (here or len(groups) > 1):
            tried = len({row.group for row in rows})
            self._known.append(_Known(insight=insight, here=here, groups=len(groups), tried=tried))

    def plan(self) -> list[_Plan]:
        """The best of what was played in the variation itself, of equal ones the shortest; none or one."""
        own = [one for one in self._plans if one.row.group == self.place and len(one.insight.cause) <= _LONGEST_PLAN]
        return sorted(own, key=lambda one: one.order)[:1]

    def examples(self, goal: str, above: float) -> list[_Plan]:
        """Plans of most points in other variations, if these are more than some; one of each, and each plan once."""
        best: dict[str, _Plan] = {}
        for one in sorted(self._plans, key=lambda each: each.order):
            if len(one.insight.cause) <= _LONGEST_EXAMPLE:
                best.setdefault(one.row.group, one)
        told = sorted(best.values(), key=lambda each: each.likeness(goal))
        others = {one.insight.cause: one for one in told if one.row.group != self.place and one.points > above}.values()
        most = max((one.points for one in others), default=0.0)
        likest = sorted(others, key=lambda one: (-one.likeness(goal), one.order))
        return [one for one in likest if one.points == most][:_EXAMPLES]

    def told(self, relation: Relation) -> list[_Known]:
        """What may act of a relation, one claim for each move, the best backed first.

        What one score does without and another one needs is not spare, and what is spare elsewhere an example shows.
        """
        found: dict[str, _Known] = {}
        for one in sorted(self._known, key=lambda each: each.order):
            is_spare = one.here and one.insight.cause not in self._needed
            if one.insight.relation == relation and (relation != "no_effect" or is_spare):
                found.setdefault(one.insight.cause, one)
        return list(found.values())


def _without_instances(losing: Iterable[_Known]) -> list[_Known]:
    """Without what a claim on any thing that the goal does not name says as well; here such a thing may be named."""
    told, thing = list(losing), re.escape(OTHER)
    kinds = [re.escape(one.insight.cause).replace(thing, "[^<>]+") for one in told if OTHER in one.insight.cause]
    return [one for one in told if one.here or not any(re.fullmatch(kind, one.insight.cause) for kind in kinds)]


def _in_order(rows: Iterable[EvidenceRow]) -> list[EvidenceRow]:
    return sorted(rows, key=lambda row: (row.seq, row.id))


def _plans(insight: Insight, rows: Sequence[EvidenceRow], place: str) -> Iterator[_Plan]:
    """One for each variation in which a plan held the last time; none elsewhere of one that no longer holds here."""
    own = [row for row in rows if row.relation == "sufficient"]
    last = {row.group: row for row in own}
    ways = {row.group: row for row in own if shown_in(row.detail).way}
    if place in last and last[place].direction < 0:
        return
    for group, row in last.items():
        if row.direction > 0 and score_in(insight.effect) != "0":
            yield _Plan(insight=insight, row=ways.get(group, row))


def _recalled(known: _Known, family: str) -> Recalled:
    where = f"{known.groups} of {known.tried} variations" if known.tried > 1 else "this variation"
    where += ", this one among them" if known.here and known.tried > 1 else ""
    task = known.insight.scope.family
    shown = where if task == family else f"{where} of {task.partition('/')[2]}"
    return _item(known.insight, f"replays in {where} showed it", shown)


def _recalled_plan(plan: _Plan, place: str) -> Recalled:
    came, goal, way = shown_in(plan.row.detail)
    if plan.row.group == place:
        told = _item(plan.insight, "it was played in this variation", came)
        return replace(told, relation="sufficient")
    told = _item(plan.insight, "it was played in another variation", "")
    return replace(told, relation="sufficient", goal=goal or "not noted", way=way)


def _item(insight: Insight, why: str, provenance: str) -> Recalled:
    return Recalled(
        id=insight.id,
        kind="insight",
        text=insight.text,
        score=insight.credence,
        why=why,
        provenance=provenance,
        cause=insight.cause,
        relation=insight.relation,
        effect=insight.effect,
        status=insight.status,
    )
