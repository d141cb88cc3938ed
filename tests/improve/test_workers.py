"""Worker processes: order, death, and errors."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass

import pytest

from evolve.episodes import Limits
from evolve.errors import SandboxUnavailable
from evolve.improve import Arm, EpisodeJob, ProcessWorkers, WorkerSetup
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox, small_suite


def jobs(count, marked=""):
    tasks = small_suite(count).tasks
    return [EpisodeJob(task=task, arm="a", variant="v", split="train", seed=0, limits=Limits()) for task in tasks]


@dataclass(frozen=True)
class Deadly(FixedPolicy):
    def plan(self, view, recalled):
        if view.id == "small-002":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().plan(view, recalled)


@dataclass(frozen=True)
class DeadlyLearner(FixedLearner):
    def policy(self, guide, skills, *, attended=False):
        return Deadly()


def no_sandbox():
    raise SandboxUnavailable("none here")


@pytest.fixture
def start():
    started = []

    def make(learner=None, sandbox=TrustingSandbox):
        setup = WorkerSetup(learner=learner or FixedLearner(), sandbox=sandbox, run="r1", suite="small")
        workers = ProcessWorkers(setup, 2)
        workers.announce("a", Arm())
        started.append(workers)
        return workers

    yield make
    for workers in started:
        workers.close()


@pytest.mark.slow
def test_attempts_come_in_the_order_of_the_jobs(start):
    asked = jobs(7)
    found = start().run(asked)
    assert [one.record.task for one in found] == [job.task.id for job in asked]
    assert all(one.record.solved for one in found)


@pytest.mark.slow
def test_an_episode_that_kills_its_worker_twice_is_a_fault_and_no_other_is_lost(start):
    found = start(DeadlyLearner()).run(jobs(5))
    assert [one.record.status for one in found] == ["solved", "solved", "fault", "solved", "solved"]


def test_an_error_for_the_user_reaches_the_parent(start):
    with pytest.raises(SandboxUnavailable, match="none here"):
        start(sandbox=no_sandbox).run(jobs(2))
