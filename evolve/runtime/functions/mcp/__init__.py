"""Servers of the Model Context Protocol; its SDK is loaded when the first one is started."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.functions.mcp.kind import MCP
else:
    __getattr__, __dir__ = attach(__name__)
