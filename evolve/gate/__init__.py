"""The gate: paired episodes, a sequential test that may be looked at any time, and what guards it."""

from __future__ import annotations

from evolve.lazy import attach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from evolve.gate.confidence import mean_sequence, saving_sequence, solved_sequence
    from evolve.gate.confirming import Confirmation, ExactTest, chance
    from evolve.gate.decisions import Begun, Decision, Decisions
    from evolve.gate.eprocess import BETS, SequentialTest, Tally, TestState, Verdict, log_wealth
    from evolve.gate.error_budget import ErrorBudget, Stake
    from evolve.gate.gate import Comparing, Gate, solved_by
    from evolve.gate.harm import harm_in
    from evolve.gate.interval import NOTHING, Interval, PairedRow, clopper_pearson, cost_ratio, mean, solved_difference
    from evolve.gate.jobs import GateTask, Job, RunJobs, Unaffordable, one_by_one
    from evolve.gate.looks import Look, Looks
    from evolve.gate.outcome import (
        CHEAPER,
        Outcome,
        Unit,
        cheaper,
        comparable_costs,
        cost_unit,
        could_be_won,
        is_verified,
        one_per_group,
        paired_outcome,
    )
    from evolve.gate.pairs import Comparison, Contest, Pair, PairedRunner, PairTest, judged, shuffled_groups
    from evolve.gate.prequential import SEARCH, ArmOutcome, BothArms, FamilyRow, OwnPair, Prequential, Proof
    from evolve.gate.proposal import Finding, Proposal
    from evolve.gate.regression import RegressionReport, RegressionSuite, RegressionTask, Retry
    from evolve.gate.reuse import Blocks, Reuse, level
    from evolve.gate.seals import Seals
    from evolve.gate.standing import Standing
    from evolve.gate.telemetry import is_fresh
else:
    __all__, __getattr__, __dir__ = attach(
        __name__,
        {
            ".confidence": "mean_sequence saving_sequence solved_sequence",
            ".confirming": "Confirmation ExactTest chance",
            ".decisions": "Begun Decision Decisions",
            ".eprocess": "BETS SequentialTest Tally TestState Verdict log_wealth",
            ".error_budget": "ErrorBudget Stake",
            ".gate": "Comparing Gate solved_by",
            ".harm": "harm_in",
            ".interval": "NOTHING Interval PairedRow clopper_pearson cost_ratio mean solved_difference",
            ".jobs": "GateTask Job RunJobs Unaffordable one_by_one",
            ".looks": "Look Looks",
            ".outcome": (
                "CHEAPER Outcome Unit cheaper comparable_costs cost_unit could_be_won is_verified "
                "one_per_group paired_outcome"
            ),
            ".pairs": "Comparison Contest Pair PairedRunner PairTest judged shuffled_groups",
            ".prequential": "SEARCH ArmOutcome BothArms FamilyRow OwnPair Prequential Proof",
            ".proposal": "Finding Proposal",
            ".regression": "RegressionReport RegressionSuite RegressionTask Retry",
            ".reuse": "Blocks Reuse level",
            ".seals": "Seals",
            ".standing": "Standing",
            ".telemetry": "is_fresh",
        },
    )
