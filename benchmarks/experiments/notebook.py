"""Where experiments are written down: the memory itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from evolve.core.episodes import PROBE, Claim, EpisodeRecord
from evolve.memory.insights import Insight
from evolve.memory.repository import MemoryRepository


class Notebook(Protocol):
    """What an experimenter needs of a memory."""

    def insights(self) -> Iterable[Insight]:
        """Everything that is claimed now, with its status."""
        ...

    def keep(self, group: str, claims: tuple[Claim, ...]) -> None:
        """Adds the claims of one experiment, made in one problem."""
        ...

    def expire(self, insight: str, reason: str) -> None:
        """Sets a claim aside until there is new evidence."""
        ...


@dataclass(kw_only=True)
class MemoryNotebook:
    """The memory of a workspace, to which each experiment is an episode.

    Attributes:
        run: Id of the run, unique in the record; experiments are numbered in it.
        about: Told as the instruction by which the experiments are found.
    """

    memory: MemoryRepository
    run: str
    about: str = ""
    _number: int = 0

    def insights(self) -> list[Insight]:
        return self.memory.list_insights()

    def keep(self, group: str, claims: tuple[Claim, ...]) -> None:
        self._number += 1
        record = EpisodeRecord(
            episode=f"{self.run}:experiment:{self._number}",
            run=self.run,
            task=group,
            suite="",
            group=group,
            split=PROBE,
            variant="experiment",
            seed=self._number,
            status="solved",
            verified=True,
            claims=claims,
        )
        self.memory.commit(record, instruction=self.about)

    def expire(self, insight: str, reason: str) -> None:
        self.memory.expire(insight, reason)
