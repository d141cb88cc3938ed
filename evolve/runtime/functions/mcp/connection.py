"""One server and the conversation with it, and its answers as values, so that the types of the protocol stay in here.

Everything asynchronous is in here as well, on a thread of its own.

The client of the protocol is that of its own SDK (``mcp`` 2.x), which speaks to servers of older protocols as well.
What a server may ask of a client in turn (a model's reply, a person's input, folders) is refused by it.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import AsyncIterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from evolve.core.episodes import Json
from evolve.core.errors import EvolveError
from evolve.runtime.functions.function import CallFailed
from evolve.runtime.functions.mcp.pipes import LIST_CHANGED, open_streams
from evolve.runtime.functions.servers.http import LONGEST_MESSAGE, START_S, ConnectionTrouble, pinned_client, short_text
from evolve.runtime.functions.servers.kind import ProcessStart, ServerCall
from evolve.runtime.functions.servers.offers import ListedTool
from evolve.runtime.functions.servers.server import Server, resolve_variables

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal
    from mcp import Client
    from mcp.client.session import MessageHandlerFnT
    from mcp.types import CallToolResult, InputRequiredResult, Tool
    from pydantic import TypeAdapter


_HINTS = ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint")


def _value_of(name: str, result: CallToolResult | InputRequiredResult) -> Json:
    """The value of a call: structured content where there is some, else the text.

    Raises:
        CallFailed: The tool says that it failed, asks for something in turn, or gave what is neither.
    """
    from mcp.types import CallToolResult, TextContent

    if not isinstance(result, CallToolResult):
        wanted = ", ".join(sorted({_asked_for(request) for request in (result.input_requests or {}).values()}))
        raise CallFailed(f"{name} asks for {wanted or 'another round'}, and is given none", doubtful=True)
    texts = [part.text for part in result.content if isinstance(part, TextContent)]
    if result.is_error:
        raise CallFailed(f"{name}: {short_text(' '.join(texts)) or 'it failed'}")
    if "structured_content" in result.model_fields_set and result.structured_content is not None:
        value: Json = result.structured_content
        return value
    others = sorted({part.type for part in result.content if not isinstance(part, TextContent)})
    if others:
        raise CallFailed(f"{name} was done and gave {', '.join(others)}, of which code gets nothing")
    return "\n".join(texts)


def _hints(tool: Tool) -> Mapping[str, bool]:
    said = {name: getattr(tool.annotations, name, None) for name in _HINTS}
    return {name.removesuffix("_hint"): bool(value) for name, value in said.items() if value is not None}


def _asked_for(request: object) -> str:
    method = str(getattr(request, "method", ""))
    return {"sampling/createMessage": "a model's reply", "roots/list": "folders"}.get(method, "a person's input")


MOST_TOOLS = 5000
_RESTARTS = 3
_MOST_PAGES = 100
_ENDING_S = 5.0
_GRACE_S = 1.0
_CLOSED = "Connection closed"
_Given = TypeVar("_Given")


class Connection:
    """A server that is started when it is first needed, and again where it ended, a few times.

    Args:
        portal: The thread that everything asynchronous runs in.
    """

    def __init__(self, server: Server, start: ProcessStart, portal: BlockingPortal) -> None:
        self.server = server
        self._start, self._portal = start, portal
        self._lock = threading.RLock()
        self._starts = 0
        self._task: Future[None] | None = None
        self._client: Client | None = None
        self._trouble = ConnectionTrouble()
        self._listed: Sequence[ListedTool] | None = None

    def tools(self, seconds: float) -> Sequence[ListedTool]:
        """What the server lists now; it is started if need be, and asked again where it said that this changed.

        Raises:
            CallFailed: It cannot be started or asked; nothing was called.
        """
        client = self._opened(seconds)
        if self._listed is None or self._trouble.stale:
            self._trouble.stale = False
            self._listed = self._answered("listing its tools", self._list(client), seconds)
        return self._listed

    def call(self, asked: ServerCall, listed: Sequence[ListedTool], seconds: float) -> Json:
        """Calls a tool of a server that runs and listed what somebody looked at, not of one that was started since.

        Args:
            listed: What :meth:`tools` gave.

        Raises:
            CallFailed: It did not do it, or nobody knows.
        """
        name = asked.name
        with self._lock:
            client = self._client
            if client is None or self._listed is not listed or self._trouble.why:
                raise CallFailed(f"{name}: server {self.server.name} {self._trouble.why or 'has ended'}")
        return _value_of(name, self._answered(name, self._ask(client, asked, seconds), seconds))

    @property
    def is_stale(self) -> bool:
        """Whether the server said that it lists other tools now, and was not asked since."""
        return self._trouble.stale

    @property
    def is_running(self) -> bool:
        """Whether it was started and nothing is wrong with it since."""
        return self._client is not None and self._task is not None and not (self._trouble.why or self._task.done())

    def close(self) -> None:
        """Ends the server; it may be started again. Closing twice is no error."""
        task, self._task, self._client, self._listed = self._task, None, None, None
        if task is not None:
            task.cancel()
            wait([task], _ENDING_S)

    def _opened(self, seconds: float) -> Client:
        with self._lock:
            return self._client_now(seconds)

    def _client_now(self, seconds: float) -> Client:
        if self._client is not None and self.is_running:
            return self._client
        self.close()
        if self._starts > _RESTARTS:
            raise CallFailed(f"server {self.server.name} {self._trouble.why or 'has ended'}; it is not started again")
        self._starts += 1
        self._trouble = trouble = ConnectionTrouble()
        ready: Future[Client] = Future()
        # The SDK logs what servers send; without anybody who listens, that would go to the person's terminal.
        for name in ("mcp", "client"):
            logger = logging.getLogger(name)
            if not logger.handlers:
                logger.addHandler(logging.NullHandler())
        self._task = self._portal.start_task_soon(self._hold, trouble, ready)
        allowed = min(seconds, START_S)
        try:
            both: tuple[Future[Any], ...] = (ready, self._task)
            wait(both, allowed, "FIRST_COMPLETED")
            late = not (ready.done() or self._task.done())
            error = self._task.exception() if self._task.done() else None
            self._client = ready.result() if ready.done() else None
        finally:
            if not ready.done():
                self.close()
        if self._client is None:
            why = trouble.why or (f"was not ready after {allowed:g} s" if late else _first_sentence(error))
            raise CallFailed(f"server {self.server.name} {why}")
        return self._client

    async def _hold(self, trouble: ConnectionTrouble, ready: Future[Client]) -> None:
        """Keeps the conversation open until it is cancelled."""
        import anyio
        from mcp import Client
        from mcp.types import Implementation

        me = Implementation(name="evolve", version="0")
        streams, heed = self._streams(trouble), _heeding(trouble)
        async with Client(streams, mode="auto", cache=None, client_info=me, message_handler=heed) as client:
            ready.set_result(client)
            await anyio.sleep_forever()

    def _streams(self, trouble: ConnectionTrouble) -> AbstractAsyncContextManager[tuple[Any, Any]]:
        server = self.server
        if server.url:
            return _pinned(server.url, resolve_variables(server.headers, os.environ), trouble)
        return open_streams(self._start(server, resolve_variables(server.variables, os.environ)), trouble)

    async def _list(self, client: Client) -> Sequence[ListedTool]:
        found: list[ListedTool] = []
        cursor = None
        for _ in range(_MOST_PAGES):
            self._trouble.begin_request()
            page = await client.list_tools(cursor=cursor)
            found += [
                ListedTool(
                    name=tool.name,
                    description=tool.description or "",
                    parameters={"properties": {}, **tool.input_schema},
                    hints=_hints(tool),
                    returns=tool.output_schema or {},
                )
                for tool in page.tools
            ]
            cursor = page.next_cursor
            if cursor is None or len(found) >= MOST_TOOLS:
                break
        return found[:MOST_TOOLS]

    async def _ask(self, client: Client, asked: ServerCall, seconds: float) -> Any:
        """Asks without a look at the schema of answers, which a stranger could write so that a look never ends."""
        from mcp import types

        self._trouble.begin_request()
        parameters = types.CallToolRequestParams(name=asked.tool, arguments=dict(asked.arguments))
        return await client.session.send_request(
            types.CallToolRequest(params=parameters),
            _answers(),
            request_read_timeout_seconds=seconds,
        )

    def _answered(self, name: str, asking: Any, seconds: float) -> Any:
        """What came, or the sentence why nothing did."""

        async def ask() -> Any:
            return await asking

        future = self._portal.start_task_soon(ask)
        try:
            done = bool(wait([future], seconds + _GRACE_S).done)
        finally:
            future.cancel()  # also where the person stops it; one that is done stays as it is
        if not done:
            raise CallFailed(f"{name} gave no answer within {seconds:g} s", doubtful=True)
        error = future.exception()
        if error is None:
            return future.result()
        raise self._failure(name, error, seconds) from error

    def _failure(self, name: str, error: BaseException, seconds: float) -> CallFailed:
        from mcp import MCPError
        from mcp.types import CONNECTION_CLOSED, INVALID_REQUEST, PARSE_ERROR, REQUEST_TIMEOUT

        trouble = self._trouble
        if trouble.why:
            return CallFailed(f"{name}: server {self.server.name} {trouble.why}", doubtful=not trouble.undone)
        if not isinstance(error, MCPError):
            return CallFailed(f"{name}: the answer is none by the protocol", doubtful=True)
        if error.code == REQUEST_TIMEOUT:
            noise = ", and wrote lines that are no messages" if trouble.noise else ""
            return CallFailed(f"{name} gave no answer within {seconds:g} s{noise}", doubtful=True)
        if error.code == CONNECTION_CLOSED and error.message == _CLOSED:
            return CallFailed(f"{name}: server {self.server.name} ended before it answered", doubtful=True)
        if trouble.status == 404:
            trouble.set_reason("has forgotten this conversation; a new one begins with the next call", undone=True)
            return CallFailed(f"{name}: server {self.server.name} {trouble.why}")
        if trouble.status:
            why = f"{name}: server {self.server.name} refused with HTTP status {trouble.status}"
            return CallFailed(why, doubtful=trouble.status >= 500)
        # over HTTP these are what the SDK says of an answer that broke off; a server may use the numbers too
        unsure = bool(self.server.url) and error.code in (CONNECTION_CLOSED, INVALID_REQUEST, PARSE_ERROR)
        return CallFailed(f"{name}: {short_text(error.message)}", doubtful=unsure)


@asynccontextmanager
async def _pinned(url: str, headers: Mapping[str, str], trouble: ConnectionTrouble) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of the protocol's client, over HTTP."""
    from mcp.client.streamable_http import streamable_http_client

    async with (
        pinned_client(url, headers, trouble) as client,
        streamable_http_client(
            url, http_client=client, terminate_on_close=False, max_sse_event_size=LONGEST_MESSAGE
        ) as streams,
    ):
        yield streams


@cache
def _answers() -> TypeAdapter[Any]:
    """What may answer a call; made once, as to make it costs more than to use it."""
    from mcp.types import CallToolResult, InputRequiredResult
    from pydantic import TypeAdapter

    return TypeAdapter[Any](CallToolResult | InputRequiredResult)


def _heeding(trouble: ConnectionTrouble) -> MessageHandlerFnT:
    """Takes note where the tools are said to be others now, and of nothing else that nobody asked for."""

    async def heed(message: Any) -> None:
        trouble.stale |= getattr(message, "method", "") == LIST_CHANGED

    return heed


def _first_sentence(error: BaseException | None) -> str:
    """Why a server did not start, as the innermost of nested errors says it."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, EvolveError):
        return f"was not started: {error}"
    return f"could not be talked to: {short_text(str(error)) or type(error).__name__}" if error else "has ended"
