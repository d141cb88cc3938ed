"""Trials on the order desk: the answers that an engine gets, with the real gate behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.doubles.line import Desk
from evolve.core.episodes import EpisodeRecord, TaskView
from evolve.improve.optimizer.engine import Candidate, CandidateJudgement, CandidateTrial, RemainingBudget, SearchEnded
from evolve.tasks import Task
from evolve.trials.gate import PairedRunner, SequentialTest, run_serially
from evolve.trials.gate import error_level as reused_level


@dataclass(kw_only=True)
class DeskTrials:
    """Implements :class:`evolve.improve.optimizer.engine.Trials` with episodes of the desk.

    Attributes:
        train: Tasks for screening; the gate's are others.
        seed: Of every episode, so that a candidate does a task in one way only.
        most: Most episodes for screening, or None.
        screened: Episodes that were run for screening.
        pairs: Pairs that the gate ran.
        judgements: Every candidate that was put to the gate, with the verdict.
    """

    desk: Desk
    train: Sequence[Task]
    gate: Sequence[Task]
    incumbent: Candidate
    seed: int = 0
    most: int | None = None
    alpha: float = 0.05
    screened: int = 0
    pairs: int = 0
    judgements: list[tuple[Candidate, CandidateJudgement]] = field(default_factory=list)

    @property
    def tasks(self) -> Sequence[TaskView]:
        """The tasks for screening."""
        return [task.view() for task in self.train]

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """One episode per task."""
        by_id = {task.id: task for task in self.train}
        if self.most is not None and self.screened + len(tasks) > self.most:
            raise SearchEnded("the budget is spent")
        self.screened += len(tasks)
        return [_trial(self._run(candidate, by_id[name], self.seed)) for name in tasks]

    def judge(self, candidate: Candidate, parent: Candidate) -> CandidateJudgement:
        """Paired episodes on the gate's tasks until the sequential test decides."""
        arms = {candidate.digest: candidate, parent.digest: parent}
        level = reused_level(self.alpha, len(self.judgements) + 1)

        def run(task: Task, variant: str, seed: int) -> EpisodeRecord:
            return self._run(arms[variant], task, seed)

        runner: PairedRunner[Task] = PairedRunner(
            run=run_serially(run), test=SequentialTest(alpha=level), seed=self.seed
        )
        found = runner.compare(self.gate, parent=parent.digest, variant=candidate.digest)
        state = found.state
        self.pairs += found.state.tally.pairs
        accepted = state.verdict == "accept"
        judgement = CandidateJudgement(accepted=accepted, variant=candidate.digest if accepted else "")
        self.judgements.append((candidate, judgement))
        if judgement.accepted and parent.digest == self.incumbent.digest:
            self.incumbent = candidate
        return judgement

    def remaining(self) -> RemainingBudget:
        """What is left of the episodes for screening."""
        return RemainingBudget(episodes=None if self.most is None else self.most - self.screened)

    def _run(self, candidate: Candidate, task: Task, seed: int) -> EpisodeRecord:
        return self.desk.run(candidate.prompt_texts, task, seed, variant=candidate.digest)


def _trial(record: EpisodeRecord) -> CandidateTrial:
    return CandidateTrial(
        task=record.task,
        group=record.group,
        score=float(record.solved),
        solved=record.solved,
        cost=record.cost,
        record=record,
    )
