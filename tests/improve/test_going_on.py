"""A loop that its budget ended goes on with the same command, and a refused one leaves nothing behind."""

from __future__ import annotations

from collections import Counter

import pytest

from benchmarks.doubles import slow_learner, small_suite
from evolve.core.errors import BudgetExhausted, UsageError
from evolve.tasks import render_jsonl


class Heard:
    def __init__(self):
        self.told = []

    def emit(self, event):
        if event.kind == "begun":
            self.told.append(event.data["text"])


@pytest.fixture(autouse=True)
def small_episodes(monkeypatch):
    """An episode sets aside the most it may take, so small budgets need small ones."""
    monkeypatch.setenv("EVOLVE_CANDIDATES", "300")


def practised(workspace):
    return [one for one in workspace.stores.runs.episodes() if one.split == "train" and one.status != "interrupted"]


def test_the_same_call_goes_on_with_a_run_that_its_budget_ended(open_ws, suite_file):
    heard = Heard()
    with open_ws(events=heard) as workspace:
        first = workspace.improve(suite_file, rounds=1, budget="2k-candidates")
        cut = practised(workspace)
        assert [run.state for run in workspace.stores.runs.list_runs()] == ["budget"]
        second = workspace.improve(suite_file, rounds=1)
        runs, records = workspace.stores.runs.list_runs(), practised(workspace)
    assert 0 < first.rounds[0].episodes < first.rounds[0].planned
    assert [(run.id, run.state) for run in runs] == [("r1", "done")]
    assert second.run == first.run and second.rounds[0].episodes == second.rounds[0].planned
    assert records[: len(cut)] == cut
    assert set(Counter(one.task for one in records).values()) == {1}
    assert len(records) == second.rounds[0].planned
    assert second.spent.candidates > first.spent.candidates
    assert heard.told[-1].startswith("run r1, begun ") and "goes on from where its budget ended" in heard.told[-1]


@pytest.mark.slow
def test_a_second_budget_comes_on_top_and_is_kept_too(open_ws, suite_file):
    spent, episodes = [], []
    with open_ws() as workspace:
        for _ in range(2):
            report = workspace.improve(suite_file, rounds=1, budget="900-candidates")
            spent.append(report.spent.candidates)
            episodes.append(report.rounds[0].episodes)
        assert {run.id for run in workspace.stores.runs.list_runs()} == {"r1"}
    assert all(total <= 900 * place for place, total in enumerate(spent, 1))
    assert spent == sorted(set(spent)) and episodes == sorted(set(episodes))


@pytest.mark.slow
def test_practice_goes_on_in_the_order_of_a_run_that_was_not_cut(open_ws, suite_file):
    def tasks(name, *budgets):
        with open_ws(name, learner=slow_learner(decoys=2)) as workspace:
            for budget in budgets:
                report = workspace.improve(suite_file, rounds=1, budget=budget)
            return [one.task for one in practised(workspace)], report.rounds[0].solved

    assert tasks("whole", None) == tasks("cut", "700-candidates", "500-candidates", None)


@pytest.mark.slow
def test_fresh_begins_a_new_run(open_ws, suite_file):
    with open_ws() as workspace:
        workspace.improve(suite_file, rounds=1, budget="2k-candidates")
        report = workspace.improve(suite_file, rounds=1, budget="2k-candidates", fresh=True)
        runs = workspace.stores.runs.list_runs()
    assert report.run == "r2" and [run.state for run in runs][:1] == ["left"]


@pytest.mark.slow
def test_what_ran_before_the_budget_ended_counts_for_a_call_that_could_begin_nothing(open_ws, suite_file):
    with open_ws() as workspace:
        with pytest.raises(BudgetExhausted):
            workspace.improve(suite_file, rounds=1, budget="10-candidates")
        workspace.improve(suite_file, rounds=1)
        assert [(run.id, run.state) for run in workspace.stores.runs.list_runs()] == [("r1", "done")]


def test_a_refused_loop_leaves_no_run(open_ws, tmp_path):
    file = tmp_path / "tiny.jsonl"
    file.write_text(render_jsonl(small_suite(3).tasks))
    with open_ws() as workspace:
        with pytest.raises(UsageError, match="distinct problems"):
            workspace.improve(file)
        assert workspace.stores.runs.list_runs() == []
