"""One open workspace: running tasks, what is kept, and who may write."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.episodes import Row
from evolve.core.errors import Interrupted, TaskError, UsageError, WorkspaceError
from evolve.tasks import Task, load_suite, task_json
from evolve.testing import FixedLearner, FixedPolicy, TrustingSandbox
from evolve.workspace import tasks
from evolve.workspace.locating import ensure_workspace
from evolve.workspace.runs.tasks import with_answer

TOTALS = [([1, 2], 3), ([4], 4), ([5, 6], 11), ([7, 7, 7], 21), ([1, 0], 1), ([9, 9], 18), ([3, 8], 11)]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "ws"


@pytest.fixture
def opened(folder, monkeypatch):
    monkeypatch.setenv("EVOLVE_WORKERS", "1")  # to start others takes longer than these tasks do
    with evolve.open(folder, policy=FixedLearner()) as workspace:
        workspace._sandbox = TrustingSandbox()  # the programs are this file's own
        yield workspace


def test_a_run_solves_verifies_and_learns(opened):
    result = opened.run(examples=TOTALS, name="total_of")
    assert (result.status, result.verified, result.score) == ("solved", True, 1.0)
    assert "def total_of(" in result.answer
    assert [claim.cause for claim in opened.memory.list()] == ["program:total"]
    assert result.learned


def test_what_was_learned_makes_the_next_run_cheaper_until_it_is_forgotten(opened):
    tasks = [task for task in small_suite(40).tasks if task.family == "total"]
    first = opened.run(tasks[0])
    second = opened.run(tasks[1])
    assert second.cost.candidates < first.cost.candidates
    assert opened.memory.forget(everything=True) == 1
    assert opened.run(tasks[2]).cost == first.cost


@pytest.mark.slow
def test_memory_keeps_where_tasks_came_from(opened, tmp_path):
    """What a model words acts elsewhere only once two sources agree, so whatever learns from a file keeps which."""
    (tmp_path / "tasks.jsonl").write_text("".join(json.dumps(task_json(task)) + "\n" for task in small_suite(20).tasks))
    suite = load_suite(tmp_path / "tasks.jsonl")
    (tmp_path / "totals.json").write_text(json.dumps([{"input": [xs], "output": total} for xs, total in TOTALS]))
    opened.run(examples=tmp_path / "totals.json")
    own = {entry.episode: entry.source for entry in opened.stores.memory.snapshot().book.entries.values()}
    opened.improve(tmp_path / "tasks.jsonl", rounds=1)
    every = {entry.episode: entry.source for entry in opened.stores.memory.snapshot().book.entries.values()}
    assert len(own) == 1 and all(own.values())
    assert {every[name] for name in set(every) - set(own)} == {suite.tasks[0].source} != set(own.values())


def test_rows_of_a_file_and_a_task_value_are_accepted(opened, tmp_path):
    file = tmp_path / "totals.json"
    file.write_text(
        '[{"input": [[1, 2]], "output": 3}, {"input": [[4, 4]], "output": 8}, {"input": [[1]], "output": 1}]'
    )
    result = opened.run(examples=file)
    assert (result.status, result.verified) == ("solved", False)
    assert any("6 rows" in warning for warning in result.warnings)
    assert opened.run(small_suite(4).tasks[0]).solved


def test_values_no_file_may_hold_are_refused_from_python_too(opened):
    nan = float("nan")
    task = small_suite(4).tasks[0]
    with pytest.raises(TaskError, match="output.*NaN"):
        opened.run(replace(task, examples=(*task.examples, Row(input=([1],), output=nan))))
    with pytest.raises(TaskError, match="'name': id '../x'"):
        opened.run(examples=TOTALS, name="../x")
    with pytest.raises(TaskError, match="answer.*NaN"):
        with_answer(task, [[1, 2]], nan)


def _nested(depth):
    value = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    "call",
    [
        {},
        {"task": "x", "examples": [(1, 2)]},
        {"examples": [(1, 2, 3)]},
        {"examples": [(1, float("nan"))]},
        {"examples": [(1, 2), (1, 3)]},
        {"examples": []},
        {"examples": [(_nested(5_000), 1)]},
        {"examples": TOTALS, "name": 3},
        {"examples": TOTALS, "budget": 3},
        {"examples": TOTALS, "budget": b"5s"},
        {"examples": TOTALS, "budget": [3]},
    ],
)
def test_malformed_calls_say_what_is_wrong(opened, call):
    with pytest.raises(UsageError):
        opened.run(**call)


@pytest.mark.parametrize("call", [{"seed": -1}, {"seed": 1.5}, {"seed": "a"}, {"rounds": 0}, {"rounds": 1.5}])
def test_a_loop_refuses_numbers_that_are_none(opened, call):
    with pytest.raises(UsageError, match="a whole number"):
        opened.improve("everyday", **call)


def test_no_skill_has_a_name_that_no_record_can_hold(opened):
    with pytest.raises(UsageError, match="no skill"):
        opened.skills.show("\ud800")


def test_a_budget_bounds_a_run(opened):
    result = opened.run(examples=TOTALS, budget="20-candidates")
    assert result.status == "budget"
    assert result.cost.candidates <= 20
    assert result.note == "nothing found within 20 candidates"  # the seconds there were besides ended nothing


def test_the_same_run_again_is_a_new_run_and_both_are_listed(opened):
    opened.run(examples=TOTALS)
    opened.run(examples=TOTALS)
    assert [run.state for run in opened.stores.runs.list_runs()] == ["done", "done"]


class Stopping(FixedPolicy):
    def reflect(self, view, group, steps, probe):
        raise Interrupted("stop here")


@pytest.mark.slow
def test_an_interrupted_run_is_continued_by_the_same_call(folder):
    class Broken(FixedLearner):
        def policy(self, guide, skills, *, attended=False):
            return Stopping()

    with evolve.open(folder, policy=Broken()) as workspace, pytest.raises(Interrupted):
        workspace.run(examples=TOTALS)
    with evolve.open(folder, policy=FixedLearner()) as workspace:
        assert workspace.stores.runs.list_runs()[0].state == "open"
        result = workspace.run(examples=TOTALS)
        assert result.run_id == "r1" and result.verified
        assert [record.status for record in workspace.stores.runs.episodes()] == ["solved"]


@pytest.mark.slow
def test_committing_twice_changes_nothing(opened):
    result = opened.run(examples=TOTALS)
    record = opened.stores.runs.episode(result.episode_id)
    before = opened.memory.list()
    assert opened.stores.commit(record, instruction="") is False
    assert opened.memory.list() == before
    assert len(opened.stores.runs.episodes()) == 1


def test_reading_makes_no_workspace(folder):
    with pytest.raises(WorkspaceError, match="there is no workspace at"):
        evolve.open(folder, read_only=True)
    assert not folder.exists()


def test_reading_an_unused_workspace_finds_nothing(folder):
    ensure_workspace(folder)
    with evolve.open(folder, read_only=True) as workspace:
        assert workspace.memory.list() == [] and workspace.skills.list() == []
        with pytest.raises(UsageError, match="reading only"):
            workspace.run(examples=TOTALS)
        with pytest.raises(UsageError, match="no report"):
            workspace.report()


def test_notes_are_kept_and_are_no_evidence(opened):
    opened.memory.note("dates are day first", author="ada")
    assert [note.text for note in opened.memory.notes()] == ["dates are day first"]
    assert opened.memory.list() == []


def test_a_file_where_the_workspace_should_be_is_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(WorkspaceError, match="not a folder"):
        evolve.open(tmp_path / "file")


def test_a_model_that_cannot_be_one_is_refused_before_anything_is_made(folder):
    with pytest.raises(UsageError, match="not an address"):
        evolve.open(folder, model="http://")
    with pytest.raises(UsageError, match="not both"):
        evolve.open(folder, model="some-model", policy=FixedPolicy())
    assert not folder.exists()


def test_an_answer_to_a_question_becomes_an_example(opened):
    from evolve.workspace.runs.tasks import with_answer

    task = small_suite(4).tasks[0]
    changed = with_answer(task, [[1, 2, 3]], 42)
    assert changed.examples[-1].output == 42
    assert changed.group != task.group
    assert with_answer(changed, [[1, 2, 3]], 42) == replace(changed)


@pytest.mark.parametrize("value", [date(2020, 1, 1), 10**5_000], ids=["date", "large"])
def test_values_that_are_no_json_name_the_next_step(opened, value):
    with pytest.raises(TaskError) as told:
        opened.run(examples=[(value, 1), (2, 2)], name="tidy")
    assert "isoformat" in told.value.hint and "300 digits" in told.value.hint and "sys." not in str(told.value)


@pytest.mark.parametrize(
    "task",
    [
        tasks.in_words("What is 2 + 2?"),
        Task(id="t", family="", instruction="add", examples=(), tests="def test_one():\n    assert True\n"),
    ],
)
def test_without_a_model_what_has_no_examples_is_refused_by_name(tmp_path, task):
    with evolve.open(tmp_path / "ws") as ws:
        with pytest.raises(UsageError, match="needs a model"):
            ws.run(task)
        assert not ws.runs.list()
