"""Real clients of the protocol's SDK, used from tests that are not asynchronous."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from anyio.from_thread import start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.types import Implementation

ROOT = Path(__file__).resolve().parents[2]
SECRET = "kx81-pQz7-w44e-vv02-Lm9s"
ME = Implementation(name="claude-code", title="Claude Code", version="1")


def command(workspace: Path, *options: object) -> list[str]:
    return [sys.executable, "-m", "evolve", "-w", str(workspace), "serve", *map(str, options)]


def variables(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), **more}


@contextmanager
def connected(server: Any, **options: Any) -> Iterator[SimpleNamespace]:
    """A client that is connected; its calls wait for their answers."""
    with start_blocking_portal() as portal:
        client = Client(server, client_info=ME, cache=None, **options)
        with portal.wrap_async_context_manager(client):
            names = ("list_tools", "call_tool", "list_resources", "read_resource")
            yield SimpleNamespace(
                **{name: partial(portal.call, getattr(client, name)) for name in names}, client=client
            )


@contextmanager
def over_stdio(workspace: Path, folder: Path, *options: object, **more: Any) -> Iterator[SimpleNamespace]:
    """A client of a server that it started in a folder, as a person's agent does."""
    program, *arguments = command(workspace, *options)
    server = StdioServerParameters(command=program, args=arguments, env=variables(PLANTED_API_KEY=SECRET), cwd=folder)
    with connected(server, **more) as client:
        yield client


def is_running(process: int) -> bool:
    """Whether there is such a process that was not reaped; one that ended but was left to init counts as gone."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()
    except FileNotFoundError:
        return False
