"""A program with a stated command line as one function: started for each call, confined, and ended with it."""

from __future__ import annotations

import json
import os
import selectors
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from evolve.core.episodes import Json
from evolve.core.errors import EvolveError
from evolve.runtime.functions import CallFailed, Effect
from evolve.runtime.functions.servers import ListedTool, Server, resolve_variables, short_text
from evolve_tools.command_line import CommandLine

if TYPE_CHECKING:
    from evolve.runtime.functions.servers import Process, ProcessStart, ServerCall

_MOST_OUT = 2 << 20
"""Bytes of what a program gives that are read; the gate hands on less."""
_KEPT_ERRORS = 4000
_MOST_ERRORS = 32 << 20
_CHUNK = 1 << 16


class Program:
    """The function of a program; implements :class:`~evolve.runtime.functions.servers.Provider`."""

    is_stale, is_running = False, True

    def __init__(self, server: Server, start: ProcessStart) -> None:
        self.server, self._start = server, start
        self._line = CommandLine(server.command)
        self._listed = (self._offer(),)

    def tools(self, seconds: float = 0.0) -> Sequence[ListedTool]:
        """The one function: named after the program, with the values of its command line as parameters."""
        return self._listed

    def call(self, asked: ServerCall, listed: Sequence[ListedTool], seconds: float) -> Json:
        """Runs it once.

        Raises:
            CallFailed: It did not end, or not with status 0; or what it gave is not what was said.
        """
        server, name, argv = self.server, asked.name, self._line.filled(asked.arguments)
        ends = time.monotonic() + seconds
        try:
            process = self._start(server, resolve_variables(server.variables, os.environ), argv=argv)
        except EvolveError as error:
            raise CallFailed(f"{name} was not started: {error}") from error
        acts = bool(server.writable) or server.network
        try:
            process.end_input()
            out, errors = _read(name, process, ends, acts)
            status = process.status(max(ends - time.monotonic(), 0.0))
        finally:
            process.close()
        if status is None:
            raise _late(name, acts)
        if status:
            said = short_text(errors.decode("utf-8", "replace").strip().rpartition("\n")[2])
            raise CallFailed(f"{name} ended with status {status}{f': {said}' if said else ''}")
        return self._value(name, out)

    def close(self) -> None:
        """Nothing runs between calls."""

    def _offer(self) -> ListedTool:
        server = self.server
        line = " ".join(server.command)
        # what the sandbox holds it to, so no word of the program is needed for it
        effects: dict[Effect, bool] = {"reads": True, "changes": bool(server.writable), "sends": server.network}
        return ListedTool(
            name=os.path.basename(server.command[0]),
            description=f"{server.settings.get('about', '')}\nRuns {line}".strip(),
            parameters=self._line.parameters,
            effects=frozenset(effect for effect, so in effects.items() if so),
            repeatable=not (server.writable or server.network),
        )

    def _value(self, name: str, out: bytes) -> Json:
        text = out.decode("utf-8", "replace")
        output = self.server.settings.get("output")
        if output is None:
            return text
        try:
            if output == "json":
                value: Json = json.loads(text)
                return value
            return [json.loads(line) for line in text.split("\n") if line.strip()]
        except (ValueError, RecursionError) as error:
            raise CallFailed(f"{name} was done and gave what is no JSON") from error


def _read(name: str, process: Process, ends: float, acts: bool) -> tuple[bytes, bytes]:
    """What it writes until it ends; of what it says of errors, the end."""
    out, errors, error_bytes = bytearray(), bytearray(), 0
    with selectors.DefaultSelector() as pipes:
        for pipe in (process.stdout, process.stderr):
            pipes.register(pipe, selectors.EVENT_READ)
        while pipes.get_map():
            ready = pipes.select(max(ends - time.monotonic(), 0.0))
            if not ready:
                raise _late(name, acts)
            for key, _ in ready:
                chunk = os.read(key.fd, _CHUNK)
                if not chunk:
                    pipes.unregister(key.fd)
                elif key.fd == process.stdout:
                    out += chunk
                else:
                    errors, error_bytes = (errors + chunk)[-_KEPT_ERRORS:], error_bytes + len(chunk)
            if len(out) > _MOST_OUT or error_bytes > _MOST_ERRORS:
                raise CallFailed(f"{name} gives more than {_MOST_OUT >> 20} MiB, so it was ended", doubtful=acts)
            if time.monotonic() > ends:
                raise _late(name, acts)
    return bytes(out), bytes(errors)


def _late(name: str, acts: bool) -> CallFailed:
    return CallFailed(f"{name} did not end in its time, so it was ended", doubtful=acts)
