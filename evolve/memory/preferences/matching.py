"""Finds the preferences that hold for a task, and tells whether two of them agree, contradict, or add something.

Similarity alone cannot tell "day first" from "month first", so a contradiction is recognised by rule only: the same
words with a negation, or with one value in place of another of its kind. What is not recognised stays as two wishes,
of which the newer one is told first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from evolve.core.episodes import KEPT_FACT, PREFERENCE, Recalled
from evolve.memory.preferences.kinds import (
    CODE,
    artifact_kind,
    is_known,
    is_once,
    kinds_asked,
    kinds_meant,
    kinds_named,
)
from evolve.memory.preferences.preference import is_inside
from evolve.memory.preferences.quotes import edit_lines
from evolve.runtime.retrieval import WordIndex, fuse_rankings, split_words

if TYPE_CHECKING:
    from evolve.memory.preferences.preference import Preference, PreferenceContext
    from evolve.runtime.retrieval import Embedder


YOU_SAID = "you said"
"""Stands before the words of the person that a suggestion rests on."""
_SAME = 0.75
"""Share of the content words of two texts, of all that either has, from which one tells nothing beside the other."""

ALIKE = 0.3
"""Cosine of the content words of two tasks from which they are alike. With the hashing encoder, fifteen pairs of
everyday requests had at least 0.37 where they were alike and at most 0.05 where they were not."""

_STOP_WORDS_TEXT = """
a an and any are as at be been but by can could did do does every for from give had has have he her here his how i
if in into is it its just let like list make me must my of on or our out please prefer preferred prefers really shall
she should show so such than that the their them then there these they thing this those to too us want wanted wants was
we were what when where which who will wish with would write you your
"""
_FREQUENCY_TEXT = "all always anymore each ever every generally henceforth now only simply still usually"
_NEGATION_TEXT = "not no never without avoid dont doesnt stop instead omit nor neither cannot cant wont"
_STOP_WORDS = frozenset(_STOP_WORDS_TEXT.split())
_FREQUENCY_WORDS = frozenset(_FREQUENCY_TEXT.split())
_NEGATIONS = frozenset(_NEGATION_TEXT.split())
_ALTERNATIVES: tuple[frozenset[str], ...] = tuple(
    frozenset(line.split())
    for line in (
        "day month year weekday",
        "first last",
        "upper lower title",
        "uppercase lowercase",
        "ascend descend",
        "tab space",
        "short long brief detailed",
        "comma dot point semicolon colon dash hyphen slash underscore",
        "one two three four five six seven eight nine ten zero",
        "eur usd gbp chf euro dollar pound",
        "left right centre center",
        "before after",
        "above below",
        "true false",
        "single double",
        "english german french spanish italian portuguese dutch",
        "british american",
        "formal informal casual",
        "json csv yaml xml markdown html text",
        "metric imperial",
        "kilometre mile kilometer",
        "celsius fahrenheit",
        "round truncate",
        "more less fewer",
        "monday sunday",
    )
)


def content_words(text: str) -> list[str]:
    """The words that say what a text is about, without endings."""
    plain = text.replace("'", "").replace("’", "")
    return [_stem(word) for word in split_words(plain) if word not in _STOP_WORDS]


def same_meaning(first: str, second: str) -> bool:
    """Whether two wishes consist of the same content words and are both, or neither, negated."""
    mine, theirs = _meaning(first), _meaning(second)
    return bool(mine[0]) and mine == theirs


def is_contradiction(first: str, second: str) -> bool:
    """Whether two wishes differ by a negation alone, or by one value in place of another of its kind."""
    (mine, no), (theirs, other_no) = _meaning(first), _meaning(second)
    if not mine or not theirs:
        return False
    if no != other_no:
        return mine == theirs
    left, right = mine - theirs, theirs - mine
    # Something in common besides, or any two short wishes would contradict each other.
    if len(left) != 1 or len(right) != 1 or not mine & theirs:
        return False
    value, other = next(iter(left)), next(iter(right))
    numbers = value.isdigit() and other.isdigit()
    return numbers or any(value in kind and other in kind for kind in _ALTERNATIVES)


def topic_words(text: str) -> frozenset[str]:
    """The content words of a text without negations and such as "always"."""
    return _meaning(text)[0]


def is_negated(text: str) -> bool:
    """Whether a text is negated, such as by "not" or "never"."""
    return _meaning(text)[1]


def cosine_similarities(embedder: Embedder, text: str, others: Sequence[str]) -> list[float]:
    """How alike a task is to each of the others, as the cosine of their content words."""
    if not others:
        return []
    vectors = embedder.encode([" ".join(content_words(task)) or task for task in (text, *others)])
    return [float(vectors[0] @ vector) for vector in vectors[1:]]


def is_new(
    text: str, preferences: Sequence[Preference], known: Sequence[str] = (), *, said: Sequence[str] = ()
) -> bool:
    """Whether neither a preference of whatever status nor another text says this, and none in force denies it.

    Args:
        said: Words of the person that it rests on; where an earlier act has the same, it is no news in other words.
            What the person says against what is in force is news.
    """
    denied = not said and any(is_contradiction(one.description, text) for one in preferences if one.status == "active")
    texts = [*known, *(words for one in preferences for words in (one.description, one.proposal) if words)]
    acts = [act.text.removeprefix(f"{YOU_SAID}: ") for one in preferences for act in one.acts]
    told = any(_says_the_same(words, act) for words in said for act in acts)
    return not denied and not told and not any(_says_the_same(text, other) for other in texts)


def narrower_preference(
    text: str, preferences: Sequence[Preference], context: PreferenceContext, *, said: Sequence[str] = ()
) -> str:
    """The words of what says the same and is in force for less than a context; "" where the same is settled there."""
    same = [one for one in preferences if not is_new(text, [one], said=said)]
    narrow = [one for one in same if one.status == "active" and not one.is_one_time and not one.covers(context)]
    return narrow[0].description if narrow and len(narrow) == len(same) else ""


def _says_the_same(text: str, other: str) -> bool:
    mine, theirs = topic_words(text), topic_words(other)
    shared = len(mine & theirs) >= _SAME * len(mine | theirs) if mine | theirs else False
    return same_meaning(text, other) or (shared and not is_contradiction(text, other))


def _meaning(text: str) -> tuple[frozenset[str], bool]:
    """The content words of a wish without negations, and whether it is negated."""
    content = content_words(text)
    # Two negations cancel.
    negated = sum(word in _NEGATIONS for word in content) % 2 == 1
    # The stems of such words count, too: that of "always" is no word itself.
    frequency = _FREQUENCY_WORDS | set(map(_stem, _FREQUENCY_WORDS))
    return frozenset(word for word in content if word not in _NEGATIONS and word not in frequency), negated


def _stem(word: str) -> str:
    # Not after s or u: "class" and "status" are no plurals.
    single = re.sub(r"(?<![su])s\Z", "", word) if len(word) > 3 else word
    return re.sub(r"(?:ing|ed)\Z", "", single) if len(single) > 5 else single


_UNINFORMATIVE_FAMILIES = frozenset({"", "words", "files"})
"""Families that say nothing of a task."""
LONGEST_TASK = 2_000
"""Characters of a task's words that a context keeps."""
_WORD_WEIGHT = 0.5
"""Weight of word search beside the encoder's 1."""


def find_preferences(
    preferences: Sequence[Preference], task: PreferenceContext, embedder: Embedder, earlier: Sequence[str] = ()
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
    order = dict(
        fuse_rankings([(1.0, {preference.id: near[preference.id] for preference in holding}), (_WORD_WEIGHT, lexical)])
    )
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
    preferences: Sequence[Preference], task: PreferenceContext, embedder: Embedder, earlier: Sequence[str]
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


def _words_of(context: PreferenceContext) -> str:
    return " ".join(context.instruction[:LONGEST_TASK].split())


def _is_meant_for_others(preference: Preference, task: PreferenceContext) -> bool:
    """Whether a preference names kinds of work that it is meant for, and a task is of another."""
    meant = _kinds_meant(preference)
    return bool(meant) and is_known(artifact_kind(task.instruction)) and meant.isdisjoint(kinds_asked(task.instruction))


def _kinds_meant(preference: Preference) -> frozenset[str]:
    """The kinds that a wish names; what a run suggested was kept for a place, whatever the work there brings forth."""
    return frozenset() if preference.suggestion is not None else kinds_meant(preference.description)


def _by_kind(preference: Preference, context: PreferenceContext, task: PreferenceContext) -> bool | None:
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
    said_of, kind = artifact_kind(context.instruction), artifact_kind(task.instruction)
    meant = named or {said_of, *kinds_named(preference.description)}
    if kind and kind in meant:
        return None if kind == CODE else True
    return False if is_known(kind) and is_known(said_of) else None


def _spoken_of(preferences: Sequence[Preference], task: PreferenceContext, embedder: Embedder) -> dict[str, float]:
    """How much the words of each preference speak of a task: as far as they are alike, or share a word of content."""
    alike = cosine_similarities(embedder, task.instruction, [preference.description for preference in preferences])
    words = topic_words(task.instruction)
    return {
        preference.id: max(value, ALIKE) if topic_words(preference.description) & words else value
        for preference, value in zip(preferences, alike, strict=True)
    }


def _fit(
    context: PreferenceContext,
    task: PreferenceContext,
    alike: float,
    about: float = 0.0,
    *,
    by_kind: bool | None = None,
) -> float:
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
