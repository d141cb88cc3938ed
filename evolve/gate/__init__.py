"""The gate: paired episodes, a sequential test that may be looked at any time, and what guards it."""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.gate.both_ways import Effect, Shown, least_shown, pairs_needed, shown_by, solved_outcome, wins_needed
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
    __getattr__, __dir__ = attach(__name__)
