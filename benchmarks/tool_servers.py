"""Servers that misbehave, one way each, and what a call costs over the SDK's own client.

The servers that misbehave are those of the tests (``tests/functions/servers/hostile.py``), run as approved programs in
the sandbox beside an honest one, which has to go on as if nothing were.
"""

from __future__ import annotations

import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT
from benchmarks.tool_errand import LEDGER, over_http
from evolve.runtime.functions import CallFailed, CallFile, CallGate, CallLimits, Permission
from evolve.runtime.functions.servers import Server, ServerApproval, ServerFunctions, ToolPin
from evolve.runtime.sandbox import open_sandbox
from evolve.workspace.resources.servers import start_server

_SCRIPT = ROOT / "tests" / "functions" / "servers" / "hostile.py"
_LOOP = (
    "from functions import book_say\nfor number in range({count}):\n    assert book_say(str(number)) == str(number)\n"
)


@dataclass(frozen=True)
class Promise:
    """How calls of a server that misbehaves in one way end: a sentence where they fail, else a value."""

    way: str
    told: str
    doubtful: bool = False


PROMISES = (
    Promise("changes", "foe_act is not what was allowed any more, so it was not called; .*`evolve tools allow foe`"),
    Promise("flood", "foe_act: server foe sends far more than it was asked for, so it was ended", True),
    Promise("floods beside", "foe_act: server foe sends far more than it was asked for, so it was ended", True),
    Promise("hang", "foe_act gave no answer within 2 s", True),
    Promise("die", "foe_act: server foe has ended: no more memory", True),
    Promise("huge", "foe_act: server foe sends a message of more than 16 MiB, so it was ended", True),
    Promise("nonsense", "foe_act: server foe writes what is no message of the protocol, so it was ended", True),
    Promise("silent", "server foe was not ready after"),
    Promise("orders", "value: 'done'"),
    Promise("sampling/createMessage", "value: 'refused'"),
    Promise("elicitation/create", "value: 'refused'"),
    Promise("roots/list", "value: 'refused'"),
)
QUICK_WAYS = ("changes", "hang", "huge", "sampling/createMessage")


def book(folder: Path) -> Server:
    """The honest server."""
    read = (os.path.realpath(sys.prefix), str(LEDGER.parent))
    return Server(name="book", command=(sys.executable, str(LEDGER), str(folder / "ledger")), readable=read)


def misbehaving(ways: Sequence[str] = tuple(promise.way for promise in PROMISES)) -> Iterator[Mapping[str, Any]]:
    """A row for each way: how a call ended, and whether the honest server beside it was called as before."""
    with tempfile.TemporaryDirectory(prefix="servers-") as name:
        folder = Path(name)
        honest = _allowed(book(folder))
        for promise in (promise for promise in PROMISES if promise.way in ways):
            text = folder / "text"
            text.write_text("Adds two numbers.")
            command = (os.path.realpath(sys.executable), "-I", "-B", str(_SCRIPT), promise.way, str(text))
            foe = Server(name="foe", command=command, readable=(str(_SCRIPT.parent), str(folder)))
            # the silent one never lists anything, so it is approved as one that listed the same as the others
            listed = _allowed(foe if promise.way != "silent" else _as(foe, "hang"))
            text.write_text("Adds two numbers, and reads your key.")
            functions = ServerFunctions([honest, ServerApproval(server=foe, tools=listed.tools)], start_server)
            began, cpu = time.monotonic(), time.process_time()
            told, doubtful = _called(functions, "foe_act", 2.0)
            wall, cpu = time.monotonic() - began, time.process_time() - cpu
            beside, _ = _called(functions, "book_say", 60.0, text="x")
            functions.close()
            kept = re.match(promise.told, told) is not None and doubtful == promise.doubtful and beside == "value: 'x'"
            row = {"part": "servers", "way": promise.way, "told": told, "doubtful": doubtful, "beside": beside}
            yield {**row, "as promised": kept, "wall s": wall, "cpu s": cpu}


def overhead(count: int, blocks: int) -> Iterator[Mapping[str, Any]]:
    """A row for each transport: CPU of this process for a call of the SDK's client, and for one of code in the sandbox.

    Both call the same server. Ours goes through the channel, the gate, the record on disk and the server's sandbox.
    """
    with tempfile.TemporaryDirectory(prefix="servers-") as name, over_http(Path(name) / "ledger") as port:
        url = f"http://127.0.0.1:{port}/mcp"
        for way, server in (("stdio", book(Path(name))), ("http", Server(name="book", url=url))):
            direct = asyncio.run(_direct(url if server.url else server.command, count, blocks))
            ours = _through_the_gate(server, count, blocks, Path(name) / way)
            each = {"direct ms": statistics.median(direct), "ours ms": statistics.median(ours)}
            yield {"part": "overhead", "way": way, "calls": count * blocks, **each}


def _allowed(server: Server) -> ServerApproval:
    functions = ServerFunctions([ServerApproval(server=server)], start_server)
    try:
        offers = functions.offered_tools(server.name)
    finally:
        functions.close()
    return ServerApproval(
        server=server, tools={offer.tool: ToolPin.from_function(offer.function) for offer in offers if offer.function}
    )


def _as(server: Server, way: str) -> Server:
    *program, _, text = server.command
    return Server(name=server.name, command=(*program, way, text), readable=server.readable)


def _called(functions: ServerFunctions, name: str, seconds: float, **arguments: str) -> tuple[str, bool]:
    try:
        return f"value: {functions.call(name, arguments, seconds=seconds)!r}", False
    except CallFailed as failure:
        return str(failure), failure.doubtful


async def _direct(where: str | Sequence[str], count: int, blocks: int) -> list[float]:
    """CPU milliseconds of this process for each call by the SDK's own client, by block."""
    from mcp import Client, StdioServerParameters

    server = where if isinstance(where, str) else StdioServerParameters(command=where[0], args=list(where[1:]))
    async with Client(server) as client:

        async def call(number: int) -> None:
            result = await client.call_tool("say", {"text": str(number)})
            assert not result.is_error, result

        return [await _timed(call, count) for _ in range(blocks + 1)][1:]  # the first one loads what is used


async def _timed(call: Callable[[int], Awaitable[None]], count: int) -> float:
    began = time.process_time()
    for number in range(count):
        await call(number)
    return (time.process_time() - began) / count * 1000


def _through_the_gate(server: Server, count: int, blocks: int, folder: Path) -> list[float]:
    """The same for each call of code in the sandbox."""
    functions, taken = ServerFunctions([_allowed(server)], start_server), []
    record, limits = CallFile(folder / "calls.jsonl"), CallLimits(calls=count * (blocks + 1))
    gate = CallGate([functions], record, Permission(lambda function: "allow"), limits)
    sandbox = open_sandbox()
    with sandbox.session(calls=gate) as session:
        for block in range(blocks + 1):
            gate.start(block)
            began = time.process_time()
            done = session.execute(_LOOP.format(count=count))
            taken.append((time.process_time() - began) / count * 1000)
            assert done.state == "ok", done
    sandbox.close()
    functions.close()
    record.close()
    return taken[1:]
