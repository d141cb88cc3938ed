"""One simulator in its Java process: houses, steps and lists of moves."""

from __future__ import annotations

import contextlib
import json
import logging
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from tempfile import TemporaryDirectory
from typing import Any

from evolve.worlds.scienceworld.java import answer_at_once
from evolve.worlds.world import Move, Scene, WorldFault

_JAVA = ("-XX:+UseSerialGC", "-Xmx700m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""A tenth of the memory that Java would take, and one identity hash for all objects."""

_PATIENCE = 60.0
"""Seconds for one answer; loading the largest house takes half of one."""

_PLACED = re.compile(r" (?:in|on) ")  # a name that says where it is was drawn from several
_WORD = re.compile(r"[\w'-]+")
_HOLDS = " containing "
_NOT_OFFERED = frozenset({12, 24})  # "reset task" undoes the score, "task" repeats the goal
_TELEPORT = "teleport to "


@dataclass(frozen=True, kw_only=True)
class Listed:
    """Moves, and the same with things called as they are seen."""

    plain: tuple[Move, ...]
    seen: tuple[Move, ...]


class Simulator:
    """The simulator in its Java process.

    Raises:
        WorldFault: It does not start.
    """

    def __init__(self, jar: str, java: str) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

        # Of a process that ended it writes pages, once for each thing that it held; the fault says it in a sentence.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        self._folder = TemporaryDirectory(prefix="evolve-")  # it leaves files in its folder
        try:
            port, token, self._process = launch_gateway(
                classpath=jar,
                javaopts=list(_JAVA),
                java_path=java,
                die_on_exit=True,
                enable_auth=True,
                create_new_process_group=True,  # Ctrl-C is for whoever plays
                return_proc=True,
                cwd=self._folder.name,
            )
        except ValueError as error:  # it ended without naming its port
            raise WorldFault("Java did not start; java -version may say why") from error
        parameters = GatewayParameters(port=port, auth_token=token, read_timeout=_PATIENCE)
        self._gateway = JavaGateway(gateway_parameters=parameters, java_process=self._process)
        answer_at_once(self._gateway)
        jvm = self._gateway.jvm
        self._server = jvm.scienceworld.runtime.pythonapi.PythonInterface()
        self._lists = jvm.scienceworld.runtime.pythonapi.PythonInterface()
        self._parser = jvm.scienceworld.input.InputParser
        self._random = jvm.java.lang.Class.forName("scala.util.Random$").getField("MODULE$").get(None)

    def look_alive(self) -> None:
        """Finds out that the process ended before py4j does.

        Raises:
            OSError: It ended.
        """
        if self._process.poll() is not None:
            raise OSError("its process ended")

    def end(self) -> None:
        """Ends the process, whatever state it is in."""
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()
        self._gateway.close()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()

    def splits(self, task: str, simplification: str) -> Mapping[str, Sequence[int]]:
        """The variations of a task; asked of a second house, so that the trial that is on goes on."""
        self._lists.load(task, 0, simplification, False)
        told = (self._lists.getVariationsTrain(), self._lists.getVariationsDev(), self._lists.getVariationsTest())
        return dict(zip(("train", "dev", "test"), map(tuple, told), strict=True))

    def load(self, task: str, variation: int, simplification: str) -> None:
        """Builds the house; the last word, False, is that no path to the goal is made."""
        self._random.setSeed(0)
        self._server.load(task, variation, simplification, False)
        self._server.reset()

    def goal(self) -> str:
        """What is to be done."""
        return str(self._server.getTaskDescription()).strip()

    def first_scene(self) -> Scene:
        """Where it begins, after a look around: before a first move the simulator tells the score of the last trial.

        What counts at the start already is no gain of whatever is done first.
        """
        return replace(self.step("look around", 0), steps=0)

    def step(self, move: str, number: int) -> Scene:
        """Plays a move; the random numbers that follow are those of its number."""
        self._random.setSeed(number)
        return self._scene(str(self._server.step(move)))

    def _scene(self, told: str) -> Scene:
        score = float(self._server.getScore())
        over = bool(self._server.getCompleted()) or score < 0.0
        bounded = min(1.0, max(0.0, score))
        return Scene(told=told.strip(), view=self._view(), score=bounded, over=over, lost=score < 0.0)

    def _view(self) -> str:
        return f"{self._server.freeActionLook()}\n{self._server.freeActionInventory()}".strip()

    def reached(self) -> dict[int, str]:
        """A name for each thing in the room that is not closed in, by its number. Some are drawn at random, so they are
        drawn by the same numbers each time; the next move has its own."""
        self._random.setSeed(0)
        return {int(number): str(name) for number, name in self._table("getPossibleObjectReferentLUTJSON").items()}

    def moves(self, reached: Mapping[int, str], view: str) -> Listed:
        """Moves with all that is within reach, by the names that people would use, in alphabetical order."""
        listed = json.loads(self._server.getValidActionObjectCombinationsJSON())["validActions"]
        templates = json.loads(self._server.getPossibleActionsWithIDs())
        examples = {one["template_id"]: str(one["action_example"]) for one in templates}
        inside = self._server.agentInterface().get()
        carried = self._things(inside.agent().getInventoryContainer())
        called = {
            int(number): list(dict.fromkeys(one["referents"]))
            for number, one in self._table("getAllObjectIdsTypesReferentsLUTJSON").items()
            if int(number) in reached or int(number) in carried
        }
        names = self._names(reached, called, carried)
        seen = as_seen(names, called, view)
        found: dict[str, set[Move]] = {"plain": set(), "seen": set()}
        for one in listed:
            numbers = one["obj_ids"]
            if one["action"].startswith(_TELEPORT):  # shares its number with "go", and leads out of sight too
                move = Move(schema=_TELEPORT + "{}", objects=(one["action"].removeprefix(_TELEPORT),))
                found["plain"].add(move)
                found["seen"].add(move)
            elif one["template_id"] not in _NOT_OFFERED and all(number in names for number in numbers):
                schema = _schema(examples.get(one["template_id"]), one["action"])
                found["plain"].add(Move(schema=schema, objects=tuple(names[number] for number in numbers)))
                found["seen"].add(Move(schema=schema, objects=tuple(seen[number] for number in numbers)))
        return Listed(**{kind: tuple(sorted(moves, key=_order)) for kind, moves in found.items()})

    def _names(
        self, reached: Mapping[int, str], called: Mapping[int, Sequence[str]], carried: Mapping[int, Any]
    ) -> dict[int, str]:
        """A name for each thing within reach: the plain one, or one that says where it is if others have that too."""
        names = dict(reached)
        inside = self._server.agentInterface().get()
        often = Counter(name for own in called.values() for name in own)
        alike = []
        for number, own in called.items():
            if number in names and often[names[number]] <= 1 and not _PLACED.search(names[number]):
                continue
            names[number] = _shortest([name for name in own if often[name] == 1])
            if not names[number]:
                alike.append(number)
        if alike:
            around = {**self._things(inside.getAgentVisibleObjects(True)._2()), **carried}
            shared = {name for number in alike for name in called[number]}
            near = [number for number, own in called.items() if not shared.isdisjoint(own)]
            agent = inside.agent()
            told = {number: set(map(str, self._parser.getObjectReferents(around[number], agent))) for number in near}
            among = Counter(name for own in told.values() for name in own)
            for number in alike:
                best = _shortest([name for name in told[number] if among[name] == 1 and name not in often])
                names[number] = best or _shortest(called[number])
        return names

    def _table(self, method: str) -> dict[str, Any]:
        return dict(json.loads(getattr(self._server, method)()))

    def _things(self, place: Any) -> dict[int, Any]:
        """What is in a place and not closed in, the place included, by its number."""
        found, things = {}, self._parser.collectAccessibleObjects(place, False).iterator()
        while things.hasNext():
            thing = things.next()
            found[int(thing.uuid())] = thing
        return found


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


def _schema(example: str | None, action: str) -> str:
    """The words of an action with places for its objects.

    What is poured or dunked goes ``into`` another thing: ``in`` would also tell where the first one is.

    Args:
        example: As the package shows the template, such as ``pour OBJ in OBJ``; None for what answers a question.
    """
    if example is None:
        return action
    return example.replace("OBJ", "{}").replace("{} in {}", "{} into {}")
