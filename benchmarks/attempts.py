"""One attempt at one task: the episode's decisions without its bookkeeping."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.judging import Judge
from evolve.agent.workflow import Knobs
from evolve.core.episodes import (
    Action,
    Claim,
    Cost,
    EpisodeRecord,
    Judgement,
    Limits,
    Observation,
    SkillDraft,
    Step,
    TaskView,
)
from evolve.core.errors import ModelMistake
from evolve.policies.search import SearchPolicy
from evolve.tasks import MIN_VERIFY, Task


@dataclass(frozen=True, kw_only=True)
class Solver:
    """A policy and the judge of its answers."""

    policy: SearchPolicy
    judge: Judge

    def attempt(self, task: Task, candidates: int, *, submissions: int = 1) -> Attempt:
        """Plans and searches until an answer is accepted or the budget is used up.

        Seconds are not limited, so that the outcome depends on nothing but the arguments.
        """
        view = task.view()
        before = time.process_time()
        steps: list[Step] = []
        try:
            plan = self.policy.plan(view, ())
        except ModelMistake:
            return Attempt(task=task, view=view, steps=(), cpu_s=time.process_time() - before)
        limits = Limits(candidates=candidates, seconds=None, submissions=submissions)
        while limits.submissions and limits.candidates and len(steps) < Knobs().steps:
            action = self.policy.act(view, plan, steps, limits)
            step = self._judged(task, view, Step(number=len(steps) + 1, action=action))
            steps.append(step)
            if action.kind != "code" or (step.judgement is not None and step.judgement.accepted):
                break
            limits = replace(
                limits,
                candidates=max(0, limits.candidates - action.cost.candidates),
                submissions=limits.submissions - (step.judgement is not None),
            )
        return Attempt(task=task, view=view, steps=tuple(steps), cpu_s=time.process_time() - before)

    def learned_from(self, attempt: Attempt) -> tuple[tuple[Claim, ...], tuple[SkillDraft, ...]]:
        """Claims and skill drafts from an accepted answer; nothing from any other attempt."""
        if not attempt.accepted:
            return (), ()
        probe = self.judge.probe(self.policy, attempt.view, attempt.steps[-1].action)
        claims = self.policy.reflect(attempt.view, attempt.task.group, attempt.steps, probe)
        drafts = self.policy.distill(attempt.view, attempt.steps) if attempt.verified else ()
        return claims, drafts

    def _judged(self, task: Task, view: TaskView, step: Step) -> Step:
        action = step.action
        if action.kind != "code":
            return step
        if not self.judge.holds(self.policy, view, action, task.examples):
            return replace(step, observation=Observation(ok=False, error="an example does not hold"))
        rows = task.verify_rows()
        accepted = self.judge.holds(self.policy, view, action, rows)
        judgement = Judgement(accepted=accepted, verified=accepted and len(rows) >= MIN_VERIFY, rows=len(rows))
        return replace(step, observation=Observation(ok=True), judgement=judgement)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """What an attempt came to.

    Attributes:
        cpu_s: CPU seconds of planning, search and judgement.
    """

    task: Task
    view: TaskView
    steps: tuple[Step, ...]
    cpu_s: float

    @property
    def accepted(self) -> bool:
        """Whether the last answer passed."""
        last = self.steps[-1].judgement if self.steps else None
        return last is not None and last.accepted

    @property
    def verified(self) -> bool:
        """Whether it passed on enough rows that the search never saw."""
        last = self.steps[-1].judgement if self.steps else None
        return last is not None and last.verified

    @property
    def answer(self) -> Action | None:
        """The last program submitted or tried, right or wrong."""
        return next((step.action for step in reversed(self.steps) if step.action.kind == "code"), None)

    @property
    def spent(self) -> int:
        """Candidates computed in all."""
        return sum(step.action.cost.candidates for step in self.steps)

    @property
    def candidates(self) -> int:
        """Candidates computed until the last answer was found; all of them where there is none."""
        answer = self.answer
        return int(answer.private["candidates"]) if answer is not None else self.spent

    def record(self, *, seed: int, claims: tuple[Claim, ...]) -> EpisodeRecord:
        """The attempt as memory takes it in."""
        return EpisodeRecord(
            episode=f"{seed}/{self.task.id}",
            run="benchmark",
            task=self.task.id,
            suite="",
            group=self.task.group,
            split="train",
            variant="benchmark",
            seed=seed,
            status="solved" if self.accepted else "unsolved",
            verified=self.verified,
            answer="",
            steps=(),
            cost=Cost(candidates=self.spent),
            claims=claims,
        )


def row_of(attempt: Attempt, solver: Solver, **where: Any) -> dict[str, Any]:
    """The row of an attempt.

    Args:
        where: ``suite``, ``split``, ``arm``, ``seed`` and ``budget``.
    """
    task, answer = attempt.task, attempt.answer
    unseen = task.unseen_rows()
    correct = None
    if unseen:
        correct = answer is not None and solver.judge.holds(solver.policy, attempt.view, answer, unseen)
    return {
        "suite": where["suite"],
        "split": where["split"],
        "task": task.id,
        "group": task.group,
        "arm": where["arm"],
        "seed": where["seed"],
        "budget": where["budget"],
        "solved": attempt.accepted and correct is not False,
        "claimed_verified": attempt.verified,
        "correct_unseen": correct,
        "candidates": attempt.candidates,
        "cpu_s": round(attempt.cpu_s, 4),
        "cost": attempt.spent,
        "work": sum(step.action.cost.work for step in attempt.steps),
    }
