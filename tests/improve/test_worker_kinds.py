"""What everything that runs episodes of a loop promises, tried on each; a package holds its own to the same by another
fixture ``kinds``."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from benchmarks.doubles import small_suite
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Limits
from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Sandbox
from evolve.testing import FixedLearner, TrustingSandbox
from evolve.trials import Attempt, EpisodeJob, LearnedState, Workers, WorkerSetup, open_workers

pytestmark = pytest.mark.slow

LIMITS = Limits(candidates=1000)
SETUP = WorkerSetup(learner=FixedLearner(), sandbox=TrustingSandbox, run="r1", suite="small")


def no_sandbox() -> Sandbox:
    raise SandboxUnavailable("none here")


@pytest.fixture(params=[1, 2])
def count(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def on() -> str:
    """A name of the seam."""
    return "local"


@pytest.fixture
def workers(on: str, count: int) -> Iterator[Workers]:
    opened = open_workers(SETUP, count, on)
    for name in ("a", "b"):
        opened.announce(name, LearnedState())
    yield opened
    opened.close()


def jobs(count: int, arm: str = "a") -> list[EpisodeJob]:
    tasks = small_suite(count).tasks
    return [EpisodeJob(task=task, arm=arm, variant=arm, split="train", seed=0, limits=LIMITS) for task in tasks]


def test_it_says_how_many_jobs_run_side_by_side(workers: Workers, count: int) -> None:
    assert workers.at_once == count


def test_attempts_come_in_the_order_of_the_jobs_and_each_is_told_once_where_it_was_asked_for(workers: Workers) -> None:
    told: list[Attempt] = []
    threads = set()

    def tell(attempt: Attempt) -> None:
        told.append(attempt)
        threads.add(threading.current_thread())

    asked = [*jobs(4), *jobs(3, arm="b")]
    found = workers.run(asked, tell)
    assert [(one.record.task, one.record.variant) for one in found] == [(job.task.id, job.variant) for job in asked]
    assert all(one.record.solved for one in found)
    assert sorted(one.record.episode for one in told) == sorted(one.record.episode for one in found)
    assert threads == {threading.current_thread()}


def test_the_same_jobs_give_the_same_answers_again(workers: Workers) -> None:
    def answers() -> list[list[str]]:
        return [[step.action.code for step in one.record.steps] for one in workers.run(jobs(3))]

    assert answers() == answers()


def test_no_jobs_are_no_attempts(workers: Workers) -> None:
    assert workers.run([]) == []


def test_an_arm_that_is_announced_again_takes_the_place_of_the_one_that_was(workers: Workers) -> None:
    assert all(one.record.solved for one in workers.run(jobs(2)))
    workers.announce("a", LearnedState(workflow=Workflow().with_knobs(candidates=1)))  # too few to find anything
    assert not any(one.record.solved for one in workers.run(jobs(2)))


def test_an_error_for_the_user_reaches_who_asked(on: str, count: int) -> None:
    setup = WorkerSetup(learner=FixedLearner(), sandbox=no_sandbox, run="r1", suite="small")
    with pytest.raises(SandboxUnavailable, match="none here"):
        opened = open_workers(setup, count, on)
        try:
            opened.announce("a", LearnedState())
            opened.run(jobs(2))
        finally:
            opened.close()
