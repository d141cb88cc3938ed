"""A goal of several parts, in the order in which they are to be done, which is learned from what worked.

CompWoB (Furuta et al. 2024, TMLR) found that policies fall from 94.0 to 24.9 % where a text tells the same parts in
reverse. Here no word says in code what comes first: a part begins with the words of a move, what stands between two
parts is a connective, and of each connective it is counted whether the parts around it worked as told or turned round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from evolve_worlds import Move
from evolve_worlds.experience.wording import Goal, words

TOLD, TURNED = "told", "turned"
ROUNDS = 2
"""How often every order is tried before the parts are taken not to be what the goal asks for."""


@dataclass(kw_only=True)
class Orders:
    """How often parts around a connective worked in an order, and how often they were done so and it did not work."""

    counts: dict[str, dict[str, tuple[int, int]]] = field(default_factory=dict)

    def add(self, connective: str, order: str, *, worked: bool) -> None:
        """Counts one time."""
        yes, no = self.counts.setdefault(connective, {}).get(order, (0, 0))
        self.counts[connective][order] = (yes + worked, no + (not worked))

    def rate(self, connective: str, order: str) -> float:
        """The rule of succession, a little below for what is turned round, so that the text's order comes first."""
        yes, no = self.counts.get(connective, {}).get(order, (0, 0))
        return (yes + 1) / (yes + no + 2) - (0.01 if order == TURNED else 0.0)


@dataclass(frozen=True, kw_only=True)
class Part:
    """One thing to be done, by the words of a move and of the thing that it is done to."""

    schema: str
    thing: tuple[str, ...]

    def moves(self, things: Collection[str]) -> Iterator[Move]:
        """Moves that do it, with things that have all its words."""
        for one in sorted(things, key=lambda one: (len(words(one)), one)):
            if set(self.thing) <= set(words(one)):
                yield Move(schema=self.schema, objects=(one,))

    def about(self, move: Move) -> bool:
        """Whether a move deals with the thing."""
        return any(set(self.thing) <= set(words(one)) for one in move.objects)

    def done_by(self, move: Move) -> bool:
        """Whether a move does it."""
        return move.schema == self.schema and self.about(move)


@dataclass(kw_only=True)
class Parts:
    """Which part is next; once all were done without success they are done once more, in another order.

    Attributes:
        rounds: How often every order was done in full.
        turned: At which connective the parts are turned round; None: as they are told.
        tried: The orders that were done in full.
    """

    parts: Sequence[Part]
    connectives: Sequence[str]
    orders: Orders
    turned: int | None = None
    done: int = 0
    tried: list[int | None] = field(default_factory=list)
    rounds: int = 0

    def __post_init__(self) -> None:
        self._choose()

    @property
    def next(self) -> Part | None:
        """What is to be done now; None where the goal has no parts."""
        return self._sequence(self.turned)[self.done] if len(self.parts) > 1 and self.rounds < ROUNDS else None

    def after(self, other: Parts | None) -> Parts:
        """The other one, where it has the same parts: what was read anew begins anew."""
        same = other is not None and (other.parts, other.connectives) == (self.parts, self.connectives)
        return other if other is not None and same else self

    def did(self, move: Move) -> None:
        """A move was done, and the goal is not reached yet."""
        if self.next is None or not self.next.done_by(move):
            return
        self.done += 1
        if self.done == len(self.parts):
            self._count(self.turned, worked=False)
            self.tried.append(self.turned)
            self._choose()

    def reached(self, moves: Sequence[Move]) -> None:
        """Moves reached the goal: the order in which the parts were dealt with last is one that works."""
        last = {one: max((at for at, move in enumerate(moves) if one.about(move)), default=-1) for one in self.parts}
        for way in self._ways if self.next is not None else ():
            told = [last[one] for one in self._sequence(way)]
            if told[0] >= 0 and all(one < other for one, other in pairwise(told)):
                self._count(way, worked=True)

    def lost(self, move: Move) -> None:
        """A move lost the trial: the orders in which it was its turn do not work."""
        if self.next is None:
            return
        for way in self._ways if self.done == 0 else (self.turned,):
            if self._sequence(way)[self.done].about(move):
                self._count(way, worked=False)
        if self.done == 0:
            self.turned = max(self._ways, key=self._promise)

    @property
    def _ways(self) -> tuple[int | None, ...]:
        return (None, *range(len(self.connectives)))

    def later(self, things: Collection[str]) -> dict[str, str]:
        """The things of parts after the next one, with the connectives between the two."""
        now = self.next
        if now is None:
            return {}
        order, found = self._sequence(self.turned), dict[str, str]()
        for number in range(len(order) - 1, self.done, -1):
            part, ends = order[number], sorted((self._at(number), self._at(self.done)))
            between = " ".join(sorted(set(self.connectives[ends[0] : ends[1]])))
            for thing in things if part.thing != now.thing else ():
                own = set(words(thing))
                if set(part.thing) <= own and (len(part.thing) > len(now.thing) or not set(now.thing) <= own):
                    found[thing] = between
        return found

    def _at(self, number: int) -> int:
        """Where in the text the part stands that is done as that number."""
        return number if self.turned is None else (number + self.turned + 1) % len(self.parts)

    def _sequence(self, turned: int | None) -> Sequence[Part]:
        if turned is None:
            return self.parts
        at = turned + 1
        return [*self.parts[at:], *self.parts[:at]]

    def _count(self, turned: int | None, *, worked: bool) -> None:
        """What worked speaks for all connectives; what did not speaks against the one that is least sure."""
        roles = sorted(self._roles(turned), key=lambda one: self.orders.rate(*one))
        for connective, order in roles if worked else roles[:1]:
            self.orders.add(connective, order, worked=worked)

    def _roles(self, turned: int | None) -> Iterator[tuple[str, str]]:
        yield from ((one, TURNED if at == turned else TOLD) for at, one in enumerate(self.connectives))

    def _choose(self) -> None:
        if len(self.tried) == len(self._ways):
            self.rounds += 1
            self.tried.clear()
        self.done = 0
        self.turned = max((one for one in self._ways if one not in self.tried), key=self._promise)

    def _promise(self, turned: int | None) -> float:
        return min((self.orders.rate(*one) for one in self._roles(turned)), default=1.0)


def parts_of(goal: Goal, schemas: Collection[str], vocabulary: Collection[str], orders: Orders) -> Parts:
    """The parts of a goal, as far as their words are those of moves with one object.

    Args:
        vocabulary: Words of things; one at the end of a part that is none of them belongs to a connective.
    """
    told = goal.sentences[0] if len(goal.sentences) == 1 else ()  # of several, wishes keep the order
    verbs: Mapping[tuple[str, ...], str] = {
        words(one.replace("{}", " ")): one for one in sorted(schemas) if one.count("{}") == 1
    }
    starts = [
        (at, verb)
        for at in range(len(told))
        for verb in sorted(verbs, key=len, reverse=True)
        if verb and told[at : at + len(verb)] == verb
    ]
    parts, connectives = [], []
    for number, (at, verb) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(told)
        thing = list(told[at + len(verb) : end])
        size = next((size for size in range(len(thing), 0, -1) if thing[size - 1] in vocabulary), len(thing))
        parts.append(Part(schema=verbs[verb], thing=tuple(thing[:size])))
        if number + 1 < len(starts):
            connectives.append(" ".join(thing[size:]))
    return Parts(parts=parts, connectives=connectives, orders=orders)
