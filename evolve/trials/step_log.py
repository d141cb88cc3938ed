"""Keeps which steps of a loop are finished, so that a crash repeats none of them, and the reports of loops."""

from __future__ import annotations

import json
from typing import Any

from evolve.core.failpoints import hit
from evolve.core.files import canonical_json
from evolve.core.store import Database


class StepLog:
    """Finished steps of one run, by name."""

    def __init__(self, db: Database, run: str) -> None:
        self._db = db
        self._run = run

    def done(self, name: str) -> Any | None:
        """What the step left, or None where it has not finished."""
        rows = self._db.rows("loop_steps", {"run": self._run, "name": name})
        return json.loads(str(rows[0]["body"])) if rows else None

    def done_with(self, beginning: str) -> list[Any]:
        """What the run's finished steps left whose names begin so, in order."""
        where = "run = ? AND substr(name, 1, ?) = ?"
        rows = self._db.rows("loop_steps", where, parameters=[self._run, len(beginning), beginning])
        return [json.loads(str(row["body"])) for row in rows]

    def finish(self, name: str, body: Any) -> None:
        """Marks a step as finished; a step finishes once."""
        row = {"run": self._run, "name": name, "body": canonical_json(body)}
        self._db.insert("loop_steps", row, key=("run", "name"))

    def drop(self, name: str) -> None:
        """Opens a step again, if it is finished."""
        self._db.delete("loop_steps", {"run": self._run, "name": name})


def finished_steps(db: Database, beginning: str, *, run: str = "") -> list[tuple[str, Any]]:
    """The finished steps of all runs, or of one, whose names begin so: each name with what the step left, in order."""
    rows = db.rows(
        "loop_steps", "substr(name, 1, ?) = ? AND ? IN ('', run)", parameters=[len(beginning), beginning, run]
    )
    return [(str(row["name"]), json.loads(str(row["body"]))) for row in rows]


def drop_report(db: Database, run: str) -> None:
    """Forgets the report of a run that goes on."""
    db.delete("reports", {"run": run})


def keep_report(db: Database, run: str, body: Any) -> None:
    """Keeps the report of a run, replacing an earlier one of the same run."""
    hit("report.before")
    # Together, so that a kill in between leaves the earlier report and not none.
    with db.transaction():
        db.delete("reports", {"run": run})
        db.insert("reports", {"run": run, "body": canonical_json(body)})
    hit("report.after")


def report_of(db: Database, run: str) -> Any | None:
    """The report that a run has made, or None."""
    rows = db.rows("reports", {"run": run})
    return json.loads(str(rows[0]["body"])) if rows else None


def last_report(db: Database) -> Any | None:
    """The latest report, or None."""
    rows = db.rows("reports", order="number DESC LIMIT 1")
    return json.loads(str(rows[0]["body"])) if rows else None
