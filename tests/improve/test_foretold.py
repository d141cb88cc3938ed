"""Before a loop begins a person is told what their tasks can show."""

from __future__ import annotations

import pytest

from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl
from evolve.workspace.learners import SearchLearner
from tests.improve.test_stream import suite_of


class Heard:
    def __init__(self, kind="begun"):
        self.kind, self.told = kind, []

    def emit(self, event):
        if event.kind == self.kind:
            self.told.append(event.data["text"])


def told_of(open_ws, file, tasks):
    heard = Heard()
    file.write_text(render_jsonl(tasks))
    with open_ws(events=heard) as workspace:
        workspace.improve(str(file), rounds=1)
    return heard.told


def test_a_few_tasks_are_said_to_show_nothing(open_ws, tmp_path):
    (told,) = told_of(open_ws, tmp_path / "few.jsonl", small_suite(12).tasks)
    assert told.startswith("12 tasks") and "3 are left to judge on" in told
    assert "3 have one instruction (give the " in told


@pytest.mark.slow
def test_enough_tasks_are_said_to_show_a_gain_of_a_size(open_ws, suite_file):
    heard = Heard()
    with open_ws(events=heard) as workspace:
        workspace.improve(str(suite_file), rounds=1)
    (told,) = heard.told
    assert told.startswith("40 tasks, 8 of them to judge on") and "if 8 get better" in told and "97%" in told


@pytest.mark.slow
@pytest.mark.parametrize(("rounds", "is_told"), [(None, False), (1, True), (3, False)])
def test_rounds_that_a_small_suite_does_not_use_are_said_not_to_be_used(open_ws, tmp_path, rounds, is_told):
    warned = Heard("warning")
    (tmp_path / "few.jsonl").write_text(render_jsonl(suite_of(12).tasks))
    with open_ws(learner=SearchLearner(dreams=60), events=warned) as workspace:
        report = workspace.improve(tmp_path / "few.jsonl", rounds=rounds, budget="100k-candidates")
    assert report.rounds and bool(warned.told) == is_told
    assert all("--rounds 1 is not used" in text and "3 rounds" in text for text in warned.told)
