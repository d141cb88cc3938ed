"""An endpoint that tells planted secrets in every field: none is in any file of the workspace, nor on any output."""

from __future__ import annotations

import json

import pytest

from benchmarks.doubles import quirk_suite
from evolve.core.redaction import known_secrets
from evolve.tasks import render_jsonl
from evolve.testing import Scenario, ScriptedEndpoint
from tests.redaction.canaries import CANARIES, dotenv, environment

TEXTS = [one.text for one in CANARIES]
IN_CODE = [one.text for one in CANARIES if all(known.random for known in known_secrets({one.variable: one.value}))]
"""Guessable values are left in code, and so in whole replies that hold code: an endpoint is told none, and a word that
it writes may be anybody's."""


def telling() -> list[dict]:
    """Replies to some questions for actions, a reflection and a distillation, with secrets wherever they can be."""
    said = " and ".join(TEXTS)
    told = " and ".join(IN_CODE)
    code = f"# {told!r}\ndef solve(*values):\n    print({told!r})\n    return {IN_CODE!r}\n"
    action = {"thought": told, "kind": "code", "code": code, "answer": True, "text": told, "cites": [], "subgoal": 0}
    claim = {"cause": said, "effect": said, "relation": "contributes", "text": f"Dates hold {said}."}
    learned = {"claims": [claim], "lessons": [said], "insights": [claim]}
    return [*[{"data": action}] * 8, {"data": learned}, {"text": told}]


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


@pytest.mark.parametrize(
    "task",
    [pytest.param("tasks.jsonl", id="rows", marks=pytest.mark.slow), pytest.param("say what you know", id="words")],
)
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
    replies = [{"data": {**action, "thought": told, "text": told}}] * 7
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        options = ("--check", "true", "--model", serving.model, "--record", tmp_path / "recorded.jsonl")
        done = cli("run", f"use {told}", "--dir", folder, *options)
        asked = json.dumps(serving.requests)
    recorded = (tmp_path / "recorded.jsonl").read_text()
    assert "[secret]" in recorded and "[secret]" in asked
    assert told not in recorded + asked and done.code in (0, 1, 4, 6)


@pytest.mark.slow
def test_no_output_of_a_conversation_holds_what_an_endpoint_told_in_pieces(start_cli, planted):
    with ScriptedEndpoint(Scenario(replies=telling())) as serving:
        done = start_cli("chat", "--plain", "--model", serving.model, stdin=-1)
        out, err = done.communicate("say what you know\n", timeout=120)
    assert "[secret]" in out
    assert leaks(planted, out, err) == []


def acting(code: str, **more) -> dict:
    action = {"thought": "", "kind": "code", "code": code, "answer": True, "text": "", "cites": [], "subgoal": 0}
    return {"data": {**action, **more}}


PLAN = {"data": {"goal": "do it", "subgoals": ["do it"]}}


@pytest.mark.slow
def test_a_word_that_is_somebodys_password_is_not_taken_out_of_code(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("POSTGRES_PASSWORD", "warehouse")
    monkeypatch.setenv("MAIL_PASS", "sommer2x")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "conf.py").write_text('ENGINE = "warehouse"\nPORT = 1\n')
    (folder / "check.py").write_text("import conf\n\nassert conf.PORT == 5432\n")
    wanted = 'ENGINE = "warehouse"\nNAME = "sommer2x"\nPORT = 5432\n'
    replies = [PLAN, *[acting(f"open('conf.py', 'w').write({wanted!r})", thought="see conf")] * 6]
    with ScriptedEndpoint(Scenario(replies=replies)) as serving:
        options = ("--check", "python3 check.py", "--model", serving.model, "--yes")
        done = cli("run", "set the port of the warehouse", "--dir", folder, *options)
        asked = json.dumps(serving.requests)
    assert done.code == 0, done.out + done.err
    assert (folder / "conf.py").read_text() == wanted
    assert "warehouse" in asked


def test_a_program_with_a_mark_in_the_place_of_a_value_is_not_accepted(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("BUILD", "q8Zr2Kd9Xw4Mv7Tb1Ny6")
    told = "q8Zr2Kd9Xw4Mv7Tb1Ny6"
    rows = "".join(f"{word},{word.upper()}\n" for word in ("ada", "alan", "grace", "tony", "john", "fran", "edsger"))
    (tmp_path / "names.csv").write_text(f"name,short\n{rows}")
    code = f"def names(name):\n    note = {told!r}\n    return name.upper()\n"
    with ScriptedEndpoint(Scenario(replies=[PLAN, *[acting(code)] * 12])) as serving:
        done = cli("run", "--examples", tmp_path / "names.csv", "--model", serving.model)
        asked = json.dumps(serving.requests)
    assert done.code == 1, done.out
    assert "the code has [secret] in the place of a value that the model is not shown" in done.out
    assert "write it without that value" in asked and told not in asked
