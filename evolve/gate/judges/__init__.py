"""Measures judges before they count: whether they tell sound answers from answers that were made wrong."""

from __future__ import annotations

from evolve.gate.judges.corruptions import CORRUPTIONS, Corruption, Trace
from evolve.gate.judges.measuring import BAR, Case, Measurement, Standing, cases_of, measure
from evolve.gate.judges.record import JUDGES, JudgeRecord

__all__ = [
    "BAR",
    "CORRUPTIONS",
    "JUDGES",
    "Case",
    "Corruption",
    "JudgeRecord",
    "Measurement",
    "Standing",
    "Trace",
    "cases_of",
    "measure",
]
