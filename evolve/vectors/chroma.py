"""A vector index on disk, kept by Chroma. The only file that knows Chroma.

What shapes it:

- Our vectors always come ready made; with an embedding function of its own Chroma would fetch a
  model at the first use.
- One process writes. Two clients of one folder, even behind a lock, lose vectors silently, so an
  index is opened by the holder of the workspace's lock, and other processes use a copy in memory.
- It is derived data. A folder that cannot be opened is moved aside and begun anew at generation 0,
  which tells the owner to fill it again.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.errors import WorkspaceError
from evolve.vectors.exact import checked_rows, unit_rows
from evolve.vectors.protocol import Hit, Tag, Where

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

_BATCH = 2000
"""Rows per call; Chroma refuses more than some 5,400."""
_DIGITS = 6
_SPARE = 16
"""Neighbours fetched beyond ``k`` so that ties at the edge are broken by id, not by chance."""
_SEEN = "has_tags"
"""Chroma has no empty tag set, so every row carries this one."""


def open_index(path: Path, name: str, dimension: int) -> ChromaIndex:
    """Opens or creates the index ``name`` in folder ``path``.

    A folder Chroma cannot read, or a collection of another dimension, is set aside or dropped: the
    index then starts empty at generation 0.

    Args:
        name: 3 to 512 characters of ``[a-zA-Z0-9._-]``.

    Raises:
        WorkspaceError: The folder cannot be written.
    """
    from chromadb.errors import ChromaError

    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WorkspaceError(f"the index folder {folder} cannot be written: {error.strerror}") from error
    try:
        _check_database(folder)
        return ChromaIndex(str(folder), name, dimension)
    # Damage shows in all of these ways; AttributeError is what is left of the first error after
    # Chroma has tried to stop a system that never started.
    except (ChromaError, AttributeError, ValueError, KeyError, OSError, RuntimeError, sqlite3.Error) as damage:
        try:
            _set_aside(folder)
            folder.mkdir()
        except OSError as error:
            raise WorkspaceError(
                f"the index folder {folder} is damaged ({damage}) and cannot be moved aside"
            ) from error
        # Chroma remembers a system that failed to start by the spelling of its path for the rest
        # of the process, so the fresh folder needs another spelling.
        return ChromaIndex(os.path.join(folder, "."), name, dimension)


class ChromaIndex:
    """One Chroma collection of cosine vectors. Use :func:`open_index`, which survives damage."""

    space = "cosine"

    def __init__(self, folder: str, name: str, dimension: int) -> None:
        self.dimension = dimension
        self._name = name
        self._client: ClientAPI | None = _connect(folder)
        try:
            self._collection = self._open_collection()
            if self._metadata().get("dimension") != dimension:
                self.clear()
            # Touches both halves of the store, so damage shows now and not in mid-run.
            self._collection.count()
            self._collection.get(limit=1, include=["embeddings"])
        except BaseException:
            self.close()
            raise

    @property
    def generation(self) -> int:
        # As text: Chroma keeps whole numbers exactly only while they are small.
        return int(str(self._metadata().get("generation", "0")))

    def mark(self, generation: int) -> None:
        self._collection.modify(metadata={"dimension": self.dimension, "generation": str(generation)})

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        unit = checked_rows(ids, vectors, self.dimension)
        # Chroma merges new tags into old ones; deleting first makes the call replace them.
        self.delete(ids)
        for start in range(0, len(ids), _BATCH):
            part = slice(start, start + _BATCH)
            labels: Any = [{_SEEN: True, **one} for one in (tags or [{}] * len(ids))[part]]
            self._collection.upsert(
                ids=list(ids[part]),
                embeddings=unit[part],
                metadatas=labels,
            )

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        unit = unit_rows(np.asarray(vector, dtype=np.float64).reshape(1, -1), self.dimension)
        if k < 1 or (where and any(isinstance(one, (list, tuple)) and not one for one in where.values())):
            return []
        count = self._collection.count()
        if count == 0:
            return []
        answer = self._collection.query(
            query_embeddings=unit,
            n_results=min(count, k + _SPARE),
            where=_chroma_filter(where),
            include=["distances"],
        )
        distances = answer["distances"] or [[]]
        hits = [
            Hit(name, max(0.0, round(float(distance), _DIGITS)))
            for name, distance in zip(answer["ids"][0], distances[0], strict=True)
        ]
        return sorted(hits, key=lambda hit: (hit.distance, hit.id))[:k]

    def delete(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), _BATCH):
            self._collection.delete(ids=list(ids[start : start + _BATCH]))

    def ids(self) -> list[str]:
        return sorted(self._collection.get(include=[])["ids"])

    def clear(self) -> None:
        client = self._open_client()
        client.delete_collection(self._name)
        self._collection = self._open_collection()
        self.mark(0)

    def close(self) -> None:
        if self._client is not None:
            client, self._client = self._client, None
            client.close()  # type: ignore[attr-defined]

    def _open_client(self) -> ClientAPI:
        if self._client is None:
            raise ValueError("the index is closed")
        return self._client

    def _open_collection(self) -> Collection:
        return self._open_client().get_or_create_collection(
            self._name,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": 200, "ef_construction": 200}},
        )

    def _metadata(self) -> Mapping[str, Any]:
        return self._collection.metadata or {}


def _connect(folder: str) -> ClientAPI:
    import chromadb
    from chromadb.config import Settings

    return chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))


def _check_database(folder: Path) -> None:
    """Raises sqlite3.Error unless the folder's database is sound or not there yet."""
    path = folder / "chroma.sqlite3"
    if not path.exists():
        return
    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", uri=True)
    try:
        verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
    finally:
        connection.close()
    if verdict != "ok":
        raise sqlite3.DatabaseError(verdict)


def _set_aside(folder: Path) -> Path:
    number = 1
    while (aside := folder.with_name(f"{folder.name}.damaged-{number}")).exists():
        number += 1
    return folder.rename(aside)


def _chroma_filter(where: Where | None) -> Any:
    if not where:
        return None
    terms = [
        {key: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else {"$eq": wanted}}
        for key, wanted in sorted(where.items())
    ]
    return terms[0] if len(terms) == 1 else {"$and": terms}
