"""Keeps which steps of a run are finished, so that a crash repeats none of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from evolve.core.files import canonical_json
from evolve.core.store import Database


class Journal:
    """Finished steps of one run, by name."""

    def __init__(self, db: Database, run: str) -> None:
        self._db = db
        self._run = run

    def done(self, name: str) -> Any | None:
        """What the step left, or None where it has not finished."""
        rows = self._db.rows("loop_steps", {"run": self._run, "name": name})
        return json.loads(str(rows[0]["body"])) if rows else None

    def finish(self, name: str, body: Any) -> None:
        """Marks a step as finished; a step finishes once."""
        row = {"run": self._run, "name": name, "body": canonical_json(body)}
        self._db.insert("loop_steps", row, key=("run", "name"))

    def once(self, name: str, compute: Callable[[], Any]) -> Any:
        """What the step left, else what ``compute`` gives now, which is kept."""
        known = self.done(name)
        if known is None:
            known = compute()
            self.finish(name, known)
        return known

    def drop(self, name: str) -> None:
        """Opens a step again, if it is finished."""
        self._db.delete("loop_steps", {"run": self._run, "name": name})
