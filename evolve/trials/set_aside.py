"""Episodes of a loop that are over and wait for their batch: after a crash they are not run, or paid, again."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evolve.core.episodes import Cost, EpisodeRecord
from evolve.core.episodes.codec import from_data, to_json
from evolve.core.store import Database
from evolve.trials.jobs import Attempt


class PendingAttempts:
    """Finished attempts of one run that are not committed yet. They teach nothing until then.

    Args:
        db: The record.
    """

    def __init__(self, db: Database, run: str) -> None:
        self._db = db
        self._run = run

    def keep(self, attempt: Attempt) -> None:
        """Keeps an attempt durably, once. A fault is not kept: it may go better next time."""
        if attempt.record.status == "fault":
            return
        row = {"run": self._run, "episode": attempt.record.episode, "body": to_json(attempt)}
        self._db.insert("loop_attempts", row, key="episode")

    def find(self, episode: str) -> Attempt | None:
        """The attempt behind an episode's id, or None."""
        for row in self._db.rows("loop_attempts", {"run": self._run, "episode": episode}):
            return from_data(Attempt, json.loads(str(row["body"])))
        return None

    def drop(self, attempts: Sequence[Attempt]) -> None:
        """Forgets attempts; joins the transaction that commits them."""
        for attempt in attempts:
            self._db.delete("loop_attempts", {"run": self._run, "episode": attempt.record.episode})

    def cost(self) -> Cost:
        """What the attempts that wait have cost."""
        return sum((record.cost for record in self.records()), Cost())

    def records(self) -> list[EpisodeRecord]:
        """The episodes of the attempts that wait."""
        rows = self._db.rows("loop_attempts", {"run": self._run})
        return [from_data(Attempt, json.loads(str(row["body"]))).record for row in rows]
