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
from collections.abc import Iterator, Mapping, Sequence

from evolve.core.errors import UsageError
from evolve.core.progress import report_activity
from evolve_worlds.opening import installed_version, loaded, one_line
from evolve_worlds.scienceworld.java import java, signals_held
from evolve_worlds.scienceworld.listing import Listed
from evolve_worlds.scienceworld.simulator import Simulator
from evolve_worlds.world import Move, Scene, Split, WorldFault

_SIMPLE = ("easy", "teleportAction", "selfWateringFlowerPots", "openContainers", "openDoors", "noElectricalAction")
_QUESTION = "Ambiguous request"
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
        self._java = java()
        self._simulator: Simulator | None = None
        self._current: _ScienceTrial | None = None
        self._splits: dict[str, Mapping[str, Sequence[int]]] = {}
        self._moves: dict[tuple[str, ...], Listed] = {}

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

    def moves(self, trial: _ScienceTrial) -> Listed:
        """What the simulator accepts in the scene; the same where all that is seen and within reach is the same."""
        scene = trial.scene
        asked = scene.told if scene.told.startswith(_QUESTION) else ""
        with self._running(trial) as simulator:
            reached = simulator.reached()
            key = (scene.view, asked, *sorted(reached.values()))
            if key not in self._moves:
                if len(self._moves) >= _LISTED:
                    self._moves.clear()
                self._moves[key] = simulator.moves(reached, scene.view)
        return self._moves[key]

    def _check(self, task: str) -> None:
        if task not in self.tasks():
            raise UsageError(f"ScienceWorld has no task {task!r}", hint="evolve lab worlds list scienceworld")

    @contextlib.contextmanager
    def _running(self, trial: _ScienceTrial | None = None) -> Iterator[Simulator]:
        """The simulator, started where it is not; once it fails it is ended, and the next trial starts another."""
        from py4j.protocol import Py4JError

        if trial is not None and trial is not self._current:
            raise WorldFault("this trial ended when another one began, or the world was closed")
        with signals_held():
            if self._simulator is None:
                with report_activity("java", "ScienceWorld"):
                    self._simulator = Simulator(self._package.constants.JAR_PATH, self._java)
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
        return () if self.scene.over else self._world.moves(self).plain

    def described(self) -> Sequence[Move]:
        return () if self.scene.over else self._world.moves(self).seen

    def do(self, move: str) -> Scene:
        if not self.scene.over:
            self._done += 1
            self.scene = self._world.step(self, one_line(move), self._done)
        return self.scene
