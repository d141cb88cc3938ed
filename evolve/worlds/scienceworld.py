"""ScienceWorld: thirty tasks of elementary science in a house with ten rooms (Wang et al. 2022, EMNLP).

The simulator is a program for the Java machine that comes in the package ``scienceworld``; it is talked to by ``py4j``
directly, since the package's own step computes every valid action anew, which takes ten times as long. Two things make
the same moves lead to the same scenes, which the simulator alone does not promise: objects have one hash, so sets of
them keep their order, and the random numbers by which animals wander and plants cross follow from the number of the
move, whatever was looked at in between.

Neither the path to the goal nor the sub-goals are asked for. The package tells of moves with what lies behind closed
doors; those are left out, as the simulator refuses them.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import shutil
import signal
import socket
import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from evolve.errors import EnvironmentProblem, UsageError
from evolve.worlds.packages import installed_version, loaded, one_line
from evolve.worlds.world import Move, Scene, Split, WorldFault

_JAVA = ("-XX:+UseSerialGC", "-Xmx700m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""A tenth of the memory that Java would take, and one identity hash for all objects."""

_PATIENCE = 60.0
"""Seconds for one answer; loading the largest house takes half of one."""

_SIMPLE = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
_QUESTION = "Ambiguous request"
_PLACED = re.compile(r" (?:in|on) ")  # a name that says where it is was drawn from several
_NOT_OFFERED = frozenset({12, 24})  # "reset task" undoes the score, "task" repeats the goal
_TELEPORT = "teleport to "
_LISTED = 2000  # scenes whose moves are kept


class ScienceWorld:
    """The tasks of ScienceWorld.

    Args:
        simplification: What is made easier, as the package names it, with commas between; "" for nothing.

    Raises:
        UsageError: There is no such simplification.
        EnvironmentProblem: The package or Java is missing.
    """

    def __init__(self, simplification: str = "easy") -> None:
        wrong = [part for part in simplification.split(",") if part and part not in _SIMPLE]
        if wrong:
            raise UsageError(f"ScienceWorld has no simplification {wrong[0]!r}", hint=", ".join(_SIMPLE))
        self._simplification = simplification
        self.name = "scienceworld" if simplification == "easy" else f"scienceworld:{simplification}"
        self._package = loaded("scienceworld", extra="scienceworld")
        self._java = _java()
        self._simulator: _Simulator | None = None
        self._current: _ScienceTrial | None = None
        self._splits: dict[str, Mapping[str, Sequence[int]]] = {}
        self._moves: dict[tuple[str, ...], tuple[Move, ...]] = {}

    @property
    def version(self) -> str:
        """The package's version and what is made easier."""
        return f"scienceworld {installed_version('scienceworld')} ({self._simplification or 'nothing simplified'})"

    def tasks(self) -> Sequence[str]:
        """Such as ``boil``, in the package's order."""
        from scienceworld.constants import ID2TASK

        return tuple(ID2TASK.values())

    def variations(self, task: str, split: Split) -> Sequence[int]:
        """Half of the variations to learn from, a quarter to develop with, a quarter to report, as the package says."""
        self._check(task)
        if task not in self._splits:
            with self._running() as simulator:
                self._splits[task] = simulator.splits(task, self._simplification)
        return self._splits[task][split]

    def start(self, task: str, variation: int) -> _ScienceTrial:
        """Loads the house of a variation; one simulator serves all trials, one after the other."""
        known = [number for split in ("train", "dev", "test") for number in self.variations(task, split)]
        if variation not in known:
            raise UsageError(f"the task {task} has no variation {variation}", hint=f"0 to {max(known)}")
        with self._running() as simulator:
            simulator.load(task, variation, self._simplification)
            self._current = _ScienceTrial(self, simulator.goal(), simulator.first_scene())
        return self._current

    def close(self) -> None:
        """Ends the Java process."""
        simulator, self._simulator, self._current = self._simulator, None, None
        if simulator is not None:
            simulator.end()

    def step(self, trial: _ScienceTrial, move: str, number: int) -> Scene:
        """Plays a move of the trial that is on."""
        with self._running(trial) as simulator:
            return simulator.step(move, number)

    def moves(self, trial: _ScienceTrial) -> Sequence[Move]:
        """What the simulator accepts in the scene; the same where all that is seen and within reach is the same."""
        scene = trial.scene
        asked = scene.told if scene.told.startswith(_QUESTION) else ""
        with self._running(trial) as simulator:
            reached = simulator.reached()
            key = (scene.view, asked, *sorted(reached.values()))
            if key not in self._moves:
                if len(self._moves) >= _LISTED:
                    self._moves.clear()
                self._moves[key] = simulator.moves(reached)
        return self._moves[key]

    def _check(self, task: str) -> None:
        if task not in self.tasks():
            raise UsageError(f"ScienceWorld has no task {task!r}", hint="evolve worlds list scienceworld")

    @contextlib.contextmanager
    def _running(self, trial: _ScienceTrial | None = None) -> Iterator[_Simulator]:
        """The simulator, started where it is not; once it fails it is ended, and the next trial starts another."""
        from py4j.protocol import Py4JError

        if trial is not None and trial is not self._current:
            raise WorldFault("this trial ended when another one began, or the world was closed")
        with _signals_held():
            if self._simulator is None:
                self._simulator = _Simulator(self._package.constants.JAR_PATH, self._java)
            try:
                self._simulator.look_alive()
                yield self._simulator
            except (Py4JError, OSError, ValueError) as error:
                self.close()
                raise WorldFault(f"the simulator of ScienceWorld failed: {one_line(str(error))[:200]}") from error


class _ScienceTrial:
    """One attempt; ends where another one begins."""

    def __init__(self, world: ScienceWorld, goal: str, scene: Scene) -> None:
        self._world = world
        self._done = 0
        self.goal = goal
        self.scene = scene

    def moves(self) -> Sequence[Move]:
        return () if self.scene.over else self._world.moves(self)

    def do(self, move: str) -> Scene:
        if not self.scene.over:
            self._done += 1
            self.scene = self._world.step(self, one_line(move), self._done)
        return self.scene


class _Simulator:
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
        _answer_at_once(self._gateway)
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

    def moves(self, reached: Mapping[int, str]) -> tuple[Move, ...]:
        """Moves with all that is within reach, by the names that people would use, in alphabetical order."""
        listed = json.loads(self._server.getValidActionObjectCombinationsJSON())["validActions"]
        templates = json.loads(self._server.getPossibleActionsWithIDs())
        examples = {one["template_id"]: str(one["action_example"]) for one in templates}
        names = self._names(reached)
        found = set()
        for one in listed:
            numbers = one["obj_ids"]
            if one["action"].startswith(_TELEPORT):  # shares its number with "go", and leads out of sight too
                found.add(Move(schema=_TELEPORT + "{}", objects=(one["action"].removeprefix(_TELEPORT),)))
            elif one["template_id"] not in _NOT_OFFERED and all(number in names for number in numbers):
                schema = _schema(examples.get(one["template_id"]), one["action"])
                found.add(Move(schema=schema, objects=tuple(names[number] for number in numbers)))
        return tuple(sorted(found, key=lambda move: (move.schema, move.objects)))

    def _names(self, reached: Mapping[int, str]) -> dict[int, str]:
        """A name for each thing within reach: the plain one, or one that says where it is if others have that too."""
        names = dict(reached)
        inside = self._server.agentInterface().get()
        agent = inside.agent()
        carried = self._things(agent.getInventoryContainer())
        plain = {
            int(number): list(dict.fromkeys(one["referents"]))
            for number, one in self._table("getAllObjectIdsTypesReferentsLUTJSON").items()
            if int(number) in names or int(number) in carried
        }
        often = Counter(name for own in plain.values() for name in own)
        alike = []
        for number, own in plain.items():
            if number in names and often[names[number]] <= 1 and not _PLACED.search(names[number]):
                continue
            names[number] = _shortest([name for name in own if often[name] == 1])
            if not names[number]:
                alike.append(number)
        if alike:
            around = {**self._things(inside.getAgentVisibleObjects(True)._2()), **carried}
            shared = {name for number in alike for name in plain[number]}
            near = [number for number, own in plain.items() if not shared.isdisjoint(own)]
            told = {number: set(map(str, self._parser.getObjectReferents(around[number], agent))) for number in near}
            among = Counter(name for called in told.values() for name in called)
            for number in alike:
                best = _shortest([name for name in told[number] if among[name] == 1 and name not in often])
                names[number] = best or _shortest(plain[number])
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


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Ctrl-C and the like wait until Java has answered: py4j 0.10.9 would log one and then fail in its own handling."""
    waiting: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM) if threading.current_thread() is threading.main_thread() else ()
    handlers = {number: known for number in numbers if (known := signal.getsignal(number)) is not None}
    for number in handlers:
        signal.signal(number, lambda number, _: waiting.append(number))
    try:
        yield
    finally:
        for number, known in handlers.items():
            signal.signal(number, known)
        if waiting:
            signal.raise_signal(waiting[0])


def _answer_at_once(gateway: Any) -> None:
    """Confirms each part of an answer at once.

    Java sends answers of more than 8 KiB in parts and waits for each to be confirmed (RFC 896), and the kernel holds a
    confirmation back for 40 ms (RFC 1122, 4.2.3.2); lists of moves are longer than that.
    """
    gateway.jvm.java.lang.System.nanoTime()  # the first call makes the connection
    for connection in gateway._gateway_client.deque if hasattr(socket, "TCP_QUICKACK") else ():
        connection.stream = io.BufferedReader(_AtOnce(connection.socket))


class _AtOnce(io.RawIOBase):
    """What comes over a connection; the kernel forgets the option, so it is set before each part."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        self._connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_QUICKACK, 1)
        return self._connection.recv_into(buffer)


def _java() -> str:
    """The program that runs Java: that of ``JAVA_HOME``, else the one that a shell would find."""
    home = os.environ.get("JAVA_HOME")
    found = shutil.which("java", path=os.path.join(home, "bin") if home else None)
    if found is None:
        raise EnvironmentProblem(
            "ScienceWorld runs on Java, which is not installed", hint="apt-get install default-jre-headless"
        )
    return found


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
