"""Conversations of a person with evolve: what was asked, turn by turn, and what came of it.

They are the person's own text, so they are files that only the person can read and no part of the record: nothing is
learned from them. The record holds the runs that they name.
"""

from __future__ import annotations

import builtins
import fcntl
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from evolve.core.episodes import SubgoalState, Turn
from evolve.core.errors import UsageError
from evolve.core.files import clean_text, write_failure
from evolve.core.settings import LearnMode
from evolve.workspace.resources import conversation_files
from evolve.workspace.resources.base import Resource
from evolve.workspace.resources.patch import Patch

OPEN = "open"
"""The status of a turn that was begun and not ended: it was stopped, or its process was killed."""

_REFUSED = "declined"


@dataclass(frozen=True, kw_only=True)
class ChatTurn:
    """One thing the person asked for.

    Attributes:
        number: From 1 in its conversation.
        asked: The person's words, or rows, or the name of a task.
        budget: What the turn might spend, so that going on with it is the same run.
        status: As of a result, or :data:`OPEN`.
        told: One sentence about what came of it.
        answer: Source, a unified diff, or "".
        words: ``answer`` is words in Markdown.
        run: The run behind it, or "".
        spent: Candidates, tokens, calls, money and seconds.
    """

    number: int
    asked: str
    budget: Mapping[str, float] = field(default_factory=dict)
    status: str = OPEN
    told: str = ""
    answer: str = ""
    words: bool = False
    run: str = ""
    spent: Mapping[str, float] = field(default_factory=dict)

    def as_earlier(self, patch: Patch | None = None, plan: Sequence[SubgoalState] = ()) -> Turn:
        """What a later turn is told of this one.

        Args:
            patch: What its run would change in a folder, as that stands now; None where it would change nothing.
            plan: How far its plan came.
        """
        if patch is not None and patch.names and patch.state != "applied":  # nothing of it is there any more
            plan = [SubgoalState(subgoal=state.subgoal) for state in plan]
        status, told = (self.status, self.told) if patch is None or not patch.names else _standing(self, patch)
        # Words that were answered speak for themselves: nothing checks them, and no change hangs on them.
        head = "" if self.words and self.answer and status == "unverified" else f"{status}: {told}"
        outcome = "\n".join(part for part in (head, self.answer) if part)
        return Turn(said=self.asked, outcome=outcome, plan=tuple(plan))


@dataclass(frozen=True, kw_only=True)
class ConversationOptions:
    """What the turns of a conversation are worked with.

    Attributes:
        check: The command that decides in its folder.
        python: The virtual environment for work there, or None.
        model: As for opening a workspace: "" for none, None for that of the settings.
        learn: What is learned from them, as for a person's run; None leaves it to the settings.
    """

    check: str = ""
    python: str | None = None
    model: str | None = None
    learn: LearnMode | None = None


@dataclass(frozen=True, kw_only=True)
class PastConversation:
    """A conversation as it stands in its file, to choose one by.

    Attributes:
        id: Such as ``c1``.
        folder: The folder that is worked in, or "".
        turns: Oldest first.
        means: As of the last turn; None where no turn kept them.
    """

    id: str
    folder: str = ""
    turns: tuple[ChatTurn, ...] = ()
    means: ConversationOptions | None = None


class Conversation:
    """One conversation, held by one process at a time.

    Attributes:
        id: Such as ``c1``.
        folder: The folder that is worked in, or "".
        turns: Oldest first.
        means: What its last turn was worked with; None where no turn kept that.
    """

    def __init__(self, path: Path, stream: IO[bytes]) -> None:
        self.id = path.stem
        self._path, self._stream = path, stream
        read = _read(path)
        self.folder, self.turns, self.means = read.folder, list(read.turns), read.means

    def ask(
        self, asked: str, budget: Mapping[str, float] | None = None, means: ConversationOptions | None = None
    ) -> ChatTurn:
        """Begins a turn.

        Args:
            means: What it is worked with, by which the conversation goes on later.
        """
        if means is not None and means != self.means:
            self._append({"kind": "means", **vars(means)})
            self.means = means
        turn = ChatTurn(number=len(self.turns) + 1, asked=clean_text(asked), budget=budget or {})
        self._append({"kind": "asked", "number": turn.number, "asked": turn.asked, "budget": dict(turn.budget)})
        self.turns.append(turn)
        return turn

    def end_turn(self, turn: ChatTurn) -> None:
        """Ends a turn: ``turn`` says what came of it. A later end of the same turn replaces an earlier one."""
        outcome = {"status": turn.status, "told": turn.told, "answer": turn.answer, "run": turn.run}
        more = {"words": True} if turn.words else {}
        self._append({"kind": "answered", "number": turn.number, **outcome, **more, "spent": dict(turn.spent)})
        self.turns[turn.number - 1] = turn

    def note_refusal(self, patch: Patch) -> None:
        """Keeps with its turn, if that is one of these, that a change was refused or taken back."""
        turn = next((turn for turn in reversed(self.turns) if turn.run == patch.run), None)
        if turn is not None and patch.state in ("refused", "undone"):
            status, told = _standing(turn, patch)
            self.end_turn(replace(turn, status=status, told=told))

    def save(self, file: Path) -> None:
        """Writes it as Markdown to a new file that only the person can read.

        Raises:
            UsageError: There is such a file.
            WorkspaceError: It cannot be written.
        """
        text = "\n".join([f"# Conversation {self.id}", "", *map(_in_markdown, self.turns)])
        try:
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as stream:
                stream.write(text)
        except FileExistsError as error:
            raise UsageError(f"{file} is there already", hint="/save FILE with another name") from error
        except OSError as error:
            raise write_failure(file, error) from error

    @property
    def unfinished_turn(self) -> ChatTurn | None:
        """The last turn, where it was stopped or cut off."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.status in (OPEN, "interrupted", "waiting") else None

    @property
    def refused_turn(self) -> ChatTurn | None:
        """The last turn, where the person refused its change; one that asks the same is told of it, with the reason."""
        last = self.turns[-1] if self.turns else None
        return last if last is not None and last.status == _REFUSED else None

    def earlier_turns(
        self, patches: Iterable[Patch] = (), plans: Mapping[str, Sequence[SubgoalState]] | None = None
    ) -> tuple[Turn, ...]:
        """The finished turns, as a later one is told of them.

        Args:
            patches: Changes of runs as they stand now, which may have been undone or applied outside of it.
            plans: By run, how far its plan came.
        """
        return earlier_turns(self.turns, patches, plans)

    def close(self) -> None:
        """Lets go of the conversation; one in which nothing was asked leaves no file."""
        if not self.turns and not self._stream.closed:
            self._path.unlink(missing_ok=True)
        self._stream.close()

    def _append(self, line: Mapping[str, Any]) -> None:
        try:
            # ASCII output writes lone surrogates as escapes, so no text can break the file.
            self._stream.write(json.dumps(line).encode("ascii") + b"\n")
            self._stream.flush()
        except OSError as error:
            raise write_failure(self._path, error) from error


def earlier_turns(
    turns: Iterable[ChatTurn], patches: Iterable[Patch], plans: Mapping[str, Sequence[SubgoalState]] | None = None
) -> tuple[Turn, ...]:
    """Those of turns that are finished, as a later one is told of them; see :meth:`Conversation.earlier_turns`."""
    by_run = {patch.run: patch for patch in patches}
    finished = (turn for turn in turns if turn.status not in (OPEN, "interrupted", "waiting"))
    return tuple(turn.as_earlier(by_run.get(turn.run), (plans or {}).get(turn.run, ())) for turn in finished)


class Conversations(Resource):
    """The conversations of a workspace. One that was begun or opened here stays, also once the workspace is closed.

    Args:
        folder: Where they lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @property
    def folder(self) -> Path:
        """Where they lie; who talks may keep files of their own beside them, under names that are no conversation's."""
        return self._folder

    def begin(self, folder: str = "") -> Conversation:
        """A new conversation about work in ``folder``, or in none.

        Raises:
            WorkspaceError: It cannot be written.
        """
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise write_failure(self._folder, error) from error
        number = max(conversation_files.conversation_numbers(self._folder), default=0) + 1
        while True:
            path = self._folder / f"c{number}.jsonl"
            try:
                handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
                break
            except FileExistsError:  # another process began one meanwhile
                number += 1
            except OSError as error:
                raise write_failure(path, error) from error
        stream = os.fdopen(handle, "ab")
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        stream.write(json.dumps({"kind": "begun", "folder": folder}).encode("ascii") + b"\n")
        stream.flush()
        return Conversation(path, stream)

    def latest_conversation(self, folder: str = "") -> Conversation | None:
        """The newest conversation about a folder that no other process holds, or None."""
        for number in sorted(conversation_files.conversation_numbers(self._folder), reverse=True):
            conversation = self._opened(number)
            if conversation is not None and conversation.folder == folder and conversation.turns:
                return conversation
            if conversation is not None:
                conversation._stream.close()
        return None

    def conversation_of(self, name: str) -> Conversation:
        """The conversation of that id, or the one that a run belongs to.

        Raises:
            UsageError: There is none, another process holds it, or it cannot be written.
        """
        for number in sorted(conversation_files.conversation_numbers(self._folder), reverse=True):
            talk = _read(self._folder / f"c{number}.jsonl")
            if talk.id != name and not any(turn.run == name for turn in talk.turns):
                continue
            conversation = self._opened(number)
            if conversation is None:
                raise UsageError(f"the conversation c{number} is open in another terminal, or cannot be written")
            return conversation
        raise UsageError(
            f"no conversation {name!r}, and none with such a run", hint="evolve chat goes on with the last"
        )

    def list(self) -> builtins.list[PastConversation]:
        """Those in which something was asked, the newest first."""
        numbers = sorted(conversation_files.conversation_numbers(self._folder), reverse=True)
        return [talk for talk in (_read(self._folder / f"c{number}.jsonl") for number in numbers) if talk.turns]

    def _opened(self, number: int) -> Conversation | None:
        path = self._folder / f"c{number}.jsonl"
        try:
            stream = path.open("ab")
        except OSError:
            return None
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            stream.close()
            return None
        data = path.read_bytes()
        if data and not data.endswith(b"\n"):
            stream.write(b"\n")  # a crash tore the last line; keep it apart from ours
        return Conversation(path, stream)


def _standing(turn: ChatTurn, patch: Patch) -> tuple[str, str]:
    """Status and sentence of a turn by what became of its change."""
    if patch.state == "undone":
        return "undone", "the person took this change back, so its files are as they were before it"
    if patch.state == "refused":
        return _REFUSED, "the person refused this change" + (f": {patch.reason}" if patch.reason else "")
    place = "is in the folder" if patch.state == "applied" else "waits for the person and is not in the folder"
    if turn.status in ("solved", "unverified"):
        return turn.status, f"{turn.told}; the change {place}"
    return "solved", f"the change {place}"


def _read(path: Path) -> PastConversation:
    """What a file holds; a line that cannot be understood is passed over, and the doctor names its file."""
    folder, means = "", None
    turns: list[ChatTurn] = []
    for entry in conversation_files.entries(path):
        if entry is None:
            continue
        kind, number = entry.pop("kind"), entry.pop("number", 0)
        if kind == "begun":
            folder = entry["folder"]
        elif kind == "means":
            means = ConversationOptions(**entry)
        elif kind == "asked":
            turns.append(ChatTurn(number=len(turns) + 1, **entry))
        elif 1 <= number <= len(turns):
            turns[number - 1] = replace(turns[number - 1], **entry)
    return PastConversation(id=path.stem, folder=folder, turns=tuple(turns), means=means)


def _in_markdown(turn: ChatTurn) -> str:
    asked = "\n".join(f"> {line}" for line in turn.asked.split("\n"))
    parts = [f"## {turn.number}", asked]
    if turn.words:
        parts.append(turn.answer.strip())
    elif turn.answer:
        kind = "diff" if turn.answer.startswith("--- ") else "python"
        fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", turn.answer)), default=0))
        parts.append(f"{fence}{kind}\n{turn.answer.rstrip()}\n{fence}")
    parts.append(f"**{turn.status}** {turn.told}".rstrip() + (f" (run {turn.run})" if turn.run else ""))
    return "\n\n".join(parts) + "\n"
