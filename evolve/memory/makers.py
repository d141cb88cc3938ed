"""Who made what evidence, and where: what was seen with one model says of another no more than what to expect."""

from __future__ import annotations

from evolve.episodes import EpisodeRecord
from evolve.store import Database

_TABLE = "memory_makers"
_SEARCH = "search"
COMPOSED = ("operation:", "skill:", "literal:", "mined:")
"""How the causes begin that the search alone composes."""


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
