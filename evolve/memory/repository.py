"""The memory: what episodes taught, kept in the record and found through a derived index."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, get_args

from evolve.core.episodes import HELD_OUT
from evolve.core.errors import UsageError
from evolve.memory import rows as record
from evolve.memory.encoding import TaskEncoder
from evolve.memory.insights import InsightStatus
from evolve.memory.notes import Note, NoteRepository
from evolve.memory.notes.superseded import superseded_notes
from evolve.memory.record_index import DerivedIndex, LateIndex
from evolve.memory.rows import COMPOSED
from evolve.memory.sentences import Sentence, insight_sentences

if TYPE_CHECKING:
    from evolve.core.episodes import EpisodeRecord, Recalled, RunOrigin, Scope
    from evolve.core.store import Database
    from evolve.memory.causal_graph import CausalChain
    from evolve.memory.index import VectorIndex
    from evolve.memory.insight_book import EpisodeEntry, ExperienceRow, InsightBook
    from evolve.memory.insights import EvidenceRow, Insight
    from evolve.memory.necessity import CauseNecessity
    from evolve.memory.notes import KeptNotes
    from evolve.memory.preferences import PreferenceRepository
    from evolve.memory.record_index import IndexFactory
    from evolve.memory.snapshot import MemorySnapshot
    from evolve.runtime.retrieval import Embedder

# A fault is the machine's, and a stop the person's: neither says anything about the task.
_TEACHES_NOTHING = frozenset({"fault", "interrupted"})
# Spread evenly over the record, because asking for every episode would take long.
_SELF_RECALL_SAMPLE = 50


@dataclass(frozen=True, kw_only=True)
class MemoryCheck:
    """What a check of the memory found.

    Attributes:
        missing: Episodes with evidence, and notes, that their index does not hold.
        orphans: Episodes and notes that an index holds and the record does not.
        lost: Sampled episodes that their own vector does not find.
    """

    insights: int
    evidence: int
    episodes: int
    notes: int
    missing: tuple[str, ...]
    orphans: tuple[str, ...]
    lost: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether index and record agree; if not, :meth:`Memory.reindex` mends it."""
        return not (self.missing or self.orphans or self.lost)


class MemoryRepository:
    """Insights with their evidence, notes and preferences. What other processes write is seen at the next question.

    Args:
        db: The record.
        index: Opens the stored index of episodes for a dimension; called at the first recall.
        note_index: Opens that of notes; None for one in memory.
        kept_notes: What earlier processes worked out from notes; None to work it out anew.
        clock: Seconds since the epoch.
    """

    def __init__(
        self,
        db: Database,
        index: IndexFactory,
        embedder: Embedder,
        *,
        note_index: IndexFactory | None = None,
        kept_notes: KeptNotes | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._db = db
        self._clock = clock
        self._encoder = TaskEncoder(embedder)
        self._index = DerivedIndex(index, self._encoder)
        self._reader = record.BookReader(db)
        self._notes = NoteRepository(db, note_index or _in_memory, embedder, kept=kept_notes, clock=clock)

    @cached_property
    def preferences(self) -> PreferenceRepository:
        """What people want, of the same table as notes."""
        from evolve.memory.preferences import PreferenceRepository

        return PreferenceRepository(self._db, self.embedder)

    @property
    def embedder(self) -> Embedder:
        """What texts are encoded with."""
        return self._encoder.embedder

    def commit(self, episode: EpisodeRecord, *, instruction: str = "", source: str = "") -> int:
        """Writes an episode's claims with their evidence; gives the number of new evidence rows.

        Also how it came out, for claims in words that it was told and those that chance withheld: one that moves
        nothing is retired (:mod:`evolve.memory.usage`).

        Joins the caller's transaction. Committing an episode again adds nothing. Episodes that
        ended in a fault or were interrupted, and those of held-out splits, leave no evidence.

        Args:
            instruction: The task's instruction, by which the episode is found besides its features.
            source: Where the task came from, as :attr:`evolve.tasks.Task.source` says.
        """
        if episode.status in _TEACHES_NOTHING or episode.split in HELD_OUT:
            return 0
        from evolve.memory.usage import write_uses

        with self._db.transaction():
            write_uses(self._db, episode, self._clock())
            return record.write_claims(self._db, episode, instruction, self._clock(), source)

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
        """What is worth knowing for a task: at most ``k`` insights, then at most ``k`` notes.

        Only supported and confirmed insights are recalled, unless ``kinds`` names other statuses.

        Args:
            query: The task's instruction.
            features: The task's observable features, as the policy computes them.
            scope: Only insights of this environment and family ("" means any); or where the task that asks comes
                from, which bounds what a claim in a model's words may act on and nothing else.
            now: Evidence and notes after this time (seconds since the epoch) are left out, and what they replaced.
            kinds: Some of ``insight``, ``note``, ``replaced``, ``trial``, ``hypothesis``, ``contested``, ``refuted``;
                None for insights and notes.

        Raises:
            ValueError: A kind is unknown.
        """
        from evolve.memory.recall import note_question, recall_insights, recall_request

        want = recall_request(query, k, scope, kinds)
        book = self._reader.read_book()
        notes = self._notes.recall(note_question(want, now, self._clock())) if want.notes else []
        if not book.keys or not want.insights:
            return notes
        self._catch_up(book)
        vector = self._encoder.encode([(tuple(features), query)])[0]
        seen = book if now is None else book.as_of(now)
        found = recall_insights(seen, lambda count, where: self._index.query(vector, count, where), want)
        return found + notes

    def entries(self) -> list[EpisodeEntry]:
        """Every episode that left evidence, by rising ``seq``."""
        return sorted(self._reader.read_book().entries.values(), key=lambda entry: entry.seq)

    def experience_rows(self) -> list[ExperienceRow]:
        """Rows to fit a guide on: all evidence not set aside, and of claims in words that of those that may act."""
        return self._reader.read_book().experience_rows()

    def snapshot(self) -> MemorySnapshot:
        """A read-only copy of the insights for other processes."""
        from evolve.memory.snapshot import MemorySnapshot

        book = self._reader.read_book()
        # Rebuilt, as the reader goes on adding to its own book.
        copy = book.with_evidence(book.all_evidence())
        index = LateIndex(_by_seq(book), self._encoder)
        return MemorySnapshot(book=copy, encoder=self._encoder, index=index)

    def list_insights(self, status: InsightStatus | None = None, *, policy: str | None = None) -> list[Insight]:
        """All insights, or those of one status, ordered by id.

        Args:
            policy: For whom they are read: what only others found is a hypothesis. None reads all evidence as one.

        Raises:
            UsageError: There is no such status.
        """
        statuses = get_args(InsightStatus)
        if status is not None and status not in statuses:
            raise UsageError(
                f"no status {status!r}", hint=f"evolve memory list --status confirmed, or {', '.join(statuses)}"
            )
        return [insight for insight in self._reader.read_book().insights(policy) if status in (None, insight.status)]

    def get(self, name: str, *, policy: str | None = None) -> Insight:
        """One insight by id, or by the beginning of an id that names only one.

        Args:
            policy: For whom it is read, as in :meth:`list_insights`.

        Raises:
            UsageError: There is none, or more than one.
        """
        book = self._reader.read_book()
        return book.get(_only(name, book.keys, "insight"), policy)

    def has_insight(self, insight: str) -> bool:
        """Whether there is an insight of this id, now."""
        return insight in self._reader.read_book().keys

    def insight_sentences(self, policy: str | None = None) -> Mapping[str, Sentence]:
        """Every insight in a plain sentence with counts from its evidence, by id.

        Args:
            policy: For whom they are read, as in :meth:`list_insights`.
        """
        return insight_sentences(self._reader.read_book(), policy)

    def insight_needs(self) -> list[tuple[Insight, CauseNecessity]]:
        """Every insight with how many problems of its scope need its cause, ordered by id."""
        book = self._reader.read_book()
        return [(insight, book.necessity_of(insight.id)) for insight in book.insights()]

    def evidence(self, insight: str) -> list[EvidenceRow]:
        """Every row an insight rests on, oldest first."""
        return self._reader.read_book().evidence(self.get(insight).id)

    def causal_chains(self, effect: str, *, influential: bool = True) -> list[CausalChain]:
        """Chains of causes that end in an effect, with their evidence, strongest first.

        Args:
            influential: Only supported and confirmed insights, and of operations those that one problem showed; False
                uses all of them.
        """
        from evolve.memory.causal_graph import chains_to

        book = self._reader.read_book()
        shown = (one for one in book.insights() if one.may_influence or not influential or _was_seen(one))
        return chains_to(book, effect, list(shown))

    def expire(self, name: str, reason: str) -> Insight:
        """Sets an insight aside until new evidence arrives, of a step what trials said; all stays on record."""
        insight = self.get(name)
        record.write_expiry(self._db, insight.id, reason, self._clock())
        return self.get(insight.id)

    def forget(self, ids: str | Sequence[str] = (), *, everything: bool = False) -> int:
        """Deletes insights with all their evidence, and notes, one by its id or several; gives how many.

        Args:
            everything: Every insight. Notes stay, as each was said by somebody.

        Raises:
            UsageError: An id is unknown, or the beginning of several; then nothing is deleted.
        """
        known, noted = sorted(self._reader.read_book().keys), self._notes.read_book().notes
        named = [ids] if isinstance(ids, str) else ids  # a text is a sequence of letters, each the beginning of an id
        chosen = known if everything else sorted({_only(name, [*known, *noted], "insight or note") for name in named})
        notes = [name for name in chosen if name in noted]
        with self._db.transaction():
            if everything:
                record.delete_everything(self._db)
            elif len(chosen) > len(notes):
                record.delete_insights(self._db, [name for name in chosen if name not in noted])
            if notes:
                self._notes.forget(notes)
        # The index must not keep what was forgotten until the next recall comes along.
        self._catch_up(self._reader.read_book())
        return len(chosen)

    def forgot_note(self, text: str) -> bool:
        """Whether a note of these words was forgotten, and they were not noted again since."""
        return self._notes.was_forgotten(text)

    def add_note(self, text: str, author: str, **more: Any) -> Note:
        """Keeps what somebody said: shown and attributed, never evidence.

        Args:
            more: Other fields of :class:`Note`: ``at``, ``id``, ``role``, ``thread``, ``source``, ``environment``,
                ``family``.

        Raises:
            UsageError: The text is empty, the role unknown, or the id that of another note.
        """
        return self._notes.add(Note(**{"id": "", "text": text, "author": author, **more}))

    def list_notes(self) -> list[Note]:
        """All notes, oldest first."""
        return list(self._notes.read_book().notes.values())

    def replaced_notes(self, now: float | None = None) -> dict[str, Note]:
        """The notes that later ones replaced, by id, with what replaced each by then."""
        return dict(superseded_notes(self._notes.read_book(), now))

    def spoken_of_again(self) -> dict[str, Note]:
        """The notes that a later one is about the same as, by id, with the newest such note."""
        from evolve.memory.notes.conflicts import is_mentioned_again  # its patterns take time to compile

        return dict(is_mentioned_again(self.list_notes()))

    def check(self) -> MemoryCheck:
        """Compares the index with the record and lets sampled episodes find themselves.

        What differs is mended on the way, as at any recall; a second check finds nothing.
        """
        book = self._reader.read_book()
        entries = _by_seq(book)
        missing, orphans = self._index.index_differences(book.entries, self._reader.epoch)
        missing_notes, orphaned_notes = self._notes.index_differences()
        self._catch_up(book)
        step = max(1, len(entries) // _SELF_RECALL_SAMPLE)
        return MemoryCheck(
            insights=len(book.keys),
            evidence=len(book.all_evidence()),
            episodes=len(entries),
            notes=len(self.list_notes()),
            missing=tuple(sorted(missing | missing_notes)),
            orphans=tuple(sorted(orphans | orphaned_notes)),
            lost=tuple(entry.episode for entry in entries[::step] if not self._finds(entry)),
        )

    def reindex(self) -> int:
        """Builds the index anew from the record; gives the number of episodes in it."""
        book = self._reader.read_book()
        self._index.rebuild(book.entries, self._reader.epoch)
        self._notes.reindex()
        return len(book.entries)

    def repair_rows(self, episodes: Iterable[EpisodeRecord]) -> tuple[int, tuple[str, ...]]:
        """Makes the rows fit together after some were lost, from the episodes that taught them.

        Returns:
            How many rows of evidence were made anew, and the names of rows that were set aside because what they
            refer to is gone.
        """
        from evolve.memory.row_repair import repair_rows

        teaching = (
            episode for episode in episodes if episode.status not in _TEACHES_NOTHING and episode.split not in HELD_OUT
        )
        return repair_rows(self._db, teaching, self._clock())

    def close(self) -> None:
        """Brings the stored index up to date and frees it; closing twice is no error."""
        self._index.close()
        self._notes.close()

    def _finds(self, entry: EpisodeEntry) -> bool:
        vector = self._encoder.encode([(entry.features, entry.instruction)])[0]
        hits = self._index.query(vector, 1, None)
        # Another episode of the same task has the same vector; finding either will do.
        return bool(hits) and hits[0].distance < 1e-3

    def _catch_up(self, book: InsightBook) -> None:
        self._index.catch_up(book.entries, self._reader.epoch)


def _only(name: str, known: Collection[str], what: str) -> str:
    """The one id that this is, or is the beginning of.

    Raises:
        UsageError: There is none, or more than one.
    """
    matches = [name] if name in known else [key for key in known if name and key.startswith(name)]
    if len(matches) == 1:
        return matches[0]
    problem = f"no {what} with id {name!r}"
    if matches:
        problem = f"the ids of {len(matches)} {what.replace(' or ', 's and ')}s begin with {name!r}: give more of it"
    raise UsageError(problem, hint="evolve memory list")


def _in_memory(dimension: int) -> VectorIndex:
    from evolve.memory.index import MemoryIndex

    return MemoryIndex(dimension)


def _by_seq(book: InsightBook) -> list[EpisodeEntry]:
    # Entries are read in order of seq, and a dict keeps it.
    return list(book.entries.values())


def _was_seen(insight: Insight) -> bool:
    """Whether it is of an operation that some answer has: that much is no conjecture."""
    of_an_answer = insight.cause.startswith(COMPOSED)
    return insight.status == "hypothesis" and of_an_answer and insight.groups > 0
