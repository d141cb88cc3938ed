"""Both forms of a reply that acts: fenced blocks, and one JSON object with the same blocks."""

from __future__ import annotations

import json

import pytest

from benchmarks.doubles import QuirkDouble, quirk_tasks
from evolve.core.episodes import Recalled
from evolve.core.prompts import PromptLayers
from evolve.environments import environment_kind
from evolve.policies.language import LanguageSettings, Questions
from evolve.policies.language.forms import from_data, read_written
from evolve.policies.language.proposals import read_proposal
from evolve.tasks import Task
from evolve.testing import question_of
from tests.doubles.folders import FolderDouble, quirk_folder
from tests.doubles.formed import FormedDouble, told
from tests.policies.language.test_episodes import doubling

JOBS = quirk_tasks(8)
FORMS = ("blocks", "json")
QUIET = LanguageSettings(reflects=False, distils=False)


def fact(text):
    return Recalled(id="f" * 32, kind="insight", text=text, score=1.0, status="supported")


@pytest.fixture(params=FORMS)
def formed(request, model):
    """A policy that asks for replies in one of the forms, of a model that keeps to what its prompt says of it."""

    def make(double, takes=("json_schema",), **more):
        endpoint = FormedDouble(double, takes)
        return model(endpoint.answer, questions=Questions(form=request.param), **more), endpoint

    make.form = request.param
    return make


def test_a_function_is_found_and_what_was_relied_on_is_named(formed):
    told_by, _ = formed(QuirkDouble())
    record = told_by.run(JOBS[0].task, split="own", recall=lambda *_: [fact(JOBS[0].quirk.sentence)], steps=2)
    assert record.verified and record.consumed == ("f" * 32,)


def test_a_failure_is_shown_and_answered_in_the_same_form(formed):
    told_by, _ = formed(QuirkDouble(), settings=QUIET)
    record = told_by.run(JOBS[0].task, split="own")
    assert (record.status, len(record.steps)) == ("solved", 2)
    own = [one["content"] for one in told_by.bodies[-1]["messages"] if one["role"] == "assistant"]
    assert [said.startswith("{") for said in own] == [formed.form == "json"]


def test_a_folder_is_worked_in(formed, sandbox, tmp_path):
    told_by, _ = formed(FolderDouble(), settings=QUIET)
    record = told_by.run(quirk_folder(JOBS[1], tmp_path / "job"), sandbox=sandbox, split="own")
    assert (record.status, len(record.steps)) == ("solved", 2)


class Adding:
    """Works a sum out, and answers what came of it."""

    def answer(self, body):
        return "42 it is.\n```answer\nIt is 42.\n```" if "value: 42" in told(body) else "Look.\n```python\n17 + 25\n```"


def test_a_question_is_answered_in_words(formed, sandbox):
    told_by, _ = formed(Adding(), settings=QUIET)
    task = Task(id="sum", family="words", instruction="What is 17 and 25?", examples=())
    record = told_by.run(task, sandbox=sandbox, split="own")
    assert [step.action.kind for step in record.steps] == ["code", "answer"]
    assert record.answer.strip() == "It is 42."


@pytest.mark.parametrize("takes", [("json_schema",), ("json_object",), ()])
def test_an_endpoint_that_knows_no_schema_goes_by_the_words_of_the_prompt(formed, takes):
    told_by, endpoint = formed(QuirkDouble(), takes=takes, settings=QUIET)
    record = told_by.run(JOBS[0].task, split="own")
    assert (record.status, len(record.steps)) == ("solved", 2)
    assert bool(endpoint.refused) is (formed.form == "json" and takes != ("json_schema",))


@pytest.mark.slow
def test_no_word_of_the_other_form_is_said(formed, sandbox, tmp_path):
    told_by, _ = formed(FolderDouble())
    told_by.run(
        quirk_folder(JOBS[1], tmp_path / "job"), sandbox=sandbox, split="own", recall=lambda *_: [fact("It is so.")]
    )
    fenced, _ = formed(Adding())
    fenced.run(Task(id="s", family="words", instruction="What?", examples=()), sandbox=sandbox, split="own")
    actions = [told(body) for body in [*told_by.bodies, *fenced.bodies] if question_of(body) == "action"]
    assert len(actions) >= 4
    others = {
        "blocks": ("JSON object", '"kind"'),
        "json": ("```", "fence", "above your blocks", "`uses: `", "on a line"),
    }
    assert [word for text in actions for word in others[formed.form] if word in text] == []


def test_a_block_that_the_prompt_does_not_know_is_asked_for_again(model):
    replies = [
        json.dumps({"thought": "", "blocks": [{"kind": kind, "path": "", "code": JOBS[0].right}], "uses": []})
        for kind in ("sh", "python")
    ]
    asked_for = model(lambda body: replies.pop(0), questions=Questions(form="json"), settings=QUIET)
    record = asked_for.run(JOBS[0].task, split="own")
    assert record.verified and len(record.steps) == 1
    assert "'sh' is not one of" in asked_for.prompts()[1]


def test_a_reply_without_a_block_is_told_so_in_its_form(formed):
    told_by, _ = formed(type("Idle", (), {"answer": lambda self, body: "I shall think."})(), settings=QUIET)
    told_by.run(JOBS[0].task, split="own")
    last = told(told_by.bodies[1])
    assert "holds no block that could be run" in last
    assert ("```python" in last.rpartition("holds no block")[2]) is (formed.form == "blocks")


def test_blocks_in_json_are_read_where_nobody_asked_for_them():
    data = {"thought": "so", "blocks": [{"kind": "edit", "path": "a.py", "code": "x"}], "uses": ["i-1"]}
    written = read_written(json.dumps(data))
    assert written == from_data(data) == read_written(f"```json\n{json.dumps(data)}\n```")
    assert [(one.kind, one.path, one.text) for one in written.blocks] == [("edit", "a.py", "x\n")]
    assert read_written("so\n\n```edit a.py\nx\n```\nuses: i-1").blocks == written.blocks


def test_rules_that_say_nothing_of_the_form_are_told_it_below(model, tmp_path):
    (tmp_path / "act.md").write_text("Write the function.\n\n```python\ndef f(): ...\n```\n")
    questions = Questions(form="json", layers=PromptLayers(workspace=tmp_path))
    request = questions.ask("act", [])
    assert "```" not in request.messages[0].text
    assert request.messages[0].text.rstrip().endswith("its content as code.")
    assert request.schema["properties"]["blocks"]["items"]["properties"]["kind"]["enum"] == ["python"]


def test_a_word_that_is_somebodys_password_stays_in_code_of_json(model, monkeypatch):
    code = "def solve(text):\n    summer = text\n    return summer\n"
    said = {"thought": "summer", "blocks": [{"kind": "python", "path": "", "code": code}], "uses": []}
    asked_for = model(
        lambda body: json.dumps(said), questions=Questions(form="json"), settings=QUIET,
        environ={"DB_PASSWORD": "summer"},
    )  # fmt: skip
    record = asked_for.run(Task(id="same", family="f", instruction="Give it back.", examples=JOBS[0].task.examples[:0]))
    assert record.steps[0].action.code == code
    assert record.steps[0].action.text == "[secret]"


@pytest.mark.parametrize(
    "said",
    [
        "Sure:\n```\ndef double(n):\n    return 2 * n\n```\nThat is it.",
        "```Answer\ndef double(n):\n    return 2 * n\n```",
        "It doubles.\n\ndef double(n):\n    return 2 * n\n\nIt's what the rows show, isn't it?",
        "import math\n\n\ndef double(n):\n    return 2 * n\nThe module is not needed, really.",
    ],
)
def test_code_with_another_fence_or_within_prose_is_an_answer(said):
    read = read_proposal(said, doubling().view(), environment_kind("programs"))
    assert read.kind == "code" and read.answer and "return 2 * n" in read.code and "really" not in read.code


def test_prose_about_a_function_is_none():
    read = read_proposal("Use `def double(n)` and return 2 * n.", doubling().view(), environment_kind("programs"))
    assert read.kind == "code" and not read.code
