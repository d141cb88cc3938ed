"""``evolve runs comment``: kept in the person's own words, as a wish too where they want that."""

from __future__ import annotations

import json

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.errors import UsageError
from evolve.memory.preferences import PersonAct
from evolve.testing import FixedLearner, TrustingSandbox
from tests.offering import hide, offer


@pytest.fixture
def folder(tmp_path):
    with evolve.open(tmp_path / "ws", policy=FixedLearner()) as workspace:
        workspace._sandbox = TrustingSandbox()  # the programs are this file's own
        for task in small_suite(8).tasks[:3]:
            workspace.run(task)
    return tmp_path / "ws"


def test_a_comment_may_also_be_a_wish_and_forgetting_that_leaves_the_comment(folder):
    with evolve.open(folder, policy=FixedLearner()) as workspace:
        kept = workspace.preferences.suggest(PersonAct(kind="comment", text="Write a docstring", run="r1"))
        workspace.preferences.forget([kept.id])
        assert [one.text for one in workspace.runs.comments("r1")] == ["Write a docstring"]
        with pytest.raises(UsageError, match="words of yours"):
            workspace.runs.comment("r1", "> quoted")


@pytest.mark.slow
def test_a_comment_is_kept_where_no_package_looks_for_metrics(cli, folder, monkeypatch, tmp_path):
    (tmp_path / "empty").mkdir()
    hide(monkeypatch, tmp_path / "empty")
    assert cli("runs", "comment", "r1", "too long").out == "kept\n"
    assert json.loads(cli("runs", "comment", "r1", "far too long", "--json").out) == {"run": "r1", "metrics": []}
    assert cli("runs", "comment", "r9", "fine").code == 2
    with evolve.open(folder) as workspace:
        assert [one.text for one in workspace.runs.comments()] == ["too long", "far too long"]


@pytest.mark.slow
def test_a_comment_is_kept_though_a_package_fails(cli, folder, monkeypatch, tmp_path):
    with monkeypatch.context() as patch:
        offer(patch, tmp_path / "site", "evaluators", "odd", lambda services: 42)
        done = cli("runs", "comment", "r1", "too long")
    assert (done.code, "evolve-toy" in done.err) == (3, True)
    with evolve.open(folder) as workspace:
        assert [one.text for one in workspace.runs.comments("r1")] == ["too long"]


@pytest.mark.slow
def test_a_preferred_comment_waits_where_nobody_confirms_it(cli, folder):
    said = json.loads(cli("runs", "comment", "r1", "short names, please", "--prefer", "--json").out)
    [wish] = json.loads(cli("memory", "preferences", "list", "--json").out)
    assert (said["preference"], said["status"], wish["status"]) == (wish["id"], "proposed", "proposed")
    assert wish["id"][:10] in cli("runs", "comment", "r2", "short names, please", "--prefer").err
    assert cli("memory", "preferences", "confirm", wish["id"]).code == 0
    again = json.loads(cli("runs", "comment", "r1", "short names, please", "--prefer", "--json").out)
    assert again["status"] == "active"
