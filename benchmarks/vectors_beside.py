"""Can one process ask Chroma's index while another writes it? Readers that open it anew for each question, and count.

A writer adds batches and deletes one row after each. What it has done stands in a log, written after the call came
back. A read is wrong if it misses a row that was there before and after, or finds one that was gone before.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.record import ROOT, Outcome, common_options, publish

DIMENSION = 128
BATCH = 40
ASKED = 4
"""Questions of a reader for each time it opens the index: half about the newest rows, half about deleted ones."""


def measure(*, seconds: Sequence[int]) -> list[dict[str, Any]]:
    """A row for each length of time that a writer was at work with two readers beside it."""
    rows: list[dict[str, Any]] = []
    for length in seconds:
        with tempfile.TemporaryDirectory(prefix="beside-") as folder:
            parts = [_child(part, folder, length) for part in ("write", "read", "read")]
            said = [part.communicate()[0] for part in parts]
            found: Counter[str] = Counter({"seconds": length, "died": sum(part.returncode != 0 for part in parts)})
            for line in filter(None, said):
                found.update(json.loads(line))
            rows.append({**found, "seed": 0})
    return rows


def _child(part: str, folder: str, seconds: float) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.vectors_beside", "--part", part, folder, str(seconds)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def _collection(folder: Path) -> tuple[Any, Any]:
    import chromadb
    from chromadb.config import Settings

    client = chromadb.PersistentClient(path=str(folder / "index"), settings=Settings(anonymized_telemetry=False))
    cosine: Any = {"hnsw": {"space": "cosine"}}
    return client, client.get_or_create_collection("beside", embedding_function=None, configuration=cosine)


def _vector(number: int) -> np.ndarray:
    return np.random.default_rng(number).standard_normal(DIMENSION).astype(np.float32)


def _name(number: int) -> str:
    return f"row-{number}"


def write(folder: Path, seconds: float) -> dict[str, int]:
    """Adds and deletes until the time is over; gives how many rows there are then and how many it misses itself."""
    client, rows = _collection(folder)
    alive: list[int] = []
    added, end = 0, time.monotonic() + seconds
    with (folder / "log").open("a", buffering=1) as log:
        while time.monotonic() < end:
            fresh = range(added, added + BATCH)
            rows.upsert(ids=[_name(one) for one in fresh], embeddings=[_vector(one) for one in fresh])
            log.write("".join(f"+{one}\n" for one in fresh))
            alive, added = [*alive, *fresh], added + BATCH
            gone = alive.pop(0)
            rows.delete(ids=[_name(gone)])
            log.write(f"-{gone}\n")
    missed = sum(not _finds(rows, one) for one in alive[:: max(1, len(alive) // 200)])
    client.close()
    return {"rows": len(alive), "missed by the writer": missed}


def read(folder: Path, seconds: float) -> dict[str, int]:
    """Asks until the time is over; gives how many answers were wrong."""
    found = {"asked": 0, "missing": 0, "deleted": 0, "errors": 0}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        alive, gone = _log(folder)
        if not gone:  # the writer has not made it yet, and two cannot make it at once
            time.sleep(0.05)
            continue
        try:
            client, rows = _collection(folder)
            for one in alive[-ASKED // 2 :]:
                found["asked"] += 1
                found["missing"] += not _finds(rows, one) and one not in _log(folder)[1]
            for one in gone[-ASKED // 2 :]:
                found["asked"] += 1
                found["deleted"] += _finds(rows, one)
            client.close()
        except Exception:  # whatever Chroma raises here is what is counted
            found["errors"] += 1
    return found


def _log(folder: Path) -> tuple[list[int], list[int]]:
    path = folder / "log"
    # The last line may be half written.
    lines = path.read_text("ascii").split("\n")[:-1] if path.exists() else []
    gone = [int(line[1:]) for line in lines if line.startswith("-")]
    dead = set(gone)
    return [one for line in lines if line.startswith("+") and (one := int(line[1:])) not in dead], gone


def _finds(rows: Any, number: int) -> bool:
    return bool(rows.query(query_embeddings=[_vector(number)], n_results=1)["ids"][0] == [_name(number)])


def table(outcome: Outcome) -> str:
    """A line for each length of time."""
    names = ("seconds", "rows", "missed by the writer", "asked", "missing", "deleted", "errors", "died")
    lines = ["".join(f"{name:>22}" for name in names)]
    lines += ["".join(f"{row.get(name, 0):>22,}" for name in names) for row in outcome.rows]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.vectors_beside", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=1)
    parser.add_argument("--seconds", type=int, nargs="+", default=(5, 20, 40), help="how long the writer is at work")
    parser.add_argument("--part", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.part:
        part, folder, seconds = options.part
        work = {"write": write, "read": read}[part]
        print(json.dumps(work(Path(folder), float(seconds))))
        return
    seconds = options.seconds[:1] if options.quick else options.seconds
    outcome = Outcome(
        benchmark="vectors_beside", seeds=1, quick=options.quick, rows=measure(seconds=seconds), targets=[]
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
