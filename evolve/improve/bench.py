"""The agents of one process, and the judgement of the skills that their episodes draft."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

from evolve.agent import Agent
from evolve.environments import kind_of
from evolve.episodes import Limits, SkillDraft
from evolve.errors import UsageError
from evolve.improve.arms import Arm, Learner, agent_for
from evolve.improve.beginnings import RepeatingLearner
from evolve.improve.jobs import Attempt, EpisodeJob, Proposal, WorkerSetup, unbegun
from evolve.sandbox import Sandbox
from evolve.skills import Admission, Skill, unseen_rows
from evolve.tasks import Task, equal

ARMS_KEPT = 4
"""Arms that a process holds at once; the oldest goes."""


class Bench:
    """The agents of one process, by arm and environment; a few are kept, because making one is not free."""

    def __init__(self, setup: WorkerSetup) -> None:
        self._setup = setup
        self._sandbox = setup.sandbox()
        self._arms: dict[str, Arm] = {}
        self._agents: dict[tuple[str, str], Agent] = {}

    def announce(self, key: str, arm: Arm) -> None:
        self._drop(key)
        self._arms[key] = arm
        while len(self._arms) > ARMS_KEPT:
            self._drop(next(iter(self._arms)))

    def run(self, job: EpisodeJob) -> Attempt:
        whole = self._arms[job.arm].limits(job.limits)
        limits = _within(whole, job)
        if limits is None:
            return Attempt(record=unbegun(job, self._setup, "interrupted", "the time budget was spent before it began"))
        record = self._agent(job).run_episode(
            job.task, variant=job.variant, split=job.split, seed=job.seed, limits=limits
        )
        judged = [self._judged(draft, job) for draft in record.drafts]
        return Attempt(
            record=record,
            skills=tuple(one for one in judged if one is not None),
            limits=limits,
            shortened=limits != whole,
        )

    def _agent(self, job: EpisodeJob) -> Agent:
        arm, key = self._arms[job.arm], (job.arm, job.task.environment)
        arm = replace(arm, workflow=arm.workflow.with_room(kind_of(job.task.environment).least_steps))
        setup = self._setup
        if job.begun is not None:  # it serves this one episode
            learner = RepeatingLearner(learner=setup.learner, begun=job.begun)
            return self._made(arm, learner)
        if key not in self._agents:
            self._agents[key] = self._made(arm, setup.learner)
        return self._agents[key]

    def _made(self, arm: Arm, learner: Learner) -> Agent:
        setup = self._setup
        return agent_for(arm, learner, self._sandbox, run=setup.run, suite=setup.suite, scanner=setup.scanner)

    def _drop(self, arm: str) -> None:
        self._arms.pop(arm, None)
        for key in [key for key in self._agents if key[0] == arm]:
            del self._agents[key]

    def _judged(self, draft: SkillDraft, job: EpisodeJob) -> Proposal | None:
        arm = self._arms[job.arm]
        return judge_draft(draft, job.task, arm.skills, self._setup.learner, self._sandbox)

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


def judge_draft(
    draft: SkillDraft, task: Task, active: Sequence[Skill], learner: Learner, sandbox: Sandbox
) -> Proposal | None:
    """The draft as a skill with its verdict; None where its name or signature cannot be a skill's.

    The rows its author did not see are the task's verify rows, for a part of an answer the calls that the answer
    makes on them.
    """
    try:
        skill = Skill.from_draft(draft)
    except UsageError:
        return None
    interpret = learner.interpreter(active)
    unseen = unseen_rows(draft, task.verify_rows(), interpret, equal)
    admission = Admission(sandbox, equal, interpret=interpret)
    verdict = admission.judge(skill, unseen, active, policy=learner.name, fingerprint=sandbox.backend)
    return Proposal(skill=skill, unseen=unseen, verdict=verdict)
