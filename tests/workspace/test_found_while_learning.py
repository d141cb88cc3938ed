"""A right answer that a trial finds while learning from a person's own run is told, kept, and offered in a folder."""

from __future__ import annotations

import json
import re
from contextlib import contextmanager

import pytest

import evolve
from evolve.core.failpoints import VARIABLE
from evolve.tasks.reading.folder import folder_task
from evolve.testing import ScriptedEndpoint, question_of
from evolve.workspace import Person
from tests.policies.language.test_trials_of_claims import SIX, SIX_COUNT, Coder, coding, six

TASK = coding(lambda text: text[-6:])
RIGHT = "def total(xs):\n    return sum(xs)\n"
ADDED = "A total adds up every number of the list."


class Served:
    """A function of a request's body as what an endpoint plays."""

    def __init__(self, handler):
        self.answer = handler


@pytest.fixture
def opened(tmp_path):
    @contextmanager
    def open_one(handler):
        with (
            ScriptedEndpoint(double=Served(handler)) as serving,
            evolve.open(tmp_path / "ws", model=serving.model) as workspace,
        ):
            yield workspace

    return open_one


def coder():
    return Coder(SIX_COUNT, programs=six)


def test_the_answer_is_in_the_result_and_what_was_shown_of_the_outcome_stands(opened):
    with opened(coder()) as workspace:
        result = workspace.run(TASK)
        assert (result.status, result.solved) == ("refused", False)
        assert (result.found.answer, result.found.kind) == (SIX, "verified")
        assert result.to_json()["found"] == {"answer": SIX, "kind": "verified"}
        (record,) = workspace.stores.runs.episodes()
        assert (record.status, record.answer) == ("refused", result.answer)
        assert record.found.answer == SIX and len(record.steps) == 2
        assert workspace.runs.show(result.run_id).episodes == (record,)


@pytest.mark.slow
def test_learned_later_it_is_told_then_and_an_episode_without_one_says_none(opened):
    with opened(coder()) as workspace:
        with workspace.delivering():
            result = workspace.run(TASK)
        assert result.found is None
        (taught,) = workspace.learn()
        assert taught.found.answer == SIX and taught.to_json()["found"]["kind"] == "verified"
        assert workspace.run(coding(lambda text: text, number=2)).found is None


@pytest.mark.slow
@pytest.mark.parametrize("point", ["lessons.before:1", "lessons.inside:1", "lessons.after:1"])
def test_cut_off_it_is_kept_once(opened, monkeypatch, point):
    said = coder()
    with opened(said) as workspace:
        monkeypatch.setenv(VARIABLE, f"{point}:int")
        with pytest.raises(KeyboardInterrupt), workspace.delivering():
            workspace.run(TASK)
            workspace.learn()
        monkeypatch.delenv(VARIABLE)
        workspace.learn()
        (record,) = workspace.stores.runs.episodes()
        assert record.found.answer == SIX


@pytest.mark.slow
def test_rows_that_were_shown_after_a_refusal_do_not_verify_it(opened):
    """The claim was stated by whoever saw that row."""
    four = coding(lambda text: text[-6:])
    with opened(coder()) as workspace:
        result = workspace.run(four)
        (record,) = workspace.stores.runs.episodes()
    shown = [step.judgement.row for step in record.steps if step.judgement is not None and step.judgement.row]
    assert len(shown) == 1
    assert record.found.step.judgement.rows == len(four.verify) - len(shown) and result.found.kind == "verified"


class Adder:
    """Mends ``total`` if its prompt says how; else it writes what is wrong, hands it in, and states how."""

    def __call__(self, body):
        kind, prompt = question_of(body), "\n".join(message["content"] for message in body["messages"])
        if kind == "claims":
            claim = {"cause": ADDED, "condition": ""}
            return json.dumps({"claims": [claim]})
        if kind != "action":
            return json.dumps({"goal": "g", "subgoals": [], "name": "n", "description": "Adds up."})
        if any(message["role"] == "assistant" for message in body["messages"]):
            return "So be it.\n```done\n```\n" if "done again" not in prompt else "```give_up\nno idea\n```\n"
        code = RIGHT if ADDED in prompt else "def total(xs):\n    return xs[-1]\n"
        return f"I write it.\n```file total.py\n{code}```\n```done\n```\n"


def mending(tmp_path):
    """A folder whose check wants the sum."""
    folder = tmp_path / "mending"
    folder.mkdir()
    (folder / "total.py").write_text("def total(xs):\n    return xs[0]\n")
    (folder / "test_total.py").write_text("from total import total\n\nassert total([1, 2]) == 3\n")
    return folder


@pytest.fixture
def project(tmp_path):
    return mending(tmp_path)


@pytest.mark.slow
def test_in_a_folder_the_change_waits_for_leave_and_can_be_applied(opened, project):
    with opened(Adder()) as workspace:
        result = workspace.run(folder_task("make total add up", project, "python3 test_total.py"))
        assert result.status in ("refused", "unsolved") and not result.solved
        assert result.found.kind == "checked" and "+    return sum(xs)" in result.found.answer
        patch = workspace.runs.diff(result.run_id)
        assert (patch.state, patch.names) == ("waiting", ("total.py",))
        assert "xs[0]" in (project / "total.py").read_text()  # not even where leave is given for what is solved
        workspace.runs.apply(result.run_id)
    assert (project / "total.py").read_text() == RIGHT


@pytest.mark.slow
def test_leave_for_what_is_solved_is_none_for_what_is_found_afterwards(opened, project):
    with opened(Adder()) as workspace:
        task = folder_task("make total add up", project, "python3 test_total.py")
        result = workspace.run(task, person=Person(approve="auto"))
        assert result.found is not None and workspace.runs.diff(result.run_id).state == "waiting"


class Listening:
    """Does what another model does, and keeps what it is asked to act on."""

    def __init__(self, model):
        self.model, self.prompts = model, []

    def __call__(self, body):
        if question_of(body) == "action":
            self.prompts.append("\n".join(message["content"] for message in body["messages"]))
        return self.model(body)


@pytest.mark.slow
def test_a_later_run_of_the_same_task_is_told_of_it_as_data(opened):
    heard = Listening(coder())
    with opened(heard) as workspace:
        assert workspace.run(TASK).found is not None
        first = len(heard.prompts)
        workspace.run(coding(lambda text: text[-5:], number=2))
        other = len(heard.prompts)
        workspace.run(TASK)
    assert not any("was found to be right" in prompt for prompt in heard.prompts[:other]) and other > first
    told = heard.prompts[other].partition("was found to be right")[2]
    begins, ends = re.findall(r"^<.*data.*>$", told, re.MULTILINE)[:2]
    assert told.partition(begins)[2].partition(ends)[0].strip() == SIX.strip()


@pytest.mark.slow
def test_what_is_learned_from_the_later_run_does_not_rest_on_having_been_told(opened):
    heard = Listening(coder())
    with opened(heard) as workspace:
        workspace.run(TASK)
        with workspace.delivering():
            workspace.run(TASK)
        solved = len(heard.prompts)
        workspace.learn()
    assert not any("was found to be right" in prompt for prompt in heard.prompts[solved:])


@pytest.mark.slow
def test_a_change_that_the_person_decided_about_is_told_no_more(opened, project):
    heard, task = Listening(Adder()), folder_task("make total add up", project, "python3 test_total.py")
    with opened(heard) as workspace:
        run, start = workspace.run(task).run_id, len(heard.prompts)
        workspace.run(task)
        assert "was found to be right" in heard.prompts[start] and "return sum(xs)" in heard.prompts[start]
        for one in (patch for patch in workspace.folders.list() if patch.state == "waiting"):
            workspace.runs.refuse(one.run, "not by a sum")
        assert workspace.runs.diff(run).state == "refused"
        start = len(heard.prompts)
        workspace.run(task)
    assert "was found to be right" not in heard.prompts[start]
