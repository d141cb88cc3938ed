"""Which preferences hold for a task."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from evolve.episodes import PREFERENCE, Recalled
from evolve.memory.preferences.edits import edit_lines
from evolve.memory.preferences.meaning import ALIKE, content_words, likeness
from evolve.memory.preferences.preference import Context, Preference
from evolve.retrieval import BM25, fuse

if TYPE_CHECKING:
    from evolve.retrieval import Embedder

_SILENT = frozenset({"", "words", "files"})
"""Families that say nothing of a task."""
_WORDS = 0.5
"""Weight of word search beside the encoder's 1."""


def fitting(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> list[Recalled]:
    """The preferences that hold for a task, best first; of equal ones the earlier given first."""
    near = _nearness(preferences, task, embedder)
    held = [one for one in preferences if near[one.id] > 0.0]
    texts = {one.id: f"{one.description} {' '.join(c.instruction for c in one.contexts)}" for one in held}
    lexical = BM25({name: " ".join(content_words(text)) for name, text in texts.items()}).scores(
        " ".join(content_words(task.instruction))
    )
    order = dict(fuse([(1.0, {one.id: near[one.id] for one in held}), (_WORDS, lexical)]))
    ranked = sorted(held, key=lambda one: -order.get(one.id, 0.0))
    return [_recalled(one, near[one.id], order.get(one.id, 0.0)) for one in ranked]


def shares_context(one: Preference, other: Preference, embedder: Embedder) -> bool:
    """Whether two preferences hold for the same tasks: both everywhere, or in contexts that are alike."""
    if not one.contexts or not other.contexts:
        return one.contexts == other.contexts
    return any(_closeness(held, task, embedder) > 0.0 for held in one.contexts for task in other.contexts)


def _nearness(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> dict[str, float]:
    """How well each preference fits, in [0, 1]; 0 where it does not hold."""
    near = {one.id: 0.0 if one.contexts else ALIKE for one in preferences}
    places = [(one.id, held) for one in preferences for held in one.contexts]
    alike = likeness(embedder, task.instruction, [held.instruction for _, held in places])
    for (name, held), value in zip(places, alike, strict=True):
        near[name] = max(near[name], _fit(held, task, value))
    return near


def _closeness(held: Context, task: Context, embedder: Embedder) -> float:
    return _fit(held, task, likeness(embedder, task.instruction, [held.instruction])[0])


def _fit(held: Context, task: Context, alike: float) -> float:
    if held.folder:
        return max(ALIKE, alike) if _inside(task.folder, held.folder) else 0.0
    if held.family == task.family and held.family not in _SILENT:
        return max(ALIKE, alike)
    if not held.instruction.strip():
        return 0.0 if held.family not in _SILENT else ALIKE
    return alike if alike >= ALIKE else 0.0


def _inside(folder: str, outer: str) -> bool:
    return bool(folder) and PurePath(folder).is_relative_to(PurePath(outer))


def _recalled(one: Preference, near: float, score: float) -> Recalled:
    edit = next((act for act in reversed(one.acts) if act.before or act.after), None)
    where = "it holds everywhere" if not one.contexts else f"its context is alike by {near:.2f}"
    return Recalled(
        id=one.id,
        kind=PREFERENCE,
        text=one.description,
        score=score,
        scores={"vector": near},
        why=f"{one.author} wants it, and {where}",
        author=one.author,
        edit="\n".join(edit_lines(edit.before, edit.after)) if edit is not None else "",
        questions=tuple(sorted({act.question for act in one.acts} - {""})),
    )
