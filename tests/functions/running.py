"""Servers of the tests, started as a person's are: in the sandbox, with the paths that they need."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolve.functions.mcp import Approval, Pin, Server, ServerFunctions
from evolve.workspace.shelves.servers import start_server

SERVERS = Path(__file__).resolve().parent / "servers"
INTERPRETER = os.path.realpath(sys.executable)
ENVIRONMENT = str(Path(sys.executable).parent.parent)


def shop(name: str = "shop") -> Server:
    """The honest server, which needs the SDK."""
    return Server(
        name=name,
        command=(sys.executable, str(SERVERS / "shop.py")),
        readable=(os.path.realpath(ENVIRONMENT), str(SERVERS)),
    )


def hostile(way: str, *arguments: object, name: str = "foe", **more) -> Server:
    """A server that misbehaves in one way."""
    command = (INTERPRETER, "-I", "-B", str(SERVERS / "hostile.py"), way, *map(str, arguments))
    return Server(name=name, command=command, **{"readable": (str(SERVERS),), **more})


def allowed(server: Server, **more) -> Approval:
    """A server all of whose tools were allowed as they are now."""
    functions = ServerFunctions([Approval(server=server)], start_server)
    try:
        offers = functions.offers(server.name)
    finally:
        functions.close()
    made = {offer.tool: offer.function for offer in offers if offer.function}
    pins = {tool: Pin(digest=one.digest, effects=one.effects, repeatable=one.repeatable) for tool, one in made.items()}
    return Approval(server=server, tools=pins)


@contextmanager
def functions_of(*approved: Approval) -> Iterator[ServerFunctions]:
    functions = ServerFunctions(approved, start_server)
    try:
        yield functions
    finally:
        functions.close()


def free_port() -> int:
    """A port of this machine that nobody listened at a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]
