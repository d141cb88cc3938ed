"""What judges were found to be worth: an opinion counts only where its judge tells sound answers from wrong ones."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from evolve.core.files import canonical_json
from evolve.core.store import value_of
from evolve.trials.gate.intervals import ConfidenceInterval, clopper_pearson

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
    def precision(self) -> ConfidenceInterval:
        """The share of accepted answers that are sound, where as many wrong ones as sound ones are judged."""
        return clopper_pearson(self.accepted_sound, self.accepted_sound + self.accepted_wrong)

    @property
    def recall(self) -> ConfidenceInterval:
        """The share of sound answers that it accepts."""
        return clopper_pearson(self.accepted_sound, self.sound)

    @property
    def required_bound(self) -> float:
        """What both lower bounds have to reach."""
        return BAR

    @property
    def calibration(self) -> Standing:
        """Whether the judge counts: both lower bounds reach the bar."""
        reached = all(interval.low is not None and interval.low >= BAR for interval in (self.precision, self.recall))
        return "measured" if reached else "below the bar"

    def to_row(self) -> dict[str, Any]:
        """The columns that :meth:`from_row` reads."""
        body = {name: value for name, value in vars(self).items() if name not in ("model", "prompt", "at")}
        return {"model": self.model, "prompt": self.prompt, "body": canonical_json(body), "at": self.at}

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> Measurement:
        """The measurement of a row."""
        body = json.loads(str(row["body"]))
        kinds = {name: (int(accepted), int(count)) for name, (accepted, count) in body.pop("kinds").items()}
        return value_of(cls, row, kinds=kinds, **body)
