"""Builds one index in a process of its own: ``python -m evolve.memory.index.rebuild FOLDER``.

The folder holds ``vectors.npy`` and ``rows.json``; the index is made in ``FOLDER/index``. The exit code is 0 only
when the index is closed and gave back what was put in.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path

import numpy as np

from evolve.memory.index.chroma import open_chroma
from evolve.memory.index.protocol import IndexContent, VectorIndex

_SAMPLE = 50
_SAME = 1e-3
"""Largest cosine distance at which a vector counts as found; rows with equal vectors stand for each other."""


def build(work: Path) -> bool:
    """Fills and checks the index; False when it does not hold what it was given."""
    content = json.loads((work / "rows.json").read_text("utf-8"))
    vectors = np.load(work / "vectors.npy", allow_pickle=False)
    rows = IndexContent(ids=content["ids"], vectors=vectors, tags=content["tags"], generation=content["generation"])

    def tell(count: int) -> None:
        (work / "progress").write_text(str(count), "ascii")

    index = open_chroma(work / "index", content["name"], vectors.shape[1])
    index.replace_rows(rows, progress=tell)
    sound = has_entries(index, rows)
    index.close()
    return sound


def has_entries(index: VectorIndex, rows: IndexContent) -> bool:
    """Whether the index has exactly these ids, and sampled vectors find themselves."""
    if index.generation != rows.generation or index.ids() != sorted(rows.ids):
        return False
    step = max(1, len(rows.ids) // _SAMPLE)
    nearest = [index.query(vector, 1) for vector in rows.vectors[::step]]
    return all(hits and hits[0].distance < _SAME for hits in nearest)


def _end_with_the_parent() -> None:
    """Whoever started this process holds the other end of its input and says nothing."""
    sys.stdin.buffer.read()
    os._exit(3)


def main() -> int:
    """The command; its argument is the folder."""
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    return 0 if build(Path(sys.argv[1])) else 1


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # the thread that waits for the parent would hold up an ordinary end
