"""What is known of one variation, and plans that worked in others."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from evolve_worlds import Move
from evolve_worlds.experience.places import Places

PATIENCE = 15
"""Moves in a row without anything new, before a move is tested that may lose the trial."""
TESTING = 4
"""The same in a trial that is for tests."""


@dataclass(frozen=True, kw_only=True)
class Step:
    """A move of a plan.

    Attributes:
        gain: By how much the score rose with it above the best one before.
        score: What it was then; where the move lost the trial, what it was before.
        changed: Something was different after it.
        moved: It led to another place.
    """

    move: Move
    gain: float = 0.0
    score: float = 0.0
    changed: bool = True
    moved: bool = False


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Moves that reached a score in some variation of a task.

    Attributes:
        goal: What was to be reached there, in the world's words.
    """

    task: str
    variation: int
    goal: str
    steps: tuple[Step, ...]
    score: float


@dataclass(kw_only=True)
class VariationNotes:
    """What the trials of one variation taught of it.

    Attributes:
        best: The shortest known moves to the best score.
        lost: How often a move lost the trial, by move and the score before it.
        lost_in: How many tests lost a trial at a place.
        failed: How many tests lost a trial since the best score.
        tried: How often a move was done.
        seen_at: What was done where one saw the same, so that it is not done there again.
        tested: How often a wish was tried at a score and left it there.
        rose_at: The place at which the score rose last on arrival.
        options: Moves that may lose the trial, with the places where they were offered.
        names: Words of things that were ever seen.
    """

    places: Places = field(default_factory=Places)
    best: tuple[Step, ...] = ()
    score: float = 0.0
    lost: Counter[tuple[str, float]] = field(default_factory=Counter)
    lost_in: Counter[str] = field(default_factory=Counter)
    tried: Counter[str] = field(default_factory=Counter)
    seen_at: set[tuple[int, str]] = field(default_factory=set)
    tested: Counter[tuple[str, float]] = field(default_factory=Counter)
    rose_at: str = ""
    options: dict[Move, set[str]] = field(default_factory=dict)
    names: set[str] = field(default_factory=set)
    failed: int = 0
    trials: int = 0

    @property
    def patience(self) -> int:
        """How long to look for what is new before a test. Every other trial is for tests, as long as they find nothing;
        the rest look further each time."""
        return TESTING if self.trials % 2 and self.options else PATIENCE + 5 * self.failed
