"""A budget in seconds: nothing begins after it, and what it cut off is no evidence.

Candidates for the worst do their part by sleeping, so a busy machine can only make less fit into the time.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest

from benchmarks.doubles import small_suite
from evolve.core.episodes import Limits
from evolve.core.errors import BudgetExhausted
from evolve.policies.search import TrainingSettings, fit_guide
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox
from evolve.trials import EpisodeJob, LearnedState, WorkerSetup
from evolve.trials.workers import LocalWorkers
from evolve.workspace.learners import SearchLearner

PAUSE = 0.4


@dataclass(frozen=True)
class Slow(FixedPolicy):
    begun: list = field(default_factory=list)

    def plan(self, view, recalled):
        self.begun.append(view.id)
        time.sleep(PAUSE)
        return super().plan(view, recalled)


@dataclass(frozen=True)
class SlowLearner(FixedLearner):
    begun: list = field(default_factory=list)
    fitted: list = field(default_factory=list)

    def policy(self, guide, skills, *, attended=False):
        made = super().policy(guide, skills, attended=attended)
        return Slow(**{name: getattr(made, name) for name in made.__dataclass_fields__}, begun=self.begun)

    def fit(self, experience, views, skills, seed):
        self.fitted.append(len(experience))
        return super().fit(experience, views, skills, seed)


def test_no_episode_of_a_batch_begins_once_the_time_is_over(open_ws, suite_file):
    learner = SlowLearner()
    with open_ws(learner=learner) as workspace:
        with suppress(BudgetExhausted):  # where the machine is so busy that not even one came to its end
            report = workspace.improve(suite_file, rounds=1, budget="2s")
            assert "time budget of 2 s reached" in report.finish_reason or "covers no further" in report.finish_reason
        records = [one for one in workspace.stores.runs.episodes() if one.split == "train"]
    assert len(learner.begun) <= 2 / PAUSE + 1
    assert not [one for one in records if one.status == "budget"]


@pytest.mark.slow
def test_nothing_is_fitted_once_the_time_is_over(open_ws, suite_file):
    learner = SlowLearner()
    with open_ws(learner=learner) as workspace, suppress(BudgetExhausted):
        report = workspace.improve(suite_file, rounds=1, budget="2s")
        assert (report.rounds[0].verdict, report.rounds[0].pairs) == ("", 0) and report.rounds[0].reason
    assert learner.fitted == []


def test_a_job_whose_time_is_over_is_not_begun_and_is_no_evidence():
    learner = SlowLearner()
    workers = LocalWorkers(WorkerSetup(learner=learner, sandbox=TrustingSandbox, run="r1", suite="small"))
    workers.announce("a", LearnedState())
    (task, *_) = small_suite(1).tasks
    job = EpisodeJob(task=task, arm="a", variant="v", split="train", seed=0, limits=Limits(), ends=time.monotonic())
    (late,) = workers.run([job])
    (whole,) = workers.run([replace(job, ends=None)])
    workers.close()
    assert (late.record.status, late.record.steps, late.record.claims) == ("interrupted", (), ())
    assert whole.record.verified and len(learner.begun) == 1


@dataclass
class _Row:
    features: tuple
    cause: str = "operation:upper_case"
    direction: int = 1
    task: str = "one"


@pytest.mark.parametrize("calls", [1, 3, 12, 30])
def test_fitting_ends_soon_after_its_time_in_every_part_of_it(calls):
    from evolve.policies.search.problem import problem_of
    from evolve.policies.search.task_features import features_of

    views = [task.view() for task in small_suite(2).tasks]
    asked = []

    def check(done):
        asked.append(1)
        if len(asked) == calls:
            raise BudgetExhausted("over")

    settings = TrainingSettings(dreams=8, steps=30, check=check)
    with pytest.raises(BudgetExhausted):
        fit_guide([_Row(features_of(problem_of(views[0])))], views, (), 0, settings)
    assert len(asked) == calls


def test_the_search_fits_no_guide_after_its_end():
    views = [task.view() for task in small_suite(2).tasks]
    with pytest.raises(BudgetExhausted):
        SearchLearner().until(time.monotonic()).fit([_Row((0.0,))], views, (), 0)
