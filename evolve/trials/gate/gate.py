"""The gate: refuses what must not be compared, compares the rest, checks what worked, keeps the verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from evolve.tasks import Suite, Task
from evolve.trials.gate.confirmation import Confirmation, ExactTest
from evolve.trials.gate.decisions import DecisionRepository
from evolve.trials.gate.eprocess import SequentialTest, TestState
from evolve.trials.gate.error_budget import DRAWN, JUDGED, KEPT_BACK, GroupBlocks, divide_groups, draw_unseen
from evolve.trials.gate.integrity import changed_parts, code_digests
from evolve.trials.gate.jobs import EpisodeOverBudget, RunJobs
from evolve.trials.gate.leakage import copied_tasks
from evolve.trials.gate.outcome import is_verified
from evolve.trials.gate.paired_runner import Comparison, Pair, PairedRunner, PairTest
from evolve.trials.gate.proposal import GateReport, VariantProposal
from evolve.trials.gate.regression import RegressionTask, Retry, check_regression


@dataclass(frozen=True, kw_only=True)
class ComparisonPlan:
    """How a comparison is run.

    Attributes:
        run: Runs the episodes of a chunk of pairs.
        retry: Given the pairs, what runs a fresh try of a regression task under the variant; None checks none.
        batch, seed: As in :class:`PairedRunner`.
        on_pair: Hears of every pair.
    """

    run: RunJobs[Task]
    retry: Callable[[Sequence[Pair]], Retry] | None = None
    batch: int = 4
    seed: int = 0
    on_pair: Callable[[Pair], None] = lambda pair: None


class Gate:
    """One class for every change that is proposed, whoever proposes it and whatever it changes.

    Args:
        decisions: What was decided, with the error budget.
    """

    def __init__(self, decisions: DecisionRepository) -> None:
        self.decisions = decisions

    def judge(self, proposal: VariantProposal, how: ComparisonPlan) -> GateReport:
        """Compares a variant with its parent on the sealed ``gate`` tasks, one per group.

        Raises:
            UsageError: The suite's splits are not what was sealed.
            ValueError: Parent and variant are the same.
        """
        self.decisions.check_seal(proposal.suite)
        pins = code_digests()
        refusal = self._refusal(proposal)
        if refusal:  # before it is opened: what is refused untested uses no error level
            state = TestState.refuse(refusal)
            return GateReport(proposal=proposal, state=state, refused=refusal, pins=pins)
        blocks = self._blocks(proposal)
        opened = self.decisions.open(pins, **proposal.identifying_names, groups=blocks.judged)
        finding = replace(self._compared(proposal, how, blocks.judged, opened.alpha), pins=pins)
        if finding.accepted:
            finding = self.check_regression(finding, how.retry)
        if finding.accepted:
            finding = self._confirmed(finding, how, blocks.kept)
        # Against what the judgement was begun with, which was in another process if it was broken off meanwhile.
        moved = changed_parts(opened.pins, code_digests())
        if moved:
            void = f"void: the {moved} changed while the variant was judged"
            state = replace(finding.state, verdict="undecided", reason=f"{void}; {finding.state.reason}", stop=True)
            return replace(finding, state=state, void=void)
        return finding

    def proposal_number(self, proposal: VariantProposal) -> int:
        """The number a proposal has, or would be judged under."""
        return self.decisions.judgement_number(**proposal.identifying_names, groups=self._blocks(proposal).judged)

    def _refusal(self, proposal: VariantProposal) -> str:
        suite = proposal.suite
        held_out = (*suite.split("gate"), *suite.split("test"))
        if suite.unprovable:
            return f"refused: {suite.unprovable}"
        if not _countable(proposal):
            return "refused: every gate task was learned from, so there is nothing to judge it on"
        copied = copied_tasks(proposal.texts, held_out, suite.split("train"))
        if not copied:
            return ""
        first = copied[0]
        return f"refused: {first.text} holds text of {len(copied)} held-out tasks, such as {first.task}"

    def _blocks(self, proposal: VariantProposal) -> GroupBlocks:
        return divide_groups(
            {task.group for task in _countable(proposal)},
            begun=self.decisions.served(proposal.key),
            served=self.decisions.times_served(JUDGED),
            keep=proposal.suite.draw is None,
        )

    def _compared(
        self, proposal: VariantProposal, how: ComparisonPlan, groups: frozenset[str], alpha: float
    ) -> GateReport:
        tasks = [task for task in _countable(proposal) if task.group in groups]
        comparison = _compare(proposal, how, tasks, SequentialTest(alpha=alpha))
        state = comparison.state
        if comparison.ended and state.verdict == "undecided":
            state = replace(state, reason=f"{state.reason}; the budget for this judgement ended", stop=True)
        left_out = len(proposal.suite.split("gate")) - len(proposal.suite.evidence("gate"))
        if left_out:
            state = replace(state, reason=f"{state.reason}; {left_out} tasks that can only be checked are left out")
        return GateReport(
            proposal=proposal, state=state, pairs=comparison.pairs, planned=comparison.planned, cost=comparison.cost
        )

    def _confirmed(self, finding: GateReport, how: ComparisonPlan, kept: frozenset[str]) -> GateReport:
        """What was accepted must be better on tasks that judged nothing before; without any, the reason says so."""
        proposal = finding.proposal
        begun = self.decisions.served(proposal.key, DRAWN)
        drawn = draw_unseen(proposal, begun=begun, times_served=self.decisions.times_served)
        tasks = drawn or [task for task in _countable(proposal) if task.group in kept]
        if not tasks:
            unconfirmed = f"{finding.state.reason}; too few problems to confirm it on others"
            return replace(finding, state=replace(finding.state, reason=unconfirmed))
        groups = {task.group for task in tasks}
        block, pool = (DRAWN, proposal.suite.name) if drawn else (KEPT_BACK, proposal.suite.digest)
        opened = self.decisions.open_confirmation(proposal.key, pool, groups, block=block)
        test = SequentialTest(alpha=opened.level) if drawn else ExactTest(alpha=opened.level)
        comparison = _compare(proposal, how, tasks, test)
        state = comparison.state
        confirmation = Confirmation(
            source=block,
            number=opened.number,
            level=opened.level,
            planned=comparison.planned,
            tally=state.tally,
            wealth=state.wealth,
            confirmed=state.verdict == "accept",
        )
        reason = f"{finding.state.reason}; {confirmation.text}"
        objection = "" if confirmation.confirmed else state.reason.partition("; ")[2]
        reason += f", {objection}" if objection else ""
        reason += "; the budget for this judgement ended" if comparison.ended else ""
        verdict = finding.state.verdict if confirmation.confirmed else "undecided"
        state = replace(finding.state, verdict=verdict, reason=reason)
        return replace(finding, state=state, confirmation=confirmation, cost=finding.cost + comparison.cost)

    def check_regression(self, finding: GateReport, retry: Callable[[Sequence[Pair]], Retry] | None) -> GateReport:
        """What worked must still work; a task that could not be tried leaves the verdict open."""
        if retry is None:
            return finding
        try:
            report = check_regression(self._regression_tasks(finding.proposal.suite), retry(finding.pairs))
        except EpisodeOverBudget:
            return _left_open(finding, "it won, but the budget ended before all that worked was tried again")
        if report.regressed:
            reason = f"{len(report.regressed)} tasks that worked no longer do"
            return replace(
                finding, regressed=report.regressed, state=replace(finding.state, verdict="reject", reason=reason)
            )
        if report.unclear:
            return _left_open(finding, f"it won, but {len(report.unclear)} tasks that worked could not be tried again")
        return finding

    def _regression_tasks(self, suite: Suite) -> list[RegressionTask]:
        """Tasks of the regression suite that can be tried.

        What can only be checked is no evidence. A task whose group changed is another problem under an old name, and
        one that lies in ``test`` by now stays sealed.
        """
        known = {task.id: task for name in ("train", "gate") for task in suite.evidence(name)}
        return [
            task
            for task in self.decisions.regression_tasks(suite.name)
            if task.task in known and known[task.task].group == task.group
        ]


def _countable(proposal: VariantProposal) -> list[Task]:
    """The gate tasks that count; what was learned from one, which a person may have run by hand, is not measured."""
    return [task for task in proposal.suite.evidence("gate") if task.group not in proposal.learned_from]


def _compare(proposal: VariantProposal, how: ComparisonPlan, tasks: Sequence[Task], test: PairTest) -> Comparison:
    runner: PairedRunner[Task] = PairedRunner(run=how.run, test=test, batch=how.batch, seed=how.seed)
    return runner.compare(tasks, parent=proposal.parent, variant=proposal.variant, on_pair=how.on_pair)


def solved_by(pairs: Sequence[Pair]) -> frozenset[str]:
    """Ids of the tasks that the variant solved in these pairs."""
    return frozenset(pair.task for pair in pairs if is_verified(pair.variant))


def _left_open(finding: GateReport, reason: str) -> GateReport:
    return replace(finding, state=replace(finding.state, verdict="undecided", reason=reason))
