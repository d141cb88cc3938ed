"""What replays showed of the moves of a world, for an episode in it: what its score needs, what it does without, what
loses the trial.

A plan that was played in the variation itself is told whole. Where it has none for all points, plans that were enough
in other variations are examples: those of most points, and of these for the goals most like its own. They show a whole
way, which single moves do not; that it leads anywhere here is not said. A claim on a move acts in the variation in
which replays showed it, and in others once those of two variations agree. A move is needed elsewhere only if more plans
have it than do without it. Whoever played does not matter: the world said it. Of another task of the world only what
loses a trial is told, as what another score needs says nothing of this one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolve.episodes import MOVE, Recalled, Relation
from evolve.memory.experiments import words
from evolve.memory.experiments.moves import THEN, WORLDS, goal_in, number_in, score_in
from evolve.memory.insight_book import InsightBook
from evolve.memory.insights import EvidenceRow, Insight

_MOST: Mapping[Relation, int] = {"necessary": 24, "no_effect": 8, "prevents": 4}
"""Claims that are told of each relation. A plan is told whole: one without its end would mislead."""
_ELSEWHERE = 2
"""Those of other tasks."""
_EXAMPLES = 2
"""Plans of other variations."""
_RIVALS: Mapping[Relation, Relation] = {"necessary": "no_effect", "no_effect": "necessary"}


@dataclass(frozen=True, kw_only=True)
class _Known:
    """A claim that may act.

    Attributes:
        here: Replays of the variation itself showed it.
        groups, tried: Variations that agree, and all that say something.
        shown_by: The variation that is taken for an example, itself where it is among them.
        number: Which move of its plan it is there.
        detail: What was seen there.
    """

    insight: Insight
    here: bool
    groups: frozenset[str]
    tried: frozenset[str]
    shown_by: str
    number: int
    detail: str

    @property
    def points(self) -> float:
        return float(score_in(self.insight.effect) or 0)

    @property
    def order(self) -> tuple[float, int, bool, str]:
        # Of what stands at one place of the plan the variation's own comes first, by its own name.
        return (self.points, self.number, "<some " in self.insight.cause, self.insight.cause)


@dataclass(frozen=True, kw_only=True)
class _Plan:
    """A plan and the last time that it was played alone in a variation, where it held.

    Attributes:
        held, played: In how many variations it held, as it stands, and in how many it was played.
    """

    insight: Insight
    row: EvidenceRow
    held: int
    played: int

    @property
    def points(self) -> float:
        return float(score_in(self.insight.effect) or 0)

    @property
    def order(self) -> tuple[float, int, str]:
        return (-self.points, self.insight.cause.count(THEN), self.insight.cause)

    def likeness(self, goal: str) -> float:
        """The words that both goals have, of all that either has (Jaccard)."""
        ours, theirs = set(words(goal)), set(words(goal_in(self.row.detail)[1]))
        return len(ours & theirs) / max(1, len(ours | theirs))


def recall_moves(book: InsightBook, place: str, goal: str = "") -> list[Recalled]:
    """The claims that may act in a variation: its plan, then what is needed for more, in the order of other plans.

    Args:
        place: See :attr:`evolve.episodes.TaskView.place`.
        goal: What the world wants there.
    """
    family = place.rpartition("/")[0]
    world = f"{family.partition('/')[0]}/"
    own, others = _Task(place=place), _Task(place=place)
    for name, key in book.keys.items():
        if key.cause.startswith(MOVE) and key.scope.environment == WORLDS and key.scope.family.startswith(world):
            (own if key.scope.family == family else others).add(book.get(name), book.evidence(name))
    plan = own.plan()
    points = plan[0].points if plan else 0.0
    plans = [*plan, *own.examples(goal, points)]
    needed = [one for one in own.told("necessary") if one.points > points]
    chosen = [*_in_order(needed)[: _MOST["necessary"]], *_apart(own.told("no_effect"), "no_effect")]
    losing = _apart(own.told("prevents"), "prevents")
    causes = {one.insight.cause for one in losing}
    elsewhere = [one for one in _apart(others.told("prevents"), "prevents") if one.insight.cause not in causes]
    moves = [_recalled(one, family) for one in (*chosen, *losing, *elsewhere[:_ELSEWHERE])]
    return [*(_recalled_plan(one, place) for one in plans), *moves]


@dataclass(kw_only=True)
class _Task:
    """What is known of the moves of a task, for one variation of it."""

    place: str
    _known: list[_Known] = field(default_factory=list)
    _groups: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))
    """By cause and relation, the variations that agree, whatever the score."""
    _reached: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By effect, the variations in which a plan for it was found and tested."""
    _plans: list[_Plan] = field(default_factory=list)

    def add(self, insight: Insight, rows: Sequence[EvidenceRow]) -> None:
        """Takes in a claim with its evidence."""
        for row in rows:
            if row.direction > 0:
                self._groups[insight.cause, row.relation].add(row.group)
                if row.relation == "necessary":
                    self._reached[insight.effect].add(row.group)
        if insight.status != "expired":
            last = {row.group: row for row in rows if row.relation == "sufficient"}
            held = [row for row in last.values() if row.direction > 0]
            counts = {"held": len(held), "played": len(last)}
            self._plans += [_Plan(insight=insight, row=row, **counts) for row in held]
        agreeing = [row for row in rows if row.relation == insight.relation and row.direction > 0]
        groups = {row.group for row in agreeing}
        if not insight.influences or (self.place not in groups and len(groups) < 2):
            return
        nearest = next((row for row in agreeing if row.group == self.place), agreeing[0])
        known = _Known(
            insight=insight,
            here=self.place in groups,
            groups=frozenset(groups),
            tried=frozenset(row.group for row in rows),
            shown_by=nearest.group,
            number=number_in(nearest.detail),
            detail=nearest.detail,
        )
        self._known.append(known)

    def plan(self) -> list[_Plan]:
        """The best of what was played in the variation itself, of equal ones the shortest; none or one."""
        return sorted((one for one in self._plans if one.row.group == self.place), key=lambda one: one.order)[:1]

    def examples(self, goal: str, above: float) -> list[_Plan]:
        """Plans of most points in other variations, if these are more than some; one of each variation."""
        best: dict[str, _Plan] = {}
        for one in sorted(self._plans, key=lambda each: each.order):
            best.setdefault(one.row.group, one)
        others = [one for group, one in best.items() if group != self.place and one.points > above]
        most = max((one.points for one in others), default=0.0)
        likest = sorted(others, key=lambda one: (-one.likeness(goal), one.order))
        return [one for one in likest if one.points == most][:_EXAMPLES]

    def told(self, relation: Relation) -> list[_Known]:
        """What may act of a relation, the claim on the lowest score for each move."""
        found: dict[str, _Known] = {}
        for one in sorted(self._known, key=lambda each: each.order):
            if one.insight.relation == relation and not self._denied(one):
                found.setdefault(one.insight.cause, one)
        return [replace(one, tried=one.tried | self._plans_with(one)) for one in found.values()]

    def _plans_with(self, known: _Known) -> set[str]:
        """Where a plan for the same effect was found: one without the move shows that it is not necessary there."""
        return self._reached[known.insight.effect] if known.insight.relation == "necessary" else set()

    def _denied(self, known: _Known) -> bool:
        """Whether a move that is needed here is spare there, or the other way round, for another score.

        The variation itself has the last word; else more of them have to agree than not.
        """
        rival = _RIVALS.get(known.insight.relation, "")
        agree = self._groups[known.insight.cause, known.insight.relation]
        against = self._groups[known.insight.cause, rival]
        if (self.place in agree) != (self.place in against):
            return self.place in against
        if known.here:
            return len(against) >= len(agree)
        return len(against | (self._plans_with(known) - agree)) >= len(agree)


def _in_order(told: Sequence[_Known]) -> list[_Known]:
    """One for each place of a plan, in its order."""
    places: dict[tuple[str, int], _Known] = {}
    for one in sorted(told, key=lambda each: (not each.here, *each.order)):
        places.setdefault((one.shown_by, one.number), one)
    return sorted(places.values(), key=lambda one: one.order)


def _apart(told: Sequence[_Known], relation: Relation) -> list[_Known]:
    return sorted(told, key=_by_backing)[: _MOST[relation]]


def _by_backing(known: _Known) -> tuple[bool, int, str]:
    return (not known.here, -len(known.groups), known.insight.cause)


def _recalled(known: _Known, family: str) -> Recalled:
    insight = known.insight
    groups, tried = len(known.groups), len(known.tried)
    where = f"{groups} of {tried} variations" if tried > 1 else "this variation"
    where += ", this one among them" if known.here and tried > 1 else ""
    task = insight.scope.family
    shown = where if task == family else f"{where} of {task.partition('/')[2]}"
    return _item(insight, f"replays in {where} showed it", shown)


def _recalled_plan(plan: _Plan, place: str) -> Recalled:
    came, goal = goal_in(plan.row.detail)
    here = plan.row.group == place
    if plan.played > 1:
        came += f"; as it stands it did so in {plan.held} of the {plan.played} variations in which it was played"
    told = _item(plan.insight, f"it was played in {'this' if here else 'another'} variation", came)
    return replace(told, relation="sufficient", goal="" if here else goal or "not noted")


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
