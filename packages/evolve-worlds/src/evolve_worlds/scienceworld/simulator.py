"""One simulator in its Java process: houses and steps."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory

from evolve_worlds.scienceworld.java import answer_at_once, module
from evolve_worlds.scienceworld.listing import House, Listed
from evolve_worlds.world import Scene, WorldFault

_JAVA = ("-XX:+UseSerialGC", "-Xmx700m", "-XX:+UnlockExperimentalVMOptions", "-XX:hashCode=2")
"""A tenth of the memory that Java would take, and one identity hash for all objects."""

_PATIENCE = 60.0
"""Seconds for one answer; loading the largest house takes half of one."""


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
        self._random = module(jvm, "scala.util.Random$")

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
        self._house = House(self._gateway.jvm, self._server)

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
        return self._house.reached()

    def moves(self, reached: Mapping[int, str], view: str) -> Listed:
        """Moves with all that is within reach."""
        return self._house.moves(reached, view)
