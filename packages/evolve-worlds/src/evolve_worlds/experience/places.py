"""What is where in one variation, and the way to bring things together: best-first search over what was learned."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from evolve_worlds import Move, Scene
from evolve_worlds.experience.transitions import TransitionMemory

ELSEWHERE = 0.5
"""Where less of what can be seen is the same after a move, the move led to another place."""
CARRYING = 0.3
"""How surely a thing has to come along for a plan that relies on it."""


def place_of(scene: Scene) -> str:
    """The name of where one is: the first line of what can be seen."""
    return (scene.view or scene.told).lstrip().split("\n", 1)[0]


@dataclass(kw_only=True)
class Places:
    """A map of one variation.

    Attributes:
        leads: To where a move led.
        found: The things that were seen, with the places.
        offered: The moves that lead elsewhere and were offered at a place.
    """

    leads: dict[Move, str] = field(default_factory=dict)
    found: dict[str, set[str]] = field(default_factory=dict)
    offered: dict[str, set[Move]] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)

    def see(self, place: str, things: Collection[str], moves: Collection[Move]) -> None:
        """Notes what is at a place."""
        for thing in things:
            self.found.setdefault(thing, set()).add(place)
        self.offered.setdefault(place, set()).update(moves)

    def way(
        self, here: str, carried: frozenset[str], things: Sequence[str], memory: TransitionMemory
    ) -> list[Move] | None:
        """The shortest way to where all of some things are together, with what is to be taken along; None if unknown.

        A state of the search is a place with what is carried. What a move does to it is what was learned: to where it
        leads, and after which schema a thing comes along.
        """
        start = (here, carried)
        before: dict[tuple[str, frozenset[str]], tuple[tuple[str, frozenset[str]], Move] | None] = {start: None}
        queue = deque([start])
        while queue:
            state = queue.popleft()
            place, held = state
            if all(thing in held or place in self.found.get(thing, ()) for thing in things):
                return _backwards(before, state)
            for move, after in self._next(place, held, things, memory):
                if after not in before:
                    before[after] = (state, move)
                    queue.append(after)
        return None

    def _next(
        self, place: str, held: frozenset[str], things: Sequence[str], memory: TransitionMemory
    ) -> Iterator[tuple[Move, tuple[str, frozenset[str]]]]:
        for thing in things:
            near = thing not in held and place in self.found.get(thing, ())
            if near and (taking := self.taking(thing, memory)):
                yield taking, (place, held | {thing})
        offered = self.offered.get(place, set())
        for move, there in self.leads.items():
            if there != place and move in offered:
                yield move, (there, held)

    def towards(self, place: str) -> set[str]:
        """What the moves are about that lead to a place."""
        return {thing for move, there in self.leads.items() if there == place for thing in move.objects}

    def taking(self, thing: str, memory: TransitionMemory) -> Move | None:
        """What is to be done with a thing so that it comes along."""
        known = [
            (memory.carries(schema, 0), own.changed / (own.tried + 1), schema)
            for schema, own in memory.schemas.items()
            if schema.count("{}") == 1 and not memory.risky(schema)
        ]
        best = max(known, default=None)
        return Move(schema=best[2], objects=(thing,)) if best and best[0] >= CARRYING else None


State = tuple[str, frozenset[str]]


def _backwards(before: dict[State, tuple[State, Move] | None], state: State) -> list[Move]:
    way: list[Move] = []
    while (step := before[state]) is not None:
        state, move = step
        way.append(move)
    return way[::-1]
