"""What a person says to an answer becomes a wish: in general words, beside their own, and in force once confirmed."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest

from evolve.testing import ScriptedEndpoint
from evolve.testing.doubles import prompt_of, schema_of
from tests.cli.chat_terminal import Terminal
from tests.doubles.conversing import ConversingDouble

REFUSAL = "no, always day first"
GENERAL = "The person wants the dates in reports written day first."
CONFIRM = "Enter: later]"


@dataclass(frozen=True)
class Understanding(ConversingDouble):
    """Besides, it puts into general words what a person said, where it is told of the task that this was about."""

    def answer(self, body):
        prompt = prompt_of(body)
        if "what they want or care about" not in prompt:
            return super().answer(body)
        assert "description" in schema_of(body, prompt)["properties"]
        understood = REFUSAL in prompt and "red by green" in prompt
        return json.dumps({"name": "date order", "description": GENERAL if understood else "The person wants it so."})


@pytest.fixture
def endpoint():
    with ScriptedEndpoint(double=Understanding()) as serving:
        yield serving


def wishes(cli):
    return json.loads(cli("memory", "preferences", "list", "--json").out)


def said(cli):
    """What comes of a refusal."""
    return [one for one in wishes(cli) if one["acts"][0]["kind"] == "refusal"]


def told(endpoint):
    """Every prompt that says what a person wants."""
    return [prompt_of(body) for body in endpoint.requests if "said by" in prompt_of(body)]


@pytest.mark.slow
def test_where_nobody_confirms_a_wish_waits_and_no_task_is_told_of_it(work, cli, endpoint):
    done = work("replace red by green in left.txt", f"/refuse {REFUSAL}", "replace red by blue in left.txt", "/memory")
    assert REFUSAL in done.out and "always day first" in done.out
    [wish] = said(cli)
    assert (wish["status"], wish["description"], wish["acts"][0]["text"]) == ("proposed", "always day first", REFUSAL)
    assert f"/confirm {wish['id'][:8]}" in done.out
    assert told(endpoint) == []


@pytest.mark.slow
def test_a_confirmed_wish_is_told_to_every_task_of_the_folder(work, cli, endpoint):
    work("replace red by green in left.txt", "/refuse dates day first")
    name = said(cli)[0]["id"][:8]
    done = work(
        f"/confirm {name} Dates are written day first", "rename the helper function", options=("--resume", "c1")
    )
    assert "Dates are written day first" in done.out
    assert "Dates are written day first" in told(endpoint)[-1]
    assert [one["id"][:8] for one in wishes(cli) if one["status"] == "active"] == [name]


def test_a_run_that_is_refused_outside_of_a_conversation_leaves_a_wish_to_confirm(work, cli):
    work("replace red by green in left.txt")
    cli("runs", "answer", "r1", REFUSAL)
    [wish] = said(cli)
    assert wish["status"] == "proposed"
    assert cli("memory", "preferences", "confirm", wish["id"]).code == 0
    assert [one["id"] for one in wishes(cli) if one["status"] == "active"] == [wish["id"]]


@pytest.mark.slow
@pytest.mark.parametrize("answer", ["yes", "no", "always", "edit Day first, please", ""])
def test_the_person_sees_both_wordings_and_decides(tmp_path, endpoint, project, cli, answer):
    window = Terminal(tmp_path, columns=120)
    try:
        window.start("chat", "--dir", project, "--check", "true", "--model", endpoint.model)
        window.ready()
        window.type("replace red by green in left.txt")
        window.wait("[yes/no/later]")
        window.type(REFUSAL)
        screen = window.wait(CONFIRM)
        assert f"you said: {REFUSAL}" in screen and GENERAL in screen and "for every task in this folder" in screen
        window.type(answer)
        told = {"no": "not kept: ", "": "does not act until"}
        window.wait(told.get(answer, "drops it)"))
        window.ready()
        window.press("C-d")
        window.wait("left with code 0")
    finally:
        window.close()
    kept = said(cli)
    assert [wish["status"] for wish in kept] == {"no": [], "": ["proposed"]}.get(answer, ["active"])
    if answer in ("yes", "always"):
        assert kept[0]["description"] == GENERAL
    if answer not in ("no", ""):
        assert [one["folder"] for one in kept[0]["contexts"]] == [str(project)] * (answer != "always")
    if " " in answer:
        assert kept[0]["description"] == answer.removeprefix("edit ") and kept[0]["acts"][0]["text"] == REFUSAL


@pytest.mark.slow
def test_what_was_said_of_this_change_is_told_to_its_conversation_alone(work, cli, endpoint):
    work("replace red by green in left.txt", "/refuse do not touch right.txt in this change")
    name = said(cli)[0]["id"][:8]
    work(f"/confirm {name}", options=("--resume", "c1"))
    assert said(cli)[0]["status"] == "active"
    work("replace red by blue in right.txt")
    assert told(endpoint) == []
    work("replace red by blue in left.txt", options=("--resume", "c1"))
    assert "do not touch right.txt in this change" in told(endpoint)[-1]
