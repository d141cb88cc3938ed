"""The environment kind ``worlds``: a task of a world that somebody else wrote, done move by move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from evolve.core.episodes import EpisodeRecord, Json, Recalled, RunOrigin, TaskView
from evolve.environments.base import BaseKind, EnvironmentOptions, PromptPart
from evolve.environments.branching import state_of
from evolve.memory.insight_book import InsightBook
from evolve.runtime.functions import FunctionSource
from evolve.tasks.model import Task
from evolve.tasks.reading.limits import FilePosition
from evolve.tasks.work import Work
from evolve_worlds.environment.environment import WorldEnvironment
from evolve_worlds.environment.moving import Moving
from evolve_worlds.environment.recounting import recounted
from evolve_worlds.environment.work import WorldWork, world_work
from evolve_worlds.experiments.recalling import recall_moves


class Worlds(BaseKind):
    """Trials, in which moves are made by functions."""

    name = "worlds"
    refusal = "the world says that the task is not done"
    prompt = "act-worlds.md"
    least_steps = 30
    least_tokens = 1_000_000

    def parse_work(self, data: Json, place: FilePosition) -> Work:
        """World, task, variation, and how it is told."""
        return world_work(data, place)

    def source(self, task: Task) -> FunctionSource:
        """The trial as functions; the world starts when it is needed."""
        assert isinstance(task.work, WorldWork)
        return Moving(task.work)

    def open(self, task: Task, setting: EnvironmentOptions) -> WorldEnvironment:
        """Acts in the trial that :meth:`source` gave."""
        assert isinstance(setting.source, Moving)
        return WorldEnvironment(setting, setting.source, task.instruction)

    def progress(self, task: Task, record: EpisodeRecord) -> float:
        """The world's own score, as it was last; where it was gone back from one, the best."""
        states = [(step.number, state) for step in record.steps if (state := state_of(step)) is not None]
        went_back = any(state.parent != number for (number, _), (_, state) in pairwise(states))
        counted = states if went_back else states[-1:]
        return min(0.99, max((state.score for _, state in counted), default=0.0))

    def summary(self, task: Task) -> str:
        """The world, and what it is to be done in."""
        assert isinstance(task.work, WorldWork)
        work = task.work
        return f"in {work.world}, {work.task}, variation {work.variation}, with {work.moves} moves"

    def recall(self, book: InsightBook, origin: RunOrigin) -> list[Recalled]:
        """What replays showed of moves in the variation, and elsewhere in its task and world."""
        return recall_moves(book, origin.place, origin.goal) if origin.place else []

    def recount(self, items: Sequence[Recalled], view: TaskView) -> Sequence[PromptPart]:
        """A short block, with the things of this variation put in."""
        return recounted(items, view)

    def advice(self, task: Task) -> str:
        """The policy that learns moves by trials needs none."""
        assert isinstance(task.work, WorldWork)
        return f"evolve lab trials {task.work.world} --task {task.work.task} plays such worlds"


WORLDS = Worlds()
