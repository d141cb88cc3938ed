"""The kinds of server that are no MCP: programs with a stated command line, and services of an OpenAPI file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.core.errors import UsageError
from evolve.runtime.functions.servers import ProcessStart, Server, ServerSetting
from evolve_tools.command_line import CommandLine

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

    from evolve_tools.openapi import Service
    from evolve_tools.program import Program


class ProgramKind:
    """Programs whose command line has places for values, each of which runs once for each call.

    Its settings are what it gives (a text, a value in JSON, or one in each line), and what it is for, in the person's
    words.
    """

    settings: Mapping[str, ServerSetting] = {
        "output": ServerSetting(choices=("text", "json", "jsonl")),
        "about": ServerSetting(),
    }

    def check(self, server: Server) -> None:
        """Refuses one without a command, or with a line in which a value could be an option."""
        if not server.command:
            raise UsageError("a program has a command and no URL", hint="evolve tools add --help")
        CommandLine(server.command)

    def approval_lines(self, server: Server) -> Sequence[tuple[str, str]]:
        """Its values, what it gives, and what it is for."""
        values = ", ".join(CommandLine(server.command).names)
        told = f"{values}; each is one argument, and none an option" if values else "none"
        rows = [("values", told), ("gives", server.settings.get("output", "text"))]
        return [*rows, *(("about", text) for key, text in server.settings.items() if key == "about")]

    def open(self, server: Server, start: ProcessStart, portal: Callable[[], BlockingPortal]) -> Program:
        """Its one function."""
        from evolve_tools.program import Program

        return Program(server, start)


class OpenApiKind:
    """Services over HTTP; paths of the file come after the URL.

    What is pinned is each request that the file describes, so an edit of it makes other functions.
    """

    settings: Mapping[str, ServerSetting] = {"file": ServerSetting(is_path=True)}

    def check(self, server: Server) -> None:
        """Refuses one without a file or with a URL that nothing can come after."""
        if not (server.url and "file" in server.settings):
            raise UsageError("a service has an OpenAPI file and a URL", hint="evolve tools add --help")
        if "?" in server.url:
            raise UsageError(f"{server.url[:200]!r} has a query", hint="give what paths come after")

    def approval_lines(self, server: Server) -> Sequence[tuple[str, str]]:
        """Its file."""
        return [("described", server.settings["file"])]

    def open(self, server: Server, start: ProcessStart, portal: Callable[[], BlockingPortal]) -> Service:
        """Its operations."""
        from evolve_tools.openapi import Service

        return Service(server, portal())


PROGRAM = ProgramKind()
OPENAPI = OpenApiKind()
