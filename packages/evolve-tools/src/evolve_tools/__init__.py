"""Tools that are no servers of MCP: programs of this machine, and services over HTTP that an OpenAPI file describes."""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve_tools.command_line import CommandLine
    from evolve_tools.kinds import OPENAPI, PROGRAM
else:
    __getattr__, __dir__ = attach(__name__)
