"""The index a workspace keeps on disk: Chroma's, filled in a process of its own when it has to be made anew.

A library in native code can crash or hang. So a large index is built by a child, into a folder of its own, with a
deadline; the folder takes its place once the child has found the sampled vectors in it. Where that fails twice the
index is an exact one in memory for as long as this process lives: slower, never wrong.
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

from evolve.failpoints import hit
from evolve.files import canonical_json, write_failure
from evolve.vectors.chroma import ChromaIndex, drop, open_chroma
from evolve.vectors.exact import MemoryIndex, checked_rows
from evolve.vectors.protocol import Hit, Progress, Rows, Tag, Where

LARGE = 256
"""More rows than this are written by a child."""

_TRIES = 2
_POLL_S = 0.05


@dataclass(frozen=True, kw_only=True)
class Care:
    """How carefully an index is made anew.

    Attributes:
        warn: Told once, in a sentence, when the index on disk could not be made.
        deadline: Seconds that a child may take, besides those for each row.
        command: What starts the child; the folder to work in is added.
    """

    warn: Callable[[str], None] = lambda _: None
    deadline: float = 60.0
    seconds_a_row: float = 0.02
    command: Sequence[str] = (sys.executable, "-m", "evolve.vectors.rebuild")


def open_index(path: Path, name: str, dimension: int, care: Care | None = None) -> StoredIndex:
    """Opens or creates the index ``name`` in folder ``path``.

    A folder Chroma cannot read, or a collection of another dimension, is set aside or dropped: the
    index then starts empty at generation 0.

    Args:
        name: 3 to 512 characters of ``[a-zA-Z0-9._-]``.

    Raises:
        WorkspaceError: The folder cannot be written.
    """
    return StoredIndex(Path(path), name, dimension, care or Care())


class StoredIndex:
    """A vector index on disk that survives damage to its files and crashes of the library behind it.

    Attributes:
        set_aside: Where damaged files were moved when the index was opened, or None.
    """

    space = "cosine"

    def __init__(self, folder: Path, name: str, dimension: int, care: Care) -> None:
        self.dimension = dimension
        self._folder, self._name, self._care = folder, name, care
        opened = open_chroma(folder, name, dimension)
        self.set_aside = opened.set_aside
        self._inner: ChromaIndex | MemoryIndex = opened

    @property
    def generation(self) -> int:
        return self._inner.generation

    def mark(self, generation: int) -> None:
        self._inner.mark(generation)

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        self._inner.upsert(ids, vectors, tags)

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        return self._inner.query(vector, k, where)

    def delete(self, ids: Sequence[str]) -> None:
        self._inner.delete(ids)

    def ids(self) -> list[str]:
        return self._inner.ids()

    def clear(self) -> None:
        self._inner.clear()

    def refill(self, rows: Rows, *, progress: Progress | None = None) -> None:
        checked_rows(rows.ids, rows.vectors, self.dimension)
        if len(rows.ids) <= LARGE or isinstance(self._inner, MemoryIndex):
            self._inner.refill(rows, progress=progress)
            return
        self._inner.close()
        if any(_built(self._folder, self._name, rows, self._care, progress) for _ in range(_TRIES)):
            self._inner = open_chroma(self._folder, self._name, self.dimension)
            if self._inner.generation == rows.generation:
                return
            self._inner.close()
        self._care.warn(
            f"the index {self._folder} could not be built; searching without it, which is slower and not less exact"
        )
        drop(self._folder)
        self._inner = MemoryIndex(self.dimension)
        self._inner.refill(rows)

    def close(self) -> None:
        self._inner.close()


def _built(folder: Path, name: str, rows: Rows, care: Care, progress: Progress | None) -> bool:
    """Lets a child build the index beside the old one, and puts it in place; whether that went well."""
    work = folder.with_name(folder.name + ".new")
    try:
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir(parents=True)
        with (work / "vectors.npy").open("wb") as stream:
            np.save(stream, np.asarray(rows.vectors, dtype=np.float64), allow_pickle=False)
        content = {"name": name, "ids": list(rows.ids), "tags": [dict(one) for one in rows.tags]}
        (work / "rows.json").write_text(canonical_json({**content, "generation": rows.generation}), "utf-8")
        if not _ran(work, len(rows.ids), care, progress) or not (work / "index").is_dir():
            return False
        hit("index.built")
        drop(folder)
        (work / "index").rename(folder)
        return True
    except OSError as error:
        raise write_failure(folder, error) from error
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _ran(work: Path, count: int, care: Care, progress: Progress | None) -> bool:
    end = time.monotonic() + care.deadline + count * care.seconds_a_row
    package = str(Path(__file__).resolve().parents[2])
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
