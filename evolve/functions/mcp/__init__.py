"""Tools of MCP servers as functions for code actions: what a person approved, confined, pinned and bounded.

    functions = ServerFunctions(Approvals(folder, home).all(), start)
    gate = CallGate([functions], record, Permission(functions.grant_of, ask))

The values are light to import; the SDK is loaded when the first server is started.
"""

from evolve.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.functions.mcp.approvals import Approval, Approvals, Home, Pin, with_pins
    from evolve.functions.mcp.connection import Start
    from evolve.functions.mcp.offers import OfferedTool, OfferState
    from evolve.functions.mcp.pipes import Process
    from evolve.functions.mcp.servers import Server, server_of
    from evolve.functions.mcp.source import ServerFunctions
else:
    __getattr__, __dir__ = attach(__name__)
