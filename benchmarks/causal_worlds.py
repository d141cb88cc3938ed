"""Small worlds whose causal graph is known: what actions an effect needs, what replaces them, and what prevents it.

An effect has clauses, all of which must be met by one of the actions of each; it may need another effect first, and an
action done before it may prevent it. Every problem has a hidden mood: in a good one whoever acts does what is needed
more often, and some idle habits too, so that habits go with effects that they have nothing to do with. A fifth of the
episodes ends in a fault: half say so, the others report an outcome that was drawn by a coin.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from benchmarks.experiments import Outcome, Trace

Edge = tuple[str, str]
"""An action and an effect."""


@dataclass(frozen=True, kw_only=True)
class Law:
    """What one effect takes.

    Attributes:
        clauses: Actions of which one is enough, for each of what is needed.
        first: The effect that must be there before the last clause counts; "" for none.
        hindered_by: Actions that prevent it when they come before it.
    """

    clauses: tuple[frozenset[str], ...]
    first: str = ""
    hindered_by: frozenset[str] = frozenset()


@dataclass(kw_only=True)
class CausalWorld:
    """A world that can be played again from the beginning of any problem.

    Attributes:
        laws: What each effect takes; an effect that is needed first stands before those that need it.
        habits: Actions that mean nothing and go with good moods.
        faults: Share of episodes that end in a fault.
        plays: Episodes played.
    """

    actions: tuple[str, ...]
    laws: Mapping[str, Law]
    habits: frozenset[str]
    faults: float = 0.2
    seed: int = 0
    plays: int = 0
    _random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(f"faults {self.seed}")

    def play(self, group: str, actions: Sequence[str]) -> Outcome:
        """The outcome of actions; the problem's number changes only the mood of whoever acts by themselves."""
        self.plays += 1
        drawn = self._random.random()
        if drawn < self.faults / 2:
            return Outcome(fault="time-out")
        if drawn < self.faults:
            return Outcome(reached={one: self._random.randint(1, len(actions)) for one in self._by_coin() if actions})
        return Outcome(reached=self._reached(actions))

    def holds(self, actions: Sequence[str], effect: str) -> bool:
        """Whether actions reach an effect where nothing goes wrong; no episode."""
        return effect in self._reached(actions)

    def _by_coin(self) -> list[str]:
        return [effect for effect in self.laws if self._random.random() < 0.5]

    def _reached(self, actions: Sequence[str]) -> Mapping[str, int]:
        done: set[str] = set()
        last: dict[str, set[str]] = {effect: set() for effect in self.laws}
        reached: dict[str, int] = {}
        for number, action in enumerate(actions, 1):
            for effect, law in self.laws.items():
                if not law.first or law.first in reached:
                    last[effect].add(action)
                met = all((done | {action}) & clause for clause in law.clauses[:-1])
                if met and last[effect] & law.clauses[-1] and not done & law.hindered_by:
                    reached.setdefault(effect, number)
            done.add(action)
        return reached

    def episode(self, number: int) -> Trace:
        """What somebody does who does not know the world: a part of the actions, in any order."""
        draw = random.Random(f"{self.seed} {number}")
        useful = frozenset().union(*(clause for law in self.laws.values() for clause in law.clauses))
        good = draw.random() < 0.5
        chances = {
            action: (0.9 if good else 0.1) if action in self.habits else (0.8 if good else 0.45)
            for action in self.actions
            if action in useful | self.habits
        }
        chosen = [action for action in self.actions if draw.random() < chances.get(action, 0.25)]
        draw.shuffle(chosen)
        group = f"problem {self.seed}-{number}"
        return Trace(group=group, actions=tuple(chosen), outcome=self.play(group, chosen))

    def promoting(self) -> Mapping[Edge, bool]:
        """Every action that an effect may come by, and whether it comes by no other way."""
        edges: dict[Edge, bool] = {}
        for effect in self.laws:
            ways = [frozenset(way) for way in product(*self._clauses(effect))]
            least = [way for way in ways if not any(other < way for other in ways)]
            for action in frozenset().union(*least):
                edges[action, effect] = all(action in way for way in least)
        return edges

    def preventing(self) -> frozenset[Edge]:
        """Every action that prevents an effect, also by preventing what it needs first."""
        return frozenset((action, effect) for effect in self.laws for action in self._hindered_by(effect))

    def edges(self) -> int:
        """True claims that can be made of the world: what promotes and what prevents each effect."""
        return len(self.promoting()) + len(self.preventing())

    def changed(self) -> tuple[CausalWorld, str, str, str]:
        """The world after one effect takes another action instead, one that meant nothing; with effect, old and new."""
        draw = random.Random(f"change {self.seed}")
        useful = {action for action, _ in [*self.promoting(), *self.preventing()]}
        effect = draw.choice(sorted(effect for effect, law in self.laws.items() if len(law.clauses[0]) == 1))
        (old,) = self.laws[effect].clauses[0]
        new = draw.choice(sorted(set(self.actions) - useful))
        clauses = (frozenset({new}), *self.laws[effect].clauses[1:])
        laws = {**self.laws, effect: replace(self.laws[effect], clauses=clauses)}
        other = replace(self, laws=laws, seed=self.seed + 1_000_000, plays=0)
        return other, effect, old, new

    def _clauses(self, effect: str) -> tuple[frozenset[str], ...]:
        law = self.laws[effect]
        return (*(self._clauses(law.first) if law.first else ()), *law.clauses)

    def _hindered_by(self, effect: str) -> frozenset[str]:
        law = self.laws[effect]
        return law.hindered_by | (self._hindered_by(law.first) if law.first else frozenset())


def draw_crossed(seed: int, *, faults: float = 0.2) -> CausalWorld:
    """A world by chance in which half of what is prevented is prevented by an action that another effect needs."""
    world, draw = draw_world(seed, faults=faults), random.Random(f"crossed {seed}")
    useful = {action for law in world.laws.values() for clause in law.clauses for action in clause}
    laws = {}
    for effect, law in world.laws.items():
        free = sorted(useful - {one for one, to in world.promoting() if to == effect})
        crossed = law.hindered_by and draw.random() < 0.5 and free
        laws[effect] = replace(law, hindered_by=frozenset({draw.choice(free)})) if crossed else law
    return replace(world, laws=laws)


def draw_large(seed: int, *, faults: float = 0.2) -> CausalWorld:
    """A world by chance with twenty-four actions and six effects."""
    return draw_world(seed, actions=24, effects=6, faults=faults)


def draw_world(seed: int, *, actions: int = 14, effects: int = 4, faults: float = 0.2) -> CausalWorld:
    """A world by chance: up to three clauses an effect, a quarter of which two actions meet, and half prevented."""
    draw = random.Random(f"world {seed}")
    names = [f"act {number}" for number in range(actions)]
    draw.shuffle(names)
    habits, hindering, rest = names[:2], names[2:4], names[4:]
    useful = rest[: len(rest) - 2]  # so that two more mean nothing
    laws: dict[str, Law] = {}
    for number in range(effects):
        clauses = []
        free = draw.sample(useful, len(useful))
        for _ in range(draw.choice((1, 2, 2, 3))):
            clauses.append(frozenset(free.pop() for _ in range(2 if draw.random() < 0.25 else 1)))
        # The first clause has one action, so that there is one whose loss can be told.
        clauses[0] = frozenset(sorted(clauses[0])[:1])
        laws[f"effect {number}"] = Law(
            clauses=tuple(clauses),
            first=f"effect {draw.randrange(number)}" if number and draw.random() < 0.4 else "",
            hindered_by=frozenset({draw.choice(hindering)}) if draw.random() < 0.5 else frozenset(),
        )
    return CausalWorld(actions=tuple(sorted(names)), laws=laws, habits=frozenset(habits), faults=faults, seed=seed)
