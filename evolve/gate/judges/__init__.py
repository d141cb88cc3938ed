"""Measures judges before they count: whether they tell sound answers from answers that were made wrong."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.gate.judges.corruptions import CORRUPTIONS, Corruption, Trace
    from evolve.gate.judges.measuring import BAR, Case, Measurement, Standing, cases_of, measure
    from evolve.gate.judges.record import JudgeRecord
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".corruptions": "CORRUPTIONS Corruption Trace",
            ".measuring": "BAR Case Measurement Standing cases_of measure",
            ".record": "JudgeRecord",
        },
    )
