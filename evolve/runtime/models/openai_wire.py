"""Exchanges over HTTP by the ``openai`` library; the only file that knows it.

The library gives the client, its addresses, authentication and connections. Its retries are off, and bodies are
taken as bytes: what is tried again, and what a reply means, is decided elsewhere, the same for every endpoint.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from evolve.core.files import clean_text
from evolve.runtime.models.addressing import OPENAI, Endpoint
from evolve.runtime.models.replies import most_bytes
from evolve.runtime.models.wire import Deadlines, Exchange, ExchangeFailure, OnBytes, RawReply, failure_of_status

if TYPE_CHECKING:
    from openai import OpenAI

_NO_KEY = "none"  # the library insists on one; local servers take any


class OpenAIWire:
    """Talks to one endpoint. May be used from several threads; each takes a connection of its own.

    What comes back is as the endpoint said it; :class:`evolve.runtime.models.CleaningWire` takes secrets out.

    Args:
        endpoint: Where, and with which key.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint
        self._idle: list[_Connection] = []
        self._guard = threading.Lock()

    def send(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None
    ) -> RawReply | ExchangeFailure:
        """One exchange; see :class:`evolve.runtime.models.wire.Wire`."""
        import httpx2

        with self._guard:
            connection = self._idle.pop() if self._idle else None
        try:
            connection = connection or _Connection(self._endpoint)
        except httpx2.InvalidURL as error:
            return ExchangeFailure(kind="connect", text=f"not an address: {error}", final=True)
        reusable = False
        try:
            answer = connection.send(exchange, deadlines, on_bytes)
            reusable = isinstance(answer, RawReply) and len(answer.content) <= most_bytes(streamed=exchange.is_streamed)
        finally:
            if not reusable:
                connection.close()  # what is still under way on it must not reach the next call
        if reusable:
            with self._guard:
                self._idle.append(connection)
        return answer

    def close(self) -> None:
        """Closes the connections that are kept open."""
        with self._guard:
            connections, self._idle = self._idle, []
        for connection in connections:
            connection.close()


class _Connection:
    """One connection, so that it is always known which socket a deadline has to end."""

    def __init__(self, endpoint: Endpoint) -> None:
        import httpx2
        import openai

        self._stream: Any = None
        self._over = threading.Event()
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1)
        http = openai.DefaultHttpxClient(
            limits=limits,
            event_hooks={"request": [self._watch]},
            follow_redirects=False,  # prompts go to the address that was named, and nowhere else
            verify=endpoint.base_url.startswith("https:"),  # without TLS there is nothing to verify, and it is slow
        )
        self._client: OpenAI = openai.OpenAI(
            api_key=endpoint.key or _NO_KEY, base_url=endpoint.base_url, max_retries=0, http_client=http
        )
        self._lacks_key = endpoint.base_url == OPENAI and not endpoint.key
        if endpoint.base_url != OPENAI:
            self._client.organization = self._client.project = None  # of the environment, and meant for OpenAI

    def send(self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None) -> RawReply | ExchangeFailure:
        import httpx2
        import openai

        if self._lacks_key:
            return ExchangeFailure(
                kind="access", text="OPENAI_API_KEY is not set, and this endpoint needs a key", final=True
            )
        with self._ended_after(deadlines) as over:
            try:
                return self._exchange(exchange, deadlines, on_bytes)
            except openai.APIStatusError as error:
                content = b"" if over.is_set() else error.response.content
                return failure_of_status(error.status_code, dict(error.response.headers), content)
            except openai.APITimeoutError as error:
                if isinstance(error.__cause__, httpx2.ConnectTimeout | httpx2.PoolTimeout):
                    told = f"no connection within {min(deadlines.connect, deadlines.total):g} s"
                    return ExchangeFailure(kind="connect", text=told)  # nothing was sent yet, so nothing can be charged
                return _too_late(deadlines, quiet=_longest_silence(exchange, deadlines), over=over.is_set())
            except openai.APIConnectionError as error:
                if over.is_set():
                    return _too_late(deadlines, over=True)
                return _broken(error.__cause__ or error)
            except httpx2.TimeoutException:
                return _too_late(deadlines, quiet=_longest_silence(exchange, deadlines), over=over.is_set())
            except (httpx2.HTTPError, httpx2.InvalidURL, openai.OpenAIError) as error:
                return _too_late(deadlines, over=True) if over.is_set() else _broken(error)

    def _exchange(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None
    ) -> RawReply | ExchangeFailure:
        import httpx2

        silence = _longest_silence(exchange, deadlines)
        timeout = httpx2.Timeout(silence, connect=min(deadlines.connect, deadlines.total))
        content = bytearray()
        with self._opened(exchange, timeout) as reply:
            for piece in reply.iter_bytes():
                content += piece
                if len(content) > most_bytes(streamed=exchange.is_streamed):
                    break  # the reader refuses it
                if on_bytes is not None and exchange.is_streamed:
                    on_bytes(piece)
        return RawReply(content=bytes(content))

    def _opened(self, exchange: Exchange, timeout: Any) -> Any:
        if exchange.path == "models":
            return self._client.models.with_streaming_response.list(timeout=timeout)
        resource: Any = self._client.responses if exchange.path == "responses" else self._client.chat.completions
        return resource.with_streaming_response.create(
            # The library would read a stream itself if it knew of one, so the whole body goes in as it is.
            **{"model": "", "messages": []} if exchange.path == "chat/completions" else {},
            extra_body=dict(exchange.body),
            timeout=timeout,
        )

    @contextmanager
    def _ended_after(self, deadlines: Deadlines) -> Iterator[threading.Event]:
        """Ends the connection when time is up or the person says so, however busy it looks; the event tells of it."""
        over = self._over = threading.Event()

        def end() -> None:
            over.set()
            self._cut()

        # A timer, because the library's time-outs begin anew with every byte that trickles in.
        timer = threading.Timer(max(0.0, deadlines.total), end)
        timer.daemon = True
        timer.start()
        stopped = deadlines.cancellation
        try:
            with nullcontext() if stopped is None else stopped.call_on_cancel(end):
                yield over
        finally:
            timer.cancel()

    def _cut(self) -> None:
        sock = self._stream.get_extra_info("socket") if self._stream is not None else None
        if sock is None:
            return
        try:
            # Not the TLS object's own method: that one takes away what the reading thread is using.
            socket.socket.shutdown(sock, socket.SHUT_RDWR)
        except OSError:
            return  # it is closed already

    def _watch(self, request: Any) -> None:
        # The only place where the library below shows the connection before the reply is there.
        request.extensions["trace"] = self._trace

    def _trace(self, name: str, info: Mapping[str, Any]) -> None:
        stream = info.get("return_value")
        if name.endswith(".complete") and hasattr(stream, "get_extra_info"):
            self._stream = stream
            if self._over.is_set():  # it was ended while there was nothing to cut yet
                self._cut()

    def close(self) -> None:
        self._client.close()


def _longest_silence(exchange: Exchange, deadlines: Deadlines) -> float:
    # A plain reply comes in one piece after a long silence; only a streamed one is never silent for long.
    return min(deadlines.idle, deadlines.total) if exchange.is_streamed else deadlines.total


def _too_late(deadlines: Deadlines, *, over: bool, quiet: float = 0.0) -> ExchangeFailure:
    # Where both bounds are one length, either may be noticed first; the reader is told the same.
    if over or quiet >= deadlines.total:
        return ExchangeFailure(kind="timeout", text=f"no complete reply within {deadlines.total:g} s", billed=True)
    return ExchangeFailure(kind="timeout", text=f"nothing came for {quiet:g} s", billed=True)


def _broken(error: BaseException) -> ExchangeFailure:
    import httpx2

    text = " ".join(clean_text(str(error)).split())[:200] or type(error).__name__
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return ExchangeFailure(
            kind="connect", text="its certificate is not trusted; SSL_CERT_FILE names your own", final=True
        )
    if isinstance(error, httpx2.ConnectError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return ExchangeFailure(kind="connect", text=f"cannot connect: {text}")
    return ExchangeFailure(kind="broken", text=f"the connection broke: {text}", billed=True)
