"""The gate: paired episodes, a sequential test that may be looked at any time, and what guards it."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.trials.gate.confirmation import Confirmation, ExactTest, sign_test_p
    from evolve.trials.gate.decisions import DecisionRepository, HoldoutAccess
    from evolve.trials.gate.eprocess import BETS, SequentialTest, Tally, TestState, Verdict, log_wealth
    from evolve.trials.gate.error_budget import ErrorBudget, GateLevel, GroupBlocks, divide_groups, error_level
    from evolve.trials.gate.gate import ComparisonPlan, Gate, solved_by
    from evolve.trials.gate.integrity import judged_by_current_code
    from evolve.trials.gate.intervals import (
        NOTHING,
        ConfidenceInterval,
        PairedRow,
        clopper_pearson,
        cost_ratio,
        mean,
        mean_confidence_sequence,
        saving_confidence_sequence,
        solved_confidence_sequence,
        solved_difference,
    )
    from evolve.trials.gate.jobs import EpisodeOverBudget, GateTask, Job, RunJobs, run_serially
    from evolve.trials.gate.outcome import (
        CHEAPER,
        Outcome,
        Unit,
        comparable_costs,
        cost_outcome,
        cost_unit,
        has_headroom,
        is_informative,
        is_verified,
        one_per_group,
        paired_outcome,
    )
    from evolve.trials.gate.paired_runner import (
        ArmComparison,
        Comparison,
        Pair,
        PairedRunner,
        PairTest,
        PairTotals,
        shuffled_groups,
        test_state,
    )
    from evolve.trials.gate.prequential import (
        SEARCH,
        ArmOutcome,
        FamilyRow,
        PersonTaskOutcomes,
        PrequentialPair,
        Proof,
    )
    from evolve.trials.gate.proposal import GateDecision, GateReport, OpenJudgement, VariantProposal
    from evolve.trials.gate.regression import RegressionReport, RegressionTask, Retry, check_regression
    from evolve.trials.gate.two_sided import (
        Effect,
        PairSummary,
        harm_test,
        pairs_needed,
        smallest_detectable,
        solved_outcome,
        summarise_pairs,
        wins_needed,
    )
else:
    __getattr__, __dir__ = attach(__name__)
