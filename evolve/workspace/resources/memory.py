"""``ws.memory``: what a person can do with notes and insights, and their files of JSON lines."""

from __future__ import annotations

import builtins
import getpass
import json
import math
import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evolve.core.episodes import FACT, Recalled, Scope
from evolve.core.errors import UsageError
from evolve.core.files import SVG, is_replaced, write_atomic
from evolve.memory import MemoryRepository
from evolve.tasks.reading.limits import read_source
from evolve.workspace.resources.base import Resource, offered
from evolve.workspace.resources.practice import shipped_tasks

if TYPE_CHECKING:
    from evolve.core.redaction import Scanner
    from evolve.improve.history import ItemHistory
    from evolve.memory import Insight, InsightStatus, Note, Sentence
    from evolve.trials.repositories import Repositories
    from evolve.workspace.resources.preferences import Preferences


_FORM = 'one JSON object a line, such as {"text": "..."}; evolve memory export FILE writes such a file'
_FIELDS = ("text", "author", "at", "role", "thread", "source", "environment", "family")


class NoteLine(BaseModel):
    """One line of a file, as untrusted as whoever wrote it."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    text: str = Field(min_length=1, max_length=20_000)
    author: str = Field(default="unknown", min_length=1, max_length=200)
    at: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    role: Literal["user", "assistant", "tool", "document"] = "user"
    thread: str = Field(default="", max_length=200)
    source: str = Field(default="", max_length=500)
    environment: str = Field(default="", max_length=200)
    family: str = Field(default="", max_length=200)


def _read_notes(path: Path, *, mine: bool) -> list[dict[str, Any]]:
    """The fields of every note in a file.

    Args:
        mine: The person vouches for the file, so roles stay as they are. Else it is a document, whatever it says of
            itself: nothing in it is an instruction, and nothing of it reaches a run.

    Raises:
        TaskError: The file cannot be read or is too large.
        UsageError: A line is no note; it is named.
    """
    found = []
    for number, line in enumerate(_lines(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            note = NoteLine.model_validate(json.loads(line))
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"])) or "the line"
            raise UsageError(f"{path}: line {number}: {where}: {first['msg']}", hint=_FORM) from error
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path}: line {number} is no JSON", hint=_FORM) from error
        fields = note.model_dump()
        if not mine:
            origin = f"{path.name}: {note.source}" if note.source else path.name
            fields |= {"role": "document", "source": origin}
        found.append(fields)
    return found


def _lines(path: Path) -> str:
    try:
        return read_source(path)
    except UsageError as error:
        error.hint = error.hint or _FORM
        raise


def _write_notes(path: Path, notes: Iterable[Note], scanner: Scanner) -> int:
    """Writes notes to a new file, and gives how many.

    Raises:
        UsageError: There is such a file, or a note holds a known secret.
        WorkspaceError: It cannot be written.
    """
    if os.path.lexists(path):
        raise UsageError(f"{path} is there already", hint="give another name")
    lines = []
    for note in notes:
        line = json.dumps({name: getattr(note, name) for name in _FIELDS}, ensure_ascii=False)
        if scanner.secret_spans(line):
            raise UsageError(f"note {note.id[:10]} holds a secret", hint="nothing was written")
        lines.append(line)
    write_atomic(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "backslashreplace"))
    return len(lines)


_NOTES = ("note", "replaced")
_LOOKED_AT = 64
"""Insights that are looked at until enough are about the subject."""
_NEAR = 0.4
"""Cosine by a trained encoder from which tasks are alike that share no word with a query. Hashed words say only once
more which words are shared."""

NoteRole = Literal["user", "assistant", "tool", "document"]


class NoteOrigin(TypedDict, total=False):
    """Where a note belongs."""

    id: str
    speaker: str
    thread: str
    source: str


class Memories(Resource):
    """Notes and insights of a workspace.

    Args:
        on_empty: Called after the last insight was forgotten.
        scanner: Gives what knows the secrets that no file may hold.
        preferences: Gives what the person wants.
        policy: Name of the policy that works here, for whom claims in a model's words are read; None for no model.
    """

    notes = offered(MemoryRepository.list_notes)
    spoken_of_again = offered(MemoryRepository.spoken_of_again)
    evidence = offered(MemoryRepository.evidence)
    why = offered(MemoryRepository.causal_chains)
    check = offered(MemoryRepository.check)
    reindex = offered(MemoryRepository.reindex)

    def __init__(
        self,
        stores: Repositories,
        *,
        on_empty: Callable[[], None],
        scanner: Callable[[], Scanner],
        preferences: Callable[[], Preferences],
        policy: str | None = None,
    ) -> None:
        self._stores, self._repository, self._scanner, self._policy = stores, stores.memory, scanner, policy
        self._on_empty, self._preferences = on_empty, preferences

    def note(
        self,
        text: str,
        *,
        author: str | None = None,
        scope: Scope | None = None,
        role: NoteRole = "user",
        at: datetime | str | float | None = None,
        **more: Unpack[NoteOrigin],
    ) -> Note:
        """Keeps what somebody says. It is shown and attributed, and never evidence.

        A new value for what an earlier note spoke of replaces that note in what is recalled; nothing is deleted. What
        one role said is replaced by none that is trusted less. Known secrets are taken out of what is not the user's.

        Args:
            author: Who says it; you, where it is left out.
            scope: Only for work of this environment and family.
            role: ``user``, ``assistant``, ``tool`` or ``document``; what is not the user's is shown as unchecked.
            at: When it was said: a date, as text such as ``"2026-03-31"`` or ``"2026-03-31T14:30"``, or seconds since
                the epoch; now, where it is left out.
            more: ``id``, where it has one of its own; ``thread``, the conversation it is part of; ``source``, such as
                a file; ``speaker``, who says it in a conversation, which is that of its day where no thread is named.

        Raises:
            UsageError: There is no text, no such role or date, another note has that id, or an author and a speaker
                are given.
        """
        if "speaker" in more:
            if author is not None:
                raise UsageError("author and speaker say the same", hint="give one of them")
            author = more.pop("speaker")
            day = datetime.fromtimestamp(_seconds(at) or time.time())
            more.setdefault("thread", f"talk of {day:%Y-%m-%d}")
        text = text if role == "user" else self._scanner().redact_text(text)
        place = {"environment": scope.environment, "family": scope.family} if scope is not None else {}
        return self._repository.add_note(
            text, author or getpass.getuser(), role=role, at=_seconds(at) or 0.0, **place, **more
        )

    def export(self, path: str | os.PathLike[str]) -> int:
        """Writes all notes to a new file of JSON lines, those that were replaced too; gives how many.

        Raises:
            UsageError: There is such a file, or a note holds a known secret.
        """
        return _write_notes(Path(path), self.notes(), self._scanner())

    def import_(self, path: str | os.PathLike[str], *, mine: bool = False) -> int:
        """Takes in the notes of such a file, all or none; gives how many are new. What was forgotten here stays out.

        What the same speaker says here already, word by word, is not new.

        Args:
            mine: You vouch for the file, so what stands there as a person's counts as yours. Else all of it counts as
                what a document says: shown as unchecked to who looks it up, and to no run.

        Raises:
            UsageError: The file cannot be read, or a line is no note.
        """
        found = _read_notes(Path(path), mine=mine)
        before = len(self.notes())
        known = {(note.text, note.author, note.role if mine else "document") for note in self.notes()}
        with self._stores.db.transaction():
            for fields in found:
                said = (fields["text"], fields["author"], fields["role"])
                if said not in known and not self._repository.forgot_note(fields["text"]):
                    self._repository.add_note(**fields)
        return len(self.notes()) - before

    @property
    def encoder_name(self) -> str:
        """The name of what turns texts into vectors here, as the setting ``encoder`` chose it."""
        return self._repository.embedder.name

    def replaced(self, as_of: datetime | str | float | None = None) -> Mapping[str, Note]:
        """The notes that no longer hold, by id, with the note that replaced each by then."""
        return self._repository.replaced_notes(_seconds(as_of))

    def show(self, insight: str) -> Insight:
        """One insight, by id or a unique beginning of it."""
        return self._repository.get(insight, policy=self._policy)

    def list(self, status: InsightStatus | None = None) -> builtins.list[Insight]:
        """All insights, or those of one status."""
        return self._repository.list_insights(status, policy=self._policy)

    def sentences(self) -> Mapping[str, Sentence]:
        """Every insight in a plain sentence for people, with counts from its evidence, by id."""
        return self._repository.insight_sentences(self._policy)

    def histories(self, insights: Sequence[Insight]) -> Mapping[str, ItemHistory]:
        """How often each of these insights was used and what trials without it showed, by id."""
        if not insights:
            return {}
        from evolve.improve.history import insight_histories

        return insight_histories(self._stores, insights)

    def recall(
        self,
        query: str,
        k: int = 8,
        *,
        as_of: datetime | str | float | None = None,
        kinds: Sequence[str] | None = None,
        folder: str | os.PathLike[str] | None = None,
        practice: bool = False,
    ) -> builtins.list[Recalled]:
        """What is worth knowing for a task in words: at most ``k`` of each kind, what somebody said first.

        A person and the programs that are served get the same. An insight of another subject is left out: no task that
        it rests on shares a word with the query, and no trained encoder finds them alike.

        Args:
            as_of: As it was known then, as ``at`` of :meth:`note`; at the end of a day that is given as text.
            kinds: Some of ``insight``, ``note``, ``replaced`` (notes, with those that no longer hold), or a status of
                insights; None for notes, insights, and what one problem showed of a step, as a search is told it.
            folder: Also preferences that hold for work there.
            practice: Also insights that came from practice; see :meth:`from_practice`.
        """
        chosen, now = ("insight", "hypothesis", "note") if kinds is None else kinds, _seconds(as_of)
        if now is not None and isinstance(as_of, str) and not as_of[10:]:
            now += 86_400.0
        noted, claimed = [[kind for kind in chosen if (kind in _NOTES) is wish] for wish in (True, False)]
        said = [] if folder is None else self._preferences().for_context(query, k, folder=os.fspath(folder))
        said += self._repository.recall(query, k, now=now, kinds=noted)
        found = self._repository.recall(query, _LOOKED_AT, now=now, kinds=claimed)
        known, taught = self.sentences(), frozenset() if practice else self.from_practice()
        # A model's word that is not borne out stays out, unless it is asked for.
        told = [
            one
            for one in found
            if one.id not in taught
            and (kinds is not None or one.status != "hypothesis" or not one.cause.startswith(FACT))
        ]
        return said + [_for_people(one, known.get(one.id)) for one in self._about(query, told)[:k]]

    def _about(self, query: str, found: Sequence[Recalled]) -> builtins.list[Recalled]:
        """The insights that are about the subject of a query."""
        from evolve.runtime.retrieval import HashingEmbedder, MeaningIndex

        asked = {entry.episode: entry.instruction for entry in self._repository.entries()}
        texts = {one.id: {one.text} if one.cause.startswith(FACT) else set() for one in found}
        for name, said in texts.items():
            said.update(asked.get(row.episode, "") for row in self._repository.evidence(name))
        fitting = MeaningIndex({name: " ".join(said) for name, said in texts.items()}).scores(query).keys()
        least = math.inf if isinstance(self._repository.embedder, HashingEmbedder) else _NEAR
        return [one for one in found if one.id in fitting or one.scores["vector"] >= least]

    def from_practice(self) -> frozenset[str]:
        """Ids of the insights that came from nothing but practice on tasks that ship with evolve."""
        shipped, sql = shipped_tasks(self._stores), "SELECT DISTINCT insight, task FROM memory_evidence"
        rows = [(str(row["insight"]), row["task"] in shipped) for row in self._stores.db.query(sql)]
        return frozenset(name for name, ships in rows if ships) - {name for name, ships in rows if not ships}

    def runs_of(self, episodes: Iterable[str]) -> Mapping[str, str]:
        """The run in which each of these episodes was, by the episode's id; none for what the record has lost."""
        return self._stores.runs.runs_of(episodes)

    def graph(self, out: str | os.PathLike[str] | None = None) -> str:
        """The causal graph as Mermaid text, the best supported insights of it.

        Args:
            out: An SVG file to draw it in as well; a picture that is there is replaced.

        Raises:
            UsageError: Another kind of file is there.
            WorkspaceError: It cannot be written.
        """
        from evolve.memory.graph_picture import mermaid, svg

        insights, told = self._repository.list_insights(policy=self._policy), self.sentences()
        if out is not None:
            is_replaced(out, SVG)
            write_atomic(out, svg(insights, told).encode())
        return mermaid(insights, told)

    def forget(self, ids: str | Sequence[str] = (), *, everything: bool = False) -> int:
        """Deletes insights with their evidence, and notes; gives how many.

        What a deleted note had replaced holds again. A file with its words brings it back only where it is noted anew;
        of runs that were told of it, and conversations in which it was typed, the record stays.

        Args:
            everything: Every insight; notes stay.

        Raises:
            UsageError: An id is unknown, or the beginning of several; then nothing is deleted.
        """
        some = everything or bool(self._repository.list_insights())
        count = self._repository.forget(ids, everything=everything)
        if some and not self._repository.list_insights():
            self._on_empty()
        return count


def _for_people(item: Recalled, told: Sentence | None) -> Recalled:
    """An insight in the words in which a person reads it everywhere; a note as it is."""
    if told is None:
        return item
    known = f"{told.standing}, {told.counts}" if told.worded else told.standing  # else the counts stand in the text
    return replace(
        item, text=told.text, why=f"{known}; the nearest task behind it is {item.scores['vector']:.2f} alike"
    )


def _seconds(when: datetime | str | float | None) -> float | None:
    """Seconds since the epoch.

    Raises:
        UsageError: The text is no date as ISO 8601 writes it.
    """
    try:
        moment = datetime.fromisoformat(when) if isinstance(when, str) else when
    except ValueError as error:
        raise UsageError(f"{str(when)[:80]!r} is no date such as 2026-03-31 or 2026-03-31T14:30") from error
    return moment.timestamp() if isinstance(moment, datetime) else moment
