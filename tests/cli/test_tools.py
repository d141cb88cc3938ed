"""``evolve tools``: what is shown before a server starts, what differs from what was allowed, and a call by hand."""

from __future__ import annotations

import json
import os

import pytest

from evolve.core.paths import approvals_folder
from evolve.testing import ScriptedEndpoint
from tests.doubles.counting_seats import Clerk
from tests.functions.running import INTERPRETER, SERVERS


@pytest.fixture
def text(tmp_path):
    """What the server's only tool says of itself; in a folder that the server may read."""
    folder = tmp_path / "texts"
    folder.mkdir()
    (folder / "text").write_text("Adds two numbers.")
    return folder / "text"


@pytest.fixture
def program(text):
    return ("--", INTERPRETER, "-I", "-B", SERVERS / "hostile.py", "changes", text)


def add(cli, text, program, *more):
    return cli("tools", "add", "sums", "--read", SERVERS, "--read", text.parent, *more, *program)


def test_everything_is_shown_and_nothing_starts_without_leave(cli, text, program, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_KEY", "secret")
    done = add(cli, text, program, "--env", "KEY=$MY_KEY", "--network", "--write", text.parent)
    assert done.code == 2 and "there is nobody to ask" in done.err and "--yes" in done.err
    for shown in (
        INTERPRETER,
        str(SERVERS / "hostile.py"),
        "changes",
        "KEY=$MY_KEY (yours)",
        "reads     ",
        "writes    ",
    ):
        assert shown in done.out
    assert "everything that this machine reaches" in done.out and "secret" not in done.out
    assert json.loads(cli("tools", "list", "--json").out) == []


@pytest.mark.slow
def test_a_server_is_approved_checked_allowed_called_and_removed(cli, text, program):
    assert add(cli, text, program, "--yes").code == 0
    (listed,) = json.loads(cli("tools", "list", "--json").out)
    assert (listed["name"], listed["state"], listed["tools"]) == ("sums", "approved", ["act"])
    assert cli("tools", "check", "sums").code == 0
    asked = cli("tools", "call", "sums_act", '{"text": "hi"}')
    assert asked.code == 2 and "there is nobody to ask" in asked.err
    assert cli("tools", "call", "sums_act", '{"text": "hi"}', "--yes").out.splitlines()[-1] == "hi"
    allowed = cli("tools", "allow", "sums", "act", "--effects", "reads", "--grant", "allow", "--yes", "--json")
    assert json.loads(allowed.out)[0]["grants"] == {"reads": "allow"}
    called = cli("tools", "call", "sums_act", "text=hi", "--json")
    assert json.loads(called.out) == {"function": "sums_act", "value": "hi"}
    assert "sums_act: text: 5 is not of type 'string'" in cli("tools", "call", "sums_act", "text=5").err
    assert cli("tools", "remove", "sums").code == 0
    assert "there is no server 'sums'" in cli("tools", "call", "sums_act").err


@pytest.mark.slow
def test_a_denied_effect_is_not_asked_for(cli, text, program):
    add(cli, text, program, "--yes")
    cli("tools", "allow", "sums", "act", "--grant", "sends=deny", "--yes")
    done = cli("tools", "call", "sums_act", "--yes")
    assert done.code == 2 and "the person does not allow sums_act" in done.err


@pytest.mark.slow
def test_a_changed_description_is_told_and_not_called_before_it_is_allowed(cli, text, program):
    add(cli, text, program, "--yes")
    text.write_text("Adds two numbers, and reads your key.\x1b[2J")
    checked = cli("tools", "check", "sums")
    assert checked.code == 1 and "changed" in checked.out and "evolve tools allow sums" in checked.err
    assert "\x1b" not in checked.out and "\\x1b[2J" in checked.out
    assert "    - Adds two numbers.\n" in checked.out and "    + Adds two numbers, and reads your key." in checked.out
    called = cli("tools", "call", "sums_act", "--yes")
    assert called.code == 3 and "so it was not called" in called.err and "evolve tools allow sums" in called.err
    assert cli("tools", "allow", "sums", "--yes").code == 0
    assert cli("tools", "call", "sums_act", "--yes").code == 0


@pytest.mark.slow
def test_what_an_earlier_version_allowed_is_told_and_completed_by_a_check(cli, text, program):
    add(cli, text, program, "--yes")
    approvals = approvals_folder() / "tools.json"
    kept = json.loads(approvals.read_text())
    pin = kept["approvals"][-1]["tools"]["act"]
    for key in ("name", "description", "parameters"):
        del pin[key]
    approvals.write_text(json.dumps(kept))
    called = cli("tools", "call", "sums_act", "--yes")
    assert called.code == 2 and "an earlier version of evolve" in called.err and "evolve tools check sums" in called.err
    assert cli("tools", "check", "sums").code == 0
    assert cli("tools", "call", "sums_act", "--yes").code == 0


def test_settings_propose_and_a_person_approves(cli, text, program, tmp_path):
    workspace = tmp_path / "ws"
    cli("init", workspace)
    command = json.dumps([str(part) for part in program[1:]])
    table = f'[tools.servers.sums]\ncommand = {command}\nreadable = ["{SERVERS}", "{os.path.realpath(text.parent)}"]\n'
    (workspace / "evolve.toml").write_text(table)
    listed = cli("tools", "list")
    assert "proposed" in listed.out and "evolve tools add sums" in listed.err
    refused = cli("tools", "check", "sums")
    assert refused.code == 2 and "server sums was never approved" in refused.err
    assert cli("tools", "add", "sums", "--yes").code == 0
    assert cli("tools", "check", "sums").code == 0
    (workspace / "evolve.toml").write_text(table + "network = true\n")
    assert "changed" in cli("tools", "list").out
    refused = cli("tools", "check", "sums")
    assert refused.code == 2 and "server sums is not as it was approved" in refused.err


def test_a_copy_of_a_workspace_has_no_approvals(cli, text, program, tmp_path):
    add(cli, text, program, "--yes")
    os.rename(tmp_path / "ws", tmp_path / "copy")
    assert cli("tools", "list", "-w", tmp_path / "copy").code == 3
    assert cli("trust", tmp_path / "copy").code == 0
    assert json.loads(cli("tools", "list", "-w", tmp_path / "copy", "--json").out) == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["add", "sums"], "no settings here name a server 'sums'"),
        (["add", "sums", "--network"], "nothing says which server"),
        (["add", "my_sums", "--url", "https://example.org"], "cannot be the name of a server"),
        (["add", "sums", "--", "there-is-none"], "there is no program 'there-is-none'"),
        (["add", "sums", "--read", "nowhere", "--", "sh"], "there is no such file or folder"),
        (["add", "sums", "--env", "KEY", "--", "sh"], "it is NAME=VALUE"),
        (["add", "sums", "--set", "shade", "--", "sh"], "it is NAME=VALUE"),
        (["add", "sums", "--set", "shade=blue", "--", "sh"], "mcp has no setting 'shade'"),
        (["add", "sums", "--kind", "nosuch"], "no tools of the kind 'nosuch'"),
        (["check", "sums"], "there is no server 'sums'"),
        (["allow", "sums", "--effects", "harmless"], "'harmless' is no effect"),
        (["allow", "sums", "--grant", "always"], "'always' is no grant"),
        (["call", "sums_act", "{"], "the arguments are not JSON"),
        (["call", "sums_act", "[]"], "argument []: it is NAME=VALUE"),
        (["remove", "sums"], "no server 'sums' was approved here"),
    ],
)
def test_a_misuse_is_told_with_what_to_do(cli, arguments, told):
    done = cli("tools", *arguments)
    assert done.code == 2 and told in done.err and "try: " in done.err


@pytest.mark.slow
def test_a_server_that_does_not_start_says_why_and_stays_to_be_mended(cli):
    done = cli(
        "tools", "add", "foe", "--yes", "--read", SERVERS, "--", INTERPRETER, SERVERS / "hostile.py", "ends at once"
    )
    assert done.code == 3 and "server foe has ended: there is no such folder" in done.err and "try: " in done.err


@pytest.mark.slow
def test_a_server_goes_on_from_turn_to_turn_of_a_chat(chat, cli, tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    command = (INTERPRETER, "-I", "-B", SERVERS / "hostile.py", "notes starts", notes / "starts")
    cli("tools", "add", "rooms", "--yes", "--read", SERVERS, "--write", notes, "--", *command)
    cli("tools", "allow", "rooms", "act", "--effects", "reads", "--grant", "allow", "--yes")
    (notes / "starts").unlink()
    code = '```python\nfrom functions import {name}\n{name}(text="4") + "2"\n```'
    with ScriptedEndpoint(double=Clerk(code=code, about="Does something")) as endpoint:
        done = chat("how many seats has one", "how many seats has another", options=("--model", endpoint.model))
    assert done.out.count("42 seats") >= 2, done.out + done.err
    assert (notes / "starts").read_text() == "started\n"
