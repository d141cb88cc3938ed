"""Migrations of the record that take more than SQL: rows are copied with a checksum of their own.

As those of :mod:`evolve.core.schema` they are never edited once they were released.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from typing import Any

from evolve.core.store.checksums import row_checksum

_BY_SEARCH = ("operation:", "skill:", "literal:", "mined:")
"""How the causes began that the search alone composed, when evidence did not say yet who made it."""


def create_makers(connection: sqlite3.Connection) -> None:
    """Makes the table and names the policy of earlier evidence, where the record tells it."""
    connection.execute(
        "CREATE TABLE memory_makers (episode TEXT PRIMARY KEY, policy TEXT NOT NULL, fingerprint TEXT NOT NULL,"
        " checksum TEXT NOT NULL)"
    )
    for episode, policy in _earlier(connection):
        row = {"episode": episode, "policy": policy, "fingerprint": ""}
        sealed = (*row.values(), row_checksum("memory_makers", row))
        connection.execute("INSERT INTO memory_makers VALUES (?, ?, ?, ?)", sealed)


def _earlier(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Episodes with the policy that made their evidence: the one that their run names.

    Of claims in words whose run names no policy nobody knows it.
    """
    told = connection.execute(
        "SELECT e.episode, i.cause FROM memory_evidence e JOIN memory_insights i ON i.id = e.insight"
    ).fetchall()
    by_search = {str(episode) for episode, cause in told if str(cause).startswith(_BY_SEARCH)}
    yield from ((episode, "search") for episode in sorted(by_search))
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if not {"episodes", "runs"} <= tables:
        return
    rows = connection.execute(
        "SELECT DISTINCT m.episode, r.body FROM memory_evidence m JOIN episodes e ON e.id = m.episode"
        " JOIN runs r ON r.id = e.run ORDER BY m.episode"
    ).fetchall()
    for episode, body in rows:
        policy = _named(str(body))
        if policy and episode not in by_search:
            yield str(episode), policy


def _named(body: str) -> str:
    """The policy that a run's JSON names, as its own or as what it was begun with; "" for none."""
    try:
        noted = json.loads(body)
        begun = noted.get("begun") or {}
        return str(begun.get("policy") or noted.get("policy") or "")
    except (ValueError, AttributeError):
        return ""


_NOTE = "id, text, author, at, role, thread, source, environment, family"
_PREFERENCE = "id, author, at, contexts, status, proposal, proposed_by, successor, turn"


def join_notes_and_preferences(connection: sqlite3.Connection) -> None:
    """Makes one table of what people said. Notes keep their numbers, which are shown; preferences come behind them."""
    connection.execute(
        "CREATE TABLE memory_statements (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL,"
        " text TEXT NOT NULL, author TEXT NOT NULL, at REAL NOT NULL, role TEXT, thread TEXT, source TEXT,"
        " environment TEXT, family TEXT, contexts TEXT, status TEXT, proposal TEXT, proposed_by TEXT, successor TEXT,"
        " turn INTEGER, checksum TEXT NOT NULL, UNIQUE (kind, id))"
    )
    rows: list[tuple[Any, ...]] = connection.execute(
        f"SELECT rowid, 'note', {_NOTE} FROM memory_notes ORDER BY rowid"
    ).fetchall()
    _copy(connection, f"seq, kind, {_NOTE}", rows)
    first = max((int(str(row[0])) for row in rows), default=0) + 1
    found = connection.execute(f"SELECT 'preference', description, {_PREFERENCE} FROM memory_preferences ORDER BY seq")
    _copy(connection, f"seq, kind, text, {_PREFERENCE}", [(number, *row) for number, row in enumerate(found, first)])
    connection.execute("DROP TABLE memory_notes")
    connection.execute("DROP TABLE memory_preferences")


def _copy(connection: sqlite3.Connection, columns: str, rows: list[tuple[Any, ...]]) -> None:
    names = columns.split(", ")
    marks = ", ".join("?" * len(names))
    connection.executemany(
        f"INSERT INTO memory_statements ({columns}, checksum) VALUES ({marks}, ?)",
        ((*row, row_checksum("memory_statements", dict(zip(names, row, strict=True)))) for row in rows),
    )
