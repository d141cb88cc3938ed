"""The tools of approved MCP servers as functions for code actions."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Protocol

from evolve.episodes import Json
from evolve.functions.function import CallFailed, Function
from evolve.functions.mcp.approvals import Approval
from evolve.functions.mcp.connection import START_S, Asked, Connection, Start
from evolve.functions.mcp.offers import Listed, OfferedTool, offers
from evolve.functions.mcp.servers import Server
from evolve.functions.permission import Grant

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class Offering(Protocol):
    """What stands behind the functions of one server."""

    @property
    def server(self) -> Server: ...

    @property
    def stale(self) -> bool:
        """Whether it said that it lists other tools now, and was not asked since."""
        ...

    def tools(self, seconds: float) -> Sequence[Listed]:
        """What it lists now; the same value as long as that has not changed.

        Raises:
            CallFailed: It cannot be started, reached or read.
        """
        ...

    def call(self, asked: Asked, listed: Sequence[Listed], seconds: float) -> Json:
        """Calls a tool of what :meth:`tools` gave.

        Raises:
            CallFailed: It did not do it, or nobody knows.
        """
        ...

    def close(self) -> None:
        """Ends what it started; closing twice is no error."""
        ...


class ServerFunctions:
    """Functions of servers; implements :class:`~evolve.functions.FunctionSource`.

    A tool is offered while it is as a person allowed it, and looked at anew whenever its server was started or says
    that its tools changed. A server that cannot be started offers nothing; :attr:`troubles` says why.

    Args:
        approved: What may be started; nothing else is.
        start: Starts a local one, confined.
    """

    def __init__(self, approved: Sequence[Approval], start: Start) -> None:
        self._approved = {approval.server.name: approval for approval in approved}
        self._start = start
        self._lock = threading.Lock()
        self._thread = ExitStack()
        self._running: BlockingPortal | None = None
        self._connections: dict[str, Offering] = {}
        self._seen: dict[str, tuple[Sequence[Listed], Mapping[str, OfferedTool]]] = {}
        self._tools: dict[str, tuple[str, str, Function]] = {}
        self.troubles: dict[str, str] = {}
        # also at the end of the program, when nobody called close
        self._finalizer = weakref.finalize(self, _end, self._connections, self._thread)

    @property
    def approved(self) -> Sequence[str]:
        """Names of the servers that may be started."""
        return list(self._approved)

    def functions(self) -> Sequence[Function]:
        with self._lock:
            opened = self._connections.values()
            if not opened or any(connection.stale for connection in opened):
                self._look()
            return [function for _, _, function in self._tools.values()]

    def offers(self, server: str) -> Sequence[OfferedTool]:
        """All that a server lists, beside what was allowed of it.

        Raises:
            CallFailed: It cannot be started.
        """
        with self._lock:
            return list(self._offers(self._connection(server), START_S).values())

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        with self._lock:
            if not self._connections:
                self._look()
            if name not in self._tools:
                raise CallFailed(f"there is no function {name[:80]!r} that was allowed")
            server, tool, function = self._tools[name]
            connection = self._connection(server)
            now = self._offers(connection, seconds).get(tool)
            if now is None or now.function is None or now.function.digest != function.digest:
                del self._tools[name]
                raise CallFailed(f"{name} is not what was allowed any more, so it was not called")
            listed = self._seen[server][0]
        return connection.call(Asked(tool=tool, name=name, arguments=arguments), listed, seconds)

    def grant_of(self, function: Function) -> Grant:
        """What the person said of a function of these servers; of any other, to ask."""
        server, tool, made = self._tools.get(function.name, ("", "", None))
        return self._approved[server].tools[tool].overall if made is not None and made == function else "ask"

    def close(self) -> None:
        """Ends the servers and the thread."""
        with self._lock:
            _end(self._connections, self._thread)
            self._tools.clear()
            self._seen.clear()
            self._running = None

    def _look(self) -> None:
        """Starts all servers, side by side, and looks at what they offer."""
        self._tools.clear()
        self.troubles.clear()
        if not self._approved:
            return
        connections = [self._connection(name) for name in self._approved]
        with ThreadPoolExecutor(len(connections), "evolve-servers") as pool:
            looks = [pool.submit(self._offers, connection, START_S) for connection in connections]
        for connection, look in zip(connections, looks, strict=True):
            server = connection.server.name
            error = look.exception()
            if isinstance(error, CallFailed):
                self.troubles[server] = str(error)
                continue
            for offer in look.result().values():
                if offer.state == "allowed" and offer.function is not None:
                    self._tools[offer.function.name] = server, offer.tool, offer.function

    def _offers(self, connection: Offering, seconds: float) -> Mapping[str, OfferedTool]:
        """By the server's name of the tool; worked out once for each list."""
        name, listed = connection.server.name, connection.tools(seconds)
        if self._seen.get(name, (None, {}))[0] is not listed:
            found = offers(connection.server, listed, self._approved[name].tools)
            self._seen[name] = listed, {offer.tool: offer for offer in found}
        return self._seen[name][1]

    def _connection(self, server: str) -> Offering:
        if server not in self._connections:
            self._connections[server] = self._made(self._approved[server].server)
        return self._connections[server]

    def _made(self, server: Server) -> Offering:
        # what they are made of is in this package too, and most workspaces have neither
        if server.kind == "program":
            from evolve.functions.program import Program

            return Program(server, self._start)
        if server.kind == "openapi":
            from evolve.functions.openapi import Service

            return Service(server, self._portal())
        return Connection(server, self._start, self._portal())

    def _portal(self) -> BlockingPortal:
        from anyio.from_thread import start_blocking_portal

        if self._running is None:
            self._running = self._thread.enter_context(start_blocking_portal())
        return self._running


def _end(connections: dict[str, Offering], thread: ExitStack) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()
    thread.close()
