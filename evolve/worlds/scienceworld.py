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
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from evolve.errors import EnvironmentProblem, UsageError
from evolve.worlds.packages import installed_version, loaded, one_line
from evolve.worlds.scienceworld_moves import MovesByKind
from evolve.worlds.world import Move, Scene, Split, WorldFault

_JAVA = ("-XX:+UseSerialGC", "-Xmx700m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""A tenth of the memory that Java would take, and one identity hash for all objects."""

_PATIENCE = 60.0
"""Seconds for one answer; loading the largest house takes half of one."""

_SIMPLE = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
_FAILED_AFTER_STEP = "Ambiguous request"


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
                numbers = re.findall(r"^(\d+):", asked, re.MULTILINE)
                self._moves[key] = tuple(Move(schema=one) for one in numbers) if asked else simulator.moves()
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
        self._fits = MovesByKind()
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
        """Where it begins; until something is done the simulator tells the score and the end of the last trial."""
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

    def moves(self) -> tuple[Move, ...]:
        """Moves with all that is within reach, in alphabetical order."""
        return self._fits.moves(self._server)
