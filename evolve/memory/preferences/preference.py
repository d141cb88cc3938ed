"""A preference and what it rests on: the acts of a person, word for word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from evolve.memory.preferences.edits import edit_lines

ActKind = Literal["stated", "comment", "refusal", "edit", "answer"]
PreferenceStatus = Literal["active", "superseded", "proposed"]
"""Only what is active acts; what is proposed waits until the person has confirmed it."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """Where a preference holds. An empty one is everywhere.

    Attributes:
        instruction: Words of the task; it holds for tasks in similar words.
        family: Family of the task; it holds for every task of that family, unless the family says nothing.
        folder: Path of the folder worked in; it holds there and below: with words of a task for what is like it or
            what the preference speaks of, without them whatever the words.
    """

    instruction: str = ""
    family: str = ""
    folder: str = ""


@dataclass(frozen=True, kw_only=True)
class PersonAct:
    """One thing that a person said or did.

    Attributes:
        text: What the person wrote, word for word; "" for an edit without a comment.
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
    context: Context = Context()
    run: str = ""
    episode: str = ""
    step: int = 0
    author: str = ""
    id: str = ""
    at: float = 0.0

    @property
    def changed(self) -> list[str]:
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
    contexts: tuple[Context, ...] = ()
    status: PreferenceStatus = "active"
    proposal: str = ""
    proposed_by: str = ""
    successor: str = ""
    acts: tuple[PersonAct, ...] = ()
    at: float = 0.0
