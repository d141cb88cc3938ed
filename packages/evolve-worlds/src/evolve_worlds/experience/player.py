"""One trial played: what is known to work first, then what the goal's words ask for, then what is new."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random

from evolve_worlds import Move, Trial
from evolve_worlds.experience.carried import Carried, nearest
from evolve_worlds.experience.effects import GAIN, LOST, Example, came_of, literals_of
from evolve_worlds.experience.meaning import Meaning
from evolve_worlds.experience.notes import Plan, Step, VariationNotes
from evolve_worlds.experience.novelty import Novelty
from evolve_worlds.experience.parts import Parts, parts_of
from evolve_worlds.experience.places import place_of
from evolve_worlds.experience.planning import Planner
from evolve_worlds.experience.promise import gains, promise
from evolve_worlds.experience.risk import SURE, Risk
from evolve_worlds.experience.scenery import Facts, facts_of
from evolve_worlds.experience.transitions import Transition, TransitionMemory
from evolve_worlds.experience.wording import Goal, filled, words

EVERYWHERE = 3
"""In how many places a thing was seen that is there without being taken along."""
ATTEMPTS = 6
"""Ways to bring things together that are tried for one move."""
RESERVE = 6
"""Moves that are kept for such a test at the end."""
ASKED = 0.8
WISHED = 0.5
REFUTED = 3
"""From how many examples on a move is taken not to work that hardly ever worked."""
HOPE = 0.25


class Ended(Exception):
    """No further move counts, or none is left of the allowance."""


@dataclass(kw_only=True)
class Player:
    """Plays one trial and remembers what came of each move.

    Attributes:
        limit: Moves at most.
        plans: What worked in other variations, the best first.
        meaning: Tells which things are like what the goal is about, where there is an encoder of texts.
    """

    trial: Trial
    memory: TransitionMemory
    notes: VariationNotes
    rng: Random
    limit: int
    plans: Sequence[Plan] = ()
    meaning: Meaning | None = None
    played: list[Step] = field(default_factory=list)
    score: float = 0.0
    topic: str = ""
    held: set[str] = field(default_factory=set)
    last: dict[str, tuple[Move, int]] = field(default_factory=dict)
    idle: int = 0
    parts: Parts | None = None
    facts: Facts = field(init=False)
    wished: set[tuple[str, float]] = field(default_factory=set)
    vain: set[tuple[int, Move]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.goal = Goal(self.trial.goal)
        self.carried = Carried(goal=self.goal, plans=() if self.notes.best else self.plans)
        self.risk = Risk(memory=self.memory, carried=self.carried, played=self.played)
        self.scene = self.trial.scene
        self.start = self.score = self.scene.score
        self.planner = Planner(effects=self.memory.effects, goal=self.goal, things=self.notes.places.found.keys())
        self.novelty = Novelty(memory=self.memory, notes=self.notes, rng=self.rng)
        self.vocabulary = {one[2] for one in self.memory.things}
        self._look()

    def play(self) -> None:
        """Plays to the end."""
        if not self.memory.partial:
            self._read()
        try:
            if self.notes.best:
                for step in self.notes.best:
                    self._do(step.move)
            else:
                for plan in self.carried.plans:
                    if plan.score > self.score:
                        self._follow_lifted(plan)
            while True:
                self._go_on()
        except Ended:
            return

    @property
    def best(self) -> tuple[Step, ...]:
        """What was done up to the last rise of the score."""
        last = max((number for number, one in enumerate(self.played, 1) if one.gain > 0), default=0)
        return tuple(self.played[:last])

    def _go_on(self) -> None:
        if not self.memory.partial and self._next_part():
            return
        for move in self._wishes():
            self.wished.add((self._on(move), self.score))
            if self._prepare(move) and self._tests(move):
                return
        patience = self.limit if self.carried.plans else self.notes.patience
        if self.idle >= patience or self.limit - len(self.played) <= RESERVE:
            self.idle = 0
            for move in self._options():
                if self._tests(move):
                    return
        self._do(self._newest())

    def _tests(self, move: Move) -> bool:
        """Does a move and remembers where it did not raise the score; whether that came about."""
        before, reached = self.score, self._reach(move)
        if reached and self.score <= before:
            self.notes.tested[self._on(move), before] += 1
        return reached

    def _next_part(self) -> bool:
        """Does the next part of a sentence of several; whether something for it was known."""
        part = self._read().next
        for move in part.moves(self.notes.places.found) if part else ():
            if move.schema in self.schemas and not self._may_lose(move) and self._prepare(move) and self._reach(move):
                return True
        return False

    def _read(self) -> Parts:
        """The parts of the goal, by all words that are known by now, and what of them has to wait."""
        schemas, known = self.memory.schemas.keys() | self.schemas, self.notes.names | self.vocabulary
        self.parts = parts_of(self.goal, schemas, known, self.memory.orders).after(self.parts)
        self.goal = replace(self.goal, later=self.parts.later(self.notes.places.found))
        return self.parts

    def _came_to(self, move: Move, gain: float) -> None:
        """Tells the parts of the goal what a move came to."""
        if self.parts is None or self.memory.partial:
            return
        if self.scene.lost:
            self.parts.lost(move)
            self.goal = replace(self.goal, later=self.parts.later(self.notes.places.found))
        elif gain > 0:
            self.parts.reached([*(one.move for one in self.played), move])
        else:
            self.parts.did(move)

    # what is known

    def _follow_lifted(self, plan: Plan) -> None:
        """Does a plan of another variation, as far as it goes."""
        instead: dict[str, str] = {}
        for step, wanted in self.carried.steps(plan, instead):
            move = self._like(wanted)
            if move is not None and self._helps(move, step):
                instead |= zip(wanted.objects, move.objects, strict=False) if self.meaning else ()
                (self._reach if self.memory.partial or step.gain <= 0 else self._tests)(move)

    def _helps(self, move: Move, step: Step) -> bool:
        """Whether a move of another variation's plan is likely to help here, and it is its turn."""
        if self._hopeless(move) or self.risk.untimely(move):
            return False
        if not self.memory.partial and step.gain > 0 and not self._open(move):
            return False
        known = move != step.move or all(self.goal.names(one) or one == self.topic for one in move.objects)
        if self._may_lose(move) and (not known or self.notes.lost[move.text, self.score]):
            return False
        return self.memory.partial or self._read().later(move.objects).keys().isdisjoint(move.objects)

    def _like(self, move: Move) -> Move | None:
        """A move that is offered, or may be elsewhere, or the nearest by words where that is not what may lose."""
        if move in self.offered or all(one in self.notes.places.found for one in move.objects):
            return move
        risky = self.memory.risky(move.schema) or self.goal.commands(move.schema)
        if not risky:
            return nearest(move, self.moves)
        if self.meaning is None or all(map(self.goal.names, move.objects)):  # nothing stands for what is named
            return None
        alike = [one for one in self.moves if one.schema == move.schema and self._open(one)]
        return self.meaning.outstanding(alike, self.goal, self.memory, self.notes.places.found)

    def _reach(self, move: Move) -> bool:
        """Does a move, here or where its things can be brought together; whether that came about.

        Where a thing did not come along, or could not be taken like that, another way of taking it is tried.
        """
        if not self.memory.partial and move.objects and (self.sight, move) in self.vain:
            return False
        for _ in range(ATTEMPTS):
            if move in self.offered:
                self._do(move)
                return True
            way = self.notes.places.way(self.place, frozenset(self.held), move.objects, self.memory)
            if not way or len(way) >= self.limit - len(self.played):
                return False
            for step in way:
                if step in self.offered:
                    self._do(step)
                    continue
                if step in self.notes.places.leads:
                    return False
                self.memory.keeps(step, 0, still_there=False)
                break
        return False

    # what the goal asks for

    def _wishes(self) -> list[Move]:
        known = [one for one in self.notes.places.found if one == self.topic or self.goal.names(one)]
        wanted = []
        for schema in self.memory.schemas | dict.fromkeys(one.schema for one in self.moves):
            for move in filled(schema, known):
                value, at = self.goal.wants(move, self.topic)
                if not self.memory.partial and self.memory.effects.aim(schema) == GAIN:
                    chance, tried = self.planner.chance(move, self.facts)
                    value = max(value, chance if tried >= REFUTED else 0.0)
                if value < (WISHED if len(move.objects) > 1 else ASKED) or (self._on(move), self.score) in self.wished:
                    continue
                if not self._open(move) or self.risk.strange(move, self.goal, self.topic):
                    continue
                # With an encoder something more likely can be tested in its place.
                vain = self.meaning is not None and self.memory.only_lost(self.goal, move)
                unsure = (value < SURE or vain) and gains(move, self.goal, self.memory) < 0.4
                if self._may_lose(move) and (unsure or self._refuted(move)):
                    continue
                wanted.append((self._hopeless(move), at, -value, move.text, move))
        return [one[-1] for one in sorted(wanted, key=lambda one: one[:4])]

    def _open(self, move: Move) -> bool:
        """Whether it is not known yet what a move does at this score."""
        return not (self.notes.tested[self._on(move), self.score] or self.notes.lost[move.text, self.score])

    def _on(self, move: Move) -> str:
        """A move with what it may depend on: things that share a word with its own, and how they stand now."""
        held = literals_of(self.facts, move, self.goal)
        told = (one for one in held if one[1][:1] == "?" and one[1][1:] and one[0] in self.aims)
        near = sorted({f"{one[0]} {one[2]}" for one in told})
        return f"{move.text}, {', '.join(near)}" if near else move.text

    def _prepare(self, move: Move) -> bool:
        """Brings about what a move is likely to need; false where it is not likely to work as things stand."""
        hopeless = self._hopeless(move)
        if self.memory.partial or (not hopeless and (move in self.offered or move.schema in self.schemas)):
            return True
        if hopeless and self.planner.worked(move) and self.planner.fresh(move, self.facts):
            return True
        way = self.planner.way(move, self.facts)
        if way is None and hopeless:
            return self.planner.worked(move) and self._experiment(move)
        return all(map(self._reach, way or ()))

    def _hopeless(self, move: Move) -> bool:
        """Whether a move hardly ever did what it is for where things stood as now."""
        chance, known = (1.0, 0) if self.memory.partial else self.planner.chance(move, self.facts)
        return known >= REFUTED and chance < HOPE

    def _refuted(self, move: Move) -> bool:
        """Whether it is a move that the goal names all things of, and that is known not to help with such things."""
        return all(map(self.goal.names, move.objects)) and self._hopeless(move)

    def _experiment(self, move: Move) -> bool:
        """Changes what may be why a move fails, in one way that was not tried yet; whether that came about."""
        for one in self.planner.experiments(move, self.facts):
            if (key := (f"{one.text} for {move.text}", self.score)) in self.wished:
                continue
            self.wished.add(key)
            way = self.planner.way(one, self.facts)
            return way is not None and all(map(self._reach, [*way, one]))
        return False

    def _may_lose(self, move: Move) -> bool:
        return self.risk.may_lose(move, self.goal, self.topic)

    def _promise(self, move: Move) -> float:
        return promise(move, self.goal, self.topic, self.memory, self.notes, self.meaning)

    def _options(self) -> list[Move]:
        known = [one for one in self.notes.options if self._open(one) and not self._refuted(one)]
        return sorted(known, key=lambda one: (-self._promise(one), one.text))[:20]

    def _newest(self) -> Move:
        safe = [one for one in self.moves if not self._may_lose(one)]
        tried = {one for one in safe if (self.sight, one.text) in self.notes.seen_at}
        if (best := self.novelty.newest(safe, tried, self._worth)) is not None:
            return best
        left = [one for one in self.moves if not self.notes.lost[one.text, self.score]]
        if not left:
            raise Ended
        return max(left, key=lambda one: (self._promise(one), one.text))  # what was reached counts, so nothing is lost

    def _worth(self, move: Move) -> float:
        waits = tuple(self.goal.later.get(one) for one in move.objects)
        known = (self.topic, self._open(move), waits)
        return self.novelty.worth(move, self.goal, known, lambda: self._asked(move))

    def _asked(self, move: Move) -> float:
        """How far the goal asks for a move that may help."""
        helps = self.memory.partial or (self._open(move) and not self._refuted(move))
        return self.goal.wants(move, self.topic)[0] if helps else 0.0

    # a move

    def _do(self, move: Move) -> None:
        if self.scene.over or len(self.played) >= self.limit:
            raise Ended
        before, sight, place, things = self.score, self.sight, self.place, self.things
        facts, held, stood = self.facts, literals_of(self.facts, move, self.goal), self.scene.score
        self.scene = self.trial.do(move.text)
        lost, gain = self.scene.lost, 0.0 if self.scene.lost else self.scene.score - before
        self._came_to(move, gain)
        known = len(self.notes.names)
        if self.scene.over:
            self.facts = facts_of(self.scene.view, self.notes.places.found)
        else:
            self._look()
        revealed = len(self.notes.names) > known
        told = Transition(changed=self.sight != sight or gain > 0, revealed=revealed, gain=gain, lost=lost)
        stands = stood if lost else self.scene.score
        self.played.append(Step(move=move, gain=gain, score=stands, changed=told.changed, moved=self.place != place))
        if (sight, move.text) not in self.notes.seen_at or lost:
            came = {*came_of(facts, self.facts, move), *([GAIN] if gain > 0 else []), *([LOST] if lost else [])}
            example = None if self.memory.partial else Example(before=held, came=frozenset(came))
            self.memory.add(self.goal, move, told, example)
            self.memory.partial |= 0.0 < self.scene.score < 1.0 and gain > 0
        self.notes.seen_at.add((sight, move.text))
        self.vain.update([] if told.changed else [(sight, move)])
        self.notes.tried[move.text] += 1
        self.novelty.done[move.schema] += 1
        for at, thing in enumerate(move.objects):
            self.last[thing] = (move, at)
        if lost:
            self.notes.lost[move.text, before] += 1
            self.notes.lost_in[self.place] += 1
            self.notes.failed = min(self.notes.failed + 1, 8)
            raise Ended
        if gain > 0:
            self.score = self.scene.score
            self.notes.failed = 0 if self.score > self.notes.score else self.notes.failed
            asked = [one for one in move.objects if self.goal.wants(move, self.topic)[0] >= WISHED]
            self.topic = asked[0] if asked else self.topic
        self.idle = 0 if gain > 0 or told.revealed else self.idle + 1
        if self.place != place:
            self._moved(move, place, things, gain)
        if self.scene.over:
            raise Ended

    def _moved(self, move: Move, place: str, things: frozenset[str], gain: float) -> None:
        self.notes.places.leads[move] = self.place
        self.notes.places.offered.setdefault(place, set()).add(move)
        self.notes.places.visits[self.place] = self.notes.places.visits.get(self.place, 0) + 1
        if gain > 0:
            self.notes.rose_at = self.place
        ways = {thing for way in self.notes.places.leads for thing in way.objects}
        for thing in things - ways:
            there = thing in self.things
            if thing in self.last and len(self.notes.places.found[thing]) < EVERYWHERE:
                self.memory.keeps(*self.last[thing], still_there=there)
            self.held.discard(thing)
            if there and thing in self.last:
                self.held.add(thing)

    def _look(self) -> None:
        """Takes in what can be seen and done."""
        self.moves = self.trial.moves()
        self.offered = set(self.moves)
        self.schemas = {one.schema for one in self.moves}
        self.place = place_of(self.scene)
        self.things = frozenset(thing for move in self.moves for thing in move.objects)
        self.sight = hash((self.scene.view, len(self.moves)))
        self.notes.names.update(word for thing in self.things for word in words(thing))
        self.notes.places.see(self.place, self.things, [one for one in self.moves if one in self.notes.places.leads])
        self.facts = {} if self.memory.partial else facts_of(self.scene.view, self.notes.places.found)
        if not self.memory.partial:
            self.memory.effects.see(self.facts, self.schemas)
        effects = self.memory.effects
        self.aims = {aim[1] for one in effects.examples if (aim := effects.aim(one)) is not None}
        for move in self.moves:
            if self._may_lose(move):
                self.notes.options.setdefault(move, set()).add(self.place)
