"""How a move is called so that claims on it meet in several variations of a task: by what its things are in the goal.

Where a goal names a thing, another variation names another one in the same place, as in "move it to the red box" and
"move it to the blue box". Its least general generalisation over both (Plotkin 1970) has a variable there. The variable
is called by the words before it, so that one goal is enough to find it, and another goal to fill it in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from evolve_worlds import Move

GOAL = "<goal:"
"""How a place begins that stands for what the goal names."""
OTHER = "<a thing that the goal does not name>"
"""Stands for any thing that shares no word with the goal."""

_ARTICLES = frozenset(("the", "a", "an", "a(n)", "your"))
_PLAIN = frozenset(
    re.findall(
        r"\w+",
        "and are around as at away by for from if in into is it its located near next of on onto or out over that then "
        "to until up via when which will with you",
    )
)
"""Words that end the name of a thing, and that no two things have in common by more than chance."""
_WORD = re.compile(r"a\(n\)|-?\d+(?:\.\d+)?|[a-z0-9]+(?:['-][a-z0-9]+)*|[,:;.!?]", re.IGNORECASE)
_PLACE = re.compile(r"<goal: ([^<>#]*?) …(?: #(\d+))?>")
_LONGEST = 4
"""Words of a thing's name that are read from a goal at most."""


def words(text: str) -> tuple[str, ...]:
    """Its words in small letters, without articles and marks."""
    return tuple(one for one in _tokens(text) if one[0] not in ",:;.!?")


def _tokens(text: str) -> list[str]:
    return [one for one in _WORD.findall(text.lower()) if one not in _ARTICLES]


@dataclass(frozen=True)
class Naming:
    """The things of one goal.

    Attributes:
        named: Things that the goal names, so that they are found within the names of others.
    """

    goal: str
    named: tuple[str, ...] = ()

    @cached_property
    def _words(self) -> tuple[str, ...]:
        return words(self.goal)

    @cached_property
    def _inner(self) -> Sequence[tuple[tuple[str, ...], str]]:
        known = {words(one): place for one in self.named if (place := self.place(one))}
        return sorted(known.items(), key=lambda one: (-len(one[0]), one))

    def place(self, thing: str) -> str:
        """Where the goal names a thing, such as ``<goal: it to …>``; "" where it does not."""
        own, whole = words(thing), self._words
        starts = [at for at in range(len(whole) - len(own) + 1) if own and whole[at : at + len(own)] == own]
        if not starts:
            return ""
        before = whole[max(0, starts[0] - 2) : starts[0]]
        same = sum(whole[max(0, at - 2) : at] == before for at in range(starts[0] + 1))
        return f"<goal: {' '.join(before)} …{f' #{same}' if same > 1 else ''}>"

    def asks_for(self, schema: str) -> bool:
        """Whether the goal says what a kind of move says, such as ``focus on``."""
        own, whole = words(schema.replace("{}", " ")), self._words
        return bool(own) and any(whole[at : at + len(own)] == own for at in range(len(whole)))

    def key(self, move: Move) -> str:
        """The move with what its things are in the goal; things that the goal does not name keep their names."""
        return move.schema.format(*(self._thing(one) for one in move.objects))

    def keys(self, move: Move, *, any_other: bool = False) -> tuple[str, ...]:
        """How a move is called: by its things, and by what those that share words with the goal have in common.

        Args:
            any_other: Also as one with any things that the goal does not name.
        """
        told = [self.key(move), move.schema.format(*(self._kin(one) or self._thing(one) for one in move.objects))]
        told += [move.schema.format(*map(self._part, move.objects))] if any_other else []
        return tuple(dict.fromkeys(told))

    def _thing(self, thing: str) -> str:
        place = self.place(thing)
        if place:
            return place
        told = f" {' '.join(words(thing))} "
        for inner, within in self._inner:
            told = told.replace(f" {' '.join(inner)} ", f" {within} ")
        return told.strip() if "<goal:" in told else thing

    def _kin(self, thing: str) -> str:
        """What a thing has in common with the goal; "" where the goal names it, or has nothing of it."""
        if self._thing(thing) != thing:
            return ""
        shared = [one for one in words(thing) if one in self._words and one not in _PLAIN and not one.isdigit()]
        return f"<some {' '.join(shared)}>" if shared else ""

    def _part(self, thing: str) -> str:
        told = self._thing(thing)
        return self._kin(thing) or (OTHER if told == thing else told)


def filled_in(key: str, goal: str) -> str:
    """A move by its key as another goal has it; a place that is not found there stays."""
    return _PLACE.sub(lambda found: _thing_at(goal, found[1], int(found[2] or 1)) or found[0], key)


def said(key: str) -> str:
    """A move by its key as people read it."""

    def place(found: re.Match[str]) -> str:
        behind = f'after "{found[1]}"' if found[1] else "at its beginning"
        return f"[what the goal names {behind}{f', time {found[2]}' if found[2] else ''}]"

    return re.sub(r"<([^<>]*)>", r"[\1]", _PLACE.sub(place, key))


def _thing_at(goal: str, before: str, number: int) -> str:
    """What a goal names behind some words: up to a mark, or a word that stands between names."""
    own = before.split()
    tokens = [one for one in _WORD.findall(goal) if one.lower() not in _ARTICLES]
    plain = [(at, one.lower()) for at, one in enumerate(tokens) if one[0] not in ",:;.!?"]
    ends = [at for at in range(len(own), len(plain)) if [one for _, one in plain[at - len(own) : at]] == own]
    if len(ends) < number:
        return ""
    start = plain[ends[number - 1]][0]
    thing: list[str] = []
    for one in tokens[start : start + _LONGEST + 1]:
        if one[0] in ",:;.!?" or one.lower() in _PLAIN:
            break
        thing.append(one)
    return " ".join(thing) if len(thing) <= _LONGEST else ""


def read_move(text: str, offered: Mapping[str, Move], schemas: Iterable[str]) -> Move | None:
    """A move as its kind and things, by what was offered; None where it is like nothing that was."""
    if text in offered:
        return offered[text]
    for schema in sorted(schemas, key=lambda one: (-len(one), one)):
        pattern = "(.+)".join(map(re.escape, schema.split("{}")))
        found = re.fullmatch(pattern, text)
        if found:
            return Move(schema=schema, objects=found.groups())
    return None
