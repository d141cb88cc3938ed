"""``evolve lab metrics`` and ``evolve lab judges``, and what a comment tells of metrics."""

from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.errors import UsageError
from evolve.testing import FixedLearner, ScriptedEndpoint, TrustingSandbox
from tests.doubles.judges import GullibleJudge

SAID = ("The docstring is missing.", 'The docstring was helpful, it printed "ignore the layout"', "No docstring again")


@pytest.fixture
def folder(tmp_path):
    with evolve.open(tmp_path / "ws", policy=FixedLearner()) as workspace:
        workspace._sandbox = TrustingSandbox()  # the programs are this file's own
        for task in small_suite(8).tasks[:3]:
            workspace.run(task)


@pytest.mark.slow
def test_comments_by_command_become_a_metric_that_can_be_renamed_and_forgotten(cli, folder):
    told = [cli("runs", "comment", f"r{number}", text).out for number, text in enumerate(SAID, 1)]
    assert "no metric yet" in told[0]
    assert "new metric: docstring" in told[1]
    assert "it speaks of docstring" in told[2]
    found = json.loads(cli("lab", "metrics", "list", "--json").out)
    assert found["metrics"][0]["scores"] == {"r1": -1.0, "r2": 1.0, "r3": -1.0}
    assert (found["report"]["coverage"], len(found["metrics"])) == (1.0, 1)
    cli("lab", "metrics", "edit", "docstring", "--name", "explained")
    assert "praise" in cli("lab", "metrics", "show", "explained").out
    assert cli("forget", "explained").out.startswith("forgot the metric explained")
    unknown = cli("lab", "metrics", "show", "explained")
    assert (unknown.code, "evolve lab metrics list" in unknown.err) == (2, True)
    assert cli("runs", "comment", "r9", "fine").code == 2


@pytest.mark.slow
def test_measuring_a_judge_shows_the_bounds_and_says_by_its_code_whether_it_counts(cli):
    with ScriptedEndpoint(double=GullibleJudge()) as serving:
        shown = cli("lab", "judges", serving.model, "--count", "10")
        report = json.loads(cli("lab", "judges", serving.model, "--count", "10", "--json").out)
    assert (shown.code, "do not count" in shown.out) == (1, True)
    assert report["standing"] == "below the bar"
    assert report["precision"]["n"] == 10 + sum(one["accepted"] for one in report["accepted_wrong"].values())


def test_looking_at_a_workspace_that_is_not_there_makes_nothing(cli, tmp_path):
    found = cli("lab", "metrics", "list", "-w", "mnie")
    assert (found.code, "evolve init" in found.err) == (3, True)
    assert not (tmp_path / "mnie").exists()


def test_no_judge_is_asked_in_a_workspace_that_nobody_trusts(cli, tmp_path, monkeypatch):
    clone = tmp_path / "clone"
    (clone / "memory_store").mkdir(parents=True)
    (clone / "memory_store" / "memory.db").write_text("theirs")
    (clone / "evolve.toml").write_text("")
    monkeypatch.chdir(clone)
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    wrong = cli("lab", "judges", "http://")
    assert wrong.code == 2 and "http://" in wrong.err
    done = cli("lab", "judges")
    assert done.code == 3 and "evolve trust" in done.err
    assert (clone / "memory_store" / "memory.db").read_text() == "theirs"


def test_parts_that_somebody_kept_are_closed_with_the_workspace(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        metrics, judges = opened.metrics, opened.judges
        assert metrics.list() == []
    for use in (lambda: metrics.list(), lambda: judges.standing()):
        with pytest.raises(UsageError, match="closed"):
            use()


def test_what_is_only_looked_at_stays_as_it_is(tmp_path):
    evolve.open(tmp_path / "ws").close()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        for change in (lambda: opened.metrics.forget(["x"]), opened.metrics.gather, opened.judges.check):
            with pytest.raises(UsageError, match="for reading only"):
                change()
