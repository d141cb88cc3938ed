"""Records exchanges by their digest and gives them back: the only cache there is."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any, Literal, Protocol

from evolve.errors import RecordDamaged
from evolve.files import canonical_json, digest, write_atomic
from evolve.models.replies import Unusable, read_reply
from evolve.models.wire import Deadlines, Exchange, Failure, OnBytes, Received, Wire

Mode = Literal["record", "reuse", "only"]
"""``record`` asks and writes down; ``reuse`` asks only what is not written down; ``only`` asks nobody."""


def exchange_digest(exchange: Exchange) -> str:
    """What identifies a request: address, path, body, and which try it is after replies that could not be read."""
    return digest(canonical_json([exchange.base_url, exchange.path, dict(exchange.body), exchange.attempt]))


class ExchangeStore(Protocol):
    """Keeps the bodies of replies by the digest of their request."""

    def get(self, key: str) -> bytes | None:
        """The recorded reply, or None."""
        ...

    def put(self, key: str, exchange: Exchange, content: bytes) -> None:
        """Records a reply; one that is there is replaced."""
        ...


class FolderStore:
    """A folder with one JSON file for each exchange, readable by people; it holds prompts and replies, no keys.

    Args:
        folder: Made on first writing.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def get(self, key: str) -> bytes | None:
        """The recorded reply, or None.

        Raises:
            RecordDamaged: The file is there and cannot be read.
        """
        path = self.folder / f"{key}.json"
        try:
            whole = json.loads(path.read_bytes())
            text, encoding = whole["reply"], whole["encoding"]
            return base64.b64decode(text, validate=True) if encoding == "base64" else text.encode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
            raise RecordDamaged(
                f"{path} is not a recorded exchange", hint="delete the file and record again"
            ) from error

    def put(self, key: str, exchange: Exchange, content: bytes) -> None:
        """Records a reply; one that is there is replaced.

        Raises:
            WorkspaceError: Disk full or unwritable.
        """
        try:
            reply, encoding = content.decode("utf-8"), "utf-8"
        except UnicodeDecodeError:
            reply, encoding = base64.b64encode(content).decode("ascii"), "base64"
        asked: dict[str, Any] = {
            "base_url": exchange.base_url,
            "path": exchange.path,
            "body": dict(exchange.body),
            "attempt": exchange.attempt,
        }
        text = json.dumps({"request": asked, "encoding": encoding, "reply": reply}, indent=1)
        write_atomic(self.folder / f"{key}.json", text.encode("ascii"))


class RecordingWire:
    """A wire that writes down what it carried, or carries what was written down.

    Only whole replies are recorded: trouble is no answer, and would be found again at every replay.

    Args:
        wire: The real one; never used in mode ``only``.
    """

    def __init__(self, wire: Wire, store: ExchangeStore, mode: Mode) -> None:
        self._wire, self._store, self._mode = wire, store, mode

    def send(self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None) -> Received | Failure:
        """One exchange; a replayed one costs nothing."""
        key = exchange_digest(exchange)
        if self._mode != "record":
            found = self._store.get(key)
            if found is not None:
                if on_bytes is not None and exchange.streamed:
                    on_bytes(found)
                return Received(content=found, replayed=True)
        if self._mode == "only":
            return Failure(kind="offline", text=f"nothing is recorded for the request {key}")
        answer = self._wire.send(exchange, deadlines, on_bytes)
        if isinstance(answer, Received) and not _is_trouble(answer, exchange):
            self._store.put(key, exchange, answer.content)
        return answer

    def close(self) -> None:
        """Closes the real wire."""
        self._wire.close()


def _is_trouble(received: Received, exchange: Exchange) -> bool:
    said = read_reply(received.content, streamed=exchange.streamed, path=exchange.path)
    return isinstance(said, Unusable) and (said.cut or said.failed)
