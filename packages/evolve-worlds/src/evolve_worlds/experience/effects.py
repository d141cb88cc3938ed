"""What moves bring about and when: examples of each schema, and small trees of the conditions that tell them apart.

An example holds what was so before a move and what was otherwise after it, with the move's objects by their places in
it and other things by what they share with these, so that it says the same of other things: "what is carried shares a
word with object 0". Conditions are those of a decision tree (Quinlan 1986, Induction of decision trees), split only
where a G-test finds a difference; what an end of the tree says is a share with doubt, no rule.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from evolve_worlds import Move
from evolve_worlds.experience.scenery import Facts
from evolve_worlds.experience.wording import Goal, words

Literal = tuple[str, str, str]
"""A relation, of whom it holds, and a word of that thing or "". Of whom: "" of none, "0" of the object at place 0, "?"
of another thing, "?0" of one that shares a word with the object at place 0."""
Outcome = tuple[str, str, str]
"""``+`` or ``-``, a relation, and of whom it came to hold or no longer holds; or GAIN or LOST."""

GAIN: Outcome = ("gain", "", "")
LOST: Outcome = ("lost", "", "")
KEPT = 300
"""Examples of a schema; the oldest go first."""
FEW = 3
"""Of how many things a relation holds at most to be told of other things: what holds of many tells little."""
DEEP = 3
SPLIT = 3.84
"""The G statistic from which a condition counts: 0.95 of the chi-squared distribution with one degree of freedom."""
DOUBT = 2.0
"""How many examples the share before the split weighs at an end of the tree."""
OWN = 0.6
"""Which share of what comes about a schema has to bring for it to be the way to it."""
NAMED = "<named>"


@dataclass(frozen=True, kw_only=True)
class Example:
    """What was so before a move, and what came of it."""

    before: frozenset[Literal]
    came: frozenset[Outcome]


@dataclass(frozen=True, kw_only=True)
class Branch:
    """A part of a tree: an end, with how often an outcome came in how many examples, or a condition with two parts."""

    hits: int
    tried: int
    literal: Literal | None = None
    yes: Branch | None = None
    no: Branch | None = None

    def literals(self) -> Iterator[Literal]:
        """All conditions."""
        if self.literal is not None and self.yes and self.no:
            yield self.literal
            yield from self.yes.literals()
            yield from self.no.literals()


@dataclass(kw_only=True)
class Effects:
    """Examples by schema, and when moves of a schema were offered.

    Attributes:
        offered, missing: By schema, in how many scenes it was offered or not, under the empty literal, and of these in
            how many a literal held.
        gained: Schemas that ever brought a gain; it is kept where their examples are set aside.
    """

    examples: dict[str, deque[Example]] = field(default_factory=dict)
    offered: dict[str, Counter[Literal]] = field(default_factory=dict)
    missing: dict[str, Counter[Literal]] = field(default_factory=dict)
    gained: set[str] = field(default_factory=set)
    _trees: dict[tuple[str, Outcome], tuple[int, Branch]] = field(default_factory=dict, repr=False)
    _counts: dict[str, tuple[int, Counter[Outcome]]] = field(default_factory=dict, repr=False)
    _added: Counter[str] = field(default_factory=Counter, repr=False)

    def add(self, schema: str, example: Example) -> None:
        """Remembers one example."""
        self.examples.setdefault(schema, deque(maxlen=KEPT)).append(example)
        self._added[schema] += 1
        if GAIN in example.came:
            self.gained.add(schema)

    def see(self, facts: Facts, schemas: Iterable[str]) -> None:
        """Remembers what could be done where what held."""
        here = set(schemas)
        held: list[Literal] = [("", "", "")]
        held += [(relation, "?" if any(own) else "", "") for relation, own in facts.items() if len(own) <= FEW]
        for schema in here | self.offered.keys():
            counts = self.offered if schema in here else self.missing
            counts.setdefault(schema, Counter()).update(held)

    def needs(self, schema: str) -> list[Literal]:
        """What held whenever a schema was offered, and mostly not where it was not."""
        own, other = self.offered.get(schema, Counter()), self.missing.get(schema, Counter())
        every, none = own["", "", ""], other["", "", ""]
        return [
            one for one, often in own.items() if one[0] and often == every and none and 2 * other.get(one, 0) < none
        ]

    def rate(self, schema: str, outcome: Outcome, holds: Callable[[Literal], bool]) -> tuple[float, int]:
        """How often an outcome comes where some literals hold, and of how many examples that was learned."""
        branch = self.tree(schema, outcome)
        rate = (branch.hits + DOUBT * 0.5) / (branch.tried + DOUBT)
        while branch.literal is not None and branch.yes and branch.no:
            branch = branch.yes if holds(branch.literal) else branch.no
            rate = (branch.hits + DOUBT * rate) / (branch.tried + DOUBT)
        return rate, branch.tried

    def tree(self, schema: str, outcome: Outcome) -> Branch:
        """The conditions of an outcome, grown anew where there is a tenth more to learn from."""
        added = self._added[schema]
        known = self._trees.get((schema, outcome))
        if known is None or added > known[0] * 1.1 + 1:
            known = added, _grown(list(self.examples.get(schema, ())), outcome, DEEP)
            self._trees[schema, outcome] = known
        return known[1]

    def outcomes(self, schema: str, share: float) -> list[Outcome]:
        """What came of a schema in at least a share of its examples, of what it came to at all."""
        often = self._often(schema)
        worked = max(often.values(), default=0)
        return [one for one, count in often.items() if one[0] in "+-" and count >= share * worked]

    def brings(self, schema: str) -> list[Outcome]:
        """What a schema brings its objects into, and hardly another one does."""
        often = self._often(schema)
        others = [self._often(one) for one in self.examples]
        known = [one for one in self.outcomes(schema, 0.5) if one[0] == "+" and one[2].isdigit()]
        return [one for one in known if often[one] >= OWN * sum(own[one] for own in others)]

    def tested(self, schema: str, literal: Literal) -> int:
        """In how many examples of a schema something held."""
        return sum(literal in one.before for one in self.examples.get(schema, ()))

    def loses(self, schema: str) -> bool:
        """Whether it ever lost a trial."""
        return LOST in self._often(schema)

    def _often(self, schema: str) -> Counter[Outcome]:
        added = self._added[schema]
        known = self._counts.get(schema)
        if known is None or known[0] != added:
            own = self.examples.get(schema, ())
            known = added, Counter(one for example in own for one in example.came)
            self._counts[schema] = known
        return known[1]

    def aim(self, schema: str) -> Outcome | None:
        """What a schema is for: a gain, where it ever brought one, else what comes of it and of hardly another one."""
        often = self._often(schema)
        if schema in self.gained:
            return GAIN
        others = [self._often(one) for one in self.examples]
        known = [one for one in often if one[0] == "+" and one[2] != "?"]
        best = max(((often[one] ** 2 / sum(own[one] for own in others), one) for one in known), default=None)
        return best[1] if best else None

    def set_aside(self, schema: str) -> Effects:
        """Takes the examples of a schema away, and gives them."""
        gone = Effects()
        for one in self.examples.pop(schema, ()):
            gone.add(schema, one)
        self._counts.pop(schema, None)
        del self._added[schema]
        self._trees = {key: one for key, one in self._trees.items() if key[0] != schema}
        return gone

    def add_all(self, other: Effects) -> None:
        """Adds what another one remembers."""
        for schema, told in other.examples.items():
            for one in told:
                self.add(schema, one)
        for own, more in ((self.offered, other.offered), (self.missing, other.missing)):
            for schema, counts in more.items():
                own.setdefault(schema, Counter()).update(counts)
        self.gained |= other.gained

    def renamed(self, names: Mapping[str, str]) -> Effects:
        """The same under other schemas."""
        made = Effects(
            offered={names.get(one, one): Counter(own) for one, own in self.offered.items()},
            missing={names.get(one, one): Counter(own) for one, own in self.missing.items()},
            gained={names.get(one, one) for one in self.gained},
        )
        for schema, told in self.examples.items():
            for one in told:
                made.add(names.get(schema, schema), one)
        return made

    def as_data(self) -> dict[str, Any]:
        """As JSON has it."""
        told = {
            schema: [[sorted(one.before), sorted(one.came)] for one in own] for schema, own in self.examples.items()
        }
        seen = {
            name: {schema: [[*one, count] for one, count in own.items()] for schema, own in counts.items()}
            for name, counts in (("offered", self.offered), ("missing", self.missing))
        }
        return {"examples": told, "gained": sorted(self.gained), **seen}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Effects:
        """From what :meth:`as_data` gave."""
        offered, missing = (
            {schema: Counter({(one[0], one[1], one[2]): one[3] for one in own}) for schema, own in data[name].items()}
            for name in ("offered", "missing")
        )
        made = cls(offered=offered, missing=missing, gained=set(data["gained"]))
        for schema, told in data["examples"].items():
            for before, came in told:
                made.add(schema, Example(before=frozenset(map(tuple, before)), came=frozenset(map(tuple, came))))
        return made


def literals_of(facts: Facts, move: Move, goal: Goal) -> frozenset[Literal]:
    """What holds where a move is to be done, said without the names of things."""
    found: set[Literal] = set()
    for relation, things in facts.items():
        others = [one for one in things if one not in move.objects]
        found.update((relation, str(move.objects.index(one)), "") for one in things if one in move.objects)
        if len(others) <= FEW:
            for thing in others:
                found.update((relation, who, word) for who, word in _told_of(thing, move, goal))
    for place, thing in enumerate(move.objects):
        if goal.names(thing):
            found.add((NAMED, str(place), role(goal, thing)))
    return frozenset(found)


def holds(literal: Literal, facts: Facts, move: Move, goal: Goal) -> bool:
    """Whether one literal is among those of :func:`literals_of`."""
    relation, who, word = literal
    if who.isdigit() and int(who) >= len(move.objects):
        return False
    if relation == NAMED:
        thing = move.objects[int(who)]
        return goal.names(thing) and role(goal, thing) == word
    things = facts.get(relation, frozenset())
    if who.isdigit():
        return move.objects[int(who)] in things
    others = [one for one in things if one not in move.objects]
    return len(others) <= FEW and any((who, word) in _told_of(one, move, goal) for one in others)


def _told_of(thing: str, move: Move, goal: Goal) -> Iterator[tuple[str, str]]:
    if not thing:
        yield "", ""
        return
    own = {one for one in words(thing) if not one.isdigit()}
    more = ["", role(goal, thing)] if goal.names(thing) else [""]
    yield from (("?", word) for word in (*own, *more))
    for place, other in enumerate(move.objects):
        shared = own & set(words(other))
        if shared:
            yield from ((f"?{place}", word) for word in (*(own - shared), *more))


def role(goal: Goal, thing: str) -> str:
    """Whether a goal names a thing in the first half of a sentence or later, as in ``put the box next to the ball``."""
    return f"{NAMED} {'first' if goal.first(thing) else 'later'}"


def came_of(before: Facts, after: Facts, move: Move) -> Iterator[Outcome]:
    """What holds after a move and did not before, and the other way round."""
    for sign, one, other in (("+", after, before), ("-", before, after)):
        for relation, things in one.items():
            for thing in things - other.get(relation, frozenset()):
                who = str(move.objects.index(thing)) if thing in move.objects else "?" if thing else ""
                yield sign, relation, who


def _grown(examples: Sequence[Example], outcome: Outcome, deep: int) -> Branch:
    hits = sum(outcome in one.came for one in examples)
    whole = Branch(hits=hits, tried=len(examples))
    if not deep or not 0 < hits < len(examples):
        return whole
    tried: Counter[Literal] = Counter()
    won: Counter[Literal] = Counter()
    for one in examples:
        tried.update(one.before)
        if outcome in one.came:
            won.update(one.before)
    told = [(_difference(won[one], often, hits, len(examples)), one) for one, often in tried.items()]
    best = max(told, key=lambda one: (one[0], _plainness(one[1]), one[1]), default=None)
    if best is None or best[0] < SPLIT:
        return whole
    parts = [[one for one in examples if (best[1] in one.before) == holds] for holds in (True, False)]
    yes, no = (_grown(part, outcome, deep - 1) for part in parts)
    return Branch(hits=hits, tried=len(examples), literal=best[1], yes=yes, no=no)


def _plainness(literal: Literal) -> int:
    return -bool(literal[2]) - 2 * (literal[1] == "?")


def _difference(won: int, tried: int, hits: int, every: int) -> float:
    """The G statistic of a table of two by two."""
    told = 0.0
    for seen, row, column in (
        (won, tried, hits),
        (tried - won, tried, every - hits),
        (hits - won, every - tried, hits),
        (every - tried - hits + won, every - tried, every - hits),
    ):
        if seen:
            told += 2 * seen * math.log(seen * every / (row * column))
    return told
