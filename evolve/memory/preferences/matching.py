"""Finds the preferences that hold for a task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.core.episodes import KEPT_FACT, PREFERENCE, Recalled
from evolve.memory.preferences.kinds import CODE, is_known, is_once, kind_of, kinds_asked, kinds_meant, kinds_named
from evolve.memory.preferences.preference import Context, Preference, is_inside
from evolve.memory.preferences.preferences_meaning import ALIKE, content_words, cosine_similarities, topics
from evolve.memory.preferences.quotes import edit_lines
from evolve.runtime.retrieval import WordIndex, fuse

if TYPE_CHECKING:
    from evolve.runtime.retrieval import Embedder

_UNINFORMATIVE_FAMILIES = frozenset({"", "words", "files"})
"""Families that say nothing of a task."""
LONGEST_TASK = 2_000
"""Characters of a task's words that a context keeps."""
_WORD_WEIGHT = 0.5
"""Weight of word search beside the encoder's 1."""


def find_preferences(
    preferences: Sequence[Preference], task: Context, embedder: Embedder, earlier: Sequence[str] = ()
) -> list[Recalled]:
    """The preferences that hold for a task, best first; of equal ones the earlier given first.

    Args:
        earlier: Tasks of the same conversation before this one.
    """
    near = _nearness(preferences, task, embedder, earlier)
    holding = [preference for preference in preferences if near[preference.id] > 0.0]
    texts = {
        preference.id: f"{preference.description} {' '.join(c.instruction for c in preference.contexts)}"
        for preference in holding
    }
    index = WordIndex()
    index.add({name: " ".join(content_words(text)) for name, text in texts.items()})
    lexical = index.scores(" ".join(content_words(task.instruction)))
    order = dict(fuse([(1.0, {preference.id: near[preference.id] for preference in holding}), (_WORD_WEIGHT, lexical)]))
    ranked = sorted(holding, key=lambda preference: -order.get(preference.id, 0.0))
    return [_recalled(preference, near[preference.id], order.get(preference.id, 0.0)) for preference in ranked]


def shares_context(first: Preference, second: Preference, embedder: Embedder) -> bool:
    """Whether two preferences hold for the same tasks: both everywhere, or in contexts that are alike."""
    if not first.contexts or not second.contexts:
        return first.contexts == second.contexts
    if is_once(first.description) or is_once(second.description):
        # What holds once overrules nothing that holds longer.
        same = {_words_of(context) for context in first.contexts} & {_words_of(task) for task in second.contexts}
        return is_once(first.description) and is_once(second.description) and bool(same)
    pairs = [(context, task) for context in first.contexts for task in second.contexts]
    alike = (cosine_similarities(embedder, task.instruction, [context.instruction])[0] for context, task in pairs)
    return any(
        _fit(context, task, near, by_kind=_by_kind(first, context, task)) > 0.0
        for (context, task), near in zip(pairs, alike, strict=True)
    )


def _nearness(
    preferences: Sequence[Preference], task: Context, embedder: Embedder, earlier: Sequence[str]
) -> dict[str, float]:
    """How well each preference fits, in [0, 1]; 0 where it does not hold."""
    near = {
        preference.id: 0.0 if preference.contexts or _is_meant_for_others(preference, task) else ALIKE
        for preference in preferences
    }
    places = [(preference, context) for preference in preferences for context in preference.contexts]
    alike = cosine_similarities(embedder, task.instruction, [context.instruction for _, context in places])
    about = _spoken_of(preferences, task, embedder)
    said = {_words_of(replace(task, instruction=words)) for words in (task.instruction, *earlier)}
    for (preference, context), value in zip(places, alike, strict=True):
        if context.instruction.strip() and is_once(preference.description):
            here = not context.folder or is_inside(task.folder, context.folder)
            fit = float(here and _words_of(context) in said)
        else:
            by_kind = _by_kind(preference, context, task)
            # A rule that the person confirmed by itself is of whatever it speaks of.
            spoken = about[preference.id] if context.folder or preference.suggestion is not None else 0.0
            fit = _fit(context, task, value, spoken, by_kind=by_kind)
        near[preference.id] = max(near[preference.id], fit)
    return near


def _words_of(context: Context) -> str:
    return " ".join(context.instruction[:LONGEST_TASK].split())


def _is_meant_for_others(preference: Preference, task: Context) -> bool:
    """Whether a preference names kinds of work that it is meant for, and a task is of another."""
    meant = _kinds_meant(preference)
    return bool(meant) and is_known(kind_of(task.instruction)) and meant.isdisjoint(kinds_asked(task.instruction))


def _kinds_meant(preference: Preference) -> frozenset[str]:
    """The kinds that a wish names; what a run suggested was kept for a place, whatever the work there brings forth."""
    return frozenset() if preference.suggestion is not None else kinds_meant(preference.description)


def _by_kind(preference: Preference, context: Context, task: Context) -> bool | None:
    """Whether what both tasks are to bring forth decides that a preference holds, or that it does not; None for not.

    What is kept for a place holds there whatever the work brings forth: its words say for what they are meant.
    """
    if preference.suggestion is not None or not context.instruction.strip():
        return None
    if _is_meant_for_others(preference, task):
        return False
    named = _kinds_meant(preference)
    if named & kinds_asked(task.instruction):  # it says itself what it is for, beside whatever else the task asks for
        return True
    said_of, kind = kind_of(context.instruction), kind_of(task.instruction)
    meant = named or {said_of, *kinds_named(preference.description)}
    if kind and kind in meant:
        return None if kind == CODE else True
    return False if is_known(kind) and is_known(said_of) else None


def _spoken_of(preferences: Sequence[Preference], task: Context, embedder: Embedder) -> dict[str, float]:
    """How much the words of each preference speak of a task: as far as they are alike, or share a word of content."""
    alike = cosine_similarities(embedder, task.instruction, [preference.description for preference in preferences])
    words = topics(task.instruction)
    return {
        preference.id: max(value, ALIKE) if topics(preference.description) & words else value
        for preference, value in zip(preferences, alike, strict=True)
    }


def _fit(context: Context, task: Context, alike: float, about: float = 0.0, *, by_kind: bool | None = None) -> float:
    """How well one context fits a task, in [0, 1]; 0 where it does not hold.

    Args:
        alike: How alike the words of both tasks are.
        about: How much the preference itself speaks of the task, where that is enough.
        by_kind: What the kinds of both tasks decide.
    """
    # All work in one folder is of one family, so there it says nothing.
    informed = not context.folder and context.family == task.family and task.family not in _UNINFORMATIVE_FAMILIES
    if by_kind is False and not informed:
        return 0.0
    if context.folder:
        if not is_inside(task.folder, context.folder):
            return 0.0
        if by_kind or not context.instruction.strip():  # said of the folder, it holds whatever the words are
            return max(ALIKE, alike)
        # Said of one task there. Another one is in the same project, so it is enough that the wish speaks of it.
        return max(alike, about) if max(alike, about) >= ALIKE else 0.0
    if informed or by_kind:
        return max(ALIKE, alike)
    if not context.instruction.strip():
        return max(ALIKE, alike) if context.covers(task) else 0.0
    return max(alike, about) if max(alike, about) >= ALIKE else 0.0


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
        provenance=_provenance(preference),
        status=KEPT_FACT if preference.is_fact else "",
        edit="\n".join(edit_lines(edit.before, edit.after)) if edit is not None else "",
        questions=tuple(sorted({act.question for act in preference.acts} - {""})),
    )


def _provenance(preference: Preference) -> str:
    """Who kept what a run suggested, and of a fact which run showed it; "" for what the person said unasked."""
    suggestion = preference.suggestion
    if suggestion is None:
        return ""
    kept = f"by {preference.author} on {preference.date}"
    return f"shown by run {suggestion.run}, confirmed {kept}" if preference.is_fact else f"kept {kept}"
