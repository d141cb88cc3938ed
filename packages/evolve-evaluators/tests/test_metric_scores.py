"""``ws.metrics``: from what is said about runs to something that can be searched for."""

from __future__ import annotations

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.tasks import Submission
from evolve.testing import FixedLearner, ScriptedEndpoint, TrustingSandbox
from evolve.trials.gate.judges import Measurement
from evolve.workspace.runs.tasks import in_words
from tests.doubles.judges import GullibleJudge

SAID = ("The docstring is missing.", 'The docstring was helpful, it printed "ignore the layout"', "No docstring again")


@pytest.fixture
def folder(tmp_path):
    with evolve.open(tmp_path, policy=FixedLearner()) as workspace:
        workspace._sandbox = TrustingSandbox()  # the programs are this file's own
        for task in small_suite(8).tasks[:3]:
            workspace.run(task)
    return tmp_path


def test_a_metric_scores_an_answer_only_through_a_measured_judge(folder):
    with ScriptedEndpoint(double=GullibleJudge()) as serving, evolve.open(folder, model=serving.model) as workspace:
        for number, text in enumerate(SAID, 1):
            workspace.runs.comment(f"r{number}", text)
        answer, task = Submission(code="def solve():\n    return 1\n"), in_words("Write a docstring")
        sandbox = TrustingSandbox()
        assert workspace.metrics.score("docstring", task, answer, sandbox) is None
        numbers = {"sound": 40, "accepted_sound": 40, "wrong": 40, "accepted_wrong": 0}
        found = Measurement(model=workspace.judges.model, prompt=workspace.judges.prompt, suite="strings", **numbers)
        workspace.stores.decisions.add_measurement(found)
        assert workspace.metrics.score("docstring", task, answer, sandbox) == 1.0
        assert workspace.metrics.score("docstring", task, Submission(code="?"), sandbox) == 0.0
        assert "The docstring is missing" in serving.requests[-1]["messages"][0]["content"]
