"""What stands around one episode of a task of a person's own: who keeps it, and who listens."""

from __future__ import annotations

from evolve.episodes import EpisodeRecord
from evolve.events import Event
from evolve.improve.stores import Stores
from evolve.tasks import Task


class OwnRecorder:
    """Commits the episodes of one task."""

    def __init__(self, stores: Stores, task: Task) -> None:
        self._stores = stores
        self._task = task

    def commit(self, record: EpisodeRecord) -> None:
        self._stores.commit(record, instruction=self._task.instruction)


class GoalListener:
    """Remembers the plan's goal for the result."""

    def __init__(self) -> None:
        self.goal = ""

    def emit(self, event: Event) -> None:
        if event.kind == "plan":
            self.goal = str(event.data.get("goal", ""))
