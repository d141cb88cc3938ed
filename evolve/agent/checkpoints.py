"""The checkpoint file of one episode: its state after every stage, and the results that stages paid for."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.checkpoint.sqlite import SqliteSaver

from evolve.agent.outputs import output_checksum
from evolve.core.errors import RecordDamaged, WorkspaceError
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import AFTER_SPACE

if TYPE_CHECKING:
    from langchain_core.runnables import RunnableConfig


_SUFFIX = "+sha256"
_LENGTH = hashlib.sha256().digest_size


def _with_checksum(kind: str, data: bytes) -> tuple[str, bytes]:
    """The value with its checksum in front, and a kind that says so."""
    return kind + _SUFFIX, hashlib.sha256(data).digest() + data


def _without_checksum(kind: str, data: bytes) -> tuple[str, bytes]:
    """What :func:`_with_checksum` was given; values of earlier versions, which have no checksum, come back as they are.

    Raises:
        RecordDamaged: The value does not match its checksum.
    """
    if not kind.endswith(_SUFFIX):
        return kind, data
    if hashlib.sha256(data[_LENGTH:]).digest() != data[:_LENGTH]:
        raise RecordDamaged("a stage in checkpoint.db does not match its checksum", hint="evolve status --repair")
    return kind.removesuffix(_SUFFIX), data[_LENGTH:]


def is_sound(path: Path) -> bool:
    """Whether an episode's file is whole: its structure, its stages and what was paid for."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            if connection.execute("PRAGMA integrity_check(1)").fetchone()[0] != "ok":
                return False
            tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
            for table, column in (("checkpoints", "checkpoint"), ("writes", "value")):
                if table in tables:
                    for kind, data in connection.execute(f"SELECT type, {column} FROM {table}"):
                        _without_checksum(kind, data)
            if "step_outputs" in tables:
                rows = connection.execute("SELECT step, stage, kind, body, checksum FROM step_outputs")
                return all(row[4] == output_checksum(row[:3], row[3]) for row in rows)
    except sqlite3.OperationalError as error:
        # A journal is left where a kill met SQLite preparing a new file; opened for writing, the episode begins anew.
        return error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK
    except (sqlite3.DatabaseError, RecordDamaged, UnicodeDecodeError, AttributeError, TypeError):
        return False  # a kind or value of another type than we write counts as damage too
    return True


_FULL = (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)


class _Serializer(JsonPlusSerializer):
    """The library's strict serializer with a checksum around each value."""

    def __init__(self) -> None:
        # By default the library calls whatever function a crafted msgpack blob names while it loads it. Its variable
        # LANGGRAPH_STRICT_MSGPACK is read at import, which is too early for a library to rely on.
        super().__init__(allowed_msgpack_modules=None)

    def dumps_typed(self, obj: Any) -> tuple[str, bytes]:
        return _with_checksum(*super().dumps_typed(obj))

    def loads_typed(self, data: tuple[str, bytes]) -> Any:
        return super().loads_typed(_without_checksum(*data))


class EpisodeSaver(SqliteSaver):
    """The library's saver with fault points around its writes."""

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Writes a checkpoint."""
        hit_failpoint("checkpoint.put.before")
        saved_config = super().put(config, checkpoint, metadata, new_versions)
        hit_failpoint("checkpoint.put.after")
        return saved_config

    def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Writes what a stage left."""
        hit_failpoint("checkpoint.writes.before")
        super().put_writes(config, writes, task_id, task_path)
        hit_failpoint("checkpoint.writes.after")


@contextmanager
def open_saver(path: Path) -> Iterator[EpisodeSaver]:
    """One episode's checkpoint file.

    A finished stage survives the end of the process by any signal, because the kernel holds what was
    written. It need not survive a power loss: SQLite then drops the torn end of its log and the
    episode goes on from an earlier stage. What must survive that is in the record.

    The serializer is strict: a file somebody tampered with can only hold plain values, never objects
    whose loading runs code.

    Raises:
        WorkspaceError: When the file cannot be opened or written.
        RecordDamaged: When it is not what was written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # The graph writes checkpoints from threads of its own.
        connection = sqlite3.connect(path, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise WorkspaceError(f"cannot open {path}: {error}") from error
    try:
        # Nothing waits for the disk before the log holds a stage, nor afterwards until the file is closed: 4 syncs in
        # an episode instead of 29. Switching to the log is itself a write, so syncing is off until that is done.
        for setting in ("synchronous=OFF", "journal_mode=WAL", "synchronous=NORMAL"):
            connection.execute(f"PRAGMA {setting}")
        # A flipped bit inside a stage passes this; the checksums around the values find it.
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise RecordDamaged(f"{path} is damaged", hint="evolve status --repair")
        yield EpisodeSaver(connection, serde=_Serializer())
    except sqlite3.DatabaseError as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the upper bits only say more about the same error
        if code in _FULL:
            raise WorkspaceError(f"disk full or failing while writing {path}: {error}", hint=AFTER_SPACE) from error
        if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise RecordDamaged(f"{path} is damaged ({error})", hint="evolve status --repair") from error
        raise WorkspaceError(f"{path}: {error}", hint=f"remove {path} to run the episode again") from error
    finally:
        connection.close()
