"""A loop with a model and a small budget: who gets what, and what is said of episodes that got nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.doubles import QuirkDouble
from benchmarks.doubles.quirks import quirk_family
from evolve.core.errors import BudgetExhausted
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.tasks import render_jsonl
from evolve.testing import LocalWire
from evolve.testing.endpoint_faults import chat_completion_body
from evolve.workspace.language import LanguageLearner

JOBS = quirk_family("dates", 40)
USAGE = {"prompt_tokens": 400, "completion_tokens": 60, "total_tokens": 460}
PRICE = '[models."double"]\ninput = 1.0\noutput = 1.0\n'


@pytest.fixture
def suite(tmp_path: Path) -> str:
    file = tmp_path / "dates.jsonl"
    file.write_text(render_jsonl([job.task for job in JOBS]))
    return str(file)


@pytest.fixture
def open_desk(tmp_path: Path, open_ws: Callable):
    """Opens the workspace, with limits of its own where some are given."""

    def open_one(settings: str = ""):
        root = tmp_path / "ws"
        root.mkdir(exist_ok=True)
        (root / "evolve.toml").write_text(settings)
        double = QuirkDouble(JOBS)
        learner = LanguageLearner(
            paths=WorkspacePaths(root),
            settings=load_settings(root),
            model="http://localhost:1/v1#double",
            wire=lambda _: LocalWire(lambda body: chat_completion_body(double.answer(body), usage=USAGE)),
        )
        return open_ws(learner=learner)

    return open_one


def practised(ws) -> list:
    return [one for one in ws.stores.runs.episodes() if one.split == "train"]


@pytest.mark.slow
def test_every_episode_of_a_batch_may_ask_while_calls_are_left(open_desk, suite) -> None:
    with open_desk() as ws:
        report = ws.improve(suite, rounds=1, budget="40-calls")
        records = practised(ws)
    assert len([one for one in records if one.solved]) > 1
    assert all(one.cost.calls for one in records)
    assert report.spent.calls == sum(one.cost.calls for one in records) <= 40


@pytest.mark.slow
def test_what_the_budget_cut_off_is_kept_with_its_cost_and_did_not_fail(open_desk, suite) -> None:
    with open_desk() as ws:
        report = ws.improve(suite, rounds=1, budget="7-calls")
        records = practised(ws)
        evidence = [row for one in ws.memory.list() for row in ws.memory.evidence(one.id)]
    assert report.spent.calls == sum(one.cost.calls for one in records) <= 7
    assert [one.status for one in records if one.status == "budget"] == []
    cut = [one for one in records if one.status == "interrupted"]
    assert len(cut) <= 1 and len(report.curve) == len(records) - len(cut) == report.rounds[0].episodes
    assert not {one.episode for one in cut} & {row.episode for row in evidence}


@pytest.mark.slow
def test_the_end_of_a_loop_says_that_the_budget_ended_it_and_how_far_it_came(open_desk, suite) -> None:
    with open_desk() as ws:
        report = ws.improve(suite, rounds=3, budget="20-calls")
    planned = report.rounds[0].planned
    assert report.finish_reason.startswith("budget of 20 calls reached: ")
    assert f"{report.rounds[0].episodes} of {planned} tasks practised in round 1 of 3" in report.finish_reason
    assert "rounds done" not in report.finish_reason


@pytest.mark.slow
def test_a_limit_of_the_day_ends_a_loop_as_its_budget_does(open_desk, suite) -> None:
    with open_desk('day_limit = "12-calls"\n') as ws:
        report = ws.improve(suite, rounds=1)
        records = practised(ws)
    assert "12 calls for today" in report.finish_reason and report.goes_on
    assert [one for one in records if one.status == "budget" or not one.cost.calls] == []


def test_a_budget_too_small_for_one_episode_says_so(open_desk, suite) -> None:
    with open_desk() as ws:
        for _ in range(2):
            with pytest.raises(BudgetExhausted, match="1 calls reached, so no episode came to its end"):
                ws.improve(suite, rounds=1, budget="1-calls")
        assert {one.status for one in practised(ws)} == {"interrupted"}
