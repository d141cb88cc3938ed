"""Which move to try where nothing that is known speaks for one: what is new, and what may come of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from random import Random

from evolve_worlds import Move
from evolve_worlds.experience.notes import VariationNotes
from evolve_worlds.experience.transitions import TransitionMemory
from evolve_worlds.experience.wording import Goal

STALE = 8
"""Moves of a schema after which it is looked up anew what may come of it."""


@dataclass(kw_only=True)
class Novelty:
    """How new moves are in one trial.

    Attributes:
        done: How often each schema was done in the trial.
    """

    memory: TransitionMemory
    notes: VariationNotes
    rng: Random
    done: Counter[str] = field(default_factory=Counter)
    _worths: dict[Move, tuple[tuple[object, ...], float]] = field(default_factory=dict)

    def newest(self, moves: Sequence[Move], tried: Collection[Move], worth: Callable[[Move], float]) -> Move | None:
        """The newest of what was not tried as things stand, or any where all was; None where there is no move.

        Args:
            worth: What may come of a move.
        """
        best, value = None, -1.0
        for move in moves:
            if move not in tried and (own := self._newness(move, worth(move))) > value:
                best, value = move, own
        return best or (self.rng.choice(moves) if moves else None)

    def worth(self, move: Move, goal: Goal, known: tuple[object, ...], asked: Callable[[], float]) -> float:
        """What may come of a move, as far as it is known; looked up anew where there is much that is new.

        Args:
            known: What else it hangs on.
            asked: How far the goal asks for it.
        """
        tally = self.memory.schemas.get(move.schema)
        key = (tally.tried // STALE if tally else 0, *known)
        if (kept := self._worths.get(move)) is not None and kept[0] == key:
            return kept[1]
        told = 0.1 + 2 * asked() ** 2 + 2 * self.memory.rate(goal, move, "gained", prior=0.02)
        told += 3 * self.memory.rate(goal, move, "revealed", prior=0.1)
        value = told * self.memory.rate(goal, move, "changed", prior=0.7)
        self._worths[move] = key, value
        return value

    def _newness(self, move: Move, worth: float) -> float:
        there = self.notes.places.leads.get(move)
        often = self.notes.tried[move.text] if there is None else self.notes.places.visits.get(there, 0)
        known = 1.0 if there is None or not often else 0.3  # it reveals no more what it revealed
        alike = math.sqrt(1 + self.done[move.schema])
        return known * worth / (1 + often) / alike * (1 + 0.3 * self.rng.random())
