"""The calls of one episode in a file: a line for each intent and each answer, on disk before anything follows from it.

A file of its own beside the episode's checkpoint, since an episode may run in a process that does not write the record.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evolve.core.errors import RecordDamaged
from evolve.core.files import canonical_json, digest, sync_folder
from evolve.runtime.functions.call_gate import CallAnswer, CallsInMemory, Place, RecordedCall

_ANEW = "remove the episode's folder under runs to begin it anew; what it called is then called again"


class CallFile(CallsInMemory):
    """Keeps calls in a file; implements :class:`~evolve.runtime.functions.CallRecord`. One process writes it at a time.

    Each line is a JSON object with a checksum over itself, all lines before it and the name of the folder, which is the
    episode's: none changes, is left out or comes from another episode unnoticed, unless somebody makes the sums anew. A
    last line that a crash tore was followed by nothing and counts as not written. Whole lines cut off the end are not
    noticed here, as a crash leaves the same. Those of finished steps are missed by whoever goes on with the episode,
    since its steps tell what they called; those of the step under way are missed by nobody.

    Raises:
        RecordDamaged: A line is not what was written, or the file is none, such as a link or a pipe.
        OSError: The disk fails, or is full; the line then counts as not written.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path, self._stream = path, -1
        self._sum, whole = path.parent.name, 0
        for line in self._lines():
            try:
                entry = json.loads(line)
                self._sum = _checksum(self._sum, {name: value for name, value in entry.items() if name != "checksum"})
                if entry["checksum"] != self._sum:
                    raise ValueError
                if "call" in entry:
                    super().begin(RecordedCall(**entry["call"]))
                else:
                    step, number = entry["place"]
                    super().end((step, number), CallAnswer(**entry["answer"]))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise self._damaged("a line is not what was written") from error
            whole += len(line) + 1
        self._whole = whole

    def begin(self, call: RecordedCall) -> None:
        if self.earlier_call(call.place) == (call, None):
            return  # it is made again after a crash; the intent stands
        self._write({"call": asdict(call)})
        super().begin(call)

    def end(self, place: Place, answer: CallAnswer) -> None:
        self._write({"place": list(place), "answer": asdict(answer)})
        super().end(place, answer)

    def close(self) -> None:
        """Closing twice is no error."""
        if self._stream >= 0:
            os.close(self._stream)
        self._stream = -1

    def _lines(self) -> list[bytes]:
        try:
            # a pipe would keep the reader waiting, and a link leads to another file
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        except FileNotFoundError:
            return []
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise self._damaged("is a link") from error
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.close(descriptor)
            raise self._damaged("is no file")
        with open(descriptor, "rb") as stream:
            data = stream.read()
        return data.split(b"\n")[:-1]  # behind the last end of line there is nothing, or what a crash tore

    def _damaged(self, what: str) -> RecordDamaged:
        return RecordDamaged(f"{self._path.name}: {what}", hint=_ANEW)

    def _write(self, entry: Mapping[str, Any]) -> None:
        if self._stream < 0:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            new = not self._path.exists()
            self._stream = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
            if new:
                sync_folder(self._path.parent)
        known, self._sum = self._sum, _checksum(self._sum, entry)
        line = canonical_json({**entry, "checksum": self._sum}).encode() + b"\n"
        try:
            os.ftruncate(self._stream, self._whole)  # a torn line, or one that the disk had no room for
            written = 0
            while written < len(line):
                written += os.pwrite(self._stream, line[written:], self._whole + written)
            os.fsync(self._stream)
        except OSError:
            self._sum = known
            raise
        self._whole += len(line)


def _checksum(before: str, entry: Mapping[str, Any]) -> str:
    return digest(before + canonical_json(entry))
