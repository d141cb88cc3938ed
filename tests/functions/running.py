"""Servers of the tests, started as a person's are: in the sandbox, with the paths that they need."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evolve.runtime.functions import Function
from evolve.runtime.functions.servers import Server, ServerApproval, ServerFunctions, ToolPin
from evolve.workspace.resources.servers import start_server

SERVERS = Path(__file__).resolve().parent / "servers"
INTERPRETER = os.path.realpath(sys.executable)
ENVIRONMENT = str(Path(sys.executable).parent.parent)


def shop(name: str = "shop", beside: str = "") -> Server:
    """The honest server, which needs the SDK; ``beside`` is a folder of packages that come before those installed."""
    return Server(
        name=name,
        command=(sys.executable, str(SERVERS / "shop.py")),
        variables={"PYTHONPATH": beside} if beside else {},
        readable=(os.path.realpath(ENVIRONMENT), str(SERVERS), *([beside] if beside else [])),
    )


def hostile(way: str, *arguments: object, name: str = "foe", **more) -> Server:
    """A server that misbehaves in one way."""
    command = (INTERPRETER, "-I", "-B", str(SERVERS / "hostile.py"), way, *map(str, arguments))
    return Server(name=name, command=command, **{"readable": (str(SERVERS),), **more})


def allowed(server: Server, **more) -> ServerApproval:
    """A server all of whose tools were allowed as they are now."""
    functions = ServerFunctions([ServerApproval(server=server)], start_server)
    try:
        offers = functions.offered_tools(server.name)
    finally:
        functions.close()
    pins = {offer.tool: ToolPin.from_function(offer.function) for offer in offers if offer.function}
    return ServerApproval(server=server, tools=pins)


def seen_before(server: Server, description: str = "Does something.", **parameters: object) -> ServerApproval:
    """A server whose only tool was allowed some time ago; none is started to say so."""
    schema = {"type": "object", "properties": parameters}
    act = Function(name=f"{server.name}_act", description=description, parameters=schema, source=server.name)
    return ServerApproval(server=server, tools={"act": ToolPin.from_function(act)})


@contextmanager
def functions_of(*approved: ServerApproval, **more) -> Iterator[ServerFunctions]:
    functions = ServerFunctions(approved, start_server, **more)
    try:
        yield functions
    finally:
        functions.close()


def free_port() -> int:
    """A port of this machine that nobody listened at a moment ago."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]
