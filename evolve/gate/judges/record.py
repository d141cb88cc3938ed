"""Keeps what judges said of known answers, so that no verdict is paid for twice, and how well they did."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from evolve.files import canonical_json, digest
from evolve.gate.judges.measuring import Case, Measurement, Standing
from evolve.store import Database


class JudgeRecord:
    """Verdicts and measurements of judges.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

    def once(self, case: Case, model: str, prompt: str, ask: Callable[[Case], bool]) -> bool:
        """The judge's verdict on a case: the one on record, else the one it gives now, which is kept."""
        key = digest(canonical_json([model, prompt, case.key]))
        for row in self._db.rows("judge_verdicts", {"key": key}):
            return bool(row["accepted"])
        accepted = ask(case)
        entry: dict[str, Any] = {"key": key, "model": model, "prompt": prompt, "accepted": int(accepted)}
        self._db.insert("judge_verdicts", entry, key="key")
        return accepted

    def keep(self, measurement: Measurement) -> Measurement:
        """Keeps a measurement; the latest of a judge counts."""
        dated = replace(measurement, at=self._clock())
        body = {name: value for name, value in vars(dated).items() if name not in ("model", "prompt", "at")}
        row: dict[str, Any] = {
            "model": dated.model,
            "prompt": dated.prompt,
            "body": canonical_json(body),
            "at": dated.at,
        }
        self._db.insert("judge_measurements", row)
        return dated

    def latest(self, model: str, prompt: str) -> Measurement | None:
        """The latest measurement of a model with a prompt, or None."""
        rows = self._db.rows("judge_measurements", {"model": model, "prompt": prompt}, order="seq DESC")
        return _measurement(rows[0]) if rows else None

    def standing(self, model: str, prompt: str) -> Standing:
        """Whether a model's verdicts by a prompt count."""
        measurement = self.latest(model, prompt)
        return "unmeasured" if measurement is None else measurement.standing


def _measurement(row: Mapping[str, Any]) -> Measurement:
    body = json.loads(str(row["body"]))
    kinds = {name: (int(accepted), int(count)) for name, (accepted, count) in body.pop("kinds").items()}
    return Measurement(model=str(row["model"]), prompt=str(row["prompt"]), at=float(row["at"]), kinds=kinds, **body)
