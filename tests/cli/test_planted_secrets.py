"""An endpoint that tells planted secrets in every field: none is in any file of the workspace, nor on any output."""

from __future__ import annotations

import json

import pytest

from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint, quirk_suite
from tests.redaction.canaries import CANARIES, dotenv, environment

TEXTS = [one.text for one in CANARIES]


def telling() -> list[dict]:
    """Replies to a plan, some actions, a reflection and a distillation, each with every secret in every field."""
    said = " and ".join(TEXTS)
    code = f"# {said!r}\ndef solve(*values):\n    print({said!r})\n    return {TEXTS!r}\n"
    action = {"thought": said, "kind": "code", "code": code, "answer": True, "text": said, "cites": [], "subgoal": 0}
    claim = {"cause": said, "effect": said, "relation": "contributes", "text": f"Dates hold {said}."}
    learned = {"claims": [claim], "lessons": [said], "insights": [claim]}
    return [{"data": {"goal": said, "subgoals": [said]}}, *[{"data": action}] * 8, {"data": learned}, {"text": said}]


@pytest.fixture
def planted(tmp_path, monkeypatch):
    for name, value in environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("EVOLVE_API_KEY", CANARIES[0].value)
    (tmp_path / ".env").write_text(dotenv())
    (tmp_path / "tasks.jsonl").write_text(render_jsonl(quirk_suite(2).tasks))
    return tmp_path


def leaks(folder, *outputs):
    """The names of canaries that a file or an output holds, with where."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in (".env", "tasks.jsonl")]
    held = [(str(path.relative_to(folder)), path.read_bytes()) for path in files]
    held += [(f"output {number}", text.encode()) for number, text in enumerate(outputs)]
    traces = {one.name: {one.trace, json.dumps(one.trace)[1:-1], repr(one.trace)[1:-1]} for one in CANARIES}
    return [
        (name, where) for where, data in held for name, some in traces.items() if any(t.encode() in data for t in some)
    ]


@pytest.mark.parametrize("task", ["tasks.jsonl", "say what you know"], ids=["rows", "words"])
def test_no_sink_holds_what_an_endpoint_told(cli, planted, task):
    name = f"{planted / task}#quirk-00" if task.endswith("jsonl") else task
    with ScriptedEndpoint(Scenario(replies=telling())) as serving:
        done = cli("run", name, "--model", serving.model, "--record", planted / "recorded.jsonl")
        asked = json.dumps(serving.requests)
    assert done.code in (0, 1, 4), done.err
    assert "[secret]" in (planted / "recorded.jsonl").read_text()
    assert b"[secret]" in b"".join(path.read_bytes() for path in (planted / "ws").rglob("*") if path.is_file())
    shown = cli("runs", "show", "r1"), cli("runs", "list", "--json"), cli("memory", "list", "--json")
    outputs = [text for one in (done, *shown) for text in (one.out, one.err)]
    assert leaks(planted, *outputs, asked) == []


def test_an_endpoint_that_tells_a_secret_of_the_folder_is_not_believed_to_know_it(cli, tmp_path):
    folder, told = tmp_path / "project", "Zk3xPq9L-named-77"
    folder.mkdir()
    (folder / ".env.local").write_text(f"API_SECRET={told}\n")
    (folder / "conf.ini").write_text(f"{told}\n")
    action = {"kind": "finish", "code": "", "answer": True, "cites": [], "subgoal": 0}
    replies = [{"data": {"goal": told, "subgoals": [told]}}, *[{"data": {**action, "thought": told, "text": told}}] * 6]
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        options = ("--check", "true", "--model", serving.model, "--record", tmp_path / "recorded.jsonl")
        done = cli("run", f"use {told}", "--dir", folder, *options)
        asked = json.dumps(serving.requests)
    recorded = (tmp_path / "recorded.jsonl").read_text()
    assert "[secret]" in recorded and "[secret]" in asked
    assert told not in recorded + asked and done.code in (0, 1, 4, 6)


def test_no_output_of_a_conversation_holds_what_an_endpoint_told_in_pieces(start_cli, planted):
    with ScriptedEndpoint(Scenario(replies=telling())) as serving:
        done = start_cli("chat", "--plain", "--model", serving.model, stdin=-1)
        out, err = done.communicate("say what you know\n", timeout=120)
    assert "[secret]" in out
    assert leaks(planted, out, err) == []
