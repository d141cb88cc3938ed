"""HTTP to a tool server: pinned addresses, limits on what it may say, and when a connection is given up."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx2


LONGEST_MESSAGE = 16 << 20
"""Bytes of one message."""

MOST_UNASKED = 2000
"""Messages after a request, answers among them."""

MOST_BYTES = 32 << 20
"""Bytes after a request, of messages and of what is written beside them."""

START_S = 60.0
"""Seconds of the start of a server, which no call is charged for."""

_LONGEST_WHY = 300


@dataclass
class ConnectionTrouble:
    """What is wrong with a connection; told by whoever sees it first, read by whoever waits for an answer.

    Attributes:
        why: A phrase that goes after the server's name; "" while all is well.
        undone: Whether the server took nothing of what was asked last.
        status: The last HTTP status that was no success.
        stale: The server says that its tools are others now.
        noise: Lines that were no messages.
    """

    why: str = ""
    undone: bool = False
    status: int = 0
    stale: bool = False
    noise: int = 0
    _messages: int = 0
    _bytes: int = 0

    def set_reason(self, why: str, *, undone: bool = False) -> None:
        """Notes what is wrong, unless something was before."""
        if not self.why:
            self.why, self.undone = why, undone

    def begin(self) -> None:
        """Forgets what was wrong: the next request says for itself."""
        self.why, self.undone = "", False
        self.begin_request()

    def begin_request(self) -> None:
        """A request goes out: what may come begins anew."""
        self._messages = self._bytes = self.status = 0

    def count_received(self, count: int, *, messages: int = 0) -> bool:
        """Counts what came; False, with the reason noted, where it is too much."""
        self._bytes += count
        self._messages += messages
        if self._bytes > MOST_BYTES or self._messages > MOST_UNASKED:
            self.set_reason("sends far more than it was asked for, so it was ended")
        return not self.why


def short_text(text: str) -> str:
    """What somebody else wrote, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_WHY else f"{line[:_LONGEST_WHY]}..."


_CONNECT_S = 10.0


def pinned_client(url: str, headers: Mapping[str, str], trouble: ConnectionTrouble) -> httpx2.AsyncClient:
    """A client for one origin.

    Nothing of the environment is used: no proxy, no certificates and no ``.netrc`` but those of the system.
    """
    import httpx2

    return httpx2.AsyncClient(
        transport=_transport(url, trouble),
        headers=dict(headers),
        timeout=httpx2.Timeout(None, connect=_CONNECT_S),  # each call has a limit of its own
        trust_env=False,
    )


def _transport(url: str, trouble: ConnectionTrouble) -> httpx2.AsyncBaseTransport:
    """A transport that never raises: what is refused, or fails, is noted and answered as a failure of the server."""
    import httpx2

    origin = httpx2.URL(url)
    inner = httpx2.AsyncHTTPTransport(trust_env=False, limits=httpx2.Limits(max_connections=8))

    class Pinned(httpx2.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            if (request.url.scheme, request.url.host, request.url.port) != (origin.scheme, origin.host, origin.port):
                trouble.set_reason(f"leads to another host, {request.url.host}", undone=True)
                return _failure(request)
            request.headers["accept-encoding"] = "identity"
            try:
                response = await inner.handle_async_request(request)
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as error:
                trouble.set_reason(f"cannot be reached ({error})", undone=True)
                return _failure(request)
            except httpx2.TransportError as error:
                trouble.set_reason(f"broke off ({type(error).__name__})")
                return _failure(request)
            return await _let_through(request, response, trouble)

        async def aclose(self) -> None:
            await inner.aclose()

    return Pinned()


async def _let_through(
    request: httpx2.Request, response: httpx2.Response, trouble: ConnectionTrouble
) -> httpx2.Response:
    import httpx2

    refused = ""
    if 300 <= response.status_code < 400:
        refused = "answers with a redirect, which is not followed"
    elif response.headers.get("content-encoding", "identity").lower() != "identity":
        refused = "compresses its answers, which is not taken"
    if refused:
        status = response.status_code
        # 302 and 303 are how many say that what was sent was done
        leads_on = status in (302, 303) and request.method not in ("GET", "HEAD")
        trouble.set_reason(refused, undone=300 <= status < 500 and not leads_on)
        await response.aclose()
        return _failure(request)
    if response.status_code >= 400:
        trouble.status = response.status_code
    inner = response.stream

    class Bounded(httpx2.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            try:
                async for chunk in inner:  # type: ignore[union-attr]
                    if not trouble.count_received(
                        len(chunk), messages=chunk.count(b"\ndata:") + chunk.startswith(b"data:")
                    ):
                        raise httpx2.StreamError("too much")
                    yield chunk
            except httpx2.TransportError as error:
                trouble.set_reason(f"broke off ({type(error).__name__})")
                raise httpx2.StreamError("broke off") from error

        async def aclose(self) -> None:
            await inner.aclose()  # type: ignore[union-attr]

    return httpx2.Response(
        response.status_code,
        headers=response.headers,
        stream=Bounded(),
        request=request,
        extensions=response.extensions,
    )


def _failure(request: httpx2.Request) -> httpx2.Response:
    import httpx2

    return httpx2.Response(502, request=request)
