"""Keeps results that cost something as soon as they exist, so that a resumed episode does not pay for them twice.

A stage is repeated when its process was killed before the stage's checkpoint. What it had bought by then (a search, a
run in the sandbox, a call of a model) is found here under the key (episode, step, stage, kind).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol, TypeVar

from evolve.agent.codec import from_json, to_json
from evolve.errors import RecordDamaged
from evolve.failpoints import hit
from evolve.files import digest

T = TypeVar("T")

_TABLE = (
    "CREATE TABLE IF NOT EXISTS step_outputs (episode TEXT NOT NULL, step INTEGER NOT NULL, stage TEXT NOT NULL,"
    " kind TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (episode, step, stage, kind))"
)
_WHERE = "WHERE episode = ? AND step = ? AND stage = ? AND kind = ?"


class StepOutputs(Protocol):
    """Remembers what single pieces of work gave."""

    def once(self, key: tuple[int, str, str], cls: type[T], compute: Callable[[], T]) -> T:
        """What ``compute`` gave when it was first called under this key, by this process or an earlier one.

        Args:
            key: Step, stage and kind; the kind tells apart what one stage does several times.
            cls: The dataclass of the value, whose fields are JSON or dataclasses.
        """
        ...

    def all_of(self, stage: str, cls: type[T]) -> list[T]:
        """All that is kept of a stage, of any kind, in no order; it is all of one class."""
        ...


class NoOutputs:
    """For episodes without a file: a lost one is run again from its start."""

    def once(self, key: tuple[int, str, str], cls: type[T], compute: Callable[[], T]) -> T:
        """Computes every time."""
        return compute()

    def all_of(self, stage: str, cls: type[T]) -> list[T]:
        """Nothing."""
        return []


class KeptOutputs:
    """Outputs in the file of an episode.

    They are in the kernel's hands when :meth:`once` returns and wait for no disk, as the file's checkpoints do.

    Args:
        episode: The episode's id.
        cursor: Gives a cursor of the file; what it did is committed when the context ends.

    Raises (from :meth:`once`):
        RecordDamaged: What was kept does not match its checksum.
    """

    def __init__(self, episode: str, cursor: Callable[[], AbstractContextManager[sqlite3.Cursor]]) -> None:
        self._episode = episode
        self._cursor = cursor
        with cursor() as opened:
            opened.execute(_TABLE)

    def once(self, key: tuple[int, str, str], cls: type[T], compute: Callable[[], T]) -> T:
        """The kept value, else the computed one, which is kept."""
        place = (self._episode, *key)
        with self._cursor() as cursor:
            row = cursor.execute(f"SELECT body, checksum FROM step_outputs {_WHERE}", place).fetchone()
        if row is not None:
            return self._read(key, cls, *row)
        # Outside of the cursor, which holds the saver's lock: work may keep outputs of its own, as the probes of a
        # reflection are, and the lock cannot be taken twice.
        value = compute()
        body = to_json(value)
        hit("output.before")
        with self._cursor() as cursor:
            cursor.execute(
                "INSERT INTO step_outputs VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (*place, body, output_checksum(key, body)),
            )
        hit("output.after")
        return value

    def all_of(self, stage: str, cls: type[T]) -> list[T]:
        """What is kept of a stage."""
        query = "SELECT step, kind, body, checksum FROM step_outputs WHERE episode = ? AND stage = ?"
        with self._cursor() as cursor:
            rows = cursor.execute(query, (self._episode, stage)).fetchall()
        return [self._read((step, stage, kind), cls, body, checksum) for step, kind, body, checksum in rows]

    def _read(self, key: tuple[int, str, str], cls: type[T], body: str, checksum: str) -> T:
        if checksum != output_checksum(key, body):
            raise RecordDamaged(
                f"step {key[0]}, {key[1]} of episode {self._episode} does not match its checksum in checkpoint.db",
                hint="evolve status --repair",
            )
        return from_json(cls, body)


def output_checksum(key: tuple[int, str, str], body: str) -> str:
    """The checksum kept with an output."""
    return digest(f"{key}{body}")
