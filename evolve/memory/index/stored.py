"""The index a workspace keeps on disk: exact while it is small, Chroma's from the crossover on.

Below the crossover an exact index costs less in everything, and Chroma is not even loaded. One that grows past it is
built anew in Chroma, once. Either is derived data: the folder holds one of them, and what the other left there is
dropped, which tells the owner to fill the index again.

A library in native code can crash or hang. So a large index is built by a child, into a folder of its own, with a
deadline; the folder takes its place once the child has found the sampled vectors in it. Where that fails twice the
index is an exact one for as long as this process lives: slower, never wrong.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evolve.core.errors import WorkspaceError
from evolve.core.extensions import BUILT_IN, extension_error, find
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import canonical_json, write_failure
from evolve.core.paths import package_root
from evolve.memory.index.chroma import ChromaIndex, open_chroma, rows_on_disk
from evolve.memory.index.exact import EXACT_FILE, ExactIndex, checked_rows, open_exact
from evolve.memory.index.protocol import (
    CROSSOVER,
    Hit,
    IndexContent,
    IndexOpener,
    Progress,
    Tag,
    VectorIndex,
    Where,
    remove_index,
)

LARGE = 256
"""More rows than this are written to Chroma by a child."""

_BUILD_TRIES = 2
_POLL_S = 0.05


@dataclass(frozen=True, kw_only=True)
class IndexOptions:
    """How carefully an index is made anew.

    Attributes:
        warn: Told once, in a sentence, when the index on disk could not be made.
        deadline: Seconds that a child may take, besides those for each row.
        command: What starts the child; the folder to work in is added.
    """

    warn: Callable[[str], None] = lambda _: None
    deadline: float = 60.0
    seconds_a_row: float = 0.02
    # -P: else a module in the folder that the person is in would be run in place of one of ours.
    command: Sequence[str] = (sys.executable, "-P", "-m", "evolve.memory.index.rebuild")


def open_index(
    path: Path,
    name: str,
    dimension: int,
    care: IndexOptions | None = None,
    *,
    store: str = "auto",
    crossover: int = CROSSOVER,
) -> StoredIndex:
    """Opens or creates the index ``name`` in folder ``path``.

    Files that cannot be read are set aside; those of another store or dimension are dropped. The index then starts
    empty at generation 0.

    Args:
        name: 3 to 512 characters of ``[a-zA-Z0-9._-]``.
        store: ``exact`` or ``chroma``; ``auto`` is exact up to ``crossover`` rows and Chroma beyond.

    Raises:
        WorkspaceError: The folder cannot be written.
    """
    return StoredIndex(
        IndexLocation(folder=Path(path), name=name, dimension=dimension), care or IndexOptions(), store, crossover
    )


def open_store(store: str, path: Path, name: str, dimension: int, care: IndexOptions | None = None) -> VectorIndex:
    """Opens or creates an index in the store that a setting names: ``auto``, or a name of the seam ``vectors``.

    A store of another package has a folder of its own beside ``path``.

    Raises:
        WorkspaceError: Nobody offers that store, or the folder cannot be written.
    """
    if store == "auto" or store in BUILT_IN["vectors"]:
        return open_index(path, name, dimension, care, store=store)
    opener: IndexOpener | None = find("vectors", store, Callable)
    if opener is None:
        raise WorkspaceError(f"there is no vector store {store!r}", hint="install the package that has it")
    index = opener(path.with_name(f"{path.name}-{store}"), name, dimension)
    if not hasattr(index, "query"):
        raise extension_error("vectors", store, f"opened {type(index).__name__}, which is no index")
    return index


@dataclass(frozen=True, kw_only=True)
class IndexLocation:
    """Where an index is, and what it is called."""

    folder: Path
    name: str
    dimension: int

    def open_exact(self) -> ExactIndex:
        """The exact index here. What another store left is dropped."""
        if self.folder.is_dir() and any(path.name != EXACT_FILE for path in self.folder.iterdir()):
            remove_index(self.folder)
        return open_exact(self.folder, self.name, self.dimension)

    def open_chroma(self) -> ChromaIndex:
        """Chroma's index here."""
        return open_chroma(self.folder, self.name, self.dimension)


class StoredIndex:
    """A vector index on disk that survives damage to its files and crashes of the library behind it.

    Attributes:
        set_aside: Where damaged files were moved when the index was opened, or None.
    """

    def __init__(self, place: IndexLocation, care: IndexOptions, store: str, crossover: int) -> None:
        self.dimension = place.dimension
        self._place, self._care = place, care
        self._most = {"exact": sys.maxsize, "chroma": -1}.get(store, crossover)
        """Rows up to which the index is exact; one of Chroma's stays while it holds more than half of that."""
        # Half, so that an index whose size moves about the crossover is not rebuilt at every opening.
        chroma = store != "exact" and rows_on_disk(place.folder) > self._most // 2
        self._inner: ChromaIndex | ExactIndex = place.open_chroma() if chroma else place.open_exact()
        self.set_aside = self._inner.set_aside

    @property
    def generation(self) -> int:
        return self._inner.generation

    def set_generation(self, generation: int) -> None:
        self._inner.set_generation(generation)
        # Only here do content and generation agree, so that a move can be cut off anywhere without loss.
        if isinstance(self._inner, ExactIndex) and len(self._inner) > self._most:
            self.replace_rows(self._inner.rows())

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        self._inner.upsert(ids, vectors, tags)

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        return self._inner.query(vector, k, where)

    def stored_vectors(self, ids: Sequence[str]) -> dict[str, np.ndarray]:
        """The unit vectors of those of these ids that are at hand: of all in an exact index, of none in Chroma's."""
        return self._inner.stored_vectors(ids) if isinstance(self._inner, ExactIndex) else {}

    def delete(self, ids: Sequence[str]) -> None:
        self._inner.delete(ids)

    def ids(self) -> list[str]:
        return self._inner.ids()

    def clear(self) -> None:
        self._inner.clear()

    def replace_rows(self, rows: IndexContent, *, progress: Progress | None = None) -> None:
        checked_rows(rows.ids, rows.vectors, self.dimension)
        if len(rows.ids) <= self._most:
            self._become_exact(rows)
        elif len(rows.ids) <= LARGE and isinstance(self._inner, ChromaIndex):
            self._inner.replace_rows(rows, progress=progress)
        elif not self._move_to_chroma(rows, progress):
            folder = self._place.folder
            self._care.warn(
                f"the index {folder} could not be built; searching without it, which is slower and not less exact"
            )
            self._most = sys.maxsize
            self._become_exact(rows)

    def close(self) -> None:
        self._inner.close()

    def _become_exact(self, rows: IndexContent) -> None:
        if isinstance(self._inner, ChromaIndex):
            self._inner.close()
            self._inner = self._place.open_exact()
        self._inner.replace_rows(rows)

    def _move_to_chroma(self, rows: IndexContent, progress: Progress | None) -> bool:
        """Whether Chroma has these rows now. An exact index stays as it is until then, on disk too."""
        if isinstance(self._inner, ChromaIndex):
            self._inner.close()
        if any(_build_in_child(self._place, rows, self._care, progress) for _ in range(_BUILD_TRIES)):
            opened = self._place.open_chroma()
            if opened.generation == rows.generation:
                self._inner = opened
                return True
            opened.close()
            remove_index(self._place.folder)
        return False


def _build_in_child(place: IndexLocation, rows: IndexContent, care: IndexOptions, progress: Progress | None) -> bool:
    """Builds the index in a child process beside the old one and puts it in place; true where that succeeded."""
    folder = place.folder
    work = folder.with_name(folder.name + ".new")
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with (work / "vectors.npy").open("wb") as stream:
            np.save(stream, np.asarray(rows.vectors, dtype=np.float64), allow_pickle=False)
        content = {"name": place.name, "ids": list(rows.ids), "tags": [dict(row_tags) for row_tags in rows.tags]}
        (work / "rows.json").write_text(canonical_json({**content, "generation": rows.generation}), "utf-8")
        if not _run_child(work, len(rows.ids), care, progress) or not (work / "index").is_dir():
            return False
        hit_failpoint("index.built")
        remove_index(folder)
        # Killed here there is no index; the owner fills it from the record.
        hit_failpoint("index.dropped")
        (work / "index").rename(folder)
        return True
    except OSError as error:
        raise write_failure(folder, error) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _run_child(work: Path, count: int, care: IndexOptions, progress: Progress | None) -> bool:
    end = time.monotonic() + care.deadline + count * care.seconds_a_row
    # The child has to import this very package, also where it runs from a source tree.
    package = str(package_root().resolve().parent)
    path = os.pathsep.join(part for part in (package, os.environ.get("PYTHONPATH", "")) if part)
    # The child ends when its standard input does, so it does not outlive us however we end.
    child = subprocess.Popen(
        [*care.command, str(work)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path},
    )
    try:
        while child.poll() is None and time.monotonic() < end:
            time.sleep(_POLL_S)
            if progress is not None:
                progress(_progress(work))
        return child.poll() == 0
    finally:
        child.kill()
        child.wait()
        if child.stdin is not None:
            child.stdin.close()


def _progress(work: Path) -> int:
    try:
        return int(json.loads((work / "progress").read_text("ascii")))
    except (OSError, ValueError):
        return 0
