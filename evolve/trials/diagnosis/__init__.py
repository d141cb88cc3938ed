"""Why a run failed, worked out from what is on record of it and of others like it.

A run breaks at a step, and the step rests on items: what was recalled, skills, rows, a check, a budget. Everything here
reads values and runs nothing, so what it gives is suspicion, in order. Whoever removes a suspect and has the run again
may call it a cause, where that turns the outcome.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.trials.diagnosis.case import (
        ACTION,
        BUDGET,
        CHECK,
        DATA,
        ROW,
        SKILL,
        BreakingStep,
        FailureCase,
        OfferedItem,
        Suspect,
        Verdict,
        breaking_step,
        episode_label,
        fault_of,
        steps_leading_to,
    )
    from evolve.trials.diagnosis.ranking import rows_at_odds, suspects_of
else:
    __getattr__, __dir__ = attach(__name__)
