"""Who made what evidence, and where: what was seen with one model says of another no more than what to expect."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator

from evolve.episodes import EpisodeRecord
from evolve.store import Database, Migration
from evolve.store.sealing import row_checksum

_TABLE = "memory_makers"
_SEARCH = "search"
COMPOSED = ("operation:", "skill:", "literal:", "mined:")
"""How the causes begin that the search alone composes."""


def _create(connection: sqlite3.Connection) -> None:
    """Makes the table and names the policy of earlier evidence, where the record tells it."""
    connection.execute(
        f"CREATE TABLE {_TABLE} (episode TEXT PRIMARY KEY, policy TEXT NOT NULL, fingerprint TEXT NOT NULL,"
        " checksum TEXT NOT NULL)"
    )
    for episode, policy in _earlier(connection):
        row = {"episode": episode, "policy": policy, "fingerprint": ""}
        sealed = (*row.values(), row_checksum(_TABLE, row))
        connection.execute(f"INSERT INTO {_TABLE} VALUES (?, ?, ?, ?)", sealed)


MAKERS = Migration("memory", 6, _create)


def _earlier(connection: sqlite3.Connection) -> Iterator[tuple[str, str]]:
    """Episodes with the policy that made their evidence: the one that their run names.

    Of claims in words whose run names no policy nobody knows it.
    """
    told = connection.execute(
        "SELECT e.episode, i.cause FROM memory_evidence e JOIN memory_insights i ON i.id = e.insight"
    ).fetchall()
    by_search = {str(episode) for episode, cause in told if str(cause).startswith(COMPOSED)}
    yield from ((episode, _SEARCH) for episode in sorted(by_search))
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


def keep_maker(db: Database, record: EpisodeRecord) -> None:
    """Notes who made the evidence of an episode, and where, as far as it is known."""
    if record.policy or record.fingerprint:
        row = {"episode": record.episode, "policy": record.policy, "fingerprint": record.fingerprint}
        db.insert(_TABLE, row, key="episode")


def makers_after(db: Database, seq: int) -> dict[str, dict[str, str]]:
    """Policy and fingerprint of the episodes whose evidence came after a ``seq``, by episode."""
    new = "episode IN (SELECT episode FROM memory_evidence WHERE seq > ?)"
    return {
        str(row["episode"]): {"policy": str(row["policy"]), "fingerprint": str(row["fingerprint"])}
        for row in db.rows(_TABLE, new, parameters=[seq])
    }


def named(policy: str) -> str:
    """A policy's name for people: of a model the model's own."""
    return policy.partition(":")[2] or policy or "a model that nobody noted"
