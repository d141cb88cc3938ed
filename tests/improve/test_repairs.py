"""Practice repairs refused drafts too, and books what that cost on the episode."""

from __future__ import annotations

import pytest

from evolve.core.episodes import Limits
from evolve.runtime.sandbox import open_sandbox
from evolve.trials.bench import AgentBench
from evolve.trials.jobs import EpisodeJob, WorkerSetup
from evolve.trials.learned_state import LearnedState
from tests.doubles.repairing import TASK, grading_learner

LIMITS = Limits(candidates=None, seconds=None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("value", "admitted", "repaired"), [('"pass"', True, True), ('"fail"', False, False)], ids=["right", "wrong"]
)
def test_a_refused_draft_is_repaired_once_in_practice(tmp_path, value, admitted, repaired):
    bodies = []
    repair = {"code": "", "calls": [{"arguments": "[50]", "value": value}]}
    learner = grading_learner(tmp_path / "ws", repair, bodies)
    setup = WorkerSetup(learner=learner, sandbox=lambda: open_sandbox(cache_dir=tmp_path), run="r", suite="s")
    bench = AgentBench(setup)
    bench.announce("arm", LearnedState())
    job = EpisodeJob(task=TASK, arm="arm", variant="unlearned", split="train", seed=0, limits=LIMITS)
    try:
        attempt = bench.run(job)
    finally:
        bench.close()
        learner.close()
    [proposal] = attempt.skills
    assert (proposal.verdict.admitted, proposal.repaired) == (admitted, repaired), proposal.verdict
    assert attempt.record.cost.calls == len(bodies)
