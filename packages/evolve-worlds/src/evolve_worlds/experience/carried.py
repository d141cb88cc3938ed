"""Plans of other variations as they read in this one: what their moves stand for and speak for here."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from evolve_worlds import Move
from evolve_worlds.experience.notes import Plan, Step
from evolve_worlds.experience.wording import Goal, carried_over, lifted, likeness

ALIKE = 0.5
"""How alike the things of a move have to be, by words, to stand for those of a plan."""


@dataclass(frozen=True, kw_only=True)
class Carried:
    """Plans of other variations, for one goal."""

    goal: Goal
    plans: Sequence[Plan] = ()

    @cached_property
    def asked(self) -> Sequence[Sequence[Move]]:
        """What the goal asks for and what raised the score in each plan, in its order, as it reads here."""
        told = [[move for step, move in self.steps(plan, {}) if step.gain > 0] for plan in self.plans]
        return [[move for move in own if self.goal.commands(move.schema)] for own in told]

    @cached_property
    def expected(self) -> Mapping[str, Collection[Move]]:
        """The same by schema; where the goal names all things of some of these moves, only those."""
        found: dict[str, set[Move]] = {}
        for move in chain.from_iterable(self.asked):
            found.setdefault(move.schema, set()).add(move)
        named = {
            schema: {one for one in own if all(map(self.goal.names, one.objects))} for schema, own in found.items()
        }
        return {schema: named[schema] or own for schema, own in found.items()}

    def steps(self, plan: Plan, instead: Mapping[str, str]) -> Iterator[tuple[Step, Move]]:
        """The steps of a plan, each with the move that it is here.

        Args:
            instead: The things that took the place of others; may grow while the steps are read.
        """
        pairs = lifted(plan.goal, self.goal.text)
        for step in plan.steps:
            things = tuple(instead.get(one, one) for one in (carried_over(one, pairs) for one in step.move.objects))
            yield step, Move(schema=step.move.schema, objects=things)

    def strange(self, move: Move) -> bool:
        """Whether the goal asks for such moves, and plans did them with other things than this one."""
        return move.schema in self.expected and move not in self.expected[move.schema]

    def untimely(self, move: Move, done: Sequence[Step]) -> bool:
        """Whether by every plan with a move it raised the score as often as it does, or something comes before it."""
        plans = [own for own in self.asked if move in own]
        made = {step.move for step in done} if plans else set()
        rose = [step.move for step in done if step.gain > 0].count(move) if plans else 0
        return bool(plans) and all(
            rose >= own.count(move) or not made.issuperset(own[: own.index(move)]) for own in plans
        )


def nearest(move: Move, offered: Collection[Move]) -> Move | None:
    """The move of the same schema whose things are most like those of a move by words; None where none is alike."""
    near = [
        (sum(map(likeness, one.objects, move.objects)) / len(move.objects), one.text, one)
        for one in offered
        if one.schema == move.schema and one.objects
    ]
    best = max(near, default=None)
    return best[2] if best and best[0] >= ALIKE else None
