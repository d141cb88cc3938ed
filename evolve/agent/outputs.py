"""Keeps results that cost something as soon as they exist, so that a resumed episode does not pay for them twice.

A stage is repeated when its process was killed before the stage's checkpoint. What it had bought by then (a search, a
run in the sandbox, a call of a model) is found here under the key (episode, step, stage, kind).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, field
from typing import TypeVar

from evolve.core.episodes import Cost
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.errors import Cancelled, RecordDamaged, SetupProblem
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import digest

T = TypeVar("T")

_TABLE = (
    "CREATE TABLE IF NOT EXISTS step_outputs (episode TEXT NOT NULL, step INTEGER NOT NULL, stage TEXT NOT NULL,"
    " kind TEXT NOT NULL, body TEXT NOT NULL, checksum TEXT NOT NULL, PRIMARY KEY (episode, step, stage, kind))"
)
_WHERE = "WHERE episode = ? AND step = ? AND stage = ? AND kind = ?"


_LOST = "lost"


@dataclass(frozen=True, kw_only=True)
class PaidOutput:
    """What a stage got, as JSON text, and what it cost."""

    text: str
    cost: Cost = field(default_factory=Cost)


class StepOutputs:
    """Pieces of work, each of them done and paid for once.

    They are in the kernel's hands when :meth:`compute_once` returns and wait for no disk, as the file's checkpoints do.

    Args:
        episode: The episode's id.
        cursor: Gives a cursor of the episode's file; what it did is committed when the context ends. None for an
            episode without a file: everything is computed each time, and a lost one is run again from its start.
    """

    def __init__(
        self,
        episode: str = "",
        cursor: Callable[[], AbstractContextManager[sqlite3.Cursor]] | None = None,
    ) -> None:
        self._episode, self._cursor = episode, cursor
        self._check: Callable[[], None] = lambda: None
        self._spent: Callable[[], Cost] = Cost
        self._counted = Cost()  # what is in some output, or kept as lost
        if cursor is not None:
            with cursor() as opened:
                opened.execute(_TABLE)

    def with_check(self, check: Callable[[], None]) -> StepOutputs:
        """The same outputs, where ``check`` is called before anything is computed and may raise ``Cancelled``."""
        outputs = copy(self)
        outputs._check = check
        return outputs

    def with_spending(self, spent: Callable[[], Cost]) -> StepOutputs:
        """The same outputs, with what is spent on work that comes to nothing kept beside them.

        Args:
            spent: What the policy's calls have cost so far.
        """
        outputs = copy(self)
        outputs._spent = spent
        return outputs

    def compute_once(self, key: tuple[int, str, str], cls: type[T], compute: Callable[[], T]) -> T:
        """What ``compute`` gave when it was first called under this key, by this process or an earlier one.

        Args:
            key: Step, stage and kind; the kind tells apart what one stage does several times.
            cls: The dataclass of the value, whose fields are JSON or dataclasses.

        Raises:
            RecordDamaged: What was kept does not match its checksum.
            Cancelled: Nothing more is to be begun, and this is not kept.
        """
        if self._cursor is None:
            return self._computed(key, compute)
        place = (self._episode, *key)
        with self._cursor() as cursor:
            row = cursor.execute(f"SELECT body, checksum FROM step_outputs {_WHERE}", place).fetchone()
        if row is not None:
            return self._read(key, cls, *row)
        # Outside of the cursor, which holds the saver's lock: work may keep outputs of its own, as the probes of a
        # reflection are, and the lock cannot be taken twice.
        value = self._computed(key, compute)
        self._keep(key, value)
        return value

    def _computed(self, key: tuple[int, str, str], compute: Callable[[], T]) -> T:
        self._check()
        before, counted = self._spent(), self._counted
        try:
            value = compute()
        except (SetupProblem, Cancelled):
            # What is computed within may have kept a part of it already.
            lost = self._spent() - before - (self._counted - counted)
            if lost:
                kind = f"{' '.join(key[1:])} {len(self.all_of(_LOST, PaidOutput))}"
                self._keep((key[0], _LOST, kind), PaidOutput(text="", cost=lost))
            self._counted += lost
            raise
        self._counted = counted + (self._spent() - before)
        return value

    def _keep(self, key: tuple[int, str, str], value: object) -> None:
        if self._cursor is None:
            return
        body = to_json(value)
        hit_failpoint("output.before")
        with self._cursor() as cursor:
            cursor.execute(
                "INSERT INTO step_outputs VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                (self._episode, *key, body, output_checksum(key, body)),
            )
        hit_failpoint("output.after")

    def all_of(self, stage: str, cls: type[T]) -> list[T]:
        """All that is kept of a stage, of any kind, in no order; it is all of one class."""
        if self._cursor is None:
            return []
        query = "SELECT step, kind, body, checksum FROM step_outputs WHERE episode = ? AND stage = ?"
        with self._cursor() as cursor:
            rows = cursor.execute(query, (self._episode, stage)).fetchall()
        return [self._read((step, stage, kind), cls, body, checksum) for step, kind, body, checksum in rows]

    def lost_cost(self) -> Cost:
        """What was spent on work that came to nothing, in processes before this one too."""
        return sum((one.cost for one in self.all_of(_LOST, PaidOutput)), Cost())

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
