"""Transition memory: what kinds of moves did to what kinds of things, with counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from random import Random

from evolve.policies.experience.wording import Goal
from evolve.worlds import Move

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
    """

    schemas: dict[str, Tally] = field(default_factory=dict)
    things: dict[tuple[str, int, str], Tally] = field(default_factory=dict)
    kept: dict[tuple[str, int], tuple[int, int]] = field(default_factory=dict)
    guessed: int = 0
    right: int = 0

    def add(self, goal: Goal, move: Move, told: Transition) -> None:
        """Remembers a transition; what was predicted of it is compared first."""
        self.guessed += 1
        self.right += (self.rate(goal, move, "changed") >= 0.5) == told.changed
        for tally in self._tallies(goal, move, self.schemas.setdefault(move.schema, Tally())):
            tally.add(told)

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

    def risky(self, schema: str) -> bool:
        """Whether moves of a kind have lost a trial."""
        own = self.schemas.get(schema)
        return own is not None and own.lost > 0

    def add_all(self, other: TransitionMemory) -> None:
        """Adds what another one counted."""
        for key, tally in other.schemas.items():
            self.schemas.setdefault(key, Tally()).join(tally)
        for place, tally in other.things.items():
            self.things.setdefault(place, Tally()).join(tally)
        for slot, (yes, no) in other.kept.items():
            own = self.kept.get(slot, (0, 0))
            self.kept[slot] = (own[0] + yes, own[1] + no)

    def shuffled(self, rng: Random) -> TransitionMemory:
        """As much memory, each schema's under another one: what experiments compare with."""
        names = list(self.schemas)
        others = dict(zip(names, rng.sample(names, len(names)), strict=True))
        return TransitionMemory(
            schemas={others[name]: one for name, one in self.schemas.items()},
            things={(others[schema], place, feature): one for (schema, place, feature), one in self.things.items()},
            kept={(others.get(schema, schema), place): one for (schema, place), one in self.kept.items()},
        )

    def as_data(self) -> dict[str, object]:
        """As JSON has it."""
        return {
            "schemas": {name: asdict(one) for name, one in self.schemas.items()},
            "things": [[*key, asdict(one)] for key, one in self.things.items()],
            "kept": [[*key, *one] for key, one in self.kept.items()],
            "guessed": self.guessed,
            "right": self.right,
        }

    @classmethod
    def from_data(cls, data: Mapping[str, object]) -> TransitionMemory:
        """From what :meth:`as_data` gave."""
        schemas, things, kept = data["schemas"], data["things"], data["kept"]
        assert isinstance(schemas, Mapping) and isinstance(things, Iterable) and isinstance(kept, Iterable)
        return cls(
            schemas={name: Tally(**one) for name, one in schemas.items()},
            things={(schema, place, feature): Tally(**one) for schema, place, feature, one in things},
            kept={(schema, place): (yes, no) for schema, place, yes, no in kept},
            guessed=int(str(data["guessed"])),
            right=int(str(data["right"])),
        )
