"""What judges were found to be worth: an opinion counts only where its judge tells sound answers from wrong ones."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from evolve.core.files import canonical_json
from evolve.core.store import Database
from evolve.trials.gate.intervals import Interval, clopper_pearson

BAR = 0.8
"""Lower bounds of precision and recall from which a judge counts."""

Standing = Literal["unmeasured", "below the bar", "measured"]


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What a judge said of sound and of wrong answers.

    Attributes:
        model: Who judged.
        prompt: Digest of the prompt it judged by; another prompt is another judge.
        suite: Where the answers come from.
        sound, accepted_sound: Sound answers, and how many of them it accepted.
        wrong, accepted_wrong: Wrong answers, and how many of them it accepted.
        kinds: For each way to make an answer wrong how many it accepted, and of how many.
        at: Seconds since the epoch.
    """

    model: str
    prompt: str
    suite: str
    sound: int
    accepted_sound: int
    wrong: int
    accepted_wrong: int
    kinds: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    at: float = 0.0

    @property
    def precision(self) -> Interval:
        """The share of accepted answers that are sound, where as many wrong ones as sound ones are judged."""
        return clopper_pearson(self.accepted_sound, self.accepted_sound + self.accepted_wrong)

    @property
    def recall(self) -> Interval:
        """The share of sound answers that it accepts."""
        return clopper_pearson(self.accepted_sound, self.sound)

    @property
    def bar(self) -> float:
        """What both lower bounds have to reach."""
        return BAR

    @property
    def calibration(self) -> Standing:
        """Whether the judge counts: both lower bounds reach the bar."""
        reached = all(interval.low is not None and interval.low >= BAR for interval in (self.precision, self.recall))
        return "measured" if reached else "below the bar"


class JudgeRecord:
    """Measurements of judges.

    Args:
        db: The record.
        clock: Seconds since the epoch.
    """

    def __init__(self, db: Database, *, clock: Callable[[], float] = time.time) -> None:
        self._db = db
        self._clock = clock

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

    def calibration(self, model: str, prompt: str) -> Standing:
        """Whether a model's verdicts by a prompt count."""
        measurement = self.latest(model, prompt)
        return "unmeasured" if measurement is None else measurement.calibration


def _measurement(row: Mapping[str, Any]) -> Measurement:
    body = json.loads(str(row["body"]))
    kinds = {name: (int(accepted), int(count)) for name, (accepted, count) in body.pop("kinds").items()}
    return Measurement(model=str(row["model"]), prompt=str(row["prompt"]), at=float(row["at"]), kinds=kinds, **body)
