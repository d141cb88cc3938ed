"""What metrics and judges left in a workspace opens where the package is not installed, and is there again with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.testing import ScriptedEndpoint
from evolve.trials.gate.judges import Measurement
from evolve.workspace.runs.tasks import in_words
from tests.doubles.judges import GullibleJudge
from tests.golden.make import unpack
from tests.golden.seen import plain
from tests.offering import hide

LEARNED = json.loads(Path(__file__).with_name("learned.json").read_text("utf-8"))
"""The metrics of the archive ``learned``, as the version that made it showed them."""


@pytest.fixture
def learned(tmp_path, cli):
    unpack("learned", tmp_path / "old")
    return tmp_path / "old" / "ws"


def listed(cli, root):
    return plain(json.loads(cli("lab", "metrics", "list", "--json", "-w", root).out))


def test_metrics_of_an_earlier_version_are_as_they_were(cli, learned):
    assert listed(cli, learned) == LEARNED


@pytest.mark.slow
def test_without_it_a_workspace_with_metrics_opens_and_takes_comments(cli, learned, tmp_path, monkeypatch):
    (tmp_path / "empty").mkdir()
    with monkeypatch.context() as patch:
        hide(patch, tmp_path / "empty")
        for words in (("runs", "comment", "r2", "a fine table layout"), ("status", "--json"), ("status", "--repair")):
            done = cli(*words, "-w", learned)
            assert done.code == 0, (words, done.out, done.err)
        assert cli("forget", "long", "-w", learned).code == 2
        aimed = cli("lab", "optimize", "everyday", "--target", "long", "-w", learned)
        assert (aimed.code, "./packages/evolve-evaluators" in aimed.err) == (2, True)
        with evolve.open(learned) as opened:
            assert opened.criteria.list() == []
            for part in ("metrics", "judges"):
                with pytest.raises(AttributeError, match="pip install ./packages/evolve-evaluators"):
                    getattr(opened, part)
    assert listed(cli, learned)["metrics"] == LEARNED["metrics"]
    assert cli("runs", "comment", "r2", "fine, and not long", "-w", learned).out == "kept; it speaks of long\n"
    assert listed(cli, learned)["report"]["comments"] == 4


def test_a_judge_that_was_measured_counts_without_it(tmp_path, monkeypatch):
    root, task = tmp_path / "ws", in_words("any task")
    numbers = {"sound": 40, "accepted_sound": 40, "wrong": 40, "accepted_wrong": 0}
    with ScriptedEndpoint(double=GullibleJudge()) as serving:
        with evolve.open(root, model=serving.model) as opened:
            judges = opened.judges
            found = Measurement(model=judges.model, prompt=judges.prompt, suite="strings", **numbers)
            opened._services.rubric_judge.decisions.add_measurement(found)
        (tmp_path / "empty").mkdir()
        hide(monkeypatch, tmp_path / "empty")
        with evolve.open(root, model=serving.model) as opened:
            assert opened._services.judge(task).standing == "measured"
