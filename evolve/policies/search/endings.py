"""What ended a search, in words: nothing is said of a bound that was not reached."""

from __future__ import annotations

from evolve.policies.search.leaves import texts_in
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import Problem
from evolve.programs.operations.relevance import LONGEST_FOR_PATTERNS, too_long_for_patterns

_BY = {
    "clock": "stopped by the clock after {used} candidates: no program found",
    "memory": "no program within {used} candidates, and the search can keep no more of them",
    "price": "no program among all {used} candidates up to the highest price",
}


def ending(meter: SearchMeter, problem: Problem) -> str:
    """Why a search gave no program."""
    text = _BY.get(meter.ended, "no program within {used} candidates").format(used=f"{meter.used:,}")
    if not too_long_for_patterns(texts_in(problem.inputs)):
        return text
    return f"{text}; no pattern was tried, because a text is longer than {LONGEST_FOR_PATTERNS:,} characters"
