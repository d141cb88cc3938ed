"""The agents of one worker process: one per arm and kind of environment, used again for every job."""

from __future__ import annotations

import time
from dataclasses import replace

from evolve.agent import Agent, remaining_room
from evolve.core.episodes import Cost, EpisodeRecord, Limits, SkillDraft
from evolve.trials.admitting import DraftRepairs, repair
from evolve.trials.jobs import Attempt, EpisodeJob, WorkerSetup, unstarted_record
from evolve.trials.learned_state import LearnedState, PromptedLearner, agent_for
from evolve.trials.skill_drafts import SkillProposal, judge_draft

ARMS_KEPT = 4
"""Arms that a process holds at once; the oldest goes."""


class AgentBench:
    """The agents of one process, by arm and environment; a few are kept, because making one is not free."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._sandbox = setup.sandbox()
        self._arms: dict[str, LearnedState] = {}
        self._agents: dict[tuple[str, str], Agent] = {}

    def announce(self, key: str, arm: LearnedState) -> None:
        self._drop(key)
        self._arms[key] = arm
        while len(self._arms) > ARMS_KEPT:
            self._drop(next(iter(self._arms)))

    def run(self, job: EpisodeJob) -> Attempt:
        whole = self._arms[job.arm].limits(job.limits, job.task.environment)
        limits = _within(whole, job)
        if limits is None:
            return Attempt(
                record=unstarted_record(job, self._setup, "interrupted", "the time budget was spent before it began")
            )
        record = self._agent(job).run_episode(
            job.task, variant=job.variant, split=job.split, seed=job.seed, limits=limits, begun=job.begun
        )
        repairs = self._repairs(job, record, limits)
        judged = [self._judged(draft, job, repairs) for draft in record.drafts]
        spent = Cost() if repairs is None else repairs.cost
        return Attempt(
            record=replace(record, cost=record.cost + spent),
            skills=tuple(skill for skill in judged if skill is not None),
            limits=limits,
            shortened=limits != whole,
        )

    def _repairs(self, job: EpisodeJob, record: EpisodeRecord, limits: Limits) -> DraftRepairs | None:
        learner = self._setup.learner
        if not (record.drafts and isinstance(learner, PromptedLearner)):
            return None
        policy = self._arms[job.arm].policy(learner)
        return DraftRepairs(policy=policy, view=job.task.view(), limits=limits.minus_cost(record.cost))

    def _agent(self, job: EpisodeJob) -> Agent:
        key, setup = (job.arm, job.task.environment), self._setup
        if key not in self._agents:
            arm = self._arms[job.arm]
            arm = replace(arm, workflow=remaining_room(arm.workflow, job.task.environment))
            self._agents[key] = agent_for(
                arm, setup.learner, self._sandbox, run=setup.run, suite=setup.suite, scanner=setup.scanner
            )
        return self._agents[key]

    def _drop(self, arm: str) -> None:
        self._arms.pop(arm, None)
        for key in [key for key in self._agents if key[0] == arm]:
            del self._agents[key]

    def _judged(self, draft: SkillDraft, job: EpisodeJob, repairs: DraftRepairs | None) -> SkillProposal | None:
        active, learner = self._arms[job.arm].skills, self._setup.learner
        proposal = judge_draft(draft, job.task, active, learner, self._sandbox)
        mended = None if repairs is None else repair(draft, proposal, repairs, self._sandbox)
        if mended is None:
            return proposal
        again = judge_draft(mended, job.task, active, learner, self._sandbox)
        return None if again is None else replace(again, repaired=True)

    def close(self) -> None:
        self._sandbox.close()


def _within(limits: Limits, job: EpisodeJob) -> Limits | None:
    """The limits with no more seconds than the run has left now that the job begins; None where that is none."""
    if job.ends is None:
        return limits
    left = job.ends - time.monotonic()
    if left <= 0:
        return None
    return limits if limits.seconds is not None and limits.seconds <= left else replace(limits, seconds=left)
