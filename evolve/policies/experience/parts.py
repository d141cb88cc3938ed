"""A goal of several parts, in the order in which they are to be done, which is learned from what worked.

CompWoB (Furuta et al. 2024, TMLR) found that policies fall from 94.0 to 24.9 % where a text tells the same parts in
reverse. Here no word says in code what comes first: a part begins with the words of a move, what stands between two
parts is a connective, and of each connective it is counted whether the parts around it worked as told or turned round.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from evolve.policies.experience.wording import Goal, words
from evolve.worlds import Move

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
        return self._sequence()[self.done] if len(self.parts) > 1 and self.rounds < ROUNDS else None

    def after(self, other: Parts | None) -> Parts:
        """The other one, where it has the same parts: what was read anew begins anew."""
        same = other is not None and (other.parts, other.connectives) == (self.parts, self.connectives)
        return other if other is not None and same else self

    def passed(self) -> None:
        """The next part was done, and the goal is not reached yet."""
        self.done += 1
        if self.done == len(self.parts):
            self._told(worked=False)
            self.tried.append(self.turned)
            self._choose()

    def reached(self) -> None:
        """The goal was reached with the last of the parts, in this order."""
        if self.next is not None and self.done == len(self.parts) - 1:
            self._told(worked=True)

    def _sequence(self) -> Sequence[Part]:
        if self.turned is None:
            return self.parts
        at = self.turned + 1
        return [*self.parts[at:], *self.parts[:at]]

    def _told(self, *, worked: bool) -> None:
        for number, one in enumerate(self.connectives):
            if self.turned in (None, number):
                self.orders.add(one, TOLD if self.turned is None else TURNED, worked=worked)

    def _choose(self) -> None:
        ways: list[int | None] = [None, *range(len(self.connectives))]
        if len(self.tried) == len(ways):
            self.rounds += 1
            self.tried.clear()
        self.done = 0
        self.turned = max((one for one in ways if one not in self.tried), key=self._promise)

    def _promise(self, turned: int | None) -> float:
        if turned is None:
            return min((self.orders.rate(one, TOLD) for one in self.connectives), default=1.0)
        return self.orders.rate(self.connectives[turned], TURNED)


def parts_of(goal: Goal, schemas: Collection[str], things: Collection[str], orders: Orders) -> Parts:
    """The parts of a goal, as far as their words are those of moves with one object.

    Args:
        things: What is known by name; a word at the end of a part that is in none of the names belongs to a connective.
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
    names = {word for one in things for word in words(one)}
    parts, connectives = [], []
    for number, (at, verb) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(told)
        thing = list(told[at + len(verb) : end])
        size = next((size for size in range(len(thing), 0, -1) if thing[size - 1] in names), len(thing))
        parts.append(Part(schema=verbs[verb], thing=tuple(thing[:size])))
        if number + 1 < len(starts):
            connectives.append(" ".join(thing[size:]))
    return Parts(parts=parts, connectives=connectives, orders=orders)
