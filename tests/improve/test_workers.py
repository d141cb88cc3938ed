"""Worker processes: order, death, and errors."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass, replace

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

    def make(learner=None, sandbox=TrustingSandbox, count=2):
        setup = WorkerSetup(learner=learner or FixedLearner(), sandbox=sandbox, run="r1", suite="small")
        workers = ProcessWorkers(setup, count)
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


@pytest.mark.slow
def test_a_worker_that_has_seen_more_arms_than_it_holds_is_given_again_what_it_lacks(start):
    workers = start(count=1)

    def run(*arms):
        asked = [replace(job, arm=arm, variant=arm) for job, arm in zip(jobs(len(arms)), arms, strict=True)]
        return [one.record.variant for one in workers.run(asked)]

    # Announced in one order and sent in another, so the oldest here is not the oldest there.
    for name in ("lesser", "whole"):
        workers.announce(name, Arm(variant=name))
    assert run("whole", "lesser") == ["whole", "lesser"]
    for name in ("second", "third", "fourth"):
        workers.announce(name, Arm(variant=name))
        assert run(name) == [name]
    assert run("whole") == ["whole"]
