"""Transition memory: what kinds of moves did to what kinds of things, with counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from evolve_worlds import Move
from evolve_worlds.experience.change import BACK, DOUBTED, GONE, KNOWN, Change, Watch, evidence
from evolve_worlds.experience.effects import LOST, Effects, Example, Outcome
from evolve_worlds.experience.parts import Orders
from evolve_worlds.experience.wording import Goal

FEW = 3
"""Moves of a kind that lost nothing, after which none is expected to."""
FAITH = 2.0
"""How many observations what is known of the more general weighs against those of the more special."""


@dataclass(kw_only=True)
class Tally:
    """What came of one kind of move.

    Attributes:
        tried, changed, revealed, lost: In how many transitions it was done, something was different after it, something
            was named for the first time in the trial, and the trial was lost by it.
        gained: In how many the score rose.
    """

    tried: int = 0
    changed: int = 0
    revealed: int = 0
    gained: int = 0
    lost: int = 0

    def add(self, told: Transition) -> None:
        """Counts one transition."""
        self.tried += 1
        self.changed += told.changed
        self.revealed += told.revealed
        self.gained += told.gain > 0
        self.lost += told.lost

    def join(self, other: Tally) -> None:
        """Adds what another one counted."""
        for name, count in asdict(other).items():
            setattr(self, name, getattr(self, name) + count)


@dataclass(frozen=True, kw_only=True)
class Transition:
    """What one move did.

    Attributes:
        gain: By how much the score rose.
    """

    changed: bool = False
    revealed: bool = False
    gain: float = 0.0
    lost: bool = False


@dataclass(kw_only=True)
class TransitionMemory:
    """Tallies by the schema of a move, and by schema, place in it and a feature of the thing that stands there.

    Attributes:
        kept: For a schema and place, how often a thing was still there after a change of place that had been put there
            last, and how often it was not.
        guessed, right: Predictions of whether something will change, made before each move.
        effects: Examples of what came of moves, and under which conditions.
        foreseen, came: Predictions of whether a move does what it is for, made before each move, and those that were
            right.
        orders: In which order parts of goals worked.
        partial: A score between nothing and all was seen. Then the score tells the way and replay of the best follows
            it; examples of effects are no longer kept and no plans made of them, which there cost more than they bring.
        forgets: Whether counts that no longer hold are set aside.
        changes: What was set aside or came back, in the order in which that happened.
    """

    schemas: dict[str, Tally] = field(default_factory=dict)
    things: dict[tuple[str, int, str], Tally] = field(default_factory=dict)
    kept: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    guessed: int = 0
    right: int = 0
    effects: Effects = field(default_factory=Effects)
    foreseen: int = 0
    came: int = 0
    partial: bool = False
    forgets: bool = True
    orders: Orders = field(default_factory=Orders)
    changes: list[Change] = field(default_factory=list)
    _watch: Watch = field(default_factory=Watch, repr=False)
    _recent: dict[str, list[tuple[Goal, Move, Transition, Example]]] = field(default_factory=dict, repr=False)
    _doubted: dict[str, _Doubted] = field(default_factory=dict, repr=False)

    def add(self, goal: Goal, move: Move, told: Transition, example: Example | None = None) -> None:
        """Remembers a transition; what was predicted of it is compared first.

        Args:
            example: What held before it and what came of it, where that is known.
        """
        self.guessed += 1
        self.right += (self.rate(goal, move, "changed") >= 0.5) == told.changed
        since = self._surprised(move, example, told.changed) if example else 0
        self._count(goal, move, told)
        if example is None:
            return
        self.effects.add(move.schema, example)
        recent = self._recent.setdefault(move.schema, [])
        recent.append((goal, move, told, example))
        kept = (self._watch.sums.get(one, (0.0, 0))[1] for one in (move.schema, f"{move.schema} loses"))
        del recent[: -max(since, *kept) or None]
        if since and self.forgets:
            self._set_aside(move.schema, lost=told.lost)
        else:
            self._reconsider(move.schema, example)

    def _count(self, goal: Goal, move: Move, told: Transition) -> None:
        for tally in self._tallies(goal, move, self.schemas.setdefault(move.schema, Tally())):
            tally.add(told)

    def _surprised(self, move: Move, example: Example, changed: bool) -> int:
        """Compares what a move was for with what came; for how many moves of the schema things have been otherwise.

        A move with objects that changes nothing and failed right before is no news: the way to them may be blocked.
        """
        schema = move.schema
        known, lost = len(self.effects.examples.get(schema, ())), LOST in example.came
        rate, _ = self.effects.rate(schema, LOST, example.before.__contains__)
        since = self._watch.changed(f"{schema} loses", rate, lost) if known >= KNOWN and (lost or rate < 0.5) else 0
        aim = self.effects.aim(schema)
        if aim is None:
            return since
        rate, known = self.effects.rate(schema, aim, example.before.__contains__)
        self.foreseen += 1
        self.came += (rate >= 0.5) == (aim in example.came)
        recent = self._recent.get(schema)
        failed = bool(move.objects and recent and recent[-1][1] == move and aim not in recent[-1][3].came)
        if known < KNOWN or rate < 0.5 or (failed and not changed):
            return since
        return self._watch.changed(schema, rate, aim in example.came) or since

    def _set_aside(self, schema: str, *, lost: bool) -> None:
        """Takes away what was counted of a schema but for moves since it does otherwise, and says so.

        What loses trials is not tried again; else what was known is kept, and few failures, so that it is.
        """
        recent, aim = self._recent.pop(schema), self.effects.aim(schema)
        known = TransitionMemory(
            schemas={schema: self.schemas.pop(schema)},
            things={key: one for key, one in self.things.items() if key[0] == schema},
            kept={key: one for key, one in self.kept.items() if key[0] == schema},
            effects=self.effects.set_aside(schema),
        )
        self.things = {key: one for key, one in self.things.items() if key[0] != schema}
        self.kept = {key: one for key, one in self.kept.items() if key[0] != schema}
        self._doubted.pop(schema, None)
        if aim is not None and not lost:
            self._doubted[schema], recent = _Doubted(memory=known, aim=aim), recent[-DOUBTED:]
        for goal, move, told, example in recent:
            self._count(goal, move, told)
            self.effects.add(schema, example)
        self.changes.append(Change(schema=schema, tried=known.schemas[schema].tried, kept=len(recent)))

    def _reconsider(self, schema: str, example: Example) -> None:
        """Brings back what was set aside where it predicts what comes, and gives it up where it does not."""
        doubted = self._doubted.get(schema)
        if doubted is None:
            return
        effects = doubted.memory.effects
        rate, _ = effects.rate(schema, doubted.aim, example.before.__contains__)
        if rate >= 0.5:
            doubted.sum += evidence(rate, doubted.aim in example.came)
        if doubted.sum >= BACK:
            self.add_all(doubted.memory)
            tried = doubted.memory.schemas[schema].tried
            self.changes.append(Change(schema=schema, tried=tried, kept=0, back=True))
        if not GONE < doubted.sum < BACK:
            del self._doubted[schema]

    def _tallies(self, goal: Goal, move: Move, first: Tally) -> Iterator[Tally]:
        yield first
        for place, thing in enumerate(move.objects):
            for feature in goal.features(thing):
                yield self.things.setdefault((move.schema, place, feature), Tally())

    def keeps(self, move: Move, place: int, *, still_there: bool) -> None:
        """Remembers whether a thing came along to another place."""
        yes, no = self.kept.get((move.schema, place), (0, 0))
        self.kept[move.schema, place] = (yes + still_there, no + (not still_there))

    def carries(self, schema: str, place: int) -> float:
        """How surely a thing comes along that was put there last (rule of succession): unknown, one in two."""
        yes, no = self.kept.get((schema, place), (0, 0))
        return (yes + 1) / (yes + no + 2)

    def rate(self, goal: Goal, move: Move, what: str, prior: float = 0.5) -> float:
        """The expected share of transitions in which something happens: of the schema, drawn to that of the things.

        Args:
            what: An attribute of :class:`Tally`.
        """
        own = self.schemas.get(move.schema)
        rate = (getattr(own, what) + FAITH * prior) / (own.tried + FAITH) if own else prior
        for place, thing in enumerate(move.objects):
            known = [self.things.get((move.schema, place, one)) for one in goal.features(thing)]
            told = [one for one in known if one]
            if told:
                tried, hits = sum(one.tried for one in told), sum(getattr(one, what) for one in told)
                rate = (hits + FAITH * rate) / (tried + FAITH)
        return float(rate)

    def only_lost(self, goal: Goal, move: Move) -> bool:
        """Whether moves of a kind with such things lost trials more than once and never raised a score."""
        features = [(move.schema, at, one) for at, thing in enumerate(move.objects) for one in goal.features(thing)]
        known = [self.things[one] for one in features if one in self.things]
        return sum(one.lost for one in known) > 1 and not any(one.gained for one in known)

    def words_of(self, schema: str) -> tuple[list[str], list[str]]:
        """Words of things with which moves of a schema raised a score, and of those with which they only lost trials.

        What stands for things of a goal is no word.
        """
        own = [(what, one) for (known, _, what), one in self.things.items() if known == schema and what[:1] != "<"]
        gained = {what for what, one in own if one.gained}
        return sorted(gained), sorted({what for what, one in own if one.lost} - gained)

    def risky(self, schema: str) -> bool:
        """Whether moves of a kind have lost a trial."""
        own = self.schemas.get(schema)
        return own is not None and own.lost > 0

    def harmless(self, schema: str) -> bool:
        """Whether moves of a kind were done a few times and never lost a trial."""
        own = self.schemas.get(schema)
        return own is not None and own.tried >= FEW and not own.lost

    def add_all(self, other: TransitionMemory) -> None:
        """Adds what another one counted."""
        for key, tally in other.schemas.items():
            self.schemas.setdefault(key, Tally()).join(tally)
        for place, tally in other.things.items():
            self.things.setdefault(place, Tally()).join(tally)
        for slot, (yes, no) in other.kept.items():
            own = self.kept.get(slot, (0, 0))
            self.kept[slot] = (own[0] + yes, own[1] + no)
        self.partial |= other.partial
        self.effects.add_all(other.effects)
        for connective, told in other.orders.counts.items():
            for order, (yes, no) in told.items():
                own_yes, own_no = self.orders.counts.setdefault(connective, {}).get(order, (0, 0))
                self.orders.counts[connective][order] = (own_yes + yes, own_no + no)

    def shuffled(self, rng: Random) -> TransitionMemory:
        """As much memory, each schema's under another one: what experiments compare with."""
        names = list(self.schemas)
        others = dict(zip(names, rng.sample(names, len(names)), strict=True))
        return TransitionMemory(
            schemas={others[name]: one for name, one in self.schemas.items()},
            things={(others[schema], place, feature): one for (schema, place, feature), one in self.things.items()},
            kept={(others.get(schema, schema), place): one for (schema, place), one in self.kept.items()},
            effects=self.effects.renamed(others),
            partial=self.partial,
        )

    def as_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {
            "schemas": {name: asdict(one) for name, one in self.schemas.items()},
            "things": [[*key, asdict(one)] for key, one in self.things.items()],
            "kept": [[*key, *one] for key, one in self.kept.items()],
            "guessed": self.guessed,
            "right": self.right,
            "effects": self.effects.as_data(),
            "foreseen": self.foreseen,
            "came": self.came,
            "partial": self.partial,
            "orders": self.orders.counts,
            "changes": [asdict(one) for one in self.changes],
        }

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> TransitionMemory:
        """From what :meth:`as_data` gave."""
        return cls(
            schemas={name: Tally(**one) for name, one in data["schemas"].items()},
            things={(schema, place, feature): Tally(**one) for schema, place, feature, one in data["things"]},
            kept={(schema, place): (yes, no) for schema, place, yes, no in data["kept"]},
            guessed=data["guessed"],
            right=data["right"],
            effects=Effects.from_data(data["effects"]),
            foreseen=data["foreseen"],
            came=data["came"],
            partial=data["partial"],
            orders=Orders(
                counts={
                    one: {order: (yes, no) for order, (yes, no) in own.items()} for one, own in data["orders"].items()
                }
            ),
            changes=[Change(**one) for one in data["changes"]],
        )


@dataclass(kw_only=True)
class _Doubted:
    """What was known of a schema before it was set aside.

    Attributes:
        aim: What such moves were for.
        sum: Evidence for it since, in nats.
    """

    memory: TransitionMemory
    aim: Outcome
    sum: float = 0.0
