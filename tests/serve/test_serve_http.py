"""Over HTTP the server answers on this machine alone, and only who knows the token."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import urllib.error
import urllib.request
from contextlib import asynccontextmanager

import httpx2
import pytest
from mcp.client.streamable_http import streamable_http_client

import evolve
from evolve.skills import AdmissionVerdict
from tests.improve.test_item_history import SKILL
from tests.serve.clients import command, connected, variables


@pytest.fixture(scope="module")
def serving(tmp_path_factory, private_home):
    """The address and the token of a server that goes on, and its process."""
    folder = tmp_path_factory.mktemp("http")
    with evolve.open(folder / "ws") as workspace:
        workspace.stores.skills.add(SKILL, AdmissionVerdict(digest=SKILL.digest, admitted=True))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command(folder / "ws", "--http", 0), env=variables(), cwd=folder, **pipes) as process:
        address, shown = process.stderr.readline().strip(), process.stderr.readline().strip()
        yield address, shown.removeprefix("Authorization: "), process
        process.terminate()
        out, err = process.communicate(timeout=20)
    assert process.returncode == 143 and out == "" and "Traceback" not in err


@asynccontextmanager
async def with_token(address, token):
    """The streams of a client that sends the token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": token}) as client,
        streamable_http_client(address, http_client=client) as streams,
    ):
        yield streams


def asked(address, **headers):
    """The status of an answer to a first message with these headers, and what it says."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    own = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    request = urllib.request.Request(address, json.dumps(body).encode(), {**own, **headers})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.status
    except urllib.error.HTTPError as refusal:
        return refusal.code


def test_a_client_with_the_token_calls_skills_and_leaves_notes(serving) -> None:
    address, token, _ = serving
    (row, *_) = SKILL.rows
    with connected(with_token(address, token)) as client:
        (found,) = (one for one in client.list_tools().tools if one.name == SKILL.entry)
        (argument,) = found.input_schema["properties"]
        assert client.call_tool(SKILL.entry, {argument: row.input[0]}).structured_content == {"result": row.output}
        kept = client.call_tool("note", {"text": "the port of billing is 9000"}).structured_content
        assert kept["author"] == "Claude Code"


@pytest.mark.parametrize("token", ["", "Bearer ", "Bearer wrong", "{token}x", "Basic {token}"])
def test_nobody_else_is_answered(serving, token) -> None:
    address, known, _ = serving
    given = {"Authorization": token.format(token=known)} if token else {}
    assert asked(address, **given) == 401
    assert asked(address.replace("/mcp", "/"), **given) == 401


def test_a_page_under_a_foreign_name_is_refused_even_with_the_token(serving) -> None:
    address, token, _ = serving
    assert asked(address, Authorization=token, Host="evil.example") == 421
    assert asked(address, Authorization=token, Origin="http://evil.example") == 403
    assert asked(address, Authorization=token, Origin=address.removesuffix("/mcp")) not in (401, 403, 421)


def test_it_is_reached_from_this_machine_alone(serving) -> None:
    address, _, process = serving
    port = int(re.search(r":(\d+)/", address)[1])
    assert address == f"http://127.0.0.1:{port}/mcp"
    with pytest.raises(OSError), socket.create_connection(("127.0.0.2", port), timeout=5):
        pass
    done = subprocess.run(
        command(process.args[process.args.index("-w") + 1], "--http", port),
        env=variables(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2 and str(port) in done.stderr
