"""Servers of tools as functions for code actions: what a person approved, confined, pinned and bounded.

    functions = ServerFunctions(Approvals(folder, home).all(), start)
    gate = CallGate([functions], record, Permission(functions.grant_of, ask))

What a server is differs by its kind (:class:`ServerKind`), such as that of MCP; nothing else here does.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.functions.servers.approvals import ApprovalHome, Approvals, ServerApproval, ToolPin, with_pins
    from evolve.runtime.functions.servers.http import ConnectionTrouble, pinned_client, short_text
    from evolve.runtime.functions.servers.kind import (
        Process,
        ProcessStart,
        Provider,
        ServerCall,
        ServerKind,
        server_kind,
    )
    from evolve.runtime.functions.servers.offers import ListedTool, OfferedTool
    from evolve.runtime.functions.servers.server import (
        Server,
        ServerSetting,
        resolve_variables,
        server_environment,
        server_of,
    )
    from evolve.runtime.functions.servers.source import ServerFunctions
else:
    __getattr__, __dir__ = attach(__name__)
