"""Logs every look at the sealed test tasks; how many there were is printed beside every figure."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from evolve.core.failpoints import hit
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, Value, value_of


@dataclass(frozen=True, kw_only=True)
class HoldoutAccess:
    """One opening of a suite's test tasks; ``at`` in seconds since the epoch."""

    suite: str
    run: str
    purpose: str
    at: float


class HoldoutAccessLog:
    """The log of looks. A suite is known by its content, so renaming it hides nothing.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def open(self, suite: str, *, run: str, purpose: str) -> int:
        """Logs a look before it is taken; gives the number of looks so far, this one included.

        A run that is resumed and opens the same suite for the same purpose again takes no second look.

        Args:
            suite: Digest of the suite.
            run: Id of the run that looks.
        """
        row: dict[str, Value] = {
            "key": digest(canonical_json([suite, run, purpose])),
            "suite": suite,
            "run": run,
            "purpose": purpose,
            "at": self._clock(),
        }
        hit("look.before")
        self._db.insert("gate_looks", row, key="key")
        hit("look.after")
        return self.count(suite)

    def count(self, suite: str) -> int:
        """How often the suite's test tasks have been opened."""
        return len(self._db.rows("gate_looks", {"suite": suite}))

    def log(self, suite: str | None = None) -> list[HoldoutAccess]:
        """The looks at one suite, or at all, oldest first."""
        rows = self._db.rows("gate_looks", {} if suite is None else {"suite": suite})
        return [value_of(HoldoutAccess, row) for row in rows]
