"""The memory's tables: what is written when an episode commits, and how it is read back.

Evidence is kept with who made it, and where: what was seen with one model says of another no more than what to expect.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, cast

from evolve.core.episodes import FACT, PROBE, Claim, EpisodeRecord, Relation, Scope
from evolve.core.files import canonical_json, digest
from evolve.core.store import Database, value_of
from evolve.memory.insight_book import EpisodeEntry, InsightBook, RetiredClaim
from evolve.memory.insights import ClaimKey, EvidenceRow, insight_id

EPOCH = "memory.epoch"
"""Counts deletions. Whatever was derived in an earlier epoch is built anew."""

_TABLES = (
    *("memory_evidence", "memory_episodes", "memory_sources", "memory_makers"),
    *("memory_uses", "memory_retirements"),
    *("memory_claims", "memory_insights", "memory_features"),
)


def write_claims(db: Database, record: EpisodeRecord, instruction: str, at: float, source: str = "") -> int:
    """Writes the claims and evidence of one episode; gives the number of new evidence rows.

    Every row has a key made from the episode and the claim, so writing an episode again adds nothing.
    """
    first = next((claim for claim in record.claims if claim.evidence), None)
    if first is None:
        return 0
    with db.transaction():
        if _tells_of_the_task(record):
            db.insert("memory_episodes", _episode_row(db, record, first, instruction), key="episode")
        if source and _tells_of_the_task(record):
            db.insert("memory_sources", {"episode": record.episode, "source": source}, key="episode")
        write_maker(db, record)
        return sum(db.insert("memory_evidence", row, key="id") for row in _evidence_rows(db, record, at))


def _tells_of_the_task(record: EpisodeRecord) -> bool:
    """Whether the episode shows what its task takes. A search without one operation tells of that operation alone, and
    as a neighbour it would speak against all others."""
    told = [(claim.cause.startswith(FACT), item.kind) for claim in record.claims for item in claim.evidence]
    return record.split != PROBE or any(worded or kind != "intervention" for worded, kind in told)


def _episode_row(db: Database, record: EpisodeRecord, claim: Claim, instruction: str) -> dict[str, Any]:
    # Evidence may be of other tasks, whose features would place this episode wrongly.
    own = [item.features for other in record.claims for item in other.evidence if item.task == record.task]
    return {
        "episode": record.episode,
        "task": record.task,
        "problem": record.group,
        "environment": claim.scope.environment,
        "family": claim.scope.family,
        "instruction": instruction,
        "features": write_features(db, own[0] if own else ()),
    }


def _evidence_rows(db: Database, record: EpisodeRecord, at: float) -> Iterator[dict[str, Any]]:
    repeats: Counter[str] = Counter()
    for claim in record.claims:
        insight = write_claim(db, claim)
        for item in claim.evidence:
            # The place in the episode is the commit stage; the claim and a counter tell apart
            # what one episode says several times.
            what = f"{insight}:{claim.relation}:{item.task}:{item.kind}:{item.direction}"
            repeats[what] += 1
            yield {
                "id": digest(canonical_json([record.episode, 0, "commit", f"{what}:{repeats[what]}"])),
                "insight": insight,
                "relation": claim.relation,
                "episode": record.episode,
                "task": item.task,
                "problem": item.group,
                "kind": item.kind,
                "direction": item.direction,
                "features": write_features(db, item.features),
                "detail": item.detail,
                "at": at,
            }


def write_claim(db: Database, claim: Claim) -> str:
    """Keeps what a claim is about and how it is put; gives the insight's id."""
    name = insight_id(claim.cause, claim.effect, claim.scope)
    db.insert(
        "memory_insights",
        {
            "id": name,
            "cause": claim.cause,
            "effect": claim.effect,
            "environment": claim.scope.environment,
            "family": claim.scope.family,
            "preconditions": canonical_json(sorted(set(claim.scope.preconditions))),
        },
        key="id",
    )
    db.insert(
        "memory_claims",
        {"insight": name, "relation": claim.relation, "text": claim.text},
        key=("insight", "relation"),
    )
    return name


def write_features(db: Database, features: tuple[float, ...]) -> str:
    """Keeps a vector of features once, by content, because many rows of an episode share one; gives its id."""
    name = features_id(features)
    db.insert("memory_features", {"id": name, "numbers": _numbers(features)}, key="id")
    return name


def features_id(features: tuple[float, ...]) -> str:
    """The id under which a vector of features is kept."""
    return digest(_numbers(features))[:32]


def _numbers(features: tuple[float, ...]) -> str:
    return canonical_json([float(value) for value in features])


class BookReader:
    """Keeps an :class:`InsightBook` in step with the record, reading only what is new."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._start()

    @property
    def epoch(self) -> int:
        """The record's epoch that the book was read in."""
        return self._epoch

    def read_book(self) -> InsightBook:
        """The book as the record is now.

        Raises:
            RecordDamaged: A row does not match its checksum.
        """
        with self._db.read_snapshot():
            if not self._in_step():
                self._start()
                self._epoch = read_epoch(self._db)
            self._read_episodes()
            self._read_evidence()
            self._read_expiries()
            self._read_retirements()
        return self._book

    def _start(self) -> None:
        self._book = InsightBook()
        self._features: dict[str, tuple[float, ...]] = {}
        self._epoch = -1
        self._evidence = 0
        self._episode = 0
        self._expiry = 0
        self._retirement = 0
        self._last = ""

    def _in_step(self) -> bool:
        if self._epoch != read_epoch(self._db):
            return False
        if not self._evidence:
            return True
        # After a transaction that was rolled back the numbers are used again for other rows.
        rows = self._db.query("SELECT id FROM memory_evidence WHERE seq = ?", [self._evidence])
        return bool(rows) and rows[0]["id"] == self._last

    def _read_episodes(self) -> None:
        new = "episode IN (SELECT episode FROM memory_episodes WHERE seq > ?)"
        rows = self._db.rows("memory_sources", new, parameters=[self._episode])
        sources = {row["episode"]: str(row["source"]) for row in rows}
        for row in self._db.rows("memory_episodes", "seq > ?", parameters=[self._episode]):
            entry = value_of(
                EpisodeEntry,
                row,
                group=row["problem"],
                features=self._numbers(str(row["features"])),
                source=sources.get(row["episode"], ""),
            )
            self._book.entries[entry.episode] = entry
            self._episode = entry.seq

    def _read_evidence(self) -> None:
        rows = self._db.rows("memory_evidence", "seq > ?", parameters=[self._evidence])
        for name in sorted({str(row["insight"]) for row in rows}):
            self._book.add_key(self._key(name))
        makers = _makers_after(self._db, self._evidence) if rows else {}
        self._book.add_evidence(self._evidence_row(row, makers.get(str(row["episode"]), {})) for row in rows)
        if rows:
            self._evidence, self._last = cast(int, rows[-1]["seq"]), str(rows[-1]["id"])

    def _read_expiries(self) -> None:
        for row in self._db.rows("memory_expiries", "seq > ?", parameters=[self._expiry]):
            self._book.expire(str(row["insight"]), cast(int, row["through"]))
            self._expiry = cast(int, row["seq"])

    def _read_retirements(self) -> None:
        for row in self._db.rows("memory_retirements", "seq > ?", parameters=[self._retirement]):
            told = RetiredClaim(through=cast(int, row["through"]), reason=str(row["reason"]))
            self._book.retire(str(row["insight"]), str(row["policy"]), told)
            self._retirement = cast(int, row["seq"])

    def _key(self, name: str) -> ClaimKey:
        row = self._db.rows("memory_insights", {"id": name})[0]
        claims = self._db.rows("memory_claims", {"insight": name})
        return ClaimKey(
            id=name,
            cause=str(row["cause"]),
            effect=str(row["effect"]),
            scope=value_of(Scope, row, preconditions=tuple(json.loads(str(row["preconditions"])))),
            texts={cast(Relation, claim["relation"]): str(claim["text"]) for claim in claims},
        )

    def _evidence_row(self, row: Mapping[str, Any], maker: Mapping[str, str]) -> EvidenceRow:
        read = value_of(EvidenceRow, row, group=row["problem"], features=self._numbers(row["features"]), **maker)
        # Only read so: rows stay as they were written, since checksums and ids speak of them.
        return replace(read, kind="observation", relation="contributes") if _is_ablation(read) else read

    def _numbers(self, name: str) -> tuple[float, ...]:
        if name not in self._features:
            row = self._db.rows("memory_features", {"id": name})[0]
            self._features[name] = tuple(json.loads(str(row["numbers"])))
        return self._features[name]


def _is_ablation(row: EvidenceRow) -> bool:
    """Whether earlier versions took a part out of one answer and called that an intervention on the need for it."""
    ends = (": the examples no longer hold", ": the examples still hold")
    return row.kind == "intervention" and row.relation == "necessary" and row.detail.endswith(ends)


def read_epoch(db: Database) -> int:
    """How many times something was deleted from this memory."""
    return int(db.get_meta(EPOCH) or "0")


def delete_everything(db: Database) -> None:
    """Removes every insight, its evidence and what it was found by; notes stay."""
    with db.transaction():
        for table in (*_TABLES, "memory_expiries"):
            db.delete(table, "")
        db.set_meta(EPOCH, str(read_epoch(db) + 1))


def delete_insights(db: Database, ids: list[str]) -> None:
    """Removes these insights with their evidence, and episodes that have none left."""
    with db.transaction():
        for name in ids:
            for table in ("memory_evidence", "memory_claims", "memory_expiries", "memory_uses", "memory_retirements"):
                db.delete(table, {"insight": name})
            db.delete("memory_insights", {"id": name})
        for table in ("memory_episodes", "memory_sources", "memory_makers"):
            db.delete(table, "episode NOT IN (SELECT episode FROM memory_evidence)")
        db.delete(
            "memory_features",
            "id NOT IN (SELECT features FROM memory_evidence UNION SELECT features FROM memory_episodes)",
        )
        db.set_meta(EPOCH, str(read_epoch(db) + 1))


def write_expiry(db: Database, insight: str, reason: str, at: float) -> None:
    """Sets aside all evidence of an insight so far; it stays on record."""
    with db.transaction():
        newest = db.query("SELECT max(seq) AS last FROM memory_evidence WHERE insight = ?", [insight])
        db.insert(
            "memory_expiries", {"insight": insight, "through": newest[0]["last"] or 0, "reason": reason, "at": at}
        )


_TABLE = "memory_makers"
COMPOSED = ("operation:", "skill:", "literal:", "mined:")
"""How the causes begin that the search alone composes."""


def write_maker(db: Database, record: EpisodeRecord) -> None:
    """Notes who made the evidence of an episode, and where, as far as it is known."""
    if record.policy or record.fingerprint:
        row = {"episode": record.episode, "policy": record.policy, "fingerprint": record.fingerprint}
        db.insert(_TABLE, row, key="episode")


def _makers_after(db: Database, seq: int) -> dict[str, dict[str, str]]:
    """Policy and fingerprint of the episodes whose evidence came after a ``seq``, by episode."""
    new = "episode IN (SELECT episode FROM memory_evidence WHERE seq > ?)"
    return {
        str(row["episode"]): {"policy": str(row["policy"]), "fingerprint": str(row["fingerprint"])}
        for row in db.rows(_TABLE, new, parameters=[seq])
    }


def policy_label(policy: str) -> str:
    """A policy's name for people: of a model the model's own."""
    return policy.partition(":")[2] or policy or "a model that nobody noted"
