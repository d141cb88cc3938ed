"""Is what was stored found again? Public sets of tools and of causal rules, each text a note, each request a question.

Measured is the recall of notes as a workspace does it, beside its parts alone, other ways of fusing them, and the
stores of other projects, all on the same vectors: the share of the relevant texts among the first k, averaged over
questions, with an interval by bootstrap. The sets are for reporting; nothing in the package was chosen by them.

The other stores are handed the vectors, so their milliseconds are without encoding. Chroma and LangGraph's come with
this package. ``--peers PYTHON`` is the interpreter of an environment that has ``lancedb`` and ``mem0ai``; without it
they are left out. mem0 keeps texts as they are (``infer=False``); its own search by words needs a download and stays
off.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.okapi import BM25
from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish
from evolve.agent.offered_functions import SHOWN, FunctionSearch
from evolve.core.schema import MEMORY
from evolve.core.settings import Settings
from evolve.core.store import Database
from evolve.memory import MemoryRepository
from evolve.memory.index import MemoryIndex, VectorIndex
from evolve.runtime.functions import Function
from evolve.runtime.retrieval import Embedder, HashingEmbedder, WordIndex, fuse_rankings
from evolve.workspace.opening import open_embedder

DEPTHS = (1, 5, 10, 12)
"""The last is how many functions a prompt shows."""
_RANK_CONSTANT = 60
"""Of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""
_ARM_HITS = 200
_RESAMPLES = 1000
TARGETS = {("bfcl", 5): 0.765, ("seal-tools", 5): 0.82, ("e-care", 1): 0.52, ("e-care", 5): 0.745}
OURS = "evolve"
PROMPT = "functions of a prompt"
_TOOLS = ("bfcl", "seal-tools")
"""Sets whose texts describe functions."""
PEERS = {"chroma": "Chroma alone", "langgraph": "LangGraph InMemoryStore", "lancedb": "LanceDB hybrid", "mem0": "mem0"}
"""Stores of other projects, and what the table calls them."""
_INCLUDED = ("chroma", "langgraph")
_SCRIPT = ROOT / "benchmarks" / "peers" / "retrieval_stores.py"

Ranker = Callable[[str], Sequence[str]]
"""Ids for a question, best first."""


@dataclass(frozen=True, kw_only=True)
class Corpus:
    """One public set."""

    name: str
    texts: Mapping[str, str]
    questions: Sequence[tuple[str, frozenset[str]]]


def read_corpus(folder: Path, most: int | None) -> Corpus:
    """Reads ``corpus.jsonl`` and ``queries.jsonl``; of the questions ``most``, spread evenly over the file."""

    def lines(name: str) -> list[dict[str, Any]]:
        with (folder / name).open(encoding="utf-8") as stream:
            return [json.loads(line) for line in stream]

    asked = _spread(lines("queries.jsonl"), most)
    return Corpus(
        name=folder.name,
        texts={str(row["id"]): str(row["text"]) for row in lines("corpus.jsonl")},
        questions=[(str(row["text"]), frozenset(map(str, row["relevant"]))) for row in asked],
    )


def _spread(rows: Sequence[dict[str, Any]], most: int | None) -> Sequence[dict[str, Any]]:
    """So many rows, evenly from all over: what stands together is often of one kind."""
    count = len(rows) if most is None else min(most, len(rows))
    return [rows[place * len(rows) // count] for place in range(count)]


@contextmanager
def rankers(corpus: Corpus, embedder: Embedder) -> Iterator[dict[str, Ranker]]:
    """Every way of searching this set, by name."""
    words, plain = WordIndex(), BM25(corpus.texts)
    words.add(corpus.texts)
    vectors = MemoryIndex(embedder.dimension)
    vectors.upsert(list(corpus.texts), embedder.encode(list(corpus.texts.values())))

    def dense(question: str) -> dict[str, float]:
        hits = vectors.query(embedder.encode([question])[0], _ARM_HITS)
        return {hit.id: 1 - hit.distance for hit in hits}

    def by_rank(question: str) -> list[str]:
        total: dict[str, float] = {}
        for scores in (words.scores(question, _ARM_HITS), dense(question)):
            for rank, name in enumerate(scores):
                total[name] = total.get(name, 0.0) + 1 / (_RANK_CONSTANT + rank + 1)
        return sorted(total, key=lambda name: (-total[name], name))

    def by_score(question: str) -> list[str]:
        return [name for name, _ in fuse_rankings([(1.0, words.scores(question, _ARM_HITS)), (1.0, dense(question))])]

    search = FunctionSearch([_function(name, text) for name, text in corpus.texts.items()])
    with _memory(corpus, embedder) as memory:
        yield {
            **({PROMPT: lambda question: _names(search, question)} if corpus.name in _TOOLS else {}),
            OURS: lambda question: [item.id for item in memory.recall(question, max(DEPTHS), kinds=["note"])],
            "BM25, no stems": lambda question: _best(plain.scores(question)),
            "BM25, stems": lambda question: list(words.scores(question, _ARM_HITS)),
            "vectors": lambda question: list(dense(question)),
            "fused by rank": by_rank,
            "fused by score 1:1": by_score,
        }
    words.close()
    search.close()


def _function(name: str, text: str) -> Function:
    """A tool of a set, found by its description alone: that has its name in it."""
    return Function(name="f", description=text, parameters={"type": "object"}, source=name)


def _names(search: FunctionSearch, question: str) -> list[str]:
    return [one.source for one in search.functions_for(question, SHOWN)]


@contextmanager
def _memory(corpus: Corpus, embedder: Embedder) -> Iterator[MemoryRepository]:
    def index(dimension: int) -> VectorIndex:
        return MemoryIndex(dimension)

    with tempfile.TemporaryDirectory(prefix="retrieval-") as folder, Database(Path(folder) / "m.db", MEMORY) as db:
        memory = MemoryRepository(db, index, embedder)
        with db.transaction():
            for name, text in corpus.texts.items():
                memory.add_note(text, "corpus", id=name, role="document", at=1.0)
        yield memory
        memory.close()


def _best(scores: Mapping[str, float]) -> list[str]:
    return sorted(scores, key=lambda name: (-scores[name], name))


def measure_peers(
    corpus: Corpus, embedder: Embedder, python: str | None
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Rows of the stores of other projects, and why one has none."""
    import numpy as np

    rows: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="retrieval-") as name:
        folder, questions = Path(name), [question for question, _ in corpus.questions]
        content = {"ids": list(corpus.texts), "texts": list(corpus.texts.values()), "questions": questions}
        (folder / "rows.json").write_text(json.dumps(content), "utf-8")
        np.save(folder / "texts.npy", embedder.encode(content["texts"]))
        np.save(folder / "questions.npy", embedder.encode(questions))
        for way, called in PEERS.items():
            interpreter = sys.executable if way in _INCLUDED else python
            if interpreter is None:
                missing[called] = "no environment was named by --peers"
                continue
            progress(f"{corpus.name}: {called}")
            command = [interpreter, str(_SCRIPT), name, way, str(max(DEPTHS))]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                missing[called] = (done.stderr.strip().splitlines() or ["it said nothing"])[-1][:300]
                continue
            for number, line in enumerate(done.stdout.splitlines()):
                answer = json.loads(line)
                rows.append(_row(corpus, embedder, called, number, answer["found"], answer["cpu_ms"]))
    return rows, missing


def _row(
    corpus: Corpus, embedder: Embedder, way: str, number: int, found: Sequence[str], cpu_ms: float
) -> dict[str, Any]:
    relevant = corpus.questions[number][1]
    recalls = {f"recall@{depth}": len(relevant.intersection(found[:depth])) / len(relevant) for depth in DEPTHS}
    row = {"set": corpus.name, "way": way, "encoder": embedder.name, "question": number, **recalls}
    return {**row, "cpu_ms": round(cpu_ms, 3)}


def measure(corpus: Corpus, embedder: Embedder | None = None) -> list[dict[str, Any]]:
    """A row for each question and way of searching: the recall at each depth, and CPU milliseconds."""
    embedder = embedder or HashingEmbedder()
    rows = []
    with rankers(corpus, embedder) as ways:
        for way, rank in ways.items():
            progress(f"{corpus.name}: {way}")
            rank("a first question, which makes what is made late")
            for number, (question, _) in enumerate(corpus.questions):
                started = time.process_time()
                found = rank(question)[: max(DEPTHS)]
                rows.append(_row(corpus, embedder, way, number, found, (time.process_time() - started) * 1000))
    return rows


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The targets of this benchmark, with intervals over questions."""
    found = []
    for (name, depth), target in TARGETS.items():
        values = [row[f"recall@{depth}"] for row in rows if (row["set"], row["way"]) == (name, OURS)]
        low, high = interval(values)
        mean = sum(values) / len(values) if values else None
        found.append(
            Target(name=f"{name} recall@{depth}", op=">=", target=target, value=mean, low=low, high=high, n=len(values))
        )
    return found


def interval(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Of a mean, by bootstrap."""
    import numpy as np

    if not values:
        return None, None
    draws = np.random.default_rng(0).choice(np.asarray(values), size=(_RESAMPLES, len(values))).mean(axis=1)
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)


def table(outcome: Outcome) -> str:
    """Means for a terminal, a line for each set and way, and then the targets."""
    names = [*(f"recall@{depth}" for depth in DEPTHS), "cpu_ms"]
    lines = [f"{'set':12}{'way':26}" + "".join(f"{name:>11}" for name in names)]
    for name, way in dict.fromkeys((row["set"], row["way"]) for row in outcome.rows):
        mine = [row for row in outcome.rows if (row["set"], row["way"]) == (name, way)]
        lines.append(f"{name:12}{way:26}" + "".join(f"{sum(row[n] for row in mine) / len(mine):11.3f}" for n in names))
    lines += [f"{way} is missing: {why}" for way, why in outcome.settings.get("missing", {}).items()]
    lines += [
        f"{'met ' if one.met else 'MISS'} {one.name} {one.op} {one.target}: {one.value}" for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.retrieval", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    parser.add_argument("--data", type=Path, required=True, help="folder with one folder for each set")
    parser.add_argument("--encoder", default="hashing", help="as the setting encoder; minilm is a trained one")
    parser.add_argument("--questions", type=int, help="only so many questions of each set, spread evenly over it")
    parser.add_argument("--peers", metavar="PYTHON", help="an interpreter that has lancedb and mem0ai")
    options = parser.parse_args(argv)
    embedder = open_embedder(Settings(encoder=options.encoder))
    most = 60 if options.quick else options.questions
    folders = [options.data / name for name in dict.fromkeys(name for name, _ in TARGETS)]
    rows: list[dict[str, Any]] = []
    missing: dict[str, str] = {}
    for folder in folders:
        corpus = read_corpus(folder, most)
        beside, lacking = measure_peers(corpus, embedder, options.peers)
        rows += [*measure(corpus, embedder), *beside]
        missing |= lacking
    outcome = Outcome(
        benchmark="retrieval",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"encoder": embedder.name, "questions": most, "missing": missing},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
