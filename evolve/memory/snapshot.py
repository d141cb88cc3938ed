"""A read-only copy of the insights that recalls without a database or index on disk."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from evolve.core.episodes import Recalled, RunOrigin, Scope
from evolve.memory.encoding import TaskEncoder
from evolve.memory.index import Hit, Where
from evolve.memory.insight_book import EpisodeEntry, ExperienceRow, InsightBook
from evolve.memory.insights import EvidenceRow
from evolve.memory.recall import recall_insights, recall_request
from evolve.memory.record_index import LateIndex, exact_distances

Item = TypeVar("Item")


@dataclass(frozen=True, kw_only=True)
class MemorySnapshot:
    """The insights of a memory as they were at one moment; can be sent to another process. Notes are no part of it.

    Attributes:
        book: The evidence.
        index: One vector per episode.
        silent: Ids of insights that are not recalled; what they taught a guide is not touched.
    """

    book: InsightBook
    encoder: TaskEncoder
    index: LateIndex
    silent: frozenset[str] = frozenset()

    def recall(
        self,
        query: str,
        k: int = 5,
        *,
        features: Sequence[float] = (),
        scope: Scope | RunOrigin | None = None,
        now: float | None = None,
        kinds: Sequence[str] | None = None,
    ) -> list[Recalled]:
        """What is worth knowing for a task; see :meth:`evolve.memory.Memory.recall`."""
        want = replace(recall_request(query, k, scope, kinds), without=self.silent)
        book = self.book if now is None else self.book.as_of(now)
        vector = self.encoder.encode([(tuple(features), query)])[0]

        def search(count: int, where: Where | None) -> list[Hit]:
            index = self.index.get_index()
            names = sorted(hit.id for hit in index.query(vector, count, where))
            return exact_distances(names, index.vectors(names), vector)

        return recall_insights(book, search, want)

    def experience_rows(self) -> list[ExperienceRow]:
        """Rows to fit a guide on: all evidence not set aside, and of claims in words that of those that may act."""
        return self.book.experience_rows()

    def without_insights(self, ids: Iterable[str]) -> MemorySnapshot:
        """The same memory with these insights never recalled, everything else as it was."""
        return replace(self, silent=self.silent | frozenset(ids))

    def shuffled_placebo(self, seed: int) -> MemorySnapshot:
        """A placebo: the same insights and evidence, each task's filed under another task's looks.

        Feature vectors move together with the instruction they came with, all by one random
        cycle, so none stays in place as long as there are two. How often each cause was seen, and
        which causes were seen together, stays as it was; what they were seen *for* is lost.
        """
        rows, entries = self.book.all_evidence(), list(self.book.entries.values())
        moved_rows, moved_entries = _permuted(rows, entries, random.Random(seed))
        return MemorySnapshot(
            book=self.book.with_evidence(moved_rows, moved_entries),
            encoder=self.encoder,
            index=LateIndex(moved_entries, self.encoder),
            silent=self.silent,
        )


def _permuted(
    rows: Sequence[EvidenceRow], entries: Sequence[EpisodeEntry], rng: random.Random
) -> tuple[list[EvidenceRow], list[EpisodeEntry]]:
    """Exchanges features, with the instructions they came with, among tasks."""
    vectors = {row.features for row in rows} | {entry.features for entry in entries}
    # Sorted, so that the same seed gives the same placebo whatever the order of a set.
    features = _cycle(sorted(vectors - {()}), rng)
    wordings = _cycle(sorted({entry.instruction for entry in entries if not entry.features}), rng)
    # Of several wordings of the same data the earliest stays.
    came_with = {entry.features: entry.instruction for entry in sorted(entries, key=lambda item: -item.seq)}
    moved_entries = []
    for entry in entries:
        if entry.features:
            target = features[entry.features]
            moved = replace(entry, features=target, instruction=came_with.get(target, entry.instruction))
        else:
            moved = replace(entry, instruction=wordings[entry.instruction])
        moved_entries.append(moved)
    return [replace(row, features=features.get(row.features, row.features)) for row in rows], moved_entries


def _cycle(items: Sequence[Item], rng: random.Random) -> dict[Item, Item]:
    """Each item with the next one of a random cycle through all."""
    order = list(items)
    rng.shuffle(order)
    return dict(zip(order, order[1:] + order[:1], strict=True))
