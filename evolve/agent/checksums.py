"""Checksums in an episode's file, so that a damaged stage is never taken for what was there."""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path

from evolve.agent.outputs import output_checksum
from evolve.errors import RecordDamaged

_SUFFIX = "+sha256"
_LENGTH = hashlib.sha256().digest_size


def with_checksum(kind: str, data: bytes) -> tuple[str, bytes]:
    """The value with its checksum in front, and a kind that says so."""
    return kind + _SUFFIX, hashlib.sha256(data).digest() + data


def without_checksum(kind: str, data: bytes) -> tuple[str, bytes]:
    """What :func:`with_checksum` was given; values of earlier versions, which have no checksum, come back as they are.

    Raises:
        RecordDamaged: The value does not match its checksum.
    """
    if not kind.endswith(_SUFFIX):
        return kind, data
    if hashlib.sha256(data[_LENGTH:]).digest() != data[:_LENGTH]:
        raise RecordDamaged("a stage in checkpoint.db does not match its checksum", hint="evolve doctor --repair")
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
                        without_checksum(kind, data)
            if "step_outputs" in tables:
                rows = connection.execute("SELECT step, stage, kind, body, checksum FROM step_outputs")
                return all(row[4] == output_checksum(row[:3], row[3]) for row in rows)
    except sqlite3.OperationalError as error:
        # A journal is left where a kill met SQLite preparing a new file; opened for writing, the episode begins anew.
        return error.sqlite_errorcode == sqlite3.SQLITE_READONLY_ROLLBACK
    except (sqlite3.DatabaseError, RecordDamaged, UnicodeDecodeError, AttributeError, TypeError):
        return False  # a kind or value of another type than we write counts as damage too
    return True
