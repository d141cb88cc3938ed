"""What a goal and a move have in common by their words, and how a move of one goal reads in another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cached_property

from evolve_worlds import Move

ARTICLES = frozenset(("the", "a", "an", "a(n)", "your"))
PRONOUNS = frozenset(("it", "them", "this", "that", "one", "thing"))
NAMED = "<named>"
"""Stands for an object that the goal names, whatever it is, so that what is learned of it holds for other goals."""

LATER = "<later>"
"""Begins what stands for an object of a part of the goal whose turn has not come; the connectives follow."""

ELSEWHERE = 0.6
"""How much an object counts that an earlier sentence of the goal names: ``the substance`` refers back to it."""
PARTLY = 0.3


def words(text: str) -> tuple[str, ...]:
    """Its words in small letters, without articles and marks."""
    found = re.findall(r"a\(n\)|-?\d+(?:\.\d+)?|[a-z0-9]+(?:'[a-z]+)?", text.lower())
    return tuple(one for one in found if one not in ARTICLES)


def within(part: Sequence[str], whole: Sequence[str]) -> bool:
    """Whether words stand together in others."""
    size = len(part)
    return size > 0 and any(tuple(whole[at : at + size]) == tuple(part) for at in range(len(whole) - size + 1))


def likeness(one: str, other: str) -> float:
    """The share of words that two texts have in common (Dice), 0.0 to 1.0."""
    left, right = set(words(one)), set(words(other))
    return 2 * len(left & right) / (len(left) + len(right)) if left and right else 0.0


@dataclass(frozen=True)
class Goal:
    """What is to be reached, sentence by sentence.

    Attributes:
        later: The things of parts whose turn has not come, each with the connectives between that part and the next.
    """

    text: str
    later: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    _features: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)
    _wants: dict[tuple[Move, str], tuple[float, int]] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        return tuple(words(one) for one in re.split(r"[.!?;](?:\s+|$)", self.text) if one.strip())

    @cached_property
    def words(self) -> frozenset[str]:
        return frozenset(word for sentence in self.sentences for word in sentence)

    def names(self, thing: str) -> bool:
        """Whether the whole name of a thing stands in the goal."""
        return self._of(thing) == (NAMED,)

    def features(self, thing: str) -> tuple[str, ...]:
        """What is remembered of a thing: its words, without those of the goal, and whether the goal names it.

        Of what the goal asks for later that is remembered instead, as it may do harm before its turn.
        """
        return (f"{LATER} {self.later[thing]}",) if thing in self.later else self._of(thing)

    def _of(self, thing: str) -> tuple[str, ...]:
        if thing not in self._features:
            own = words(thing)
            named = any(within(own, sentence) for sentence in self.sentences)
            rest = tuple(word for word in own if word not in self.words) or (thing,)
            self._features[thing] = (NAMED,) if named else rest
        return self._features[thing]

    def wants(self, move: Move, topic: str = "") -> tuple[float, int]:
        """How far the goal's words ask for a move, 0.0 to 1.0, and by which sentence.

        Args:
            topic: The thing that pronouns of the goal stand for now.
        """
        key = (move, topic)
        if key not in self._wants:
            told = [(self._asked(move, at, topic), -at) for at in range(len(self.sentences))]
            best, at = max(told, default=(0.0, 0))
            self._wants[key] = (best, -at)
        return self._wants[key]

    def told_before(self, thing: str, at: int) -> bool:
        """Whether a sentence names a thing, or one before it does."""
        own = words(thing)
        return any(within(own, sentence) for sentence in self.sentences[: at + 1])

    def first(self, thing: str) -> bool:
        """Whether a thing is named in the first half of a sentence."""
        own = words(thing)
        return any(within(own, one[: (len(one) + len(own)) // 2]) for one in self.sentences)

    def commands(self, schema: str) -> bool:
        """Whether the goal says what a schema says."""
        own = words(schema.replace("{}", " "))
        return any(within(own, sentence) for sentence in self.sentences)

    def _asked(self, move: Move, at: int, topic: str) -> float:
        sentence = self.sentences[at]
        own = words(move.schema.replace("{}", " "))
        verb = sum(word in sentence for word in own) / len(own) if own else 0.0
        if not move.objects:
            return verb / 2
        pronoun = not PRONOUNS.isdisjoint(sentence)
        slots = [1.0 if pronoun and thing == topic else self._there(thing, at) for thing in move.objects]
        return verb / 2 + sum(slots) / len(slots) / 2

    def _there(self, thing: str, at: int) -> float:
        own = words(thing)
        if within(own, self.sentences[at]):
            return 1.0
        if any(within(own, sentence) for sentence in self.sentences[:at]):
            return ELSEWHERE
        return PARTLY * sum(word in self.words for word in own) / len(own) if own else 0.0


def lifted(goal: str, other: str) -> Mapping[str, str]:
    """What stands for what where two goals differ: their least general generalisation over words (Plotkin 1970).

    The variables of the generalisation are the stretches in which a longest common subsequence leaves them different:
    sentence by sentence where both have as many, since a thing may be named in one and in the next one here.
    """
    own, others = Goal(goal).sentences, Goal(other).sentences
    if len(own) != len(others):
        own, others = (words(goal),), (words(other),)
    pairs: dict[str, str] = {}
    for left, right in zip(own, others, strict=True):
        for kind, start, end, begin, stop in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
            if kind == "replace":
                pairs.setdefault(" ".join(left[start:end]), " ".join(right[begin:stop]))
    return pairs


def carried_over(thing: str, pairs: Mapping[str, str]) -> str:
    """A thing of one goal as the other one has it; itself, where both have it."""
    own = " ".join(words(thing))
    if own in pairs:
        return pairs[own]
    for left, right in sorted(pairs.items(), key=lambda one: -len(one[0])):
        if within(left.split(), own.split()):
            return f" {own} ".replace(f" {left} ", f" {right} ").strip()
    return thing


def filled(schema: str, things: Sequence[str]) -> Iterator[Move]:
    """Moves of a schema with some things, up to two at once."""
    slots = schema.count("{}")
    if slots == 1:
        yield from (Move(schema=schema, objects=(one,)) for one in things)
    elif slots == 2:
        yield from (Move(schema=schema, objects=(one, other)) for one in things for other in things if one != other)
