"""``ws.memory``: what a person can do with notes and insights."""

from __future__ import annotations

import builtins
import getpass
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from evolve.episodes import Recalled, Scope
from evolve.files import write_atomic
from evolve.memory import CausalChain, EvidenceRow, Insight, InsightStatus, MemoryCheck, Note, Sentence
from evolve.record.stores import Stores
from evolve.vectors import Progress
from evolve.workspace.shelves.shelf import Shelf

if TYPE_CHECKING:
    from evolve.improve.item_history import ItemHistory


class Memories(Shelf):
    """Notes and insights of a workspace.

    Args:
        on_empty: Called after the last insight was forgotten.
    """

    def __init__(self, stores: Stores, *, on_empty: Callable[[], None]) -> None:
        self._stores, self._memory = stores, stores.memory
        self._on_empty = on_empty

    def note(self, text: str, *, author: str | None = None) -> Note:
        """Keeps what a person says. It is shown and attributed, and never evidence."""
        return self._memory.note(text, author or getpass.getuser())

    def notes(self) -> builtins.list[Note]:
        """All notes, oldest first."""
        return self._memory.notes()

    def show(self, insight: str) -> Insight:
        """One insight, by id or a unique beginning of it."""
        return self._memory.get(insight)

    def list(self, status: InsightStatus | None = None) -> builtins.list[Insight]:
        """All insights, or those of one status."""
        return self._memory.claims(status)

    def sentences(self) -> Mapping[str, Sentence]:
        """Every insight in a plain sentence for people, with counts from its evidence, by id."""
        return self._memory.sentences()

    def histories(self, insights: Sequence[Insight]) -> Mapping[str, ItemHistory]:
        """How often each of these insights was used and what trials without it showed, by id."""
        from evolve.improve.item_history import insight_histories

        return insight_histories(self._stores, insights)

    def evidence(self, insight: str) -> builtins.list[EvidenceRow]:
        """Every row an insight rests on."""
        return self._memory.evidence(insight)

    def recall(
        self,
        query: str,
        k: int = 5,
        *,
        scope: Scope | None = None,
        now: float | None = None,
        kinds: Sequence[str] | None = None,
    ) -> builtins.list[Recalled]:
        """What is worth knowing for a task in words."""
        return self._memory.recall(query, k, scope=scope, now=now, kinds=kinds)

    def why(self, effect: str) -> builtins.list[CausalChain]:
        """Chains of causes that end in an effect, with their evidence."""
        return self._memory.why(effect)

    def graph(self, out: str | os.PathLike[str] | None = None) -> str:
        """The causal graph as Mermaid text, the best supported insights of it.

        Args:
            out: An SVG file to draw it in as well.

        Raises:
            WorkspaceError: It cannot be written.
        """
        from evolve.memory.graph_picture import mermaid, svg

        insights = self._memory.claims()
        if out is not None:
            write_atomic(out, svg(insights).encode())
        return mermaid(insights)

    def forget(self, ids: str | Sequence[str] = (), *, everything: bool = False) -> int:
        """Deletes insights with their evidence; gives how many."""
        count = self._memory.forget(ids, everything=everything)
        if not self._memory.claims():
            self._on_empty()
        return count

    def check(self) -> MemoryCheck:
        """Compares the index with the record."""
        return self._memory.check()

    def reindex(self, progress: Progress | None = None) -> int:
        """Builds the index anew from the record; gives the number of episodes in it."""
        return self._memory.reindex(progress)
