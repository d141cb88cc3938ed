"""Measures judges before they count: whether they tell sound answers from answers that were made wrong."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.gate.judges.corruptions import CORRUPTIONS, Corruption, Trace
    from evolve.gate.judges.measuring import BAR, Case, Measurement, Standing, cases_of, measure
    from evolve.gate.judges.record import JudgeRecord
else:
    __getattr__, __dir__ = attach(__name__)
