"""What commands do, done from Python: through parts of an open workspace, and without one where none is needed."""

from __future__ import annotations

import json

import pytest

import evolve
from evolve.core.errors import SandboxUnavailable, UsageError, WorkspaceError
from evolve.workspace import SandboxLimits, models, sandbox, tasks, workflow


@pytest.fixture
def solved(tmp_path):
    """An open workspace with one run, and its result."""
    with evolve.open(tmp_path / "ws") as opened:
        yield opened, opened.run(examples=[(n, 2 * n) for n in range(9)], name="twice")


@pytest.mark.slow
def test_a_run_is_listed_shown_and_replayed(solved):
    opened, result = solved
    (row,) = opened.runs.list()
    assert (row.run.id, row.run.state, row.episodes, row.question) == (result.run_id, "done", 1, None)
    shown = opened.runs.show(result.run_id)
    assert [one.episode for one in shown.episodes] == [result.episode_id] and shown.model is None
    assert opened.runs.replay(result.episode_id[:8]) == shown.episodes[0]
    assert opened.runs.plan(result.run_id).goal
    with pytest.raises(UsageError, match="there is no run"):
        opened.runs.show("r77")
    with pytest.raises(UsageError, match="waits for no answer"):
        opened.runs.answer(result.run_id, "yes")


@pytest.mark.slow
def test_a_comment_that_is_preferred_is_a_wish_and_no_second_comment(solved):
    opened, result = solved
    opened.runs.comment(result.run_id, "Keep the names short.")
    first = opened.runs.comment(result.run_id, "Please use short names.", prefer=True)
    assert [one.text for one in opened.runs.comments()] == ["Keep the names short.", "Please use short names."]
    assert first.comment.text == "Please use short names."
    assert [one.acts[-1].run for one in opened.preferences.list()] == [result.run_id]
    assert first.new <= {one.id for one in first.metrics}


@pytest.mark.slow
def test_what_changes_something_is_refused_in_a_workspace_that_is_only_looked_at(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        run = opened.run(examples=[(n, 2 * n) for n in range(9)], name="twice").run_id
    with evolve.open(tmp_path / "ws", read_only=True) as looked:
        assert looked.runs.show(run).episodes
        for change in (
            lambda: looked.runs.answer(run, "yes"),
            lambda: looked.runs.apply(run),
            lambda: looked.runs.refuse(run),
            lambda: looked.runs.comment(run, "well done"),
            lambda: looked.variants.transfer("active", "lists"),
        ):
            with pytest.raises(UsageError, match="for reading only"):
                change()


@pytest.mark.slow
def test_a_gate_that_said_nothing_says_so(solved):
    opened, _ = solved
    found = opened.gate.list()
    assert (found.decisions, found.begun, found.following) == ((), (), ())
    with pytest.raises(UsageError, match="no verdict 1"):
        opened.gate.show(1)


def test_the_workflow_in_force_is_that_of_the_folder_open_or_not(tmp_path):
    place = tmp_path / "ws"
    evolve.init(place)
    seed = workflow(place).show("seed")
    (place / "prompts" / "workflow.toml").write_text(seed.with_knobs(candidates=77).render())
    with evolve.open(place) as opened:
        assert opened.workflow.show().knobs.candidates == 77
        assert opened.workflow.show() == workflow(place).show()
    (difference,) = workflow(place).diff("seed")
    assert "77" in str(difference)
    assert [one.name for one in workflow(place).stages()] == list(seed.stages)
    assert workflow(place).draw("seed", out=tmp_path / "seed.svg").startswith("flowchart")
    assert (tmp_path / "seed.svg").read_text().startswith("<svg")


def test_a_workflow_that_calls_an_unknown_skill_is_not_valid_here(tmp_path):
    place = tmp_path / "ws"
    evolve.init(place)
    seed = workflow(place).show("seed").render()
    assert workflow(place).validate("seed")
    (place / "prompts" / "workflow.toml").write_text(seed.replace('"act", ', f'"act", "skill@tidy-{"0" * 12}", '))
    with pytest.raises((UsageError, WorkspaceError), match="skill"):
        workflow(place).validate()


def test_a_model_is_chosen_without_opening_anything(tmp_path):
    place = tmp_path / "ws"
    assert models(place).acting_model() == "" and not place.exists()
    models(place).default("http://localhost:1/v1#small")
    assert models(place).chosen() == {"default": "http://localhost:1/v1#small"}
    assert models(place).acting_model() == "http://localhost:1/v1#small"
    assert models(place).acting_model("") == ""
    with evolve.open(place, model="") as opened:
        assert opened.models.chosen() == models(place).chosen()


def test_settings_that_are_wrong_are_told_before_a_model_is_chosen(tmp_path):
    evolve.init(tmp_path)
    marker = tmp_path / "evolve.toml"
    marker.write_text('[evolve]\nseed = "none"\n')
    with pytest.raises(WorkspaceError, match="seed"):
        models(tmp_path).default("small")
    assert marker.read_text() == '[evolve]\nseed = "none"\n'


def test_where_and_config_make_nothing(tmp_path):
    place = tmp_path / "ws"
    found = evolve.where(place)
    assert (found.root, found.exists, found.user) == (place, False, False)
    seed = next(one for one in evolve.config(place).settings if one.name == "seed")
    assert (seed.value, seed.source) == (0, "default")
    assert not place.exists()
    assert evolve.init(place).created and not evolve.init(place).created
    assert evolve.where(place).exists


def test_tasks_are_read_from_names_rows_and_words(tmp_path):
    rows = tmp_path / "twice.csv"
    rows.write_text("".join(f"{n},{2 * n}\n" for n in range(9)))
    from_file = tasks.read(examples=rows, name="twice", header=False)
    assert tasks.from_bytes(rows.read_bytes(), name="twice", header=False).examples == from_file.examples
    assert tasks.read(examples=[(n, 2 * n) for n in range(9)], name="twice").entry == "twice"
    assert tasks.read("Say what day it is", words=True) == tasks.in_words("Say what day it is")
    for wrong in ({}, {"task": "everyday", "examples": rows}):
        with pytest.raises(UsageError, match="either a task or examples"):
            tasks.read(**wrong)
    asked = tasks.with_answer(from_file, [100], 7)
    assert asked.examples[-1].output == 7 and not tasks.leaves_changes(asked)


def test_suites_are_made_written_and_shown(tmp_path, generators):
    file = tmp_path / "few.jsonl"
    made = tasks.generate("lists", n=4, seed=1, out=file)
    assert "lists" in tasks.list() and len(made.tasks) == 4
    assert [json.loads(line) for line in file.read_text().splitlines()] == tasks.as_json(made.tasks)
    assert len(tasks.show(str(file)).tasks) == 4
    assert tasks.show(f"{file}#{made.tasks[0].id}").id == made.tasks[0].id
    with pytest.raises(UsageError):
        tasks.show(f"{file}#nothing")


@pytest.mark.slow
def test_code_is_run_in_the_sandbox_with_what_a_session_knows(tmp_path):
    box = sandbox(tmp_path / "ws")
    try:
        box.exec("x = 20", session="one")
    except SandboxUnavailable:
        pytest.skip("no sandbox holds on this machine")
    done = box.exec("x + 1", session="one", limits=SandboxLimits(wall_s=20.0))
    assert (done.result.value, done.backend != "none", box.unsandboxed) == (21, True, False)
    file = tmp_path / "code.py"
    file.write_text("result = 6 * 7")
    assert box.exec(file).result.value == 42


def test_conversations_outlive_the_workspace_that_opened_them(tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        held = opened.conversations.begin()
        kept = opened.conversations
    held.end_turn(held.ask("Say hello"))
    held.save(tmp_path / "talk.md")
    with pytest.raises(UsageError, match=r"talk\.md"):
        held.save(tmp_path / "talk.md")
    held.close()
    assert "> Say hello" in (tmp_path / "talk.md").read_text()
    with pytest.raises(UsageError, match="closed"):
        kept.latest_conversation()
    with evolve.open(tmp_path / "ws", read_only=True) as opened:
        again = opened.conversations.conversation_of(held.id)
        assert [turn.asked for turn in again.turns] == ["Say hello"]
        again.close()
