"""``evolve tools`` with programs and services: what is shown, approved and called by hand."""

from __future__ import annotations

import json

import pytest

from evolve.core.redaction import MARK
from service_doubles import serving

SECRET = "q7Zp-81kLmWx02"


def test_a_program_is_shown_whole_approved_and_called(cli, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a").write_text("tea at four\n")
    line = (
        "--kind",
        "program",
        "--set",
        "about=Lines with a word.",
        "--read",
        folder,
        "--",
        "grep",
        "-h",
        "-e",
        "{words}",
        "--",
        "{file}",
    )
    unsaid = cli("tools", "add", "find", *line)
    assert unsaid.code == 2 and "{words}" in unsaid.out and "each is one argument, and none an option" in unsaid.out
    assert cli("tools", "add", "find", "--yes", *line).code == 0
    assert cli("tools", "call", "find_grep", "words=tea", f"file={folder / 'a'}", "--yes").out.strip() == "tea at four"
    assert "begins with -" in cli("tools", "call", "find_grep", "words=-f", "file=/etc/passwd", "--yes").err
    refused = cli("tools", "add", "run", "--kind", "program", "--yes", "--", "sh", "-c", "{anything}")
    assert refused.code == 2 and "would run values as commands" in refused.err


@pytest.mark.slow
def test_the_operations_of_a_file_are_approved_with_their_effects(cli, tmp_path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/x": {"get": {}, "delete": {}}}}))
    shown = cli(
        "tools", "add", "web", "--kind", "openapi", "--set", f"file={file}", "--url", "http://127.0.0.1:9/v1", "--yes"
    )
    assert str(file) in shown.out and "http://127.0.0.1:9/v1" in shown.out
    assert "web_get_x()  allowed; reads: ask, sends: ask" in shown.out
    assert "web_delete_x()  allowed; changes: ask, sends: ask" in shown.out
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/x": {"get": {}}, "/y": {"delete": {}}}}))
    assert cli("tools", "check", "web").code == 1
    assert "cannot be reached" in cli("tools", "call", "web_get_x", "--yes").err
    assert (
        "a service has an OpenAPI file and a URL"
        in cli("tools", "add", "web", "--kind", "openapi", "--set", f"file={file}", "--", "ls").err
    )


def test_a_call_by_hand_carries_no_secret_there_or_back(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("SHOP_TOKEN", SECRET)
    paths = {"/x": {"get": {"parameters": [{"name": "q", "in": "query", "schema": {"type": "string"}}]}}}
    (tmp_path / "api.json").write_text(json.dumps({"openapi": "3.0.0", "info": {}, "paths": paths}))
    with serving(body=json.dumps({"token": SECRET}).encode()) as (url, came):
        command = (
            "--kind",
            "openapi",
            "--set",
            f"file={tmp_path}/api.json",
            "--url",
            url,
            "--header",
            "X-Key=w9Rt-55vBnQy73",
        )
        assert cli("tools", "add", "web", *command, "--yes").code == 0
        done = cli("tools", "call", "web_get_x", "q=tea", "--yes")
        assert done.code == 0 and SECRET not in done.out and MARK in done.out
        before = len(came)
        for held in (SECRET, "w9Rt-55vBnQy73"):
            refused = cli("tools", "call", "web_get_x", f"q={held}", "--yes")
            assert refused.code == 2 and held not in refused.out + refused.err
        assert len(came) == before
