"""The functions by which code acts in a world: a move, what can be seen, and what can be done."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from string import ascii_uppercase

from evolve.core.episodes import Json
from evolve.runtime.functions import CallAnswer, CallFailed, Function, RecordedCall
from evolve.runtime.retrieval import WordIndex
from evolve_worlds import Described, Move, Scene, Stateful, Trial, World, WorldFault, choices, open_world
from evolve_worlds.environment.work import WORLD_FAILED, WorldWork
from evolve_worlds.experiments import Play, Told, played, told

LISTED = 100
"""Moves that one look-up by words gives at most."""
NEAREST = 10
"""The same where none has all of the words: more would hide that."""

_SHORT = 20
"""Characters of a list of things that is not worth a letter."""
_LONGEST_MOVE = 300
"""Characters; so the record keeps every move whole, however it has to be written there."""


def _function(name: str, description: str, **parameters: str) -> Function:
    properties: dict[str, Json] = {
        one: {"type": "string", "maxLength": _LONGEST_MOVE, "description": told} for one, told in parameters.items()
    }
    schema: dict[str, Json] = {"type": "object", "properties": properties, "additionalProperties": False}
    if name == "act":
        schema["required"] = ["move"]
    return Function(name=name, description=description, parameters=schema, effects=frozenset(), repeatable=True)


FUNCTIONS = (
    _function(
        "act",
        "Makes one move; gives a dict: told, score (0.0 to 1.0), over, left, choices, and what is seen.",
        move="It.",
    ),
    _function("look", "What can be seen now, as text; takes no move."),
    _function(
        "moves", "Possible moves with all of the words, else the nearest; without words all kinds.", words="Words."
    ),
)


class Moving:
    """One trial of a world as functions; implements :class:`~evolve.runtime.functions.FunctionSource`.

    A trial begins the same each time, so it is its moves: one that was cut off is played again up to where it was.
    """

    def __init__(self, work: WorldWork) -> None:
        self._work = work
        self._made: list[str] = []
        self._cut_off: dict[int, list[str]] = {}
        self._kept: dict[tuple[str, ...], object] = {}
        self._stop = work.moves
        self.fault = ""

    def functions(self) -> Sequence[Function]:
        return FUNCTIONS

    def rebuild(self, calls: Sequence[tuple[RecordedCall, CallAnswer | None]]) -> None:
        """What was done before a crash, and answered; it is done again when the trial is needed."""
        made = [call for call, answer in calls if call.function == "act" and answer and answer.state == "answered"]
        self._made = [str(call.arguments["move"]) for call in made]
        for call in made:
            self._cut_off.setdefault(call.step, []).append(str(call.arguments["move"]))

    def stand(self, moves: Sequence[str], step: int, room: int) -> bool:
        """Lets the trial stand where moves lead, if it does not; whether it had to.

        A trial that can go back by itself does so. Else it begins anew, and the moves are made again.

        Args:
            step: The step that goes on from there; what it made before a crash is made too.
            room: Moves that it may make.
        """
        wanted = [*moves, *self._cut_off.pop(step, ())]
        self._stop = min(self._work.moves, len(moves) + room)
        trial = self.__dict__.get("trial")
        if isinstance(trial, Stateful):
            self._kept.setdefault(tuple(self._made), trial.snapshot())
        if wanted == self._made:
            return False
        self._made = wanted
        known = [line for line in self._kept if list(line) == wanted[: len(line)]]
        if isinstance(trial, Stateful) and known:
            line = max(known, key=len)
            trial.restore(self._kept[line])
            for move in wanted[len(line) :]:
                self.trial.do(move)
        else:
            self.__dict__.pop("trial", None)
        return True

    @cached_property
    def restores(self) -> bool:
        """Whether the trial can go back without a move being made again."""
        begun = self.__dict__.get("trial") or self.world.start(self._work.task, self._work.variation)
        return isinstance(begun, Stateful)

    @cached_property
    def world(self) -> World:
        return open_world(self._work.world)

    @cached_property
    def trial(self) -> Trial:
        """The trial, where it stands.

        Raises:
            WorldFault: The world failed.
        """
        trial = self.world.start(self._work.task, self._work.variation)
        self._kept.clear()  # they were of another trial
        for move in self._made:
            trial.do(move)
        return trial

    @property
    def scene(self) -> Scene:
        return self.trial.scene

    @property
    def made(self) -> Sequence[str]:
        """The moves that were made, in order."""
        return self._made

    @property
    def left(self) -> int:
        """Moves that may still be made."""
        return 0 if self.scene.over else max(0, self._stop - len(self._made))

    @property
    def most(self) -> int:
        """Moves of one line of play at most."""
        return self._work.moves

    def call(self, name: str, arguments: Mapping[str, Json], *, seconds: float) -> Json:
        try:
            if name == "act":
                return self._act(str(arguments["move"]))
            if name == "look":
                return self.scene.view or self.scene.told
            return list(self.listed(str(arguments.get("words", ""))))
        except WorldFault as failure:
            self.fault = str(failure)
            raise CallFailed(f"{WORLD_FAILED}: {failure}") from failure

    def listed(self, words: str = "") -> Sequence[str]:
        """Possible moves: those that have the words of a text or, without one, all of them by their kind.

        Code goes through the list, so nothing but moves stands in it.
        """
        trial = self.trial
        moves = trial.described() if isinstance(trial, Described) else trial.moves()
        if not self._work.fitting:
            return [move.text for move in moves]
        if not words:
            return by_kind(moves)
        return fitting(moves, words)

    def retold(self, moves: Sequence[str]) -> Told | None:
        """What claims on moves need of them, made in another trial; None where the world failed."""
        try:
            return told(self._work.place, self.world.start(self._work.task, self._work.variation), moves)
        except WorldFault:
            return None

    def replay(self, moves: Sequence[str]) -> Play:
        """What comes of moves in another trial."""
        try:
            return played(self.world.start(self._work.task, self._work.variation), moves)
        except WorldFault as failure:
            return Play(fault=str(failure))

    def close(self) -> None:
        if "world" in self.__dict__:
            self.world.close()

    def _act(self, move: str) -> Json:
        before = self.scene
        if before.over:
            raise CallFailed("the trial is over")
        if not self.left:
            raise CallFailed(f"all {self._work.moves} moves of the trial are made")
        after = self.trial.do(move)
        self._made.append(move)
        told: dict[str, Json] = {"told": after.told, "score": round(after.score, 4), "over": after.over}
        told["left"] = self.left
        told["choices"] = {} if after.over else dict[str, Json](choices(after.told, self.trial.moves))
        return told | (seen_since(before.view, after.view) if self._work.differences else {"view": after.view})


def fitting(moves: Sequence[Move], words: str) -> list[str]:
    """The moves that have all words of a text, else the few that have most of them; best first (BM25)."""
    index = WordIndex()
    index.add({str(place): move.text for place, move in enumerate(moves)})
    whole = index.scores(words, every=True)
    found = [moves[int(place)].text for place in whole or index.scores(words)]
    index.close()
    return found[: LISTED if whole else NEAREST]


def by_kind(moves: Sequence[Move]) -> list[str]:
    """A line for each kind of move with what can stand in its places; not every pair of these is possible.

    Things that stand in several places alike are listed once, in front, behind a letter.
    """
    kinds: dict[str, list[set[str]]] = {}
    for move in moves:
        places = kinds.setdefault(move.schema, [set() for _ in move.objects])
        for place, thing in zip(places, move.objects, strict=True):
            place.add(thing)
    alone = {thing for places in kinds.values() for place in places for thing in place if len(thing) == 1}
    things = Counter(", ".join(sorted(place)) for places in kinds.values() for place in places)
    often = sorted(one for one, times in things.items() if times > 1 and len(one) > _SHORT)
    often.sort(key=lambda one: -len(one) * things[one])
    free = [letter for letter in ascii_uppercase if letter not in alone]  # a thing may be called so
    letters = dict(zip(often, free, strict=False))
    lines = [f"{letter} = {listed}" for listed, letter in letters.items()]
    for schema, places in kinds.items():
        named = [", ".join(sorted(place)) for place in places]
        lines.append(f"{schema}: {' | '.join(letters.get(one, one) for one in named)}" if named else schema)
    return lines


def seen_since(before: str, after: str) -> dict[str, Json]:
    """The lines of a view that are new, and those that are gone."""
    lines = list(difflib.ndiff(before.splitlines(), after.splitlines()))
    return {
        name: [line[2:].strip() for line in lines if line.startswith(sign) and line[2:].strip()]
        for name, sign in (("new", "+ "), ("gone", "- "))
    }
