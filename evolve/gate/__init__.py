"""The gate: paired episodes, a sequential test that may be looked at any time, and what guards it."""

from __future__ import annotations

from evolve.gate.decisions import Decision, Decisions
from evolve.gate.eprocess import AlphaSpending, SequentialTest, Tally, TestState, Verdict, log_wealth
from evolve.gate.interval import Interval, PairedRow, clopper_pearson, cost_ratio, solved_difference
from evolve.gate.outcome import CHEAPER, GateTask, Outcome, is_verified, one_per_group, paired_outcome
from evolve.gate.pairs import Comparison, Job, Pair, PairedRunner, RunJobs, one_by_one, shuffled_groups
from evolve.gate.record import MIGRATIONS
from evolve.gate.regression import RegressionReport, RegressionSuite, RegressionTask, Retry, is_fresh
from evolve.gate.sealed import Look, Looks

__all__ = [
    "CHEAPER",
    "MIGRATIONS",
    "AlphaSpending",
    "Comparison",
    "Decision",
    "Decisions",
    "GateTask",
    "Interval",
    "Job",
    "Look",
    "Looks",
    "Outcome",
    "Pair",
    "PairedRow",
    "PairedRunner",
    "RegressionReport",
    "RegressionSuite",
    "RegressionTask",
    "Retry",
    "RunJobs",
    "SequentialTest",
    "Tally",
    "TestState",
    "Verdict",
    "clopper_pearson",
    "cost_ratio",
    "is_fresh",
    "is_verified",
    "log_wealth",
    "one_by_one",
    "one_per_group",
    "paired_outcome",
    "shuffled_groups",
    "solved_difference",
]
