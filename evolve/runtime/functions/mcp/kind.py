"""MCP as a kind of server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.runtime.functions.servers.kind import ProcessStart
from evolve.runtime.functions.servers.server import Server, ServerSetting

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from evolve.runtime.functions.mcp.connection import Connection


class McpKind:
    """Servers that speak the protocol, by pipes or at an address; implements :class:`ServerKind`."""

    settings: Mapping[str, ServerSetting] = {}

    def check(self, server: Server) -> None:
        """Refuses one that is neither started nor reached."""
        if not (server.command or server.url):
            raise UsageError("give either a command or a URL", hint="evolve tools add --help")

    def approval_lines(self, server: Server) -> Sequence[tuple[str, str]]:
        """Nothing: it has no settings of its own."""
        return ()

    def open(self, server: Server, start: ProcessStart, portal: Callable[[], BlockingPortal]) -> Connection:
        """The conversation with it."""
        from evolve.runtime.functions.mcp.connection import Connection

        return Connection(server, start, portal())


MCP = McpKind()
