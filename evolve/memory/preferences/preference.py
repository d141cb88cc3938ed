"""A preference and what it rests on: the acts of a person, word for word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePath
from typing import Literal, get_args

from evolve.core.episodes import SuggestionKind
from evolve.memory.preferences.kinds import (
    CODE,
    artifact_kind,
    generalise_wish,
    is_known,
    is_mixed,
    is_once,
    kinds_meant,
)
from evolve.memory.preferences.quotes import edit_lines

ActKind = Literal["stated", "comment", "refusal", "edit", "answer", SuggestionKind]
"""What a person did, or as what a finished run suggested to remember something."""
PreferenceStatus = Literal["active", "superseded", "proposed", "declined"]
"""Only what is active acts; what is proposed waits until the person has confirmed it, and what they declined is not
proposed again."""
_SUGGESTED = frozenset(get_args(SuggestionKind))
WISHES: tuple[SuggestionKind, ...] = ("rule", "repeated")
"""Suggestions that say how the person wants things; the others are facts that a run showed."""


@dataclass(frozen=True, kw_only=True)
class PreferenceContext:
    """Where a preference holds. An empty one is everywhere.

    Attributes:
        instruction: Words of the task; it holds for tasks in similar words.
        family: Family of the task; it holds for every task of that family, unless the family says nothing. Without
            words and a folder it holds for the family alone, such as every question.
        folder: Path of the folder worked in; it holds there and below: with words of a task for what is like it or
            what the preference speaks of, without them whatever the words.
    """

    instruction: str = ""
    family: str = ""
    folder: str = ""

    @property
    def without_words(self) -> PreferenceContext:
        """The folder, else the family, without the words of a task."""
        return PreferenceContext(folder=self.folder) if self.folder else PreferenceContext(family=self.family)

    def covers(self, other: PreferenceContext) -> bool:
        """Whether all of another context is in this one."""
        if self.instruction:
            return self == other
        return is_inside(other.folder, self.folder) if self.folder else self.family in ("", other.without_words.family)


def is_inside(folder: str, outer: str) -> bool:
    """Whether a folder is another one or below it."""
    return bool(folder) and PurePath(folder).is_relative_to(PurePath(outer))


@dataclass(frozen=True, kw_only=True)
class PersonAct:
    """One thing that a person said or did, or that a run of theirs showed.

    Attributes:
        text: What the person wrote, word for word; "" for an edit without a comment. Of a suggestion, whose words it
            rests on, and these.
        before, after: What an edit changed, whole.
        question: What was asked, where the act is an answer.
        context: The task it was about.
        run, episode, step: Where it happened; "" and 0 outside of runs.
        author: Who; the user of the machine where it is left out.
        id: Made when the act is kept.
        at: Seconds since the epoch; set when it is kept.
    """

    kind: ActKind
    text: str = ""
    before: str = ""
    after: str = ""
    question: str = ""
    context: PreferenceContext = PreferenceContext()
    run: str = ""
    episode: str = ""
    step: int = 0
    author: str = ""
    id: str = ""
    at: float = 0.0

    @property
    def is_from_run(self) -> bool:
        """Whether a finished run showed it, and no act of the person."""
        return self.kind in _SUGGESTED

    @property
    def edit_difference(self) -> list[str]:
        """The lines of an edit as a unified difference, without its header."""
        return edit_lines(self.before, self.after)


@dataclass(frozen=True, kw_only=True)
class Preference:
    """How a person wants things done: an instruction, never evidence.

    Attributes:
        description: One or two sentences in the person's words, or an edit in plain words.
        contexts: Where it holds; () is everywhere.
        proposal: A description that a model proposed. It acts only once the person has confirmed it.
        proposed_by: The model.
        successor: Id of the newer preference that contradicts this one, or "".
        acts: What it rests on, oldest first.
        at: When the newest act was kept, in seconds since the epoch.
    """

    id: str
    description: str
    author: str
    contexts: tuple[PreferenceContext, ...] = ()
    status: PreferenceStatus = "active"
    proposal: str = ""
    proposed_by: str = ""
    successor: str = ""
    acts: tuple[PersonAct, ...] = ()
    at: float = 0.0

    @property
    def suggestion(self) -> PersonAct | None:
        """What a run showed, where it was suggested by one; None where the person said it unasked."""
        return next((act for act in self.acts if act.is_from_run), None)

    @property
    def as_kept(self) -> Preference:
        """It as it holds once the person says yes: for its folders, of questions for every question.

        What speaks of one task alone stays with that task.
        """
        if self.is_one_time:
            return self
        wide = tuple(dict.fromkeys(context.without_words for context in self.contexts))
        return replace(self, contexts=() if PreferenceContext() in wide else wide)

    def covers(self, context: PreferenceContext) -> bool:
        """Whether it holds for every task of a context, whatever its words."""
        if self.is_one_time:
            return context in self.contexts
        return not self.contexts or any(one.covers(context) for one in self.contexts)

    @property
    def is_fact(self) -> bool:
        """Whether it says what a run showed, and not how the person wants things."""
        return self.suggestion is not None and self.suggestion.kind not in WISHES

    def is_elsewhere(self, context: PreferenceContext) -> bool:
        """Whether it is for other folders alone than a context, which may be everywhere."""
        folders = {one.folder for one in self.contexts}
        return (
            bool(self.contexts)
            and context != PreferenceContext()
            and "" not in folders
            and context.folder not in folders
        )

    def as_proposal(self) -> dict[str, str]:
        """What a person is asked about: its id, what it says, as what it was suggested, what it rests on and where."""
        act = self.suggestion
        kind, because = (act.kind, act.text) if act is not None else ("", "")
        folder = next((context.folder for context in self.contexts if context.folder), "")
        return {"id": self.id, "kind": kind, "text": self.description, "because": because, "folder": folder}

    @property
    def date(self) -> str:
        """The day of :attr:`at`, such as ``2026-03-31``."""
        return f"{datetime.fromtimestamp(self.at):%Y-%m-%d}"

    @property
    def is_one_time(self) -> bool:
        """Whether it holds for the tasks that it was said of alone, and in the rest of their conversations."""
        said = (self.proposal if self.status == "proposed" else "") or self.description
        return is_once(said) and any(context.instruction for context in self.contexts)

    @property
    def is_mixed(self) -> bool:
        """Whether a part of it speaks of one task, and another one may hold for later ones too."""
        return is_mixed(self.description)

    @property
    def kind(self) -> str:
        """What it holds for whatever the topic, such as ``mails``; "" where words decide."""
        if self.suggestion is not None or any(not context.instruction for context in self.contexts):
            return ""
        said_of = [artifact_kind(context.instruction) for context in self.contexts[-1:]]
        kinds = sorted(kinds_meant(self.description)) or [kind for kind in said_of if is_known(kind) and kind != CODE]
        return ", ".join(kinds)

    @property
    def generalized_text(self) -> str:
        """The description as it holds for later tasks too: of "this mail" it says "every mail", in a ban "any mail"."""
        return generalise_wish(self.description) if is_once(self.description) else self.description
