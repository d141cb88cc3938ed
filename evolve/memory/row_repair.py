"""Makes the memory's rows fit together again after some were lost.

Episodes hold the claims that evidence was made from, so most of what evidence refers to can be made anew.
"""

from __future__ import annotations

from collections.abc import Iterable

from evolve.core.episodes import EpisodeRecord
from evolve.core.store import Database
from evolve.memory.insights import insight_id
from evolve.memory.rows import features_id, read_epoch, write_claim, write_claims, write_features, write_maker

_REFERENCES = (
    ("memory_evidence", "insight", "memory_insights"),
    ("memory_evidence", "features", "memory_features"),
    ("memory_episodes", "features", "memory_features"),
)


def repair_rows(db: Database, episodes: Iterable[EpisodeRecord], at: float) -> tuple[int, tuple[str, ...]]:
    """Makes anew what rows refer to and, where nothing was ever forgotten, evidence that is gone.

    What still refers to nothing is set aside: an insight nobody can name teaches nothing.

    Args:
        episodes: The record's episodes that may leave evidence.
        at: Time of evidence made anew, in seconds since the epoch.

    Returns:
        How many rows of evidence were made anew, and the names of the rows set aside.
    """
    with db.transaction():
        wanted = {
            (target, name) for table, column, target in _REFERENCES for name in _dangling(db, table, column, target)
        }
        # Episodes without features refer to the empty vector.
        write_features(db, ())
        anew, forgotten = 0, read_epoch(db) > 0
        for record in episodes:
            for claim in record.claims:
                if ("memory_insights", insight_id(claim.cause, claim.effect, claim.scope)) in wanted:
                    write_claim(db, claim)
                if any(target == "memory_features" for target, _ in wanted):
                    _keep_wanted(db, [item.features for item in claim.evidence], wanted)
            # After a deletion nobody can tell what was lost from what was forgotten.
            if not forgotten and _evidence_count(db, record) < sum(len(claim.evidence) for claim in record.claims):
                anew += write_claims(db, record, "", at)
            elif _evidence_count(db, record):
                write_maker(db, record)
        aside = [
            line
            for table, column, target in _REFERENCES
            for name in sorted(_dangling(db, table, column, target))
            for line in db.set_aside(table, {column: name})
        ]
    return anew, tuple(aside)


def _keep_wanted(db: Database, vectors: list[tuple[float, ...]], wanted: set[tuple[str, str]]) -> None:
    for vector in vectors:
        if ("memory_features", features_id(vector)) in wanted:
            write_features(db, vector)


def _evidence_count(db: Database, record: EpisodeRecord) -> int:
    rows = db.query("SELECT count(*) AS n FROM memory_evidence WHERE episode = ?", [record.episode])
    return int(str(rows[0]["n"]))


def _dangling(db: Database, table: str, column: str, target: str) -> set[str]:
    rows = db.query(f"SELECT DISTINCT {column} AS name FROM {table} WHERE {column} NOT IN (SELECT id FROM {target})")
    return {str(row["name"]) for row in rows}
