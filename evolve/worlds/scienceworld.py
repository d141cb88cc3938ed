"""ScienceWorld: thirty tasks of elementary science in a house with ten rooms (Wang et al. 2022, EMNLP).

The simulator is a program for the Java machine that comes in the package ``scienceworld``; it is talked to by ``py4j``
directly, since the package's own step computes every valid action anew, which takes ten times as long. Three things
make the same moves lead to the same scenes, which the simulator alone does not promise: objects have no hash of their
own, so that sets of them keep their order; the random numbers of animals and pollen are drawn anew from the number of
the move; and whatever looks at the world does so outside of this sequence.

Neither the path to the goal nor the sub-goals are asked for. The package tells of moves with what lies behind closed
doors; those are left out, as the simulator refuses them.
"""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evolve.errors import EnvironmentProblem, UsageError
from evolve.worlds.packages import installed_version, loaded, one_line
from evolve.worlds.world import Move, Scene, Split, WorldFault

_JAVA = ("-XX:+UseSerialGC", "-Xmx700m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""A tenth of the memory that Java would take, and one identity hash for all objects."""

_PATIENCE = 60.0
"""Seconds for one answer; loading the largest house takes half of one."""

_SIMPLE = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
_FAILED_AFTER_STEP = "Ambiguous request"
_NOT_OFFERED = frozenset({12, 24})  # "reset task" undoes the score, "task" repeats the goal
_LISTED = 2000  # scenes whose moves are kept


class ScienceWorld:
    """The tasks of ScienceWorld.

    Args:
        simplification: What is made easier, as the package names it, with commas between; "" for nothing.

    Raises:
        UsageError: There is no such simplification.
    """

    name = "scienceworld"

    def __init__(self, simplification: str = "easy") -> None:
        wrong = [part for part in simplification.split(",") if part and part not in _SIMPLE]
        if wrong:
            raise UsageError(f"ScienceWorld has no simplification {wrong[0]!r}", hint=", ".join(_SIMPLE))
        self._simplification = simplification
        self._package = loaded("scienceworld", extra="scienceworld")
        self._simulator: _Simulator | None = None
        self._current: _ScienceTrial | None = None
        self._splits: dict[str, Mapping[str, Sequence[int]]] = {}
        self._moves: dict[tuple[str, str], tuple[Move, ...]] = {}

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
        """What the simulator accepts in the scene; the same for scenes that look alike."""
        scene = trial.scene
        asked = scene.told if scene.told.startswith(_FAILED_AFTER_STEP) else ""
        key = (scene.view, asked)
        if key not in self._moves:
            if len(self._moves) >= _LISTED:
                self._moves.clear()
            with self._running(trial) as simulator:
                self._moves[key] = simulator.moves()
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
        if self._simulator is None:
            self._simulator = _Simulator(self._package.constants.JAR_PATH)
        try:
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
        EnvironmentProblem: There is no Java.
        WorldFault: It does not start.
    """

    def __init__(self, jar: str) -> None:
        from py4j.java_gateway import GatewayParameters, JavaGateway, launch_gateway

        try:
            port, token, self._process = launch_gateway(
                classpath=jar,
                javaopts=list(_JAVA),
                java_path=None,
                die_on_exit=True,
                enable_auth=True,
                return_proc=True,
            )
        except FileNotFoundError as error:
            raise EnvironmentProblem(
                "ScienceWorld runs on Java, which is not installed", hint="apt-get install default-jre-headless"
            ) from error
        except ValueError as error:  # it ended without naming its port
            raise WorldFault("Java did not start; java -version may say why") from error
        parameters = GatewayParameters(port=port, auth_token=token, read_timeout=_PATIENCE)
        self._gateway = JavaGateway(gateway_parameters=parameters, java_process=self._process)
        jvm = self._gateway.jvm
        self._server = jvm.scienceworld.runtime.pythonapi.PythonInterface()
        self._lists = jvm.scienceworld.runtime.pythonapi.PythonInterface()
        self._parser = jvm.scienceworld.input.InputParser
        self._random = jvm.java.lang.Class.forName("scala.util.Random$").getField("MODULE$").get(None)

    def end(self) -> None:
        """Ends the process, whatever state it is in."""
        from py4j.protocol import Py4JError

        with contextlib.suppress(Py4JError, OSError):
            self._gateway.shutdown()
        self._process.kill()
        self._process.wait()
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
        """Where it begins."""
        return self._scene(str(self._server.freeActionLook()))

    def step(self, move: str, number: int) -> Scene:
        """Plays a move; the random numbers that follow are those of its number."""
        self._random.setSeed(number)
        return self._scene(str(self._server.step(move)))

    def _scene(self, told: str) -> Scene:
        score = float(self._server.getScore())
        over = bool(self._server.getCompleted()) or score < 0.0
        view = f"{self._server.freeActionLook()}\n{self._server.freeActionInventory()}".strip()
        return Scene(told=told.strip(), view=view, score=min(1.0, max(0.0, score)), over=over, lost=score < 0.0)

    def moves(self) -> tuple[Move, ...]:
        """Moves with all that is within reach, by the names that people would use, in alphabetical order."""
        listed = json.loads(self._server.getValidActionObjectCombinationsJSON())["validActions"]
        templates = json.loads(self._server.getPossibleActionsWithIDs())
        examples = {one["template_id"]: str(one["action_example"]) for one in templates}
        names = self._names()
        found = set()
        for one in listed:
            numbers = one["obj_ids"]
            if one["template_id"] in _NOT_OFFERED or any(number not in names for number in numbers):
                continue
            schema = _schema(examples.get(one["template_id"]), one["action"])
            found.add(Move(schema=schema, objects=tuple(names[number] for number in numbers)))
        return tuple(sorted(found, key=lambda move: (move.schema, move.objects)))

    def _names(self) -> dict[int, str]:
        """A name for each thing within reach: the plain one, or one that says where it is if others have that too."""
        names = {int(number): str(name) for number, name in self._table("getPossibleObjectReferentLUTJSON").items()}
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
            if number in names and often[names[number]] <= 1:
                continue
            names[number] = _shortest([name for name in own if often[name] == 1])
            if not names[number]:
                alike.append(number)
        if alike:
            around = {**self._things(inside.getAgentVisibleObjects(True)._2()), **carried}
            told = {number: set(map(str, self._parser.getObjectReferents(around[number], agent))) for number in alike}
            among = Counter(name for called in told.values() for name in called)
            for number, called in told.items():
                best = _shortest([name for name in called if among[name] == 1 and name not in often])
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
