"""Are the turns found that answer a question about a long conversation? Each turn a note, with what each gain brings.

The conversations are made up (:mod:`benchmarks.talks`), so what is found here says which parts take effect and not how
well real talk is found. Every way of searching is the package's own ranking with some of its gains left out; the last
is what a person gets who notes the turns in a workspace and asks it.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import evolve
from benchmarks.record import UNSEEDED, Outcome, Target, common_options, progress, publish
from benchmarks.retrieval import interval
from benchmarks.talks import Talk, draw_talk
from evolve.core.settings import Settings
from evolve.memory import Note
from evolve.memory.encoding import WordEncoder
from evolve.memory.index import MemoryIndex
from evolve.memory.notes import NoteQuestion, RankingGains, ResolvedNotes, SearchArms, rank_notes
from evolve.runtime.retrieval import Embedder, WordIndex
from evolve.workspace.opening import open_embedder

DEPTHS = (5, 10)
TARGETS = {5: 0.62, 10: 0.70}
"""What long conversations of real people are aimed at; made-up ones are easier or harder, and prove nothing of that."""
OURS = "through a workspace"
_NONE = RankingGains(beside=0.0, informed=False, in_time=0.0, dated=0.0, linked=0.0, named=0.0)


@dataclass(frozen=True)
class Way:
    """One way of searching.

    Attributes:
        words, vectors: Whether these are searched.
        speaker: Whether the speaker stands before the text.
    """

    words: bool
    vectors: bool
    speaker: bool
    gains: RankingGains = _NONE


WAYS: Mapping[str, Way] = {
    "words": Way(words=True, vectors=False, speaker=False),
    "vectors": Way(words=False, vectors=True, speaker=False),
    "vectors, speaker": Way(words=False, vectors=True, speaker=True),
    "vectors, speaker, information": Way(False, True, True, replace(_NONE, informed=True)),
    "fused": Way(words=True, vectors=True, speaker=False),
    "+ speaker": Way(words=True, vectors=True, speaker=True),
    "+ neighbours": Way(True, True, True, replace(_NONE, beside=RankingGains().beside)),
    "+ information": Way(True, True, True, replace(_NONE, beside=RankingGains().beside, informed=True)),
    "+ times": Way(True, True, True, replace(RankingGains(), linked=0.0, named=0.0)),
    "+ links": Way(True, True, True, replace(RankingGains(), named=0.0)),
    "+ names": Way(True, True, True, RankingGains()),
}
Ranker = Callable[[str], Sequence[str]]


class KeptVectors:
    """An encoder that encodes each text once, since every way of searching asks for the same ones."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder, self._kept = embedder, dict[str, np.ndarray]()
        self.name, self.dimension = embedder.name, embedder.dimension

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of shape (len(texts), dimension)."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._kept]
        self._kept.update(zip(fresh, self._embedder.encode(fresh) if fresh else (), strict=True))
        return np.stack([self._kept[text] for text in texts])


def ranker(talk: Talk, embedder: Embedder, weight: float, way: Way) -> Ranker:
    """One way of searching.

    Args:
        weight: Of vectors beside words.
    """
    notes = _notes(talk)
    texts = {note.id: note.text_with_speaker if way.speaker else note.text for note in notes}
    index = MemoryIndex(embedder.dimension)
    index.upsert(list(texts), embedder.encode(list(texts.values())))
    words, book = WordIndex(), ResolvedNotes(notes)
    words.add(texts)

    def rank(question: str) -> list[str]:
        arms = SearchArms(
            lexical=lambda text, most, own: words.scores(text, most) if way.words else {},
            nearest=lambda count, own: index.query(embedder.encode([question])[0], count) if way.vectors else [],
            weight=weight if way.words else 1.0,
        )
        asked = NoteQuestion(text=question, k=max(DEPTHS), now=talk.turns[-1].at + 86_400)
        return [item.id for item in rank_notes(book, arms, asked, way.gains)]

    return rank


@contextmanager
def workspace_ranker(talk: Talk, encoder: str) -> Iterator[Ranker]:
    """What a person's workspace gives."""
    with tempfile.TemporaryDirectory(prefix="talk-") as folder:
        evolve.init(folder)
        (Path(folder) / "evolve.toml").write_text(f'encoder = "{encoder}"\n')
        with evolve.open(folder, settings=UNSEEDED) as workspace:
            for turn in talk.turns:
                workspace.memory.note(turn.text, id=turn.id, speaker=turn.speaker, thread=turn.session, at=turn.at)
            now = talk.turns[-1].at + 86_400
            yield lambda question: [
                item.id for item in workspace.memory.recall(question, max(DEPTHS), kinds=["note"], as_of=now)
            ]


def measure(seed: int, encoder: str = "hashing") -> list[dict[str, Any]]:
    """A row for each question and way."""
    talk, opened = draw_talk(seed), open_embedder(Settings(encoder=encoder))
    embedder, weight = KeptVectors(opened), WordEncoder(opened).weight
    rows: list[dict[str, Any]] = []
    for name, way in WAYS.items():
        rows += _asked(talk, seed, name, ranker(talk, embedder, weight, way))
    with workspace_ranker(talk, encoder) as rank:
        rows += _asked(talk, seed, OURS, rank)
    return rows


def _asked(talk: Talk, seed: int, way: str, rank: Ranker) -> Iterator[dict[str, Any]]:
    for question in talk.questions:
        found = rank(question.text)
        recalls = {
            f"recall@{depth}": len(question.evidence.intersection(found[:depth])) / len(question.evidence)
            for depth in DEPTHS
        }
        yield {"seed": seed, "way": way, "kind": question.kind, "question": question.text, **recalls}


def _notes(talk: Talk) -> list[Note]:
    return [
        Note(id=turn.id, text=turn.text, author=turn.speaker, at=turn.at, thread=turn.session, seq=place)
        for place, turn in enumerate(talk.turns, 1)
    ]


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """What a workspace finds against the targets, and what links cost questions that one turn answers."""
    found = [_mean(f"recall@{depth}", rows, OURS, depth, target) for depth, target in TARGETS.items()]
    apart = [row for row in rows if row["kind"] != "joined"]
    unlinked = _mean("", apart, "+ times", 5, 0.0).value
    return [*found, _mean("recall@5 of one turn, links cost nothing", apart, "+ links", 5, (unlinked or 0.0) - 0.005)]


def _mean(name: str, rows: Sequence[Mapping[str, Any]], way: str, depth: int, target: float) -> Target:
    values = [row[f"recall@{depth}"] for row in rows if row["way"] == way]
    low, high = interval(values)
    mean = sum(values) / len(values) if values else None
    return Target(name=name, op=">=", target=target, value=mean, low=low, high=high, n=len(values))


def table(outcome: Outcome) -> str:
    """Recall by way, over all questions and by kind at five, then the targets."""
    kinds = list(dict.fromkeys(row["kind"] for row in outcome.rows))
    lines = [f"{'way':34}" + "".join(f"{name:>10}" for name in ("@5", "@10", *kinds))]
    for way in (*WAYS, OURS):
        mine = [row for row in outcome.rows if row["way"] == way]
        cells = [(mine, "recall@5"), (mine, "recall@10")]
        cells += [([row for row in mine if row["kind"] == kind], "recall@5") for kind in kinds]
        lines.append(
            f"{way:34}" + "".join(f"{sum(row[name] for row in some) / len(some):10.3f}" for some, name in cells)
        )
    lines += [
        f"{'met ' if one.met else 'MISS'} {one.name} {one.op} {one.target:.3f}: {one.value}" for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.conversations", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=6)
    parser.add_argument("--encoder", default="hashing", help="as the setting encoder; minilm is a trained one")
    options = parser.parse_args(argv)
    seeds = 1 if options.quick else options.seeds
    rows = []
    for seed in range(seeds):
        progress(f"seed {seed}")
        rows += measure(seed, options.encoder)
    outcome = Outcome(
        benchmark="conversations",
        seeds=seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"encoder": options.encoder},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
