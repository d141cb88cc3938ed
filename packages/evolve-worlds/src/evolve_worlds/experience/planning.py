"""A way to a scene in which a move is likely to work: best-first search over learned conditions and effects.

The search is evolve's own. The package unified-planning would draw in planners' binaries and takes operators that hold
or do not; here conditions are trees of counts, each step of a plan is as sure as its examples say, and the cost of a
plan is how unsure it is (Kaelbling and Lozano-Perez 2013 plan over such costs, minus the logarithm of a probability).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count, permutations

from evolve_worlds import Move
from evolve_worlds.experience.effects import LOST, Effects, Outcome, holds
from evolve_worlds.experience.scenery import Facts
from evolve_worlds.experience.wording import Goal, words

EXPANDED = 120
"""Scenes that one search looks beyond."""
LONGEST = 4
"""Moves of a plan before the move that it is for."""
TESTED = 4
"""Failures after which a condition is given up."""
LIKELY = 0.5
"""How surely an outcome has to come to be counted on."""
THINGS = 14
"""Things that a plan may use at most: those of the move, and those that share most with them and with conditions."""

Key = frozenset[tuple[str, str]]


@dataclass(kw_only=True)
class Planner:
    """Looks ahead over what moves bring about.

    Attributes:
        things: All that is known to be somewhere.
    """

    effects: Effects
    goal: Goal
    things: Collection[str]

    def chance(self, move: Move, facts: Facts) -> tuple[float, int]:
        """How surely a move does what it is for, and of how many examples that was learned; where nothing was, 0.5."""
        aim = self.effects.aim(move.schema)
        return (0.5, 0) if aim is None else self._rate(move, aim, facts)

    def worked(self, move: Move) -> bool:
        """Whether a move of that schema did what it is for at any time that is remembered."""
        aim = self.effects.aim(move.schema)
        return aim is not None and self.effects.tree(move.schema, aim).hits > 0

    def way(self, move: Move, facts: Facts) -> list[Move] | None:
        """What to do before a move so that it is likely to work and is offered; None where no such thing is known."""
        relations, schemas = self._chained(move.schema)
        moves = list(self._moves(move, schemas))
        begun = self._key(facts, relations)
        rest = {relation: own for relation, own in facts.items() if relation not in relations}
        queue: list[tuple[float, int, Key, tuple[Move, ...]]] = [(0.0, 0, begun, ())]
        numbers, seen = count(1), set[Key]()
        while queue and len(seen) < EXPANDED:
            cost, _, key, done = heapq.heappop(queue)
            if key in seen:
                continue
            seen.add(key)
            here = {**rest, **_facts(key)}
            if self._offers(move.schema, here) and self.chance(move, here)[0] >= LIKELY:
                return list(done)
            if len(done) == LONGEST:
                continue
            for one in moves:
                if one == move or not self._offers(one.schema, here):
                    continue
                after, sure = self._after(one, here, relations)
                if after != key and after not in seen:
                    heapq.heappush(queue, (cost + 1 - math.log(sure), next(numbers), after, (*done, one)))
        return None

    def experiments(self, move: Move, facts: Facts) -> Iterator[Move]:
        """Moves after which a move that fails may work, as nothing yet says that it does not.

        What is tried are things that share a word with the move's own, brought into a relation that moves bring about;
        those that share most first. Of each word that such a thing has besides it takes a few failures to be given up.
        """
        found = []
        for schema in self.effects.examples:
            if schema.count("{}") != 1 or schema == move.schema or self.effects.loses(schema):
                continue
            for _, relation, _ in self.effects.brings(schema):
                for thing in self.things:
                    told = self._untold(move, relation, thing)
                    if told and thing not in facts.get(relation, ()) and thing not in move.objects:
                        found.append((-told, thing, Move(schema=schema, objects=(thing,))))
        yield from (one[2] for one in sorted(found, key=lambda one: one[:2]))

    def _untold(self, move: Move, relation: str, thing: str) -> float:
        """How much a thing shares with the objects of a move, in a relation not tried enough; 0.0 where it was."""
        best, own = 0.0, set(words(thing))
        for place, other in enumerate(move.objects):
            rest, shared = own - set(words(other)), own & set(words(other))
            for word in (one for one in rest if not one.isdigit()):
                tested = self.effects.tested(move.schema, (relation, f"?{place}", word))
                if shared and tested < TESTED:
                    best = max(best, len(shared) / len(own) / (1 + tested))
        return best

    def fresh(self, move: Move, facts: Facts) -> bool:
        """Whether something stands near a move's objects, by its words, that was not tried enough with its schema."""
        relations = {one[1] for schema in self.effects.examples for one in self.effects.brings(schema)}
        return any(
            self._untold(move, one, thing)
            for one in relations
            for thing in facts.get(one, ())
            if thing not in move.objects
        )

    def _rate(self, move: Move, outcome: Outcome, facts: Facts) -> tuple[float, int]:
        return self.effects.rate(move.schema, outcome, lambda one: holds(one, facts, move, self.goal))

    def _offers(self, schema: str, facts: Facts) -> bool:
        held = {(relation, "?" if any(own) else "", "") for relation, own in facts.items() if own}
        return all(one in held for one in self.effects.needs(schema))

    def _after(self, move: Move, facts: Facts, relations: Collection[str]) -> tuple[Key, float]:
        """What is expected to hold after a move, and how surely."""
        made, sure = {one: set(own) for one, own in facts.items() if one in relations}, 1.0
        slots = len(move.objects)
        risk, _ = self._rate(move, LOST, facts) if self.effects.loses(move.schema) else (0.0, 0)
        for outcome in self.effects.outcomes(move.schema, 0.3):
            sign, relation, who = outcome
            if relation not in relations or (sign == "+" and who == "?") or (who.isdigit() and int(who) >= slots):
                continue
            rate, _ = self._rate(move, outcome, facts)
            if rate < LIKELY:
                continue
            sure = min(sure, rate)
            own = made.setdefault(relation, set())
            if who == "?":
                own.intersection_update(move.objects)
            elif sign == "+":
                own.add(move.objects[int(who)] if who else "")
            else:
                own.discard(move.objects[int(who)] if who else "")
        return frozenset((one, thing) for one, own in made.items() for thing in own), sure * (1 - risk)

    def _chained(self, schema: str) -> tuple[frozenset[str], frozenset[str]]:
        """The relations that may matter for a schema, and the schemas that change them, back over a few steps."""
        relations = self._matter(schema)
        schemas: set[str] = set()
        for _ in range(LONGEST - 1):
            more = {
                one
                for one in self.effects.examples
                if any(told[1] in relations for told in self.effects.outcomes(one, 0.3))
            }
            if more <= schemas:
                break
            for one in more - schemas:
                relations |= {need[0] for need in self.effects.needs(one)}
            schemas |= more
        return frozenset(relations), frozenset(schemas)

    def _matter(self, schema: str) -> set[str]:
        aim = self.effects.aim(schema)
        told = {one[0] for one in self.effects.needs(schema)}
        return told | ({one[0] for one in self.effects.tree(schema, aim).literals()} if aim else set())

    def _moves(self, move: Move, schemas: Collection[str]) -> Iterator[Move]:
        aim = self.effects.aim(move.schema)
        wanted = {one[2] for one in self.effects.tree(move.schema, aim).literals()} if aim else set()
        near = wanted.union(*map(words, move.objects))
        ranked = sorted(self.things, key=lambda one: (-self._share(one, near), one))[:THINGS]
        for schema in sorted(schemas):
            slots = schema.count("{}")
            if slots <= 1:
                yield from (Move(schema=schema, objects=one) for one in permutations(ranked, slots))
            elif slots == 2:
                yield from (Move(schema=schema, objects=one) for one in permutations(ranked[:4], 2))

    def _share(self, thing: str, near: Collection[str]) -> int:
        return sum(word in near for word in words(thing)) + self.goal.names(thing)

    @staticmethod
    def _key(facts: Facts, relations: Collection[str]) -> Key:
        return frozenset((one, thing) for one, own in facts.items() if one in relations for thing in own)


def _facts(key: Key) -> Facts:
    made: dict[str, set[str]] = {}
    for relation, thing in key:
        made.setdefault(relation, set()).add(thing)
    return {relation: frozenset(own) for relation, own in made.items()}
