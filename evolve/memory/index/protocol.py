"""The protocol of vector indexes, between the memory and the stores that search it: vectors in, ids out.

An index is derived data, so to remove or set aside its folder loses nothing.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    import numpy as np


Tag = str | int | float | bool
"""A flat value stored beside a vector, for filters only."""

Where = Mapping[str, Tag | Sequence[Tag]]
"""A conjunction: each key equals the value, or is one of the values of a list. A vector that
lacks a key does not match."""


CROSSOVER = 200_000
"""More rows than this are kept by Chroma. About here its search, which looks at enough neighbours to miss few, costs
what a scan of all rows does (26 ms of CPU, 256 numbers each)."""

Progress = Callable[[int], None]
"""Told how many rows an index holds while it is filled."""


class Hit(NamedTuple):
    """One neighbour."""

    id: str
    distance: float
    """Cosine distance, 0 (same direction) to 2 (opposite)."""


@dataclass(frozen=True, kw_only=True)
class IndexContent:
    """The whole content of an index.

    Attributes:
        ids: Distinct, non-empty strings.
        vectors: Shape (len(ids), dimension).
        tags: One mapping per id.
        generation: What :meth:`VectorIndex.set_generation` would be given.
    """

    ids: Sequence[str]
    vectors: np.ndarray
    tags: Sequence[Mapping[str, Tag]]
    generation: int


class VectorIndex(Protocol):
    """A set of vectors by id, searched by cosine distance.

    Attributes:
        dimension: Length of every vector.
    """

    dimension: int

    @property
    def generation(self) -> int:
        """What :meth:`set_generation` last stored; 0 for an index that is new or was cleared."""
        ...

    def set_generation(self, generation: int) -> None:
        """Stores how far the owner's record had been taken in; survives closing where the index does."""
        ...

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        """Adds vectors, replacing those whose id is there already, tags included.

        Args:
            ids: Distinct, non-empty strings.
            vectors: Shape (len(ids), dimension); finite and not zero, of any length.
            tags: One mapping per id, or None for none.

        Raises:
            ValueError: For a wrong shape, a zero or non-finite vector, or a repeated id.
        """
        ...

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        """The ``k`` nearest that match, nearest first, equal distances by id; fewer when there are fewer.

        Raises:
            ValueError: For a wrong shape or a zero or non-finite vector.
        """
        ...

    def delete(self, ids: Sequence[str]) -> None:
        """Removes these ids; unknown ones are no error."""
        ...

    def ids(self) -> list[str]:
        """All ids, sorted."""
        ...

    def clear(self) -> None:
        """Removes everything and sets the generation to 0."""
        ...

    def replace_rows(self, rows: IndexContent, *, progress: Progress | None = None) -> None:
        """Replaces everything by these rows, all at once or not at all, and stores their generation.

        Args:
            progress: Told how many rows are in, now and then, where it takes long.

        Raises:
            ValueError: As :meth:`upsert` does.
        """
        ...

    def close(self) -> None:
        """Frees files and memory. A closed index is not used again; closing twice is no error."""
        ...


class IndexOpener(Protocol):
    """What a name of the seam ``vectors`` stands for."""

    def __call__(self, path: Path, name: str, dimension: int) -> VectorIndex:
        """Opens or creates the index ``name`` in folder ``path``.

        What cannot be read, or is of another dimension, gives an empty index at generation 0: the owner fills it again.

        Raises:
            WorkspaceError: The folder cannot be written.
        """
        ...


def remove_index(folder: Path) -> None:
    """Removes an index. It is renamed first, so that a kill in between leaves no half of one."""
    old = folder.with_name(folder.name + ".old")
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
        shutil.rmtree(old, ignore_errors=True)


def set_aside(folder: Path) -> Path:
    """Keeps the damaged files for who wants to look at them; of earlier damage nothing is kept."""
    aside = folder.with_name(f"{folder.name}.damaged-1")
    shutil.rmtree(aside, ignore_errors=True)
    return folder.rename(aside)
