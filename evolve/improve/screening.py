"""Answers an engine's questions with real episodes and the real gate, and keeps every answer.

Questions are numbered. A run that was cut off asks them again from the first; what was answered is read back, and an
engine that asks something else the second time is a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from evolve.core.episodes import SCREEN, EpisodeRecord, TaskView
from evolve.core.failpoints import hit_failpoint
from evolve.environments import environment_kind
from evolve.improve.judgement import judge_variant
from evolve.improve.optimizer.engine import Candidate, CandidateJudgement, CandidateTrial, RemainingBudget, SearchEnded
from evolve.improve.optimizer.population import ScoredCandidate
from evolve.improve.session import BudgetSplit
from evolve.improve.withholding import control_outcomes, item_controls
from evolve.tasks import Task
from evolve.trials import UNLEARNED, Variant
from evolve.trials.comparisons import Change
from evolve.trials.gate import SequentialTest, clopper_pearson, is_informative, is_verified, shuffled_groups
from evolve.trials.learned_state import LearnedState
from evolve.trials.pairs import ArmTrials

Opinion = Callable[[Task, EpisodeRecord], float | None]
"""How the answer of an episode does by a target, in [0, 1]; None where that cannot be said."""


class EngineNotDeterministic(RuntimeError):
    """An engine asked another question than it had asked before it was cut off."""


class AskedTrials:
    """All that an engine is handed: :class:`evolve.improve.optimizer.engine.Trials`, and nothing that only a report may
    say."""

    def __init__(self, trials: SessionTrials) -> None:
        self._trials = trials

    @property
    def tasks(self) -> Sequence[TaskView]:
        """What may be seen of the tasks for screening."""
        return self._trials.tasks

    @property
    def incumbent(self) -> Candidate:
        """The last accepted candidate, else the start."""
        return self._trials.incumbent

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """Episodes on train tasks, on which nothing is learned."""
        return self._trials.screen(candidate, tasks)

    def judge(self, candidate: Candidate, parent: Candidate) -> CandidateJudgement:
        """The gate's one bit."""
        return self._trials.judge(candidate, parent)

    def remaining(self) -> RemainingBudget:
        """What was left after the last answer."""
        return self._trials.remaining()


class SessionTrials:
    """The trials of one run, and what the report says of its judgements.

    Args:
        parts: The run.
        start: What the search begins with.
        base: Digest of the variant it begins with, or ``unlearned``.
        opinion: Fills in the target of trials; by default they have none. No verdict depends on it.

    Attributes:
        seen: Every candidate that was tried, by digest, with its informative trials but not their episodes.
        verdicts: Every candidate that was judged with the decision as JSON, in order.
        judgements: How many may be asked for, fixed before the search; None without a bound.
    """

    def __init__(self, parts: BudgetSplit, start: Candidate, base: str, opinion: Opinion | None = None) -> None:
        self._parts, self._session, self._start, self._base = parts, parts.search, start, base
        self._opinion = opinion
        self.seen: dict[str, ScoredCandidate] = {}
        self._tasks: list[Task] = shuffled_groups(self._session.suite.evidence("train"), self._session.plan.seed)
        self._by_id = {task.id: task for task in self._tasks}
        self._incumbent = start
        self._variants: dict[str, str] = {start.digest: base}
        self._number = 0
        self.judgements: int | None = None
        self.verdicts: list[tuple[Candidate, Mapping[str, Any]]] = []
        self._left = self._stored_left("begin", {})

    @property
    def tasks(self) -> Sequence[TaskView]:
        """One train task per group, in an order that depends on the seed only."""
        return [task.view() for task in self._tasks]

    @property
    def start(self) -> Candidate:
        """What the search began with."""
        return self._start

    @property
    def incumbent(self) -> Candidate:
        """The last accepted candidate, else the start."""
        return self._incumbent

    @property
    def candidate_count(self) -> int:
        """Different candidates that were tried, without the start."""
        return len(self._variants) - 1

    def remaining(self) -> RemainingBudget:
        """What was left after the last answer."""
        left = None if self.judgements is None else max(0, self.judgements - len(self.verdicts))
        return replace(self._left, judgements=left)

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """Episodes on train tasks, on which nothing is learned; see :class:`evolve.improve.optimizer.engine.Trials`."""
        unknown = [name for name in tasks if name not in self._by_id]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is not a task for screening")
        question = {"screen": candidate.digest, "tasks": list(tasks)}
        fresh = self._begin_question(question)
        if fresh and self._session.ledger.exhausted_bound:
            raise SearchEnded(self._session.ledger.exhausted_bound)
        variant = self.save_candidate(candidate)
        arm = self._session.stores.state(variant, self._session.workflow)
        records = self._run([self._by_id[name] for name in tasks], arm, Change(), name=variant)
        trials = [self._with_target(_trial(self._by_id[record.task], record)) for record in records]
        member = self.seen.setdefault(candidate.digest, ScoredCandidate(candidate=candidate, trials={}))
        member.trials.update({trial.task: replace(trial, record=None) for trial in trials if trial.informative})
        if fresh:
            self._count_items(arm, records)
            self._left = self._stored_left(f"answer:{self._number}", question)
            hit_failpoint("screen.kept")
        solved = sum(trial.solved for trial in trials)
        self._session.emit_event(
            "screened",
            number=self.candidate_count,
            operator=candidate.operator,
            solved=solved,
            tasks=len(trials),
            fresh=fresh,
        )
        return trials

    def judge(self, candidate: Candidate, parent: Candidate) -> CandidateJudgement:
        """The gate's one bit; an accepted candidate is the incumbent, and active, from then on.

        Raises:
            SearchEnded: All judgements were made that there was to be.
            ValueError: The parent is not the incumbent; only that can be replaced.
        """
        if parent.digest != self._incumbent.digest:
            raise ValueError("a candidate is judged against the incumbent")
        question = {"judge": candidate.digest, "parent": parent.digest}
        if self.remaining().judgements == 0:
            raise SearchEnded("the part of the budget that is for judging buys no further judgement")
        fresh = self._begin_question(question)
        # Its own part pays for it, so what did better is judged also when the trials have used up theirs.
        if fresh and self._parts.whole.ledger.exhausted_bound:
            raise SearchEnded(self._parts.whole.ledger.exhausted_bound)
        variant = self.save_candidate(candidate, parent=self.save_candidate(parent))
        with self._parts.judging_session(self._number) as gate:
            step = f"judgement:{self._number}"
            decision = judge_variant(gate, step, variant, candidate=self.candidate_count)
        self.verdicts.append((candidate, decision))
        accepted = bool(decision["promoted"])
        if accepted:
            self._incumbent = candidate
            self._variants[candidate.digest] = variant
        if fresh:
            self._left = self._stored_left(f"answer:{self._number}", question)
        return CandidateJudgement(accepted=accepted, variant=variant if accepted else "")

    def save_candidate(self, candidate: Candidate, *, parent: str | None = None) -> str:
        """Keeps the candidate as a variant of what was learned before; gives the variant's digest.

        Args:
            parent: The variant it is compared with; by default that of the candidate it was first made from.
        """
        if parent is None and candidate.digest in self._variants:
            return self._variants[candidate.digest]
        stores = self._session.stores
        origin = self._variants.get(candidate.parents[0], self._base) if candidate.parents else self._base
        base = Variant() if self._base == UNLEARNED else stores.variants.get(self._base)
        before = self._start.prompt_texts
        changed = {name: text for name, text in candidate.prompts if before.get(name) != text}
        prompts = {
            **dict(base.prompts),
            **{name: stores.objects.put_object(text.encode()) for name, text in changed.items()},
        }
        workflow = base.workflow
        if candidate.workflow != self._start.workflow:
            workflow = stores.objects.put_object(candidate.workflow.render().encode())
        made = replace(base, prompts=tuple(prompts.items()), workflow=workflow, parent=parent or origin)
        stores.variants.add(made, origin=f"{self._session.run}: {candidate.operator}; {candidate.why}")
        self._variants.setdefault(candidate.digest, made.digest)
        return made.digest

    def _with_target(self, trial: CandidateTrial) -> CandidateTrial:
        if self._opinion is None or trial.record is None or not trial.informative:
            return trial
        return replace(trial, target=self._opinion(self._by_id[trial.task], trial.record))

    def _begin_question(self, question: Mapping[str, Any]) -> bool:
        """Gives a question the next number; true where no earlier process answered it."""
        self._number += 1
        known = self._session.step_log.done(f"answer:{self._number}")
        if known is not None:
            if known["question"] != question:
                raise EngineNotDeterministic(f"question {self._number} differs from the one that was asked before")
            self._left = RemainingBudget(**known["left"])
            return False
        return True

    def _run(self, tasks: Sequence[Task], arm: LearnedState, change: Change, *, name: str) -> list[EpisodeRecord]:
        session = self._session
        attempts = ArmTrials(run=session, split=SCREEN).attempt_tasks(tasks, arm, change, name=name)
        session.commit_all(attempts)
        hit_failpoint("screen.ran")
        if len(attempts) < len(tasks):
            raise SearchEnded(session.ledger.exhausted_bound or "what is left of the budget covers no further episode")
        return [attempt.record for attempt in attempts]

    def _count_items(self, arm: LearnedState, records: Sequence[EpisodeRecord]) -> None:
        """Runs the controls that belong to these trials and keeps what each says of single items, once.

        The share is that of the start: a candidate that turns the knob must not be tried more or less often.
        """
        session = self._session
        share = self.start.workflow.knobs.withhold
        trials = {record.task: record for record in records}
        tasks = [self._by_id[name] for name in trials]
        for control in item_controls(arm, session.learner, tasks, seed=session.plan.seed, share=share):
            record = trials[control.task.id]
            if control.withheld_ids:
                try:
                    (record,) = self._run([control.task], arm, control.change, name=control.key)
                except SearchEnded:  # the trials are whole; the next question ends the search
                    return
            session.stores.variants.add_item_outcomes(record.episode, control_outcomes(control, record))

    def _stored_left(self, step: str, question: Mapping[str, Any]) -> RemainingBudget:
        known = self._session.step_log.once(step, lambda: {"question": question, "left": asdict(self._compute_left())})
        return RemainingBudget(**known["left"])

    def _compute_left(self) -> RemainingBudget:
        session = self._session
        spent = session.share_spent()
        left = session.ledger.remaining
        bounds = [(left.candidates, session.plan.limits.candidates), (left.tokens, session.plan.limits.tokens)]
        episodes = [have // most for have, most in bounds if have is not None and most]
        groups = {task.group for task in session.suite.evidence("gate")}
        _, level = session.stores.decisions.next_level(session.suite.digest, groups)
        return RemainingBudget(
            episodes=min(episodes, default=None),
            pairs=len(groups),
            wins=SequentialTest(alpha=level).wins_needed(0),
            share=1.0 - spent,
        )


def net_win_share(wins: int, losses: int, ties: int) -> tuple[float | None, float | None, float | None]:
    """Share of pairs won minus share lost, with 95 % bounds given how many pairs were decided at all."""
    pairs = wins + losses + ties
    if not pairs:
        return None, None, None
    rate = clopper_pearson(wins, wins + losses)
    decided = (wins + losses) / pairs
    if rate.low is None or rate.high is None:
        return 0.0, None, None
    return (wins - losses) / pairs, (2 * rate.low - 1) * decided, (2 * rate.high - 1) * decided


def _trial(task: Task, record: EpisodeRecord) -> CandidateTrial:
    solved = is_verified(record)
    return CandidateTrial(
        task=task.id,
        group=task.group,
        score=1.0 if solved else environment_kind(task.environment).progress(task, record),
        solved=solved,
        cost=record.cost,
        informative=is_informative(record),
        record=record,
    )
