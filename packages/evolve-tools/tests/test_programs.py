"""Programs with a stated command line as functions, in the real sandbox: what they take, give, and cannot do."""

from __future__ import annotations

import json
import os
import time

import pytest

from evolve.core.errors import WorkspaceError
from evolve.runtime.functions import CallFailed
from evolve.runtime.functions.servers import Server, server_of
from tests.functions.running import INTERPRETER, allowed, functions_of


def python(code: str, *places: str, **more) -> Server:
    """Python as a program that is handed values."""
    return Server(name="prog", kind="program", command=(INTERPRETER, "-I", "-c", code, *places), **more)


def call(server: Server, seconds: float = 20.0, **values):
    approval = allowed(server)
    with functions_of(approval) as functions:
        (made,) = functions.functions()
        return functions.call(made.name, values, seconds=seconds)


def failure(server: Server, seconds: float = 20.0, **values) -> CallFailed:
    with pytest.raises(CallFailed) as failed:
        call(server, seconds, **values)
    assert str(failed.value).count("\n") == 0 and len(str(failed.value)) < 500
    return failed.value


ECHO = "import sys, json; print(json.dumps(sys.argv[1:]))"


@pytest.mark.parametrize(
    "value", ["a b", "$(id); `id` | x > y", "two\nlines", "*", "'\"\\", "", "--", "-rf", "ünï", "a" * 30_000]
)
def test_a_value_reaches_the_program_as_one_argument_whatever_is_in_it(value):
    server = python(ECHO, "--", "{a}", "{n:int}", settings={"output": "json"})
    assert call(server, a=value, n=3) == ["--", value, "3"]


def test_a_value_that_would_be_an_option_is_refused_before_anything_starts():
    assert "begins with -" in str(failure(python(ECHO, "{a}"), a="-rf"))


def test_what_it_gives_is_text_or_json_as_was_said():
    assert call(python("print('[1]')")) == "[1]\n"
    assert call(python("print('[1]')", settings={"output": "json"})) == [1]
    assert call(python("print('1\\n\\n{\"a\": 2}')", settings={"output": "jsonl"})) == [1, {"a": 2}]
    assert "no JSON" in str(failure(python("print('[1')", settings={"output": "json"})))
    assert "no JSON" in str(failure(python("print('[' * 100_000)", settings={"output": "json"})))


def test_a_status_other_than_0_is_a_failure_with_its_last_words():
    failed = failure(python("import sys; print('x'); sys.exit('one\\nlast word')"))
    name = os.path.basename(INTERPRETER).replace(".", "_")
    assert str(failed) == f"prog_{name} ended with status 1: last word"
    assert not failed.doubtful


def test_it_sees_what_was_approved_and_no_more(tmp_path):
    seen, other = tmp_path / "seen", tmp_path / "other"
    for folder in (seen, other):
        folder.mkdir()
        (folder / "a").write_text("here")
    server = python("import sys; print(open(sys.argv[1]).read(), end='')", "{path}", readable=(str(seen),))
    assert call(server, path=str(seen / "a")) == "here"
    assert "No such file" in str(failure(server, path=str(other / "a")))
    writes = python("import sys; open(sys.argv[1], 'w').write('x')", "{path}", readable=(str(seen),))
    assert "Read-only" in str(failure(writes, path=str(seen / "a")))
    assert (seen / "a").read_text() == "here"


def test_it_has_no_network_unless_that_was_approved():
    code = "import socket; socket.create_server(('127.0.0.1', 0)); print('open')"
    assert "not permitted" in str(failure(python(code))) or "denied" in str(failure(python(code)))
    assert call(python(code, network=True)) == "open\n"


def test_what_the_sandbox_allows_it_is_what_its_calls_do(tmp_path):
    folder = str(tmp_path)
    for more, effects, repeatable in (
        ({}, {"reads"}, True),
        ({"writable": (folder,)}, {"reads", "changes"}, False),
        ({"network": True}, {"reads", "sends"}, False),
    ):
        server = python(ECHO, **more)
        with functions_of(allowed(server)) as functions:
            (made,) = functions.functions()
        assert (set(made.effects), made.repeatable) == (effects, repeatable)


@pytest.mark.slow
def test_one_that_floods_hangs_or_leaves_others_behind_is_ended():
    assert "more than 2 MiB" in str(failure(python("while True: print('x' * 1000)")))
    began = time.monotonic()
    assert "did not end in its time" in str(failure(python("import time; time.sleep(600)"), 1.0))
    assert call(python("import os, time; os.fork() or time.sleep(600); print('done')")) == "done\n"
    closes = "import os, time; os.close(1); os.close(2); time.sleep(600)"
    assert "did not end in its time" in str(failure(python(closes), 1.0))
    assert time.monotonic() - began < 120


@pytest.mark.slow
def test_one_that_may_change_something_and_was_ended_may_have_done_it(tmp_path):
    hangs = python("import time; time.sleep(600)", writable=(str(tmp_path),))
    assert failure(hangs, 1.0).doubtful
    assert not failure(python("import time; time.sleep(600)"), 1.0).doubtful


def test_it_gets_no_input_and_none_of_the_person_s_variables(monkeypatch):
    monkeypatch.setenv("MY_KEY", "key")
    monkeypatch.setenv("OTHER", "other")
    code = "import sys, os; print(repr(sys.stdin.read()), os.environ.get('KEY'), os.environ.get('OTHER'))"
    assert call(python(code, variables={"KEY": "$MY_KEY"})) == "'' key None\n"


def test_another_template_is_another_function_that_nobody_allowed():
    before = python(ECHO, "{a}")
    approval = allowed(before)
    changed = type(approval)(server=python(ECHO, "--all", "{a}"), tools=approval.tools)
    with functions_of(changed) as functions:
        with pytest.raises(CallFailed, match="prog_.* is not what was allowed any more"):
            functions.call(functions.functions()[0].name, {"a": "1"}, seconds=9)
        assert functions.functions() == []
        (offer,) = functions.offered_tools("prog")
        assert offer.state == "changed"
    assert before.digest != changed.server.digest


def test_settings_describe_a_program_as_a_person_does():
    table = {"kind": "program", "command": ["/bin/ls", "--", "{folder}"], "output": "text", "about": "Lists."}
    server = server_of("list", table, "evolve.toml")
    assert server_of("list", server.to_json(), "approvals") == server
    assert json.dumps(server.to_json())
    for wrong in ({"url": "https://x.org"}, {"command": ["/bin/ls", "-{a}"]}, {"file": "/a"}, {"output": "xml"}):
        with pytest.raises(WorkspaceError, match="list"):
            server_of("list", {**table, **wrong}, "evolve.toml")


APPROVED = {
    "3d27a5e6aad4f5393d00c4e1f0dfc29ab751613e5e75f3244c706d111fcec61d": (
        *("find", {"kind": "program", "command": ["/bin/grep", "-e", "{words}"], "readable": ["/srv/notes"]}),
        {"output": "jsonl", "about": "Lines."},
    ),
    "e84414c957373ca479709891151d115842b4b3c8d7ab6fa6264f05fa2a9ddb27": (
        *("pets", {"kind": "openapi", "url": "https://pets.example.org/v1", "headers": {"X-Key": "$KEY"}}),
        {"file": "/srv/pets.json"},
    ),
}
"""By the digest that was kept with it, what stands in files of approvals that earlier versions wrote."""


@pytest.mark.parametrize("kept", APPROVED)
def test_what_was_approved_by_an_earlier_version_still_holds(kept):
    name, every, own = APPROVED[kept]
    server = server_of(name, {**every, **own}, "tools.json")
    assert (server.digest, server.settings) == (kept, own)
    assert json.loads(json.dumps(server.to_json())) == {**every, **own}
