"""A vector store as another package would offer it: plain lists in one JSON file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from evolve.memory.index import Hit, IndexContent, Progress, Tag, Where


class ListIndex:
    """Everything in a dictionary, written at once when it is closed."""

    def __init__(self, path: Path, name: str, dimension: int) -> None:
        self.dimension = dimension
        self._file = path / f"{name}-{dimension}.json"
        self._rows: dict[str, tuple[list[float], dict[str, Any]]] = {}
        self.generation = 0
        path.mkdir(parents=True, exist_ok=True)
        if self._file.exists():
            kept = json.loads(self._file.read_text())
            self.generation, self._rows = kept["generation"], {name: tuple(row) for name, row in kept["rows"].items()}

    def set_generation(self, generation: int) -> None:
        self.generation = generation

    def upsert(self, ids: Sequence[str], vectors: np.ndarray, tags: Sequence[Mapping[str, Tag]] | None = None) -> None:
        rows = np.asarray(vectors, dtype=float)
        if rows.shape != (len(ids), self.dimension) or len(set(ids)) != len(ids) or not all(ids):
            raise ValueError("one vector for each of distinct ids")
        if not np.isfinite(rows).all() or not rows.any(axis=1).all():
            raise ValueError("a vector needs a direction")
        for name, row, tag in zip(ids, rows.tolist(), tags or [{}] * len(ids), strict=True):
            self._rows[name] = (row, dict(tag))

    def query(self, vector: np.ndarray, k: int, where: Where | None = None) -> list[Hit]:
        if not np.any(vector):
            raise ValueError("a query needs a direction")
        hits = [
            Hit(name, round(1 - float(np.dot(row, vector) / np.linalg.norm(row) / np.linalg.norm(vector)), 6))
            for name, (row, tags) in self._rows.items()
            if all(
                key in tags and tags[key] in (wanted if isinstance(wanted, list) else [wanted])
                for key, wanted in (where or {}).items()
            )
        ]
        return sorted(hits, key=lambda hit: (hit.distance, hit.id))[:k]

    def delete(self, ids: Sequence[str]) -> None:
        for name in ids:
            self._rows.pop(name, None)

    def ids(self) -> list[str]:
        return sorted(self._rows)

    def clear(self) -> None:
        self._rows, self.generation = {}, 0

    def replace_rows(self, rows: IndexContent, *, progress: Progress | None = None) -> None:
        self.clear()
        self.upsert(rows.ids, rows.vectors, rows.tags)
        self.generation = rows.generation

    def close(self) -> None:
        self._file.write_text(json.dumps({"generation": self.generation, "rows": self._rows}))
