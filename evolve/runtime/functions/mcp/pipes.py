"""Messages over the pipes of a local server: one in a line, bounded, and without whatever nobody waits for."""

from __future__ import annotations

import os
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from evolve.runtime.functions.servers.http import LONGEST_MESSAGE, ConnectionTrouble, short_text
from evolve.runtime.functions.servers.kind import Process

if TYPE_CHECKING:
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

_CHUNK = 1 << 16
_KEPT_ERRORS = 4000
_MOST_NOISE = 200
_QUOTED = 400
"""Bytes of a line that an error quotes at most."""
_CLAIMS = re.compile(rb'\s*\{.*"jsonrpc"\s*:', re.DOTALL)
LIST_CHANGED = "notifications/tools/list_changed"


@asynccontextmanager
async def open_streams(process: Process, trouble: ConnectionTrouble) -> AsyncIterator[tuple[Any, Any]]:
    """The two streams of the protocol's client, over a process that is ended with them."""
    import anyio
    from anyio import to_thread

    incoming, read = anyio.create_memory_object_stream[Any](0)
    write, outgoing = anyio.create_memory_object_stream[Any](0)
    errors = bytearray()
    try:
        async with incoming, read, write, outgoing, anyio.create_task_group() as group:
            group.start_soon(_read_errors, process.stderr, incoming, trouble, errors)
            group.start_soon(_read, process.stdout, incoming, trouble, errors)
            group.start_soon(_write, process.stdin, outgoing)
            try:
                yield read, write
            finally:
                group.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await to_thread.run_sync(process.close)


async def _read(
    descriptor: int, incoming: MemoryObjectSendStream[Any], trouble: ConnectionTrouble, errors: bytearray
) -> None:
    """Hands on messages until the server ends, or says what nobody has to bear; the stream is closed then."""
    import anyio

    parts: list[bytes] = []
    size = 0
    async with incoming:
        while chunk := await _chunk(descriptor):
            *ends, rest = chunk.split(b"\n")
            if not trouble.count_received(len(chunk), messages=len(ends)):
                return
            for end in ends:
                line = b"".join((*parts, end)).strip()
                parts, size = [], 0
                message = _message(line, trouble) if line else None
                if trouble.why:
                    return
                if message is not None:
                    try:
                        await incoming.send(message)
                    except (anyio.BrokenResourceError, anyio.ClosedResourceError):
                        return
            parts.append(rest)
            size += len(rest)
            if size > LONGEST_MESSAGE:
                trouble.set_reason(f"sends a message of more than {LONGEST_MESSAGE >> 20} MiB, so it was ended")
                return
        with anyio.move_on_after(0.2):  # its last words may still be on the way
            await anyio.sleep_forever()
        said = short_text(bytes(errors).decode("utf-8", "replace").strip().rpartition("\n")[2])
        trouble.set_reason(f"has ended{f': {said}' if said else ''}")


def _message(line: bytes, trouble: ConnectionTrouble) -> Any:
    """The message in a line; None where nobody waits for it.

    Other lines, such as a log in JSON, are borne up to a number. What says that it is a message and is none may be the
    answer that is waited for.
    """
    from mcp.shared.message import SessionMessage
    from mcp.types import JSONRPCNotification, jsonrpc_message_adapter
    from pydantic import ValidationError

    try:
        message = jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValidationError:
        trouble.noise += 1
        if _CLAIMS.match(line) or trouble.noise > _MOST_NOISE:
            said = line[:_QUOTED].decode("utf-8", "replace")
            quoted = short_text("".join(sign if sign.isprintable() else " " for sign in said))
            trouble.set_reason(f"writes what is no message of the protocol, so it was ended: {quoted}")
        return None
    if isinstance(message, JSONRPCNotification):
        trouble.stale |= message.method == LIST_CHANGED
        return None
    return SessionMessage(message)


async def _write(descriptor: int, outgoing: MemoryObjectReceiveStream[Any]) -> None:
    from anyio import wait_writable

    async with outgoing:
        async for item in outgoing:
            data = memoryview(item.message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
            while data:
                await wait_writable(descriptor)
                try:
                    data = data[os.write(descriptor, data[:_CHUNK]) :]
                except BlockingIOError:
                    continue
                except OSError:
                    return  # it has ended; whoever reads tells why


async def _read_errors(
    descriptor: int, incoming: MemoryObjectSendStream[Any], trouble: ConnectionTrouble, errors: bytearray
) -> None:
    """Keeps the end of what it writes beside its messages; ends the conversation where that is too much."""
    while chunk := await _chunk(descriptor):
        errors += chunk
        del errors[:-_KEPT_ERRORS]
        if not trouble.count_received(len(chunk)):
            incoming.close()
            return


async def _chunk(descriptor: int) -> bytes:
    """What there is to read; empty at the end."""
    from anyio import wait_readable

    while True:
        await wait_readable(descriptor)
        try:
            return os.read(descriptor, _CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return b""
