"""Finds the preferences that hold for a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from evolve.episodes import PREFERENCE, Recalled
from evolve.memory.preferences.edits import edit_lines
from evolve.memory.preferences.meaning import ALIKE, content_words, likeness, topics
from evolve.memory.preferences.preference import Context, Preference
from evolve.retrieval import BM25, fuse

if TYPE_CHECKING:
    from evolve.retrieval import Embedder

_UNINFORMATIVE_FAMILIES = frozenset({"", "words", "files"})
"""Families that say nothing of a task."""
_WORD_WEIGHT = 0.5
"""Weight of word search beside the encoder's 1."""


def find_preferences(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> list[Recalled]:
    """The preferences that hold for a task, best first; of equal ones the earlier given first."""
    near = _nearness(preferences, task, embedder)
    holding = [preference for preference in preferences if near[preference.id] > 0.0]
    texts = {
        preference.id: f"{preference.description} {' '.join(c.instruction for c in preference.contexts)}"
        for preference in holding
    }
    lexical = BM25({name: " ".join(content_words(text)) for name, text in texts.items()}).scores(
        " ".join(content_words(task.instruction))
    )
    order = dict(fuse([(1.0, {preference.id: near[preference.id] for preference in holding}), (_WORD_WEIGHT, lexical)]))
    ranked = sorted(holding, key=lambda preference: -order.get(preference.id, 0.0))
    return [_recalled(preference, near[preference.id], order.get(preference.id, 0.0)) for preference in ranked]


def shares_context(first: Preference, second: Preference, embedder: Embedder) -> bool:
    """Whether two preferences hold for the same tasks: both everywhere, or in contexts that are alike."""
    if not first.contexts or not second.contexts:
        return first.contexts == second.contexts
    pairs = [(context, task) for context in first.contexts for task in second.contexts]
    return any(_fit(context, task, _alike(context, task, embedder)) > 0.0 for context, task in pairs)


def _nearness(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> dict[str, float]:
    """How well each preference fits, in [0, 1]; 0 where it does not hold."""
    near = {preference.id: 0.0 if preference.contexts else ALIKE for preference in preferences}
    places = [(preference.id, context) for preference in preferences for context in preference.contexts]
    alike = likeness(embedder, task.instruction, [context.instruction for _, context in places])
    about = _spoken_of(preferences, task, embedder)
    for (name, context), value in zip(places, alike, strict=True):
        near[name] = max(near[name], _fit(context, task, value, about[name]))
    return near


def _spoken_of(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> dict[str, float]:
    """How much the words of each preference speak of a task: as far as they are alike, or share a word of content."""
    alike = likeness(embedder, task.instruction, [preference.description for preference in preferences])
    words = topics(task.instruction)
    return {
        preference.id: max(value, ALIKE) if topics(preference.description) & words else value
        for preference, value in zip(preferences, alike, strict=True)
    }


def _alike(context: Context, task: Context, embedder: Embedder) -> float:
    return likeness(embedder, task.instruction, [context.instruction])[0]


def _fit(context: Context, task: Context, alike: float, about: float = 0.0) -> float:
    """How well one context fits a task, in [0, 1]; 0 where it does not hold.

    Args:
        alike: How alike the words of both tasks are.
        about: How much the preference itself speaks of the task.
    """
    if context.folder:
        if not _inside(task.folder, context.folder):
            return 0.0
        if not context.instruction.strip():
            return max(ALIKE, alike)  # said of the folder, so it holds whatever the words are
        # Said of one task there. Another one is in the same project, so it is enough that the wish speaks of it.
        return max(alike, about) if max(alike, about) >= ALIKE else 0.0
    if context.family == task.family and context.family not in _UNINFORMATIVE_FAMILIES:
        return max(ALIKE, alike)
    if not context.instruction.strip():
        return 0.0 if context.family not in _UNINFORMATIVE_FAMILIES else ALIKE
    return alike if alike >= ALIKE else 0.0


def _inside(folder: str, outer: str) -> bool:
    return bool(folder) and PurePath(folder).is_relative_to(PurePath(outer))


def _recalled(preference: Preference, near: float, score: float) -> Recalled:
    edit = next((act for act in reversed(preference.acts) if act.before or act.after), None)
    where = "it holds everywhere" if not preference.contexts else f"its context is alike by {near:.2f}"
    return Recalled(
        id=preference.id,
        kind=PREFERENCE,
        text=preference.description,
        score=score,
        scores={"vector": near},
        why=f"{preference.author} wants it, and {where}",
        author=preference.author,
        edit="\n".join(edit_lines(edit.before, edit.after)) if edit is not None else "",
        questions=tuple(sorted({act.question for act in preference.acts} - {""})),
    )
