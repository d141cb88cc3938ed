"""Worker processes: order, death, and errors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from benchmarks.doubles import small_suite
from evolve.core.episodes import Limits
from evolve.core.errors import SandboxUnavailable
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox
from evolve.trials import EpisodeJob, LearnedState, ProcessWorkers, WorkerSetup

pytestmark = pytest.mark.slow


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
        workers.announce("a", LearnedState())
        started.append(workers)
        return workers

    yield make
    for workers in started:
        workers.close()


def test_attempts_come_in_the_order_of_the_jobs(start):
    asked = jobs(7)
    found = start().run(asked)
    assert [one.record.task for one in found] == [job.task.id for job in asked]
    assert all(one.record.solved for one in found)


def test_an_episode_that_kills_its_worker_twice_is_a_fault_and_no_other_is_lost(start):
    found = start(DeadlyLearner()).run(jobs(5))
    assert [one.record.status for one in found] == ["solved", "solved", "fault", "solved", "solved"]


def test_an_error_for_the_user_reaches_the_parent(start):
    with pytest.raises(SandboxUnavailable, match="none here"):
        start(sandbox=no_sandbox).run(jobs(2))


STARTED = """
import multiprocessing, os, signal, sys, time
from evolve.trials import ProcessWorkers, WorkerSetup
from evolve.testing import FixedLearner
from tests.improve.test_workers import NeverLoaded, no_sandbox
sandbox = NeverLoaded() if sys.argv[1] == "while it loads" else no_sandbox
workers = ProcessWorkers(WorkerSetup(learner=FixedLearner(), sandbox=sandbox, run="r1", suite="small"), 2)
print(*[child.pid for child in multiprocessing.active_children()], flush=True)
time.sleep(float(sys.argv[2]))
os.kill(os.getpid(), signal.SIGKILL)
"""


class NeverLoaded:
    """Takes a process a minute to receive."""

    def __reduce__(self):
        return time.sleep, (60,)


@pytest.mark.parametrize(
    ("point", "after_s"),
    [
        ("while it loads", 0),
        pytest.param("while it loads", 2, marks=pytest.mark.slow),
        pytest.param("worker.start", 3, marks=pytest.mark.slow),
    ],
)
def test_a_worker_ends_with_its_parent_however_little_of_it_has_begun(point, after_s):
    environ = {**os.environ, "EVOLVE_FAULT": "worker.start:1:stall"}
    command = [sys.executable, "-c", STARTED, point, str(after_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environ, text=True) as parent:
        workers = [int(number) for number in parent.stdout.readline().split()]
    assert len(workers) == 2 and parent.returncode == -signal.SIGKILL
    until = time.monotonic() + 30  # half of what they would need to go on by themselves
    while any(map(alive, workers)) and time.monotonic() < until:
        time.sleep(0.02)
    assert not any(map(alive, workers))


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_worker_that_has_seen_more_arms_than_it_holds_is_given_again_what_it_lacks(start):
    workers = start(count=1)

    def run(*arms):
        asked = [replace(job, arm=arm, variant=arm) for job, arm in zip(jobs(len(arms)), arms, strict=True)]
        return [one.record.variant for one in workers.run(asked)]

    # Announced in one order and sent in another, so the oldest here is not the oldest there.
    for name in ("lesser", "whole"):
        workers.announce(name, LearnedState(variant=name))
    assert run("whole", "lesser") == ["whole", "lesser"]
    for name in ("second", "third", "fourth"):
        workers.announce(name, LearnedState(variant=name))
        assert run(name) == [name]
    assert run("whole") == ["whole"]
