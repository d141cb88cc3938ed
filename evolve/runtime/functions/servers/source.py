"""The tools of approved servers as functions for code actions."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from evolve.core.episodes import Json
from evolve.core.progress import report_activity
from evolve.core.redaction import Scanner
from evolve.runtime.functions.function import CallFailed, Function
from evolve.runtime.functions.permission import Grant
from evolve.runtime.functions.servers.approvals import ServerApproval
from evolve.runtime.functions.servers.http import START_S
from evolve.runtime.functions.servers.kind import ProcessStart, Provider, ServerCall, missing_kind_reason, server_kind
from evolve.runtime.functions.servers.offers import ListedTool, OfferedTool, offered_tools
from evolve.runtime.functions.servers.server import Server, server_environment

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class ServerFunctions:
    """Functions of servers; implements :class:`~evolve.runtime.functions.FunctionSource`.

    What is offered is what a person allowed, as it was then: no server is started to say that. One is started at the
    first call of a tool of its own and goes on until :meth:`close`. Whenever it was started, or says that its tools
    changed, it is looked whether it lists what was allowed; a tool that is another one now is not called.

    Of a kind that nobody offers here the tools are offered too, and a call fails: a run that was cut off is to go on
    with the prompt and the answers that it had.

    Args:
        approved: What may be started; nothing else is.
        start: Starts a local one, confined.
        tell: Told in a sentence of each tool that turns out to be another one, and of servers of a kind that nobody
            offers, once.
    """

    def __init__(
        self, approved: Sequence[ServerApproval], start: ProcessStart, tell: Callable[[str], None] = lambda text: None
    ) -> None:
        self._start, self._tell = start, tell
        self._lock = threading.Lock()
        self._thread = ExitStack()
        self._running: BlockingPortal | None = None
        self._connections: dict[str, Provider] = {}
        self._seen: dict[str, tuple[Sequence[ListedTool], Mapping[str, OfferedTool]]] = {}
        self._told: set[str] = set()
        self._approved: dict[str, ServerApproval] = {}
        self._tools: dict[str, tuple[str, str, Function]] = {}
        self._take(approved)
        # also at the end of the program, when nobody called close
        self._finalizer = weakref.finalize(self, _end, self._connections, self._thread)

    @property
    def troubles(self) -> Mapping[str, str]:
        """Why tools that were allowed are not offered, by server."""
        found = {}
        for name, one in self._approved.items():
            if not all(one.server.effects <= pin.effects for pin in one.tools.values()):
                found[name] = (
                    f"they are sent what they are called with; evolve tools allow {name} says that they may be"
                )
            elif not all(pin.name for pin in one.tools.values()):
                why = "an earlier version of evolve allowed them and kept no description; evolve tools check {} adds it"
                found[name] = why.format(name)
        return found

    def functions(self) -> Sequence[Function]:
        with self._lock:
            return [made for server, tool, made in self._tools.values() if not self._is_another(server, tool)]

    def offered_tools(self, server: str) -> Sequence[OfferedTool]:
        """All that a server lists, beside what was allowed of it; it is started if need be.

        Raises:
            CallFailed: It cannot be started.
        """
        with self._lock:
            return list(self._offers(self._connection(server)).values())

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        with self._lock:
            if name not in self._tools:
                raise CallFailed(f"there is no function {name[:80]!r} that was allowed")
            server, tool, function = self._tools[name]
            connection = self._connection(server)
            if self._offers(connection)[tool].state != "allowed":
                why = f"{function.name} is not what was allowed any more, so it was not called"
                why += f"; `evolve tools check {server}` shows what changed,"
                why += f" `evolve tools allow {server}` allows it as it is"
                if function.digest not in self._told:
                    self._told.add(function.digest)
                    self._tell(why)
                raise CallFailed(why)
            listed = self._seen[server][0]
        marks = Scanner(server_environment(connection.server, os.environ))
        try:
            with report_activity("tool", name):
                value = connection.call(ServerCall(tool=tool, name=name, arguments=arguments), listed, seconds)
        except CallFailed as failure:
            raise CallFailed(marks.redact_text(str(failure)), doubtful=failure.doubtful) from None
        cleaned: Json = marks.redact_value(value)
        return cleaned

    def grant_of(self, function: Function) -> Grant:
        """What the person said of a function of these servers; of any other, to ask."""
        server, tool, made = self._tools.get(function.name, ("", "", None))
        return self._approved[server].tools[tool].overall_grant if made is not None and made == function else "ask"

    def use_approvals(self, approved: Sequence[ServerApproval]) -> None:
        """Goes by what is approved now, as when a run begins. A server that is approved as before goes on.

        One that has ended, or was given up, may be started again.
        """
        with self._lock:
            before = dict(self._approved)
            self._take(approved)
            for name, connection in list(self._connections.items()):
                now = self._approved.get(name)
                ended = now is None or now.server != connection.server or not connection.is_running
                if ended:
                    connection.close()
                    del self._connections[name]
                if ended or now != before[name]:
                    self._seen.pop(name, None)

    def close(self) -> None:
        """Ends the servers and the thread; what is called afterwards starts them again."""
        with self._lock:
            _end(self._connections, self._thread)
            self._seen.clear()
            self._running = None

    def _take(self, approved: Sequence[ServerApproval]) -> None:
        self._approved = {approval.server.name: approval for approval in approved}
        self._tools = {
            made.name: (server, tool, made)
            for server, approval in self._approved.items()
            for tool, pin in approval.tools.items()
            if (made := pin.approved_function(server)) is not None and approval.server.effects <= made.effects
        }
        for name, approval in self._approved.items():
            if (why := missing_kind_reason(approval.server.kind)) and name not in self._told:
                self._told.add(name)
                self._tell(f"the tools of {name} cannot be called: {why}")

    def _is_another(self, server: str, tool: str) -> bool:
        """Whether a server that runs was seen to list something else under that name."""
        connection = self._connections.get(server)
        if connection is None or connection.is_stale or server not in self._seen:
            return False
        return self._seen[server][1][tool].state != "allowed"

    def _offers(self, connection: Provider) -> Mapping[str, OfferedTool]:
        """By the server's name of the tool; worked out once for each list.

        A start has a limit of its own, so that a call of few seconds is not lost to it.
        """
        name = connection.server.name
        with report_activity("server", name):
            listed = connection.tools(START_S)
        if self._seen.get(name, (None, {}))[0] is not listed:
            found = offered_tools(connection.server, listed, self._approved[name].tools)
            self._seen[name] = listed, {offer.tool: offer for offer in found}
        return self._seen[name][1]

    def _connection(self, server: str) -> Provider:
        if server not in self._connections:
            self._connections[server] = self._made(self._approved[server].server)
        return self._connections[server]

    def _made(self, server: Server) -> Provider:
        if why := missing_kind_reason(server.kind):
            raise CallFailed(f"server {server.name} was not started: {why}")
        return server_kind(server.kind).open(server, self._start, self._portal)

    def _portal(self) -> BlockingPortal:
        from anyio.from_thread import start_blocking_portal

        if self._running is None:
            self._running = self._thread.enter_context(start_blocking_portal())
        return self._running


def _end(connections: dict[str, Provider], thread: ExitStack) -> None:
    for connection in connections.values():
        connection.close()
    connections.clear()
    thread.close()
