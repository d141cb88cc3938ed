"""Which moves may lose a trial, by what such moves came to and by what the goal and plans of other variations say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve_worlds import Move
from evolve_worlds.experience.carried import Carried
from evolve_worlds.experience.notes import Step
from evolve_worlds.experience.transitions import TransitionMemory
from evolve_worlds.experience.wording import Goal

RISK = 0.1
"""The expected share of lost trials from which a move is tested once a trial only."""
SURE = 0.95
"""How far the goal has to ask for a move that may lose the trial to be done at once."""


@dataclass(frozen=True, kw_only=True)
class Risk:
    """Judges moves of one trial.

    Attributes:
        played: The moves of the trial so far; grows with them.
    """

    memory: TransitionMemory
    carried: Carried
    played: Sequence[Step]

    def may_lose(self, move: Move, goal: Goal, topic: str) -> bool:
        """Whether a move lost trials, or is one that the goal asks for with a thing that it does not name.

        Args:
            topic: The thing that pronouns of the goal stand for now.
        """
        if self.strange(move, goal, topic):
            return True
        if self.memory.risky(move.schema):
            return self.memory.rate(goal, move, "lost", prior=0.02) >= RISK
        if len(move.objects) != 1 or self.memory.harmless(move.schema):
            return False
        return goal.commands(move.schema) and goal.wants(move, topic)[0] < SURE

    def strange(self, move: Move, goal: Goal, topic: str) -> bool:
        """Whether plans of other variations did what the goal asks for at another time, or with other things."""
        if not self.memory.risky(move.schema):
            return False
        return self.untimely(move) or (self.carried.strange(move) and goal.wants(move, topic)[0] < SURE)

    def untimely(self, move: Move) -> bool:
        """Whether such moves lost trials, and by plans of other variations it is not the time for this one."""
        return self.memory.risky(move.schema) and self.carried.untimely(move, self.played)
