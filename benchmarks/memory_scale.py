"""What do many notes cost? Added, found, and found again by a new process, at several sizes.

Measured in CPU time of all threads, which neighbours on the machine disturb least: adding one note, one question to
the notes with everything that belongs to it (encoding, words, vectors, what replaced what), and what a new process pays
from opening the record to its first answer, its imports aside.

The notes are sentences of words whose frequencies follow Zipf's law, the first of them English ones such as "the";
every third states a value that some later one changes. A question is half of the words of a note. Recall is the share
of the ten notes that an exact scan of the same vectors gives.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish
from evolve.core.schema import MEMORY
from evolve.core.settings import Settings
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex, VectorIndex, open_store
from evolve.memory.notes import KeptNotes
from evolve.workspace.opening import open_embedder

SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 60
ADDED = 40
_VOCABULARY = 20_000
_FREQUENT = """
the of and to a in is it you that he was for on are with as his they be at one have this from or had by hot but some
what there we can out other were all your when up use word how said an each she which do their time if will way about
many then them would write like so these her long make thing see him two has look more day could go come did my sound
no most number who over know water than call first people may down side been now find
"""
_FOUND = 10
_BATCH = 1_000
SEARCH_MS = {1_000: 6.0, 10_000: 6.0, 100_000: 25.0}
"""Targets by size; others have none."""


def sentences(count: int, seed: int) -> list[str]:
    """Sentences of 6 to 20 words, no two alike, and facts: of 30 notes ten speak of things that are spoken of again."""
    rng = random.Random(seed)
    syllables = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    rare = ["".join(rng.choices(syllables, k=rng.randint(2, 4))) for _ in range(_VOCABULARY)]
    words = [*_FREQUENT.split(), *rare][:_VOCABULARY]
    weights = [1 / rank for rank in range(1, _VOCABULARY + 1)]
    sizes = rng.choices(range(6, 21), k=count)
    drawn = iter(rng.choices(words, weights, k=sum(sizes)))
    found = [f"{' '.join(next(drawn) for _ in range(size))} note{number}" for number, size in enumerate(sizes)]
    for number in range(0, count, 3):
        thing = number // 3 % max(1, count // 6)  # each of them twice
        found[number] = f"The {rare[thing % 40]} of {rare[thing % _VOCABULARY]} {thing} is {number}"
    return found


def questions(texts: Sequence[str]) -> list[str]:
    """Half of the words of notes from all over the record."""
    rng = random.Random(1)
    asked = texts[:: max(1, len(texts) // QUESTIONS)][:QUESTIONS]
    return [" ".join(rng.sample(text.split()[:-1], k=len(text.split()) // 2)) for text in asked]


@contextmanager
def opened(folder: Path, encoder: str, *, exact: bool = False) -> Iterator[tuple[Database, MemoryRepository]]:
    """The memory of a folder as a workspace opens it; ``exact`` keeps vectors in memory and scans them all."""

    def index(dimension: int) -> VectorIndex:
        return MemoryIndex(dimension) if exact else open_store("auto", folder / "notes", "notes", dimension)

    with Database(folder / "memory.db", MEMORY) as db:
        kept = KeptNotes(folder / "notes.kept")
        memory = MemoryRepository(
            db, index, open_embedder(Settings(encoder=encoder)), note_index=index, kept_notes=kept
        )
        yield db, memory
        memory.close()


def build(folder: Path, size: int, encoder: str) -> dict[str, float]:
    """Fills a folder."""
    started = time.process_time()
    texts = sentences(size, 0)
    with opened(folder, encoder) as (db, memory):
        for start in range(0, size, _BATCH):
            with db.transaction():
                for text in texts[start : start + _BATCH]:
                    memory.add_note(text, "somebody", at=1.0)
        memory.recall(texts[0], kinds=["note"])
    return {"build s": time.process_time() - started}


def use(folder: Path, size: int, encoder: str) -> dict[str, float]:
    """What a new process does with it."""
    texts = sentences(size + ADDED, 0)
    asked = questions(texts[:size])
    with opened(folder, encoder, exact=True) as (_, memory):
        truth = [_ids(memory, question) for question in asked]
    wall, started = time.monotonic(), time.process_time()
    with opened(folder, encoder) as (_, memory):
        memory.recall(asked[0], _FOUND, kinds=["note"])
        reopened = {"reopen s": time.process_time() - started, "reopen wall s": time.monotonic() - wall}
        found: list[list[str]] = []
        spent = [_timed(lambda q=q: found.append(_ids(memory, q))) for q in asked]
        added = [_timed(lambda t=t: memory.add_note(t, "somebody", at=2.0)) for t in texts[size:]]
        first_after = _timed(lambda: _ids(memory, asked[0]))
    shares = [len(set(a) & set(b)) / max(1, len(b)) for a, b in zip(found, truth, strict=True)]
    return {
        **reopened,
        "search ms": median(spent),
        "search p95 ms": quantiles(spent, n=20)[-1],
        "add ms": median(added),
        "first search after adding ms": first_after,
        "recall@10 of exact": sum(shares) / len(shares),
    }


def _ids(memory: MemoryRepository, question: str) -> list[str]:
    return [item.id for item in memory.recall(question, _FOUND, kinds=["note"])]


def _timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return (time.process_time() - started) * 1000


def measure(sizes: Sequence[int], seeds: int, encoder: str) -> list[dict[str, Any]]:
    """A row for each size and repeat."""
    rows = []
    for size in sizes:
        progress(f"{size:,} notes")
        with tempfile.TemporaryDirectory(prefix="memory-") as folder:
            built = _child("build", folder, size, encoder)
            for seed in range(seeds):
                rows.append({"notes": size, "seed": seed, **built, **_child("use", folder, size, encoder)})
    return rows


def _child(part: str, folder: str, size: int, encoder: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.memory_scale", "--part", part, folder, str(size), encoder]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return {str(name): round(float(value), 4) for name, value in json.loads(done.stdout).items()}


def targets_of(rows: Sequence[dict[str, Any]]) -> list[Target]:
    """The targets at every size that was measured."""
    found = []
    for size in dict.fromkeys(row["notes"] for row in rows):
        mine = [row for row in rows if row["notes"] == size]
        wanted = [("add ms", "<=", 10.0), ("reopen s", "<=", 1.0), ("recall@10 of exact", ">=", 0.99)]
        wanted += [("search ms", "<=", SEARCH_MS[size])] if size in SEARCH_MS else []
        for name, op, target in wanted:
            values = [row[name] for row in mine]
            value = median(values)
            found.append(
                Target(
                    name=f"{size:,}: {name}",
                    op=op,  # type: ignore[arg-type]
                    target=target,
                    value=value,
                    low=min(values),
                    high=max(values),
                    n=len(values),
                )
            )
    return found


def table(outcome: Outcome) -> str:
    """Medians for a terminal, and the targets."""
    names = [name for name in outcome.rows[0] if name not in ("notes", "seed")]
    sizes = list(dict.fromkeys(row["notes"] for row in outcome.rows))
    lines = [f"{'':32}" + "".join(f"{size:>12,}" for size in sizes)]
    for name in names:
        cells = (median(row[name] for row in outcome.rows if row["notes"] == size) for size in sizes)
        lines.append(f"{name:32}" + "".join(f"{cell:12.3f}" for cell in cells))
    lines += [
        f"{'met ' if one.met else 'MISS'} {one.name} {one.op} {one.target}: {one.value}" for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory_scale", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=3)
    parser.add_argument("--n", default=",".join(map(str, SIZES)), help="numbers of notes, with commas between")
    parser.add_argument("--encoder", default="hashing", help="as the setting encoder; minilm is a trained one")
    parser.add_argument("--part", nargs=4, metavar=("PART", "FOLDER", "N", "ENCODER"), help=argparse.SUPPRESS)
    options = parser.parse_args(argv)
    if options.part:
        part, folder, size, encoder = options.part
        print(json.dumps((build if part == "build" else use)(Path(folder), int(size), encoder)))
        return
    sizes = SIZES[:1] if options.quick else tuple(map(int, options.n.split(",")))
    seeds = 1 if options.quick else options.seeds
    rows = measure(sizes, seeds, options.encoder)
    settings = {"encoder": options.encoder}
    outcome = Outcome(
        benchmark="memory_scale",
        seeds=seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings=settings,
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
