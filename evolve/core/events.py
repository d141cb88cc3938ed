"""Events of a run while it happens, for live views and logs: one line of JSON each.

Events are for live views and for reading a run afterwards. They are not the record: nothing is
learned from them, and losing the last line in a crash loses no knowledge.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from evolve.core.failpoints import hit_failpoint
from evolve.core.files import write_failure

LIMIT = 4 * 1024 * 1024
"""Bytes after which a log begins a new file."""

KEPT_LOGS = 3
"""Full files that stay beside the one being written."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """One thing that happened.

    Attributes:
        kind: Stage or change, such as ``plan``, ``act``, ``judge``, ``saved``, ``promoted``.
        episode: The episode's id, or "" for events of a whole run.
        step: Number of the action cycle from 1; 0 outside any.
        data: JSON for the reader of this kind.
        at_seq: Position in its log from 1, given by the log; order is never taken from a clock.
    """

    kind: str
    episode: str = ""
    step: int = 0
    data: Mapping[str, Any] = field(default_factory=dict)
    at_seq: int = 0


class EventSink(Protocol):
    """Whatever wants to hear of events: a log, a live view, a test."""

    def emit(self, event: Event) -> None:
        """Takes one event; must not change it and must not wait for a person."""
        ...


class NoEvents:
    """A sink for callers that do not listen."""

    def emit(self, event: Event) -> None:
        """Drops the event."""


@dataclass(frozen=True)
class EventFan:
    """Passes every event to several sinks, in order."""

    sinks: tuple[EventSink, ...]

    def emit(self, event: Event) -> None:
        """Gives the event to each sink."""
        for sink in self.sinks:
            sink.emit(event)


class EventLog:
    """Appends events to a JSONL file and numbers them; a log that exists is continued.

    A file that is full becomes ``<name>.1``, that one ``<name>.2`` and so on; the oldest is dropped. So a run of
    many days does not fill the disk.

    Args:
        limit: Most bytes per file.
        kept: How many full files stay.

    Raises:
        WorkspaceError: When the file cannot be written or the disk is full.
    """

    def __init__(self, path: Path, *, limit: int = LIMIT, kept: int = KEPT_LOGS) -> None:
        self.path = path
        self._limit, self._kept = limit, kept
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._seq = max((event.at_seq for file in (_older(path, 1), path) for event in _events_in(file)), default=0)
            self._stream = path.open("ab")
            self._size = path.stat().st_size
            if path.stat().st_size and not _ends_with_newline(path):
                self._stream.write(b"\n")  # a crash tore the last line; keep it apart from ours
        except OSError as error:
            raise write_failure(path, error) from error

    def emit(self, event: Event) -> None:
        """Numbers the event and appends it."""
        self._seq += 1
        # ASCII output writes lone surrogates as escapes, so no text from outside can break the log.
        line = json.dumps(asdict(replace(event, at_seq=self._seq)), sort_keys=True, default=str) + "\n"
        try:
            hit_failpoint("event.before")
            if self._size and self._size + len(line) > self._limit:
                self._stream.close()
                for number in range(self._kept, 0, -1):
                    newer = _older(self.path, number - 1)
                    if newer.exists():
                        newer.replace(_older(self.path, number))
                self._stream, self._size = self.path.open("wb"), 0
            self._size += self._stream.write(line.encode("ascii"))
            self._stream.flush()
            hit_failpoint("event.after")
        except OSError as error:
            raise write_failure(self.path, error) from error

    def close(self) -> None:
        """Closes the file; emitting afterwards is an error."""
        self._stream.close()

    def __enter__(self) -> EventLog:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def read_events(path: Path) -> Iterator[Event]:
    """The events of a log in order, those in its full files first; a missing file has none.

    A torn line is passed over.
    """
    number = 1
    while _older(path, number).exists():
        number += 1
    for place in range(number - 1, -1, -1):
        yield from _events_in(_older(path, place))


def _older(path: Path, number: int) -> Path:
    return path.with_name(f"{path.name}.{number}") if number else path


def _events_in(path: Path) -> Iterator[Event]:
    if not path.exists():
        return
    with path.open(encoding="ascii", errors="replace") as stream:
        for line in stream:
            try:
                yield Event(**json.loads(line))
            except (ValueError, TypeError):
                continue


def _ends_with_newline(path: Path) -> bool:
    with path.open("rb") as stream:
        stream.seek(-1, os.SEEK_END)
        return stream.read(1) == b"\n"
