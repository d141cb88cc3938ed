"""What was asked in conversations and runs and what came of it, found again by a question in words.

Searched as notes of a conversation are: by stems and letters, beside their neighbours, in a time that the question
names. Nothing of it is kept anywhere else. A run is shown of it what its model looks up, as data, and nothing unasked.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from evolve.agent import Past, Run, RunRepository
from evolve.core.episodes import EpisodeRecord, Recalled
from evolve.memory import Note, NoteQuestion, recall_notes
from evolve.tasks import Task
from evolve.tasks.model import WORDS
from evolve.workspace.resources.preferences import ABOUT
from evolve.workspace.runs.conversations import OPEN, PastConversation

_LONGEST = 2_000
"""Letters of an answer that are searched; what it is about stands at its beginning."""
_LOOKED_AT = 4
"""Times as many as are shown are looked at, of which not all are to the point."""
_GUESS = 0.5
"""Factor of an answer that nothing bore out, where a run looks it up."""
_SHOWN = 700
"""Letters of what was said that a run is shown."""
_PERSON, _EVOLVE = "you", "evolve"
_FILE, _UNKNOWN = "task file", "the task"
_SOURCE = "said by"
"""Key of a run's JSON: who its task's words are by, where that is known."""


@dataclass(frozen=True, kw_only=True)
class SearchHit:
    """Something that was asked or answered.

    Attributes:
        place: The conversation, or the run where it was none.
        run: The run that it belongs to, or "".
        author: ``you``, ``evolve``, ``task file`` or, where nobody noted where a task came from, ``the task``.
        at: When its run began, in seconds since the epoch; 0 where no run began.
        score: Of this question alone.
        status: Of an answer, how its run ended; "" of what was asked.
    """

    place: str
    run: str
    author: str
    at: float
    text: str
    score: float
    status: str = ""

    @property
    def is_guess(self) -> bool:
        """Whether it is an answer that nothing bore out."""
        return self.author == _EVOLVE and self.status != "solved"


def question_of_run(run: Run) -> str:
    """The task of a run in its own words; "" where none were noted."""
    return str(run.body.get(ABOUT, {}).get("instruction", ""))


def texts_said_by(task: Task) -> dict[str, str]:
    """What a run notes of whose words its task is in: a person's, where they were given as words; a file's; or nothing.

    A task that another program made may be in anyone's words.
    """
    # Neither can be feigned by a file: whatever is read from one has the file as its source.
    in_words = task.family == WORDS and not (task.source or task.examples)
    if task.source.startswith("files-") or in_words:
        return {_SOURCE: _PERSON}
    return {_SOURCE: _FILE} if task.source else {}


def search_record(
    question: str, k: int, talks: Iterable[PastConversation], records: RunRepository, *, without: str = ""
) -> list[SearchHit]:
    """At most ``k`` of what was said until now, best first.

    Args:
        without: A run of which nothing is wanted, such as the one that asks.
    """
    runs = [run for run in records.list_runs() if run.id != without]
    last = {record.run: record for record in records.episodes()}
    return search_past(question, k, talks, runs, last, now=time.time())


def runs_before(talks: Callable[[], Iterable[PastConversation]], records: RunRepository, run: str) -> Past:
    """What a run may look up of conversations and other runs: data, each with who said it, where and when."""

    def past(question: str, k: int) -> list[Recalled]:
        # The turn that asks stands there too, and would answer itself.
        ended = [replace(talk, turns=tuple(turn for turn in talk.turns if turn.status != OPEN)) for talk in talks()]
        said = search_record(question, _LOOKED_AT * k, ended, records, without=run)
        best = _to_the_point(question, said, time.time())[:k]
        # Asked again, a model would else read its own guess before the words that it guessed from.
        return [_told(one, number) for number, one in enumerate(sorted(best, key=lambda one: one.is_guess))]

    return past


def _to_the_point(question: str, said: Iterable[SearchHit], now: float) -> list[SearchHit]:
    """What shares a word with a question, or was said in the time that it names, best first; each text once.

    A word that only an answer's question has counts for the answer too, and a guess half.
    """
    from evolve.memory.notes.times import time_in_question
    from evolve.runtime.retrieval import WordIndex

    found = sorted(said, key=lambda one: -one.score * (_GUESS if one.is_guess else 1.0))
    turns: dict[str, list[str]] = {}
    for one in found:
        turns.setdefault(f"{one.place} {one.run}", []).append(one.text)
    index = WordIndex()
    index.add({turn: "\n".join(texts) for turn, texts in turns.items()})
    shared, span = index.scores(question), time_in_question(question, now)
    index.close()
    fits = [
        one for one in found if f"{one.place} {one.run}" in shared or (span is not None and span[0] <= one.at < span[1])
    ]
    once: dict[tuple[str, str], SearchHit] = {}
    for one in fits:
        once.setdefault((one.author, " ".join(one.text.split())), one)
    return list(once.values())


def _told(said: SearchHit, number: int) -> Recalled:
    place = f"the conversation {said.place}" if said.place.startswith("c") else f"the run {said.place}"
    day = f" on {datetime.fromtimestamp(said.at):%A, %Y-%m-%d}" if said.at else ""
    answered = f"what was answered, {said.status or 'unverified'}," if said.is_guess else "what was answered"
    who = {_PERSON: "the person", _EVOLVE: answered, _FILE: "a task file"}.get(said.author, "the task")
    return Recalled(
        id=f"{said.place}.{number}",
        kind="said",
        text=said.text if len(said.text) <= _SHOWN else f"{said.text[:_SHOWN]} ...",
        score=said.score,
        scores={},
        why=f"it was said in {place}",
        author=said.author,
        provenance=f"{who} in {place}{day}",
    )


def search_past(
    question: str,
    k: int,
    talks: Iterable[PastConversation],
    runs: Sequence[Run],
    episodes: Mapping[str, EpisodeRecord],
    *,
    now: float,
) -> list[SearchHit]:
    """At most ``k`` of what was said, best first.

    Args:
        episodes: The last episode of each run.
        now: When it is asked, in seconds since the epoch.
    """
    # Hashed words, whatever encoder is set: every turn is new, and the vectors of past ones are kept nowhere.
    from evolve.runtime.retrieval import HashingEmbedder

    started = {run.id: datetime.fromisoformat(run.started).timestamp() for run in runs}
    found = {note.id: (note, run, status) for note, run, status in _all(talks, runs, started, episodes)}
    notes, asked = [note for note, _, _ in found.values()], NoteQuestion(text=question, k=k, now=now, past=True)
    items = recall_notes(notes, HashingEmbedder(), asked)
    return [
        SearchHit(
            place=note.thread, run=run, author=note.author, at=note.at, text=note.text, score=item.score, status=status
        )
        for item in items
        for note, run, status in (found[item.id],)
    ]


def _all(
    talks: Iterable[PastConversation],
    runs: Sequence[Run],
    started: Mapping[str, float],
    episodes: Mapping[str, EpisodeRecord],
) -> Iterator[tuple[Note, str, str]]:
    """Everything that was said, with its run and how an answer's ended: conversations first, then other runs."""
    seen = set()
    for talk in sorted(talks, key=lambda talk: int(talk.id[1:])):
        for turn in talk.turns:
            seen.add(turn.run)
            at, name = started.get(turn.run, 0.0), f"{talk.id}.{turn.number}"
            yield _note(f"{name}?", turn.asked, at, talk.id), turn.run, ""
            # Words speak for themselves; what is told of them is how they were judged.
            told = "" if turn.words and turn.answer else turn.told
            answer = f"{told}\n{turn.answer[:_LONGEST]}".strip()
            if answer:
                yield _note(f"{name}!", answer, at, talk.id, _EVOLVE), turn.run, turn.status
    for run in runs:
        words = question_of_run(run)
        if run.id in seen or not words:
            continue
        author = noted if (noted := run.body.get(_SOURCE)) in (_PERSON, _FILE) else _UNKNOWN
        yield _note(f"{run.id}?", words, started[run.id], run.id, author), run.id, ""
        episode = episodes.get(run.id)
        if episode is not None:
            answer = episode.answer[:_LONGEST].strip() or episode.status
            yield _note(f"{run.id}!", answer, started[run.id], run.id, _EVOLVE), run.id, episode.status


def _note(name: str, text: str, at: float, place: str, author: str = _PERSON) -> Note:
    role = {_PERSON: "user", _EVOLVE: "assistant"}.get(author, "document")
    return Note(id=name, text=text, author=author, role=role, at=at, thread=place)
