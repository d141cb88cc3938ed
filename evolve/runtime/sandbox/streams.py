"""The pipes between the supervisor and a sandboxed interpreter: none of them ever blocks the supervisor."""

from __future__ import annotations

import os
import selectors
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

_CHUNK = 1 << 16


@dataclass(kw_only=True)
class CapturedStream:
    """A stream's first bytes and its whole length."""

    limit: int
    data: bytearray
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.data += data[: max(0, self.limit - len(self.data))]


class UnsentBytes:
    """What has to be sent still, part by part: a copy of a whole folder would be as large again."""

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts: deque[memoryview] = deque(memoryview(part) for part in parts)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def next_chunk(self) -> memoryview:
        """As much as one write takes."""
        return self._parts[0][:_CHUNK]

    def mark_sent(self, size: int) -> None:
        """Forgets so many bytes, and empty parts that come next."""
        while self._parts and size >= len(self._parts[0]):
            size -= len(self._parts.popleft())
        if size:
            self._parts[0] = self._parts[0][size:]

    def add(self, part: bytes) -> None:
        self._parts.append(memoryview(part))

    def discard(self) -> None:
        self._parts.clear()


def send(selector: selectors.BaseSelector, descriptor: int, unsent: UnsentBytes) -> None:
    try:
        unsent.mark_sent(os.write(descriptor, unsent.next_chunk()))
    except BlockingIOError:
        return
    except BrokenPipeError:
        unsent.discard()
    if not unsent:
        selector.unregister(descriptor)


def send_more(selector: selectors.BaseSelector, descriptor: int) -> None:
    if descriptor not in selector.get_map():
        selector.register(descriptor, selectors.EVENT_WRITE)


def receive_data(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    try:
        data = os.read(key.fd, _CHUNK)
    except BlockingIOError:
        return
    if data:
        key.data(data)
    else:
        selector.unregister(key.fd)


def drain_pipe(descriptor: int, capture: CapturedStream) -> None:
    """Reads what is already in a pipe; bounded, because a process may go on writing."""
    # 64 chunks are more than a pipe holds
    for _ in range(64):
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            return
        capture.add(data)
