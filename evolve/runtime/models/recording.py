"""Records exchanges by their digest and gives them back: the only cache there is."""

from __future__ import annotations

import base64
import json
import os
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evolve.core.errors import RecordDamaged, UsageError
from evolve.core.files import canonical_json, digest, write_atomic, write_failure
from evolve.core.prompts import without_day
from evolve.runtime.models.abilities import Abilities, AbilityStore, abilities_from, unknown_abilities
from evolve.runtime.models.addressing import Endpoint
from evolve.runtime.models.replies import UnusableReply, read_reply
from evolve.runtime.models.wire import Deadlines, Exchange, ExchangeFailure, OnBytes, RawReply, Wire

Mode = Literal["record", "reuse", "only"]
"""``record`` asks and writes down; ``reuse`` asks only what is not written down; ``only`` asks nobody."""

_REFUSALS = frozenset({"request", "missing", "context"})
_ENDING = ".jsonl"


def exchange_digest(exchange: Exchange) -> str:
    """What identifies a request: address, path, body, and which try it is after replies that could not be read.

    The day that a prompt tells is no part of it.
    """
    # No header and no key: a recording made by one person replays for another.
    body = _without_days(dict(exchange.body))
    return digest(canonical_json([exchange.base_url, exchange.path, body, exchange.attempt]))


def _without_days(part: Any) -> Any:
    if isinstance(part, str):
        return without_day(part)
    if isinstance(part, Mapping):
        return {name: _without_days(value) for name, value in part.items()}
    return [_without_days(value) for value in part] if isinstance(part, list | tuple) else part


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Where exchanges are recorded, and what for.

    Attributes:
        place: A folder with a file for each exchange, or one file that ends in ``.jsonl`` with a line for each.
        model: Whose exchanges, where it is given in place of a model's name; None for that of the settings.
    """

    place: Path
    mode: Mode = "reuse"
    model: str | None = None

    def open(self) -> FolderStore | FileStore:
        """The store at that place.

        Raises:
            UsageError: There is nothing to replay, or a file is there that is no recording.
        """
        if self.mode == "only" and not self.place.exists():
            raise UsageError(f"no recording at {self.place}", hint=f"--record {self.place} makes one")
        if self.place.exists() and not (self.place.is_file() or self.place.is_dir()):
            raise UsageError(f"{self.place} is no recording: not a regular file")
        if self.place.suffix == _ENDING and not self.place.is_dir():
            return FileStore(self.place)
        if self.place.is_file():
            raise UsageError(f"{self.place} is no recording: the name of a file of one ends in {_ENDING}")
        return FolderStore(self.place)


class FolderStore:
    """A folder with one JSON file for each exchange, readable by people; it holds prompts and replies, no keys.

    Args:
        folder: Made on first writing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> RawReply | ExchangeFailure | None:
        """What was recorded, or None.

        Raises:
            RecordDamaged: The file is there and cannot be read.
        """
        path = self.folder / f"{key}.json"
        try:
            return _outcome(json.loads(path.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise RecordDamaged(
                f"{path} is not a recorded exchange", hint="delete the file and record again"
            ) from error

    def save_exchange(self, key: str, exchange: Exchange, outcome: RawReply | ExchangeFailure) -> None:
        """Records what came; what is there is replaced.

        Raises:
            WorkspaceError: Disk full or unwritable.
        """
        text = json.dumps(_as_row(exchange, outcome), indent=1)
        write_atomic(self.folder / f"{key}.json", text.encode("ascii"))


class FileStore:
    """One file with a line of JSON for each exchange, the last one of a key in force; easy to hand on.

    Args:
        file: Made on first writing. What a crash left of a last line is no exchange, and is written over.
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._guard = threading.Lock()
        self._known: dict[str, RawReply | ExchangeFailure] | None = None
        self._sound_bytes = 0

    def get(self, key: str) -> RawReply | ExchangeFailure | None:
        """What was recorded, or None.

        Raises:
            RecordDamaged: A line of the file cannot be read; it is named.
        """
        with self._guard:
            return self._all().get(key)

    def save_exchange(self, key: str, exchange: Exchange, outcome: RawReply | ExchangeFailure) -> None:
        """Records what came.

        Raises:
            WorkspaceError: Disk full or unwritable.
        """
        line = json.dumps({"key": key, **_as_row(exchange, outcome)})
        with self._guard:
            outcomes = self._all()
            self._append(line.encode("ascii") + b"\n")
            outcomes[key] = outcome

    def _append(self, line: bytes) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True)
            # Not in append mode, which would ignore the place of the cut.
            with open(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o644), "wb") as stream:
                stream.truncate(self._sound_bytes)  # what a crash left of a last line
                stream.seek(self._sound_bytes)
                self._sound_bytes += stream.write(line)
        except OSError as error:
            raise write_failure(self.file, error) from error

    def _all(self) -> dict[str, RawReply | ExchangeFailure]:
        if self._known is None:
            # What stands behind the last line end is empty, or the part of a line that a crash left.
            *lines, _ = self.file.read_bytes().split(b"\n") if self.file.exists() else [b""]
            self._sound_bytes = sum(len(line) + 1 for line in lines)
            outcomes: dict[str, RawReply | ExchangeFailure] = {}
            for number, line in enumerate(lines, 1):
                try:
                    if line.strip():
                        whole = json.loads(line)
                        outcomes[whole["key"]] = _outcome(whole)
                except (ValueError, LookupError, TypeError, AttributeError) as error:
                    raise RecordDamaged(
                        f"{self.file}:{number} is not a recorded exchange", hint="delete the line and record again"
                    ) from error
            self._known = outcomes
        return self._known


def _as_row(exchange: Exchange, outcome: RawReply | ExchangeFailure) -> dict[str, Any]:
    request: dict[str, Any] = {
        "base_url": exchange.base_url,
        "path": exchange.path,
        "body": dict(exchange.body),
        "attempt": exchange.attempt,
    }
    if isinstance(outcome, ExchangeFailure):
        return {"request": request, "refusal": {"kind": outcome.kind, "text": outcome.text, "status": outcome.status}}
    try:
        return {"request": request, "encoding": "utf-8", "reply": outcome.content.decode("utf-8")}
    except UnicodeDecodeError:
        return {"request": request, "encoding": "base64", "reply": base64.b64encode(outcome.content).decode("ascii")}


def _outcome(whole: Mapping[str, Any]) -> RawReply | ExchangeFailure:
    if "refusal" in whole:
        refusal = whole["refusal"]
        return ExchangeFailure(kind=refusal["kind"], text=str(refusal["text"]), status=int(refusal["status"]))
    text = whole["reply"]
    content = base64.b64decode(text, validate=True) if whole["encoding"] == "base64" else text.encode("utf-8")
    return RawReply(content=content, replayed=True)


def recorded_abilities(
    store: FolderStore | FileStore, mode: Mode, endpoint: Endpoint, known: AbilityStore
) -> Abilities:
    """What a recording says of an endpoint, which decides how it is asked; where it says nothing, what is known now is
    recorded."""
    exchange = Exchange(base_url=endpoint.base_url, path="abilities", body={"model": endpoint.model})
    key = exchange_digest(exchange)
    told = store.get(key) if mode != "record" else None
    if isinstance(told, RawReply):
        return abilities_from(json.loads(told.content))
    found = unknown_abilities(endpoint) if mode == "only" else known.abilities_of(endpoint)
    if found != unknown_abilities(endpoint):
        store.save_exchange(key, exchange, RawReply(content=json.dumps(asdict(found)).encode()))
    return found


class RecordingWire:
    """A wire that writes down what it carried, or carries what was written down.

    Recorded are whole replies, and refusals of a request's form or length: a replay has to take the same way around
    them. Other trouble is no answer, and would be found again at every replay.

    Args:
        wire: The real one; never used in mode ``only``.
    """

    def __init__(self, wire: Wire, store: FolderStore | FileStore, mode: Mode) -> None:
        self._wire, self._store, self._mode = wire, store, mode

    def send(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None
    ) -> RawReply | ExchangeFailure:
        """One exchange; a replayed one costs nothing."""
        key = exchange_digest(exchange)
        recorded = self._store.get(key) if self._mode != "record" else None
        if isinstance(recorded, RawReply):
            # In one piece: who listens sees the same text as from an endpoint.
            if on_bytes is not None and exchange.is_streamed:
                on_bytes(recorded.content)
            return recorded
        if self._mode == "only":
            return recorded or ExchangeFailure(kind="offline", text=f"nothing is recorded for the request {key}")
        answer = self._wire.send(exchange, deadlines, on_bytes)
        if _is_worth_recording(answer, exchange):
            self._store.save_exchange(key, exchange, answer)
        return answer

    def close(self) -> None:
        """Closes the real wire."""
        self._wire.close()


def _is_worth_recording(answer: RawReply | ExchangeFailure, exchange: Exchange) -> bool:
    if isinstance(answer, ExchangeFailure):
        # Some servers fail on a form that they do not know.
        return answer.kind in _REFUSALS or (answer.status in (500, 501) and not answer.billed)
    reply = read_reply(answer.content, streamed=exchange.is_streamed, path=exchange.path)
    return not (isinstance(reply, UnusableReply) and (reply.cut or reply.failed))
