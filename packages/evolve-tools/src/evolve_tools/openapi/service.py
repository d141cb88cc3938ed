"""A service over HTTP, called as its OpenAPI file says; everything asynchronous is in here, on a thread it is given."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import wait
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.runtime.functions import CallFailed
from evolve.runtime.functions.servers import (
    ConnectionTrouble,
    ListedTool,
    Server,
    pinned_client,
    resolve_variables,
    short_text,
)
from evolve_tools.openapi.document import Document
from evolve_tools.openapi.operations import Operation, operations
from evolve_tools.openapi.requests import Request, request_of

if TYPE_CHECKING:
    import httpx2
    from anyio.from_thread import BlockingPortal

    from evolve.runtime.functions.servers import ServerCall

_MOST = 2 << 20
"""Bytes of an answer that are read; the gate hands on less."""
_MOST_OPERATIONS = 5000
_GRACE_S = 1.0
_ENDING_S = 5.0


class Service:
    """The operations of one service; implements :class:`~evolve.runtime.functions.servers.Provider`.

    Args:
        portal: The thread that requests are made on.
    """

    is_stale, is_running = False, True

    def __init__(self, server: Server, portal: BlockingPortal) -> None:
        self.server, self._portal = server, portal
        self._lock = threading.Lock()  # one request at a time: what goes wrong is told of the connection
        self._trouble = ConnectionTrouble()
        self._client: httpx2.AsyncClient | None = None
        self._listed: Sequence[ListedTool] | None = None
        self._operations: Mapping[str, Operation] = {}

    def tools(self, seconds: float = 0.0) -> Sequence[ListedTool]:
        """The operations, by the names that the file gives them; the file is read once, and no request is made.

        Raises:
            CallFailed: The file cannot be read, or is none.
        """
        if self._listed is None:
            document = Document(Path(self.server.settings["file"]))
            both = list(islice(operations(document, self.server.headers), _MOST_OPERATIONS))
            self._operations = {listed.name: operation for listed, operation in both if operation is not None}
            self._listed = [listed for listed, _ in both]
        return self._listed

    def call(self, asked: ServerCall, listed: Sequence[ListedTool], seconds: float) -> Json:
        """Makes one request.

        Raises:
            CallFailed: It was refused or failed, or what came is neither JSON nor text.
        """
        if asked.tool not in self._operations:
            raise CallFailed(f"{asked.name} is not in the file any more")
        request = request_of(self._operations[asked.tool], self.server.url, asked.arguments)
        with self._lock:
            status, kind, content = self._answered(asked.name, request, seconds)
        text = content.decode("utf-8", "replace")
        if status >= 400:
            told = f": {short_text(text)}" if text.strip() else ""
            raise CallFailed(f"{asked.name} was refused with HTTP status {status}{told}", doubtful=status >= 500)
        return _value(asked.name, kind, text)

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(RuntimeError):  # the thread has ended, and the connections with it
                wait([self._portal.start_task_soon(client.aclose)], _ENDING_S)

    def _answered(self, name: str, request: Request, seconds: float) -> tuple[int, str, bytes]:
        self._trouble.begin()
        try:
            headers = resolve_variables(self.server.headers, os.environ)
        except UsageError as error:
            raise CallFailed(f"{name}: {error}") from error
        future = self._portal.start_task_soon(self._send, request, headers)
        try:
            done = bool(wait([future], seconds).done)
        finally:
            future.cancel()  # also where the person stops it; one that is done stays as it is
        if not done:
            wait([future], _GRACE_S)
            raise CallFailed(f"{name} gave no answer within {seconds:g} s", doubtful=True)
        trouble, raised = self._trouble, future.exception()
        if trouble.why:
            raise CallFailed(f"{name}: server {self.server.name} {trouble.why}", doubtful=not trouble.undone)
        if raised is not None:
            raise CallFailed(f"{name}: no request can be made of that: {short_text(str(raised))}") from raised
        return future.result()

    async def _send(self, request: Request, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
        if self._client is None:
            self._client = pinned_client(self.server.url, {}, self._trouble)
        client = self._client
        client.cookies.clear()  # each call stands by itself
        sent = {**request.headers, **headers}
        content = bytearray()
        async with client.stream(request.method, request.url, headers=sent, content=request.body) as response:
            async for chunk in response.aiter_raw():
                content += chunk
                if len(content) > _MOST:
                    self._trouble.set_reason(f"answers with more than {_MOST >> 20} MiB")
                    break
        return response.status_code, response.headers.get("content-type", ""), bytes(content)


def _value(name: str, kind: str, text: str) -> Json:
    media = kind.partition(";")[0].strip().lower()
    if not text.strip():
        return None
    if media == "application/json" or media.endswith("+json"):
        try:
            value: Json = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise CallFailed(f"{name} was done and gave what is no JSON") from error
        return value
    if media.startswith("text/") or media in ("", "application/xml"):
        return text
    raise CallFailed(f"{name} was done and gave {media[:80]}, of which code gets nothing")
