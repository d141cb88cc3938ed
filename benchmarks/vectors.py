"""From how many rows on is Chroma the cheaper store? The exact index beside it, each in fresh processes.

Measured are CPU seconds, which neighbours on the machine disturb least: building an index, and then what one command
pays on an index of that size: to open it with the library it needs, to ask once, to add one batch of episodes, and to
close it. Besides, a further question in milliseconds, with and without a filter, and what lies on the disk.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.record import ROOT, Outcome, common_options, progress, publish
from evolve.memory.index import IndexContent, VectorIndex

STORES = ("exact", "chroma")
SIZES = (1_000, 5_000, 10_000, 20_000, 50_000)
DIMENSION = 320
"""Length of the vectors that the memory makes of a task with the built-in encoder."""
BATCH = 256
NEIGHBOURS = 32
QUESTIONS = 50
COMMAND = ("open s", "first question s", "add 256 s", "close s")
MEASURES = ("build s", "disk MB", *COMMAND, "command s", "question ms", "filtered ms")


def measure(*, sizes: Sequence[int], repeats: int) -> list[dict[str, Any]]:
    """A row for each store, size and repeat."""
    rows: list[dict[str, Any]] = []
    for size in sizes:
        for store in STORES:
            progress(f"{store}, {size:,} rows")
            with tempfile.TemporaryDirectory(prefix="vectors-") as folder:
                built = _child("build", store, size, Path(folder) / "built")
                for repeat in range(repeats):
                    copy = Path(folder) / f"copy-{repeat}"
                    shutil.copytree(Path(folder) / "built", copy)
                    used = _child("use", store, size, copy)
                    shutil.rmtree(copy)
                    rows.append({"store": store, "rows": size, "seed": repeat, **built, **used})
    return rows


def _child(part: str, store: str, size: int, folder: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.vectors", "--part", part, store, str(size), str(folder)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return {str(name): float(value) for name, value in json.loads(done.stdout).items()}


def part_of(part: str, store: str, size: int, folder: Path) -> dict[str, float]:
    """What a child measures: ``build`` fills an index, ``use`` is what one command does with it."""
    import numpy as np

    from evolve.core.extensions import find

    def some(count: int, first: int) -> IndexContent:
        vectors = np.random.default_rng(first).normal(size=(count, DIMENSION))
        ids = [f"e{number:08d}" for number in range(first, first + count)]
        tags = [{"environment": "programs", "family": f"family-{number % 40}"} for number in range(count)]
        return IndexContent(ids=ids, vectors=vectors, tags=tags, generation=first + count)

    rows = some(size, 0) if part == "build" else some(BATCH, size)
    laps = Laps()
    index: VectorIndex = find("vectors", store)(folder, "episodes", DIMENSION)
    if part == "build":
        index.replace_rows(rows)
        index.close()
        laps.end("build s")
        size_of = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        return {**laps.found, "disk MB": size_of / 1e6}
    held = index.ids()
    laps.end("open s")
    index.query(rows.vectors[0], NEIGHBOURS)
    laps.end("first question s")
    index.upsert(rows.ids, rows.vectors, rows.tags)
    index.set_generation(rows.generation)
    laps.end("add 256 s")
    for where in (None, {"environment": "programs", "family": "family-7"}):
        for vector in rows.vectors[:QUESTIONS]:
            index.query(vector, NEIGHBOURS, where)
        laps.end("filtered ms" if where else "question ms", 1000 / QUESTIONS)
    index.close()
    laps.end("close s")
    if len(held) != size:
        raise RuntimeError(f"{store} holds {len(held)} of {size} rows")
    return {**laps.found, "command s": sum(laps.found[name] for name in COMMAND)}


class Laps:
    """CPU time from one point to the next, of all threads of the process."""

    def __init__(self) -> None:
        self.found: dict[str, float] = {}
        self._last = time.process_time()

    def end(self, name: str, factor: float = 1.0) -> None:
        """Gives the time since the last point a name."""
        now = time.process_time()
        self.found[name], self._last = round((now - self._last) * factor, 5), now


def table(outcome: Outcome) -> str:
    """The medians for a terminal, a line for each size and store."""
    lines = [f"{'rows':>9}  {'store':8}" + "".join(f"{name:>18}" for name in MEASURES)]
    for size in dict.fromkeys(row["rows"] for row in outcome.rows):
        for store in STORES:
            found = [row for row in outcome.rows if (row["store"], row["rows"]) == (store, size)]
            cells = "".join(f"{median(row[name] for row in found):18,.3f}" for name in MEASURES)
            lines.append(f"{size:9,}  {store:8}{cells}")
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vectors", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=3)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes of index to measure")
    parser.add_argument("--part", nargs=4, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.part:
        part, store, size, folder = options.part
        print(json.dumps(part_of(part, store, int(size), Path(folder))))
        return
    sizes, repeats = (SIZES[:2], 1) if options.quick else (tuple(options.rows), options.seeds)
    outcome = Outcome(
        benchmark="vectors", seeds=repeats, quick=options.quick, rows=measure(sizes=sizes, repeats=repeats), targets=[]
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
