"""The gate: paired episodes, a sequential test that may be looked at any time, and what guards it."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.trials.gate.both_ways import (
        Effect,
        Shown,
        least_shown,
        pairs_needed,
        shown_by,
        solved_outcome,
        wins_needed,
    )
    from evolve.trials.gate.confidence import mean_sequence, saving_sequence, solved_sequence
    from evolve.trials.gate.confirmation import Confirmation, ExactTest, chance
    from evolve.trials.gate.decisions import Begun, Decision, Decisions
    from evolve.trials.gate.eprocess import BETS, SequentialTest, Tally, TestState, Verdict, log_wealth
    from evolve.trials.gate.error_budget import ErrorBudget, Stake
    from evolve.trials.gate.gate import Comparing, Gate, solved_by
    from evolve.trials.gate.harm import harm_in
    from evolve.trials.gate.interval import (
        NOTHING,
        Interval,
        PairedRow,
        clopper_pearson,
        cost_ratio,
        mean,
        solved_difference,
    )
    from evolve.trials.gate.jobs import GateTask, Job, RunJobs, Unaffordable, one_by_one
    from evolve.trials.gate.looks import Look, Looks
    from evolve.trials.gate.outcome import (
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
    from evolve.trials.gate.pairs import Comparison, Contest, Pair, PairedRunner, PairTest, judged, shuffled_groups
    from evolve.trials.gate.prequential import SEARCH, ArmOutcome, BothArms, FamilyRow, OwnPair, Prequential, Proof
    from evolve.trials.gate.proposal import Finding, Proposal
    from evolve.trials.gate.regression import RegressionReport, RegressionSuite, RegressionTask, Retry
    from evolve.trials.gate.reuse import Blocks, Reuse, level
    from evolve.trials.gate.seals import Seals
    from evolve.trials.gate.standing import Standing
    from evolve.trials.gate.telemetry import is_fresh
else:
    __getattr__, __dir__ = attach(__name__)
