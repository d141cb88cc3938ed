"""Stand-ins for experiments: jobs with a hidden fact, models that act by their prompt alone, optimisers that cheat."""

from __future__ import annotations

from benchmarks.doubles.quirk_model import QuirkDouble
from benchmarks.doubles.quirks import QuirkTask, quirk_suite, quirk_tasks
from benchmarks.doubles.small import slow_learner, small_suite

__all__ = ["QuirkDouble", "QuirkTask", "quirk_suite", "quirk_tasks", "slow_learner", "small_suite"]
