"""What a person approved holds for one workspace and one configuration, and nothing else can grant it."""

from __future__ import annotations

import json
import os
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.settings import load_settings, proposed_servers
from evolve.runtime.folder_tree import read_tree
from evolve.runtime.functions import EFFECTS, Function
from evolve.runtime.functions.servers import ApprovalHome, Approvals, Server, ServerApproval, ToolPin, with_pins
from evolve.runtime.functions.servers.server import resolve_variables, server_of
from evolve.workspace.locating import ensure_workspace

HERE = ApprovalHome(path="/somewhere", id="1")
PROGRAM = Server(name="shop", command=("/usr/bin/shop", "--all"), readable=("/srv/shop",))


def test_an_approval_is_kept_with_all_that_was_said(tmp_path):
    approvals = Approvals(tmp_path / "kept", HERE)
    schema = {"type": "object", "properties": {"z": {"type": "string"}, "a": {"type": "string"}}}
    made = Function(name="shop_buy", description="Kauft \x1b\u202e.", parameters=schema, effects=frozenset({"reads"}))
    pin = ToolPin.from_function(replace(made, repeatable=True, source="shop"), {"reads": "allow"})
    older = ToolPin(digest="d")
    approvals.save(ServerApproval(server=PROGRAM, at="today", tools={"buy": pin, "sell": older}))
    kept = approvals.approval_of("shop")
    assert kept == ServerApproval(server=PROGRAM, at="today", tools={"buy": pin, "sell": older})
    assert (
        kept.tools["buy"].approved_function("shop").parameter_names == ["z", "a"]
        and kept.tools["sell"].approved_function("shop") is None
    )
    assert os.stat(approvals.file).st_mode & 0o077 == 0
    assert approvals.remove("shop") and not approvals.remove("shop")
    assert approvals.list_approvals() == []


def pin_of(name: str) -> ToolPin:
    return ToolPin.from_function(Function(name=name, description="Buys.", parameters={"type": "object"}, source="shop"))


def test_a_name_that_became_that_of_another_tool_is_allowed_for_that_one_alone():
    before = ServerApproval(server=PROGRAM, tools={"a-b": pin_of("shop_a_b"), "c": pin_of("shop_c")})
    now = with_pins(before, {"a_b": pin_of("shop_a_b")})
    assert set(now.tools) == {"a_b", "c"}


@pytest.mark.parametrize("other", [ApprovalHome(path="/elsewhere", id="1"), ApprovalHome(path="/somewhere", id="2")])
def test_it_holds_for_no_other_workspace(tmp_path, other):
    Approvals(tmp_path, HERE).save(ServerApproval(server=PROGRAM))
    assert Approvals(tmp_path, other).list_approvals() == []
    assert not Approvals(tmp_path, other).remove("shop")
    assert Approvals(tmp_path, HERE).approval_of("shop")


@pytest.mark.parametrize("depth", ["kept", "", ".."])
def test_no_server_may_write_where_approvals_are_kept(tmp_path, depth):
    approvals = Approvals(tmp_path / "kept", HERE)
    folder = os.path.normpath(tmp_path / depth)
    with pytest.raises(UsageError, match="no server may write there"):
        approvals.save(ServerApproval(server=Server(name="foe", command=("/bin/sh",), writable=(folder,))))
    assert approvals.list_approvals() == []


def test_a_file_that_others_can_write_or_that_was_changed_approves_nothing(tmp_path):
    approvals = Approvals(tmp_path, HERE)
    approvals.save(ServerApproval(server=PROGRAM))
    approvals.save(with_pins(approvals.approval_of("shop"), {"buy": pin_of("shop_buy")}))
    text = approvals.file.read_text()
    for was, becomes in (("/srv/shop", "/srv"), ("Buys.", "Buys all."), ('"object"', '"object", "x": 1'),
                         ('"repeatable": false', '"repeatable": true')):  # fmt: skip
        assert was in text
        approvals.file.write_text(text.replace(was, becomes))
        with pytest.raises(WorkspaceError, match="is not what was approved"):
            approvals.list_approvals()
    for damaged in ("{", "[]", '{"approvals": {}}', "[" * 100_000):
        approvals.file.write_text(damaged)
        with pytest.raises(WorkspaceError, match="cannot be understood"):
            approvals.list_approvals()
    approvals.file.write_text(text)
    approvals.file.chmod(0o666)
    with pytest.raises(WorkspaceError, match="can be written by others"):
        approvals.list_approvals()


CHANGES = [
    {"command": ("/usr/bin/shop", "--ALL")}, {"command": ("/usr/bin/shop", "--all", "")}, {"readable": ()},
    {"writable": ("/srv/shop",)}, {"network": True}, {"variables": {"A": "1"}},
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES)
def test_any_change_of_a_configuration_is_another_one(change):
    known = {"name": "shop", "command": PROGRAM.command, "readable": PROGRAM.readable}
    assert Server(**{**known, **change}).digest != PROGRAM.digest
    assert Server(**known).digest == PROGRAM.digest


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ({}, "give either a command or a URL"),
        ({"command": ["/bin/x"], "url": "https://x.org"}, "give either a command or a URL"),
        ({"command": "sh -c x"}, "command"),
        ({"command": ["sh"]}, "not a whole path"),
        ({"command": ["/bin/sh\x1b[2J"]}, "control character"),
        ({"command": ["/bin/sh"], "readable": ["/"]}, "not a whole path without links, or the root"),
        ({"command": ["/bin/sh"], "writable": ["/srv/../etc"]}, "not a whole path without links"),
        ({"command": ["/bin/sh"], "variables": {"LD PRELOAD": "x"}}, "cannot be the name of a variable"),
        ({"command": ["/bin/sh"], "sandbox": "none"}, "unknown key 'sandbox'"),
        ({"url": "http://example.org/mcp"}, "is not encrypted"),
        ({"url": "https://user:secret@example.org/"}, "is not an address"),
        ({"url": "file:///etc/passwd"}, "is not an address"),
        ({"url": "https://x.org", "headers": {"A\r\nB": "x"}}, "cannot be the name of a header"),
        ({"url": "https://x.org", "writable": ["/srv"]}, "are for a server with a command"),
        ([], "expected a table"),
    ],
)
def test_what_cannot_be_started_so_is_refused_and_the_place_is_named(table, told):
    with pytest.raises(WorkspaceError, match="evolve.toml.*") as refused:
        server_of("shop", table, "evolve.toml")
    assert told in str(refused.value)


@pytest.mark.parametrize("name", ["", "Shop", "my_shop", "my-shop", "1shop", "x" * 21, "shop\n"])
def test_a_name_that_would_blur_where_a_function_begins_is_refused(name):
    with pytest.raises(UsageError):
        Server(name=name, command=("/bin/sh",))


def test_a_variable_of_the_person_is_put_in_at_the_start_and_never_kept(tmp_path):
    server = Server(name="shop", command=("/bin/sh",), variables={"KEY": "$MY_KEY", "PRICE": "$5"})
    Approvals(tmp_path, HERE).save(ServerApproval(server=server))
    assert resolve_variables(server.variables, {"MY_KEY": "secret"}) == {"KEY": "secret", "PRICE": "$5"}
    assert "secret" not in (tmp_path / "tools.json").read_text()
    with pytest.raises(UsageError, match="the variable MY_KEY is not set"):
        resolve_variables(server.variables, {})


def test_settings_can_propose_servers_and_nothing_else_of_tools(tmp_path):
    ensure_workspace(tmp_path)
    marker = tmp_path / "evolve.toml"
    marker.write_text('seed = 3\n[tools.servers.shop]\ncommand = ["/usr/bin/shop"]\n')
    assert load_settings(tmp_path, {}).seed == 3
    assert proposed_servers(tmp_path) == {"shop": {"command": ["/usr/bin/shop"]}}
    marker.write_text('[tools.approved]\nshop = "yes"\n')
    with pytest.raises(WorkspaceError, match="unknown key 'tools.approved'"):
        proposed_servers(tmp_path)
    marker.write_text('tools = "all"\n')
    with pytest.raises(WorkspaceError, match="expected a table"):
        proposed_servers(tmp_path)


def test_the_folder_of_approvals_is_no_part_of_a_folder_that_is_worked_on(tmp_path):
    Approvals(tmp_path / "deep" / "evolve-approvals", HERE).save(ServerApproval(server=PROGRAM))
    (tmp_path / "deep" / "other").write_text("x")
    assert list(read_tree(tmp_path).files) == ["deep/other"]


EFFECT = st.sampled_from(EFFECTS)


@pytest.mark.slow
@given(st.frozensets(EFFECT), st.dictionaries(EFFECT, st.sampled_from(["ask", "allow", "trust", "deny"])))
def test_a_call_needs_leave_for_every_effect_and_the_strictest_word_holds(effects, grants):
    said = [grants.get(effect, "ask") for effect in effects]
    overall = ToolPin(digest="", effects=effects, grants=grants).overall_grant
    assert overall == next((grant for grant in ("deny", "ask", "allow") if grant in said), "trust")


def test_the_file_is_json_that_a_person_can_read(tmp_path):
    Approvals(tmp_path, HERE).save(ServerApproval(server=PROGRAM))
    (entry,) = json.loads((tmp_path / "tools.json").read_text())["approvals"]
    assert entry["server"] == {"command": ["/usr/bin/shop", "--all"], "readable": ["/srv/shop"]}
