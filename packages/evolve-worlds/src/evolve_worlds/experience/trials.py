"""Trials in the settings of CLIN (Majumder et al. 2023): what is remembered from where, and on what it is tried."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve_worlds import World
from evolve_worlds.experience.learner import Experience, Learner, Limits, TrialResult, copied
from evolve_worlds.experience.meaning import Meaning
from evolve_worlds.experience.notes import VariationNotes

Setting = Literal["adapt", "gen-env", "gen-task", "gen-adapt"]


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """What is played.

    Attributes:
        setting: ``adapt``: trials of a variation one after the other, beginning with nothing. ``gen-env``: one trial of
            a variation with what other variations of the task taught; ``gen-task``: with what other tasks taught;
            ``gen-adapt``: as ``gen-env``, and then on as ``adapt``.
        task, variations: What is tried.
        trials: Trials of each variation, where the setting has more than one.
        practice: What is learned from before, as tasks and variations, for all settings but ``adapt``.
        practice_trials: Trials of each of these.
    """

    setting: Setting
    task: str
    variations: Sequence[int]
    trials: int = 12
    practice: Sequence[tuple[str, int]] = ()
    practice_trials: int = 6
    limits: Limits = field(default_factory=Limits)
    seed: int = 0

    @property
    def trials_each(self) -> int:
        """Trials of each variation that is tried."""
        return self.trials if "adapt" in self.setting else 1


def practised(
    world: World, schedule: Schedule, known: Experience | None = None, meaning: Meaning | None = None
) -> Iterator[tuple[Experience, TrialResult]]:
    """Plays what is learned from before; after each trial what is known by then, and its result.

    Args:
        known: Is added to; nothing, where it is None.
    """
    learner = _learner(world, schedule, known or Experience(), meaning)
    for task, variation in schedule.practice:
        notes = VariationNotes()
        for _ in range(schedule.practice_trials):
            yield learner.experience, learner.play(task, variation, notes)
            if notes.score >= 1.0:
                break


def tried(
    world: World, schedule: Schedule, experience: Experience, meaning: Meaning | None = None
) -> Iterator[TrialResult]:
    """Plays the variations that are tried. Each begins with the same experience, whatever the others taught.

    Raises:
        WorldFault: The world failed.
    """
    for variation in schedule.variations:
        learner = _learner(world, schedule, copied(experience), meaning)
        notes = VariationNotes()
        for _ in range(schedule.trials_each):
            yield learner.play(schedule.task, variation, notes)


def _learner(world: World, schedule: Schedule, experience: Experience, meaning: Meaning | None) -> Learner:
    return Learner(world=world, experience=experience, limits=schedule.limits, seed=schedule.seed, meaning=meaning)
