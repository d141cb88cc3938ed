"""A vector index on disk, kept by Chroma. The only file that knows Chroma.

What shapes it:

- Our vectors always come ready made; with an embedding function of its own Chroma would fetch a
  model at the first use.
- One process writes. Two clients of one folder, even behind a lock, lose vectors silently, so an
  index is opened by the holder of the workspace's lock, and other processes use a copy in memory.
- Chroma maps its vector files into memory unchecked, and a damaged one can end the process. A
  manifest of checksums, written at each clean close, is compared before Chroma sees the files.
- It is derived data. Files that do not match their manifest are set aside, files without one,
  left by a process that was killed, and files of another version of Chroma are dropped; either way
  the index begins anew at generation 0, which tells the owner to fill it again.
- Chroma gives no space back. An index in which too much was replaced begins anew as well.
"""

from __future__ import annotations

import json
import os
import sqlite3
import sys
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve.core.files import AFTER_SPACE, canonical_json, write_atomic
from evolve.core.progress import report_activity
from evolve.memory.index.exact import checked_rows, unit_rows
from evolve.memory.index.protocol import Hit, IndexContent, Progress, Tag, Where, remove_index, set_aside

if TYPE_CHECKING:
    from chromadb.api import ClientAPI
    from chromadb.api.models.Collection import Collection

_BATCH = 2000
"""Rows per call; Chroma refuses more than some 5,400."""
# As in the exact index: single precision leaves noise beyond it.
_DIGITS = 6
_FULL = ("disk is full", "disk I/O error", "No space left")
"""How Chroma words it; it has no error of its own for that."""
_LOOKED_AT = 3200
"""Neighbours fetched at least. The walk of its graph is as wide as what is asked for, and a narrow one misses many: of
the 64 nearest of 100,000 hashed texts it found 76 % with 200, 93 % with 800, 97 % with 1600 and 99 % with 3200."""
_DATABASE = "chroma.sqlite3"
_MANIFEST = "manifest.json"
# Chroma gives no space back after a delete, so a folder becomes smaller only by being made anew.
_MOST_GARBAGE = 0.3
"""Share of rows written that may have been replaced or deleted since."""
_SEEN = "has_tags"
"""Chroma has no empty tag set, so every row carries this one."""


@report_activity("load", "chromadb")
def open_chroma(path: Path, name: str, dimension: int) -> ChromaIndex:
    """Opens or creates the collection ``name`` in folder ``path``.

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
        aside = _prepare(folder)
    except OSError as error:
        raise WorkspaceError(f"the index folder {folder} cannot be written: {error.strerror}") from error
    try:
        opened = ChromaIndex(str(folder), name, dimension, set_aside=aside)
        if opened.garbage_share > _MOST_GARBAGE:
            opened.close()
            remove_index(folder)
            folder.mkdir()
            opened = ChromaIndex(str(folder), name, dimension)
        return opened
    # What an incompatible version of Chroma left behind shows in all of these ways; AttributeError
    # is what remains of the first error after Chroma has tried to stop a system that never started.
    except (ChromaError, AttributeError, ValueError, KeyError, OSError, RuntimeError) as damage:
        try:
            aside = set_aside(folder)
            folder.mkdir()
        except OSError as error:
            raise WorkspaceError(
                f"the index folder {folder} is damaged ({damage}) and cannot be moved aside"
            ) from error
        # Chroma remembers a system that failed to start by the spelling of its path for the rest
        # of the process, so the fresh folder needs another spelling.
        try:
            return ChromaIndex(os.path.join(folder, "."), name, dimension, set_aside=aside)
        except (ChromaError, AttributeError, RuntimeError) as again:
            raise WorkspaceError(f"the index {folder} cannot be made: {again}", hint="evolve status") from again


@contextmanager
def _full_disk_reported(folder: Path) -> Iterator[None]:
    """Raises a full disk as an error of its own: it is no damage, so the files stay where they are."""
    from chromadb.errors import ChromaError

    try:
        yield
    except ChromaError as error:
        if not any(sign in str(error) for sign in _FULL):
            raise
        raise WorkspaceError(f"disk full while writing the index {folder}", hint=AFTER_SPACE) from error


class ChromaIndex:
    """One Chroma collection of cosine vectors. Use :func:`open_chroma`, which survives damage.

    Attributes:
        set_aside: Where damaged files were moved when the index was opened, or None.
    """

    def __init__(self, folder: str, name: str, dimension: int, *, set_aside: Path | None = None) -> None:
        self.dimension = dimension
        self.set_aside = set_aside
        self._folder = Path(folder)
        self._name = name
        self._fresh = 0
        with ExitStack() as undo:
            undo.enter_context(_full_disk_reported(self._folder))
            self._client: ClientAPI | None = _connect(folder)
            undo.callback(self._stop)
            self._collection = self._open_collection()
            if self._metadata().get("dimension") != dimension:
                self.clear()
            # Touches both halves of the store, so that trouble shows now and not in mid-run.
            self._collection.count()
            self._collection.get(limit=1, include=["embeddings"])
            undo.pop_all()

    @property
    def generation(self) -> int:
        # As text: Chroma keeps whole numbers exactly only while they are small.
        return int(str(self._metadata().get("generation", "0")))

    @property
    def garbage_share(self) -> float:
        """Share of what was written that has been replaced or deleted since; 0 for a small index."""
        written = int(self._metadata().get("written", 0))
        return 1 - self._collection.count() / written if written > _BATCH else 0.0

    def set_generation(self, generation: int) -> None:
        before = int(self._metadata().get("written", 0))
        promise: Any = {"dimension": self.dimension, "generation": str(generation), "written": before + self._fresh}
        with _full_disk_reported(self._folder):
            self._collection.modify(metadata=promise)
        self._fresh = 0

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        unit = checked_rows(ids, vectors, self.dimension)
        self._fresh += len(ids)
        # Chroma merges new tags into old ones; deleting first makes the call replace them.
        self.delete(ids)
        for start in range(0, len(ids), _BATCH):
            part = slice(start, start + _BATCH)
            labels: Any = [{_SEEN: True, **row_tags} for row_tags in (tags or [{}] * len(ids))[part]]
            with _full_disk_reported(self._folder):
                self._collection.upsert(ids=list(ids[part]), embeddings=unit[part], metadatas=labels)

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        unit = unit_rows(np.asarray(vector, dtype=np.float64).reshape(1, -1), self.dimension)
        # An empty list matches nothing; Chroma refuses it as a filter.
        if k < 1 or (where and any(isinstance(value, (list, tuple)) and not value for value in where.values())):
            return []
        count = self._collection.count()
        if count == 0:
            return []
        answer = self._collection.query(
            query_embeddings=unit,
            n_results=min(count, max(2 * k, _LOOKED_AT)),
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
            with _full_disk_reported(self._folder):
                self._collection.delete(ids=list(ids[start : start + _BATCH]))

    def held(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The unit vectors of those of these ids that it has."""
        found = self._collection.get(ids=list(ids), include=["embeddings"]) if ids else None
        return dict(zip(found["ids"], np.asarray(found["embeddings"]), strict=True)) if found else {}

    def ids(self) -> list[str]:
        return sorted(self._collection.get(include=[])["ids"])

    def clear(self) -> None:
        client = self._open_client()
        with _full_disk_reported(self._folder):
            client.delete_collection(self._name)
            self._collection = self._open_collection()
        self.set_generation(0)

    def replace_rows(self, rows: IndexContent, *, progress: Progress | None = None) -> None:
        self.clear()
        for start in range(0, len(rows.ids), _BATCH):
            part = slice(start, start + _BATCH)
            self.upsert(rows.ids[part], rows.vectors[part], rows.tags[part])
            if progress is not None:
                progress(min(start + _BATCH, len(rows.ids)))
        self.set_generation(rows.generation)

    def close(self) -> None:
        if self._stop():
            promise = {"files": _checksums(self._folder), "version": _version()}
            write_atomic(self._folder / _MANIFEST, canonical_json(promise).encode())

    def _stop(self) -> bool:
        if self._client is None:
            return False
        client, self._client = self._client, None
        client.close()  # type: ignore[attr-defined]
        return True

    def _open_client(self) -> ClientAPI:
        if self._client is None:
            raise ValueError("the index is closed")
        return self._client

    def _open_collection(self) -> Collection:
        # Without the None Chroma downloads an encoder of its own at the first add. Its distance is l2 unless it is told
        # otherwise, and cannot be changed later.
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


def _prepare(folder: Path) -> Path | None:
    """Makes the folder fit to open; gives where damaged files went, or None.

    The manifest is removed here and comes back at the next clean close.
    """
    folder.mkdir(parents=True, exist_ok=True)
    checksums = _checksums(folder)
    if not checksums:
        return None
    manifest = folder / _MANIFEST
    try:
        promised = json.loads(manifest.read_text("utf-8"))
        manifest.unlink()
    except FileNotFoundError:
        promised = {"files": checksums}  # left by a process that was killed: sound or not, it cannot be told
    except ValueError:
        promised = {}
    if promised == {"files": checksums, "version": _version()}:
        return None
    # Sound, but written by another version of Chroma, which this one may not be able to read.
    if isinstance(promised, dict) and promised.get("files") == checksums:
        remove_index(folder)
        folder.mkdir()
        return None
    aside = set_aside(folder)
    folder.mkdir()
    return aside


def rows_on_disk(folder: Path) -> int:
    """How many rows the index in a folder holds, told without loading Chroma; 0 where there is none of Chroma.

    A database that cannot be read counts as large, because opening it with Chroma sets it aside.
    """
    database = folder / _DATABASE
    if not database.is_file():
        return 0
    try:
        # Immutable, or reading would leave files of SQLite's own that the manifest does not know.
        address = f"{database.resolve().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True)) as connection:
            return int(connection.execute("SELECT count(*) FROM embeddings").fetchone()[0])
    except sqlite3.Error:
        return sys.maxsize


def _checksums(folder: Path) -> dict[str, list[int]]:
    """Size and CRC-32 of every file but the manifest, by path within the folder."""
    checksums = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name != _MANIFEST:
            size = check = 0
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    size, check = size + len(block), zlib.crc32(block, check)
            checksums[path.relative_to(folder).as_posix()] = [size, check]
    return checksums


def _version() -> str:
    return metadata.version("chromadb")


def _chroma_filter(where: Where | None) -> Any:
    if not where:
        return None
    terms = [
        {key: {"$in": list(wanted)} if isinstance(wanted, (list, tuple)) else {"$eq": wanted}}
        for key, wanted in sorted(where.items())
    ]
    # Chroma refuses a filter with two keys, and an $and of one term.
    return terms[0] if len(terms) == 1 else {"$and": terms}
