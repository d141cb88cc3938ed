"""What can be done in a scene of ScienceWorld, with all that is within reach."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from evolve_worlds.scienceworld.java import module
from evolve_worlds.world import Move

_PLACED = re.compile(r" (?:in|on) ")  # a name that says where it is was drawn from several
_WORD = re.compile(r"[\w'-]+")
_HOLDS = " containing "
_NOT_OFFERED = frozenset({"", "reset task", "task"})  # the second undoes the score, the third repeats the goal
_TELEPORT = "teleport to "
_GOING, _GO = "go to #", "go #"  # its list of templates has the second
_NUMBER = re.compile(r"#(\d+)")
_BEYOND = "?"  # what is not within reach


@dataclass(frozen=True, kw_only=True)
class Listed:
    """Moves, and the same with things called as they are seen."""

    plain: tuple[Move, ...]
    seen: tuple[Move, ...]


class House:
    """A house of the simulator, as its moves are listed.

    The package lists moves by making names for everything in the house first, which takes about half of the time.
    Here its list is made with the numbers of things in place of names, and rooms are named once.
    """

    def __init__(self, jvm: Any, server: Any) -> None:
        self._jvm = jvm
        self._server = server
        self._inside = server.agentInterface().get()
        self._agent = self._inside.agent()
        self._parser = jvm.scienceworld.input.InputParser
        self._things: dict[int, Any] = {}
        self._numbers = module(jvm, "scala.collection.immutable.Map$").empty().withDefaultValue(_BEYOND)
        self._numbered: set[int] = set()

    @cached_property
    def _all(self) -> Any:
        return self._array(self._inside.universe(), closed=True)

    @cached_property
    def _rooms(self) -> Any:
        """A name for each room, among others."""
        return self._inside.inputParser().getAllUniqueReferentsLUTObjList(self._all, self._here(), True, True)

    def reached(self) -> dict[int, str]:
        """A name for each thing in the room that is not closed in, by its number; some are drawn at random."""
        return {int(number): str(name) for number, name in self._table("getPossibleObjectReferentLUTJSON").items()}

    def moves(self, reached: Mapping[int, str], view: str) -> Listed:
        """Moves with all that is within reach, by the names that people would use, in alphabetical order."""
        carried = self._carried()
        called = {
            int(number): list(dict.fromkeys(one["referents"]))
            for number, one in self._table("getAllObjectIdsTypesReferentsLUTJSON").items()
            if int(number) in reached or int(number) in carried
        }
        names = self._names(reached, called)
        seen = as_seen(names, called, view)
        found: dict[str, set[Move]] = {"plain": set(), "seen": set()}
        for schema, numbers, rooms in self._listed(names):
            found["plain"].add(Move(schema=schema, objects=rooms or tuple(names[number] for number in numbers)))
            found["seen"].add(Move(schema=schema, objects=rooms or tuple(seen[number] for number in numbers)))
        return Listed(**{kind: tuple(sorted(moves, key=_order)) for kind, moves in found.items()})

    def _listed(self, names: Mapping[int, str]) -> Iterator[tuple[str, Sequence[int], tuple[str, ...]]]:
        """Of each move its schema, the numbers of its things, and the room that it leads to by name."""
        if self._inside.inputParser().isInAmbiguousState():
            for one in self._table("getValidActionObjectCombinationsJSON")["validActions"]:
                if all(number in names for number in one["obj_ids"]):
                    yield one["action"], one["obj_ids"], ()
            return
        for number in names.keys() - self._numbered:
            self._numbers = self._numbers.updated(number, f"#{number}")
            self._numbered.add(number)
        near = self._array(self._here(), closed=False)
        made = self._jvm.scienceworld.input.ActionDefinitions.mkPossibleActions(
            self._agent, near, self._all, self._numbers, self._rooms
        )
        told = str(self._jvm.scala.runtime.ScalaRunTime.stringOf(made))
        for text in told.removeprefix("Array(").removesuffix(")").split(", "):
            numbers = [int(number) for number in _NUMBER.findall(text)]
            if text.startswith(_TELEPORT):  # leads out of sight too
                yield _TELEPORT + "{}", (), (text.removeprefix(_TELEPORT),)
            elif text not in _NOT_OFFERED and _BEYOND not in text and all(number in names for number in numbers):
                yield _NUMBER.sub("{}", text.replace(_GOING, _GO)), numbers, ()

    def _names(self, reached: Mapping[int, str], called: Mapping[int, Sequence[str]]) -> dict[int, str]:
        """A name for each thing within reach: the plain one, or one that says where it is if others have that too."""
        names = dict(reached)
        often = Counter(name for own in called.values() for name in own)
        alike = []
        for number, own in called.items():
            if number in names and often[names[number]] <= 1 and not _PLACED.search(names[number]):
                continue
            names[number] = _shortest([name for name in own if often[name] == 1])
            if not names[number]:
                alike.append(number)
        if alike:
            shared = {name for number in alike for name in called[number]}
            near = [number for number, own in called.items() if not shared.isdisjoint(own)]
            told = {number: self._placed(number) for number in near}
            among = Counter(name for own in told.values() for name in own)
            for number in alike:
                best = _shortest([name for name in told[number] if among[name] == 1 and name not in often])
                names[number] = best or _shortest(called[number])
        return names

    def _carried(self) -> set[int]:
        """Numbers of what is carried, and not closed in."""
        held = self._inside.inputParser().getAllUniqueReferentsLUT(self._agent.getInventoryContainer(), False, False)
        return {int(number) for number in held.keySet().mkString(" ").split()}

    def _placed(self, number: int) -> set[str]:
        """The names of a thing with those that say where it is."""
        for place in (self._here(), self._agent, self._inside.universe()):
            if number not in self._things:  # things keep their numbers
                self._things |= {int(one.uuid()): one for one in self._array(place, closed=True)}
        return set(map(str, self._parser.getObjectReferents(self._things[number], self._agent)))

    def _here(self) -> Any:
        return self._inside.getAgentVisibleObjects(False)._2()

    def _array(self, place: Any, *, closed: bool) -> Any:
        """What is in a place, the place included; with what is closed in."""
        kind = self._jvm.java.lang.Class.forName("scienceworld.struct.EnvObject")
        tag = module(self._jvm, "scala.reflect.ClassTag$").apply(kind)
        return self._parser.collectObjects(place, closed).toArray(tag)

    def _table(self, method: str) -> dict[str, Any]:
        return dict(json.loads(getattr(self._server, method)()))


def as_seen(names: Mapping[int, str], called: Mapping[int, Sequence[str]], view: str) -> dict[int, str]:
    """What the view calls each thing: of its names the longest that stands there, if none that moves call otherwise has
    it too; else its name in moves."""
    text, seen = _words(view), dict(names)
    holders: dict[str, set[str]] = {}
    for number, own in called.items():
        for name in own:
            holders.setdefault(name, set()).add(names[number])
    for number, own in called.items():
        lasting = [name for name in own if _HOLDS not in name]  # what is in a thing changes
        there = [name for name in lasting if len(holders[name]) == 1 and _words(name) in text]
        if _words(names[number]) in text:  # then only what says more
            there = [name for name in there if _words(names[number]) in _words(name)]
        seen[number] = max(there, key=lambda name: (len(name), name), default=names[number])
    return seen


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _order(move: Move) -> tuple[str, tuple[str, ...]]:
    return move.schema, move.objects


def _shortest(names: Sequence[str]) -> str:
    return min(names, key=lambda name: (len(name), name), default="")
