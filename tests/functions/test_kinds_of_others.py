"""Kinds of tools that nobody offers, or that show less than they should: what evolve itself sees to."""

from __future__ import annotations

import os
import re
from typing import ClassVar

import pytest

from evolve.cli.render.servers import show_server
from evolve.core.errors import UsageError
from evolve.core.redaction import MARK
from evolve.runtime.functions import UNKNOWN, CallFailed
from evolve.runtime.functions.servers import (
    ListedTool,
    Server,
    ServerApproval,
    ServerSetting,
    ToolPin,
    resolve_variables,
    server_of,
)
from evolve.workspace import servers
from evolve.workspace.resources.servers import approved_servers
from tests.functions.running import allowed, functions_of
from tests.offering import offer

NOSUCH = {"kind": "nosuch", "command": ["/bin/true"], "shade": "blue"}


def test_one_of_a_kind_that_nobody_offers_is_kept_told_and_not_started(tmp_path):
    shelf = servers(tmp_path)
    server = server_of("odd", NOSUCH, "evolve.toml")
    assert server.settings == {"shade": "blue"} and server_of("odd", server.to_json(), "tools.json") == server
    with pytest.raises(UsageError, match="no tools of the kind 'nosuch'") as refused:
        shelf.add(server)
    assert "mcp" in refused.value.hint and shelf.list() == []
    act = ToolPin(digest="1", name="odd_act", parameters={"type": "object", "properties": {}})
    told = []
    approval = ServerApproval(server=server, tools={"act": act})
    with functions_of(approval, tell=told.append) as functions:
        functions.use_approvals([approval])
        assert [one.name for one in functions.functions()] == ["odd_act"]
        assert len(told) == 1 and "'nosuch'" in told[0]
        with pytest.raises(CallFailed, match="'nosuch'"):
            functions.call("odd_act", {}, seconds=5)
    assert not approved_servers(shelf._paths())


class Quiet:
    """A kind that shows nothing of its setting, gives its function when it is asked, and repeats what it was handed."""

    settings: ClassVar = {"token": ServerSetting()}
    is_stale, is_running = False, True

    def check(self, server):
        """Takes any."""

    def approval_lines(self, server):
        return ()

    def open(self, server, start, portal):
        self.server = server
        self.listed = [ListedTool(name="say", description="Says.", parameters={"type": "object", "properties": {}})]
        return self

    def tools(self, seconds):
        return self.listed

    def call(self, asked, listed, seconds):
        return resolve_variables(self.server.settings, os.environ)["token"]

    def close(self):
        """Nothing runs."""


def test_a_kind_that_shows_nothing_hides_nothing_and_repeats_no_secret(tmp_path, monkeypatch, capsys):
    offer(monkeypatch, tmp_path / "site", "functions", "quiet", Quiet())
    monkeypatch.setenv("MY_TOKEN", "q7Zp-81kLmWx02")
    server = Server(name="still", kind="quiet", settings={"token": "$MY_TOKEN"})
    show_server(server)
    assert re.search(r"^token +\$MY_TOKEN$", capsys.readouterr().out, re.MULTILINE)
    with functions_of(allowed(server)) as functions:
        (made,) = functions.functions()
        assert made.effects == UNKNOWN and functions.grant_of(made) == "ask"
        assert functions.call("still_say", {}, seconds=5) == MARK
