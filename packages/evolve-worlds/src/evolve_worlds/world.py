"""The protocol of worlds: tasks with variations, trials that begin alike, and moves that change a scene."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

from evolve.core.errors import SetupProblem

Split = Literal["train", "dev", "test"]
"""Which variations of a task: to learn from, to develop with, and to report."""


_UNTELLABLE = ("Cc", "Cs", "Zl", "Zp")  # breaks of lines, and what steers a terminal or cannot be written


def is_tellable(text: str) -> bool:
    """Whether a text is one line that steers no terminal."""
    return text.isprintable() or not any(unicodedata.category(sign) in _UNTELLABLE for sign in text)


class WorldFault(SetupProblem):
    """The world itself failed, as where its process ended; nothing follows from the trial."""


@dataclass(frozen=True, kw_only=True)
class Move:
    """What can be done in a world in one go; the field calls it an action, which in evolve is a piece of code.

    Attributes:
        schema: Its kind, with ``{}`` where an object stands, such as ``pour {} into {}``.
        objects: What stands there, as the world names it.
    """

    schema: str
    objects: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """As it is told to the world."""
        return self.schema.format(*self.objects)


@dataclass(frozen=True, kw_only=True)
class Scene:
    """How things stand after a move, or at the beginning.

    Attributes:
        told: What the world said to the move; at the beginning, what it says there.
        view: What can be seen without a move, such as the room and what is carried; "" where the world shows no more
            than ``told``.
        score: How far the task is done, 0.0 to 1.0. It may fall.
        over: No further move counts.
        lost: It is over because of a move that spoiled the task.
        steps: Steps of the world that the move took, of which a move such as "go to the red ball" takes many; who
            compares what was learned by steps adds them up. Nothing at the beginning.
    """

    told: str
    view: str = ""
    score: float = 0.0
    over: bool = False
    lost: bool = False
    steps: int = 1


class Trial(Protocol):
    """One attempt at one variation of a task, from its beginning."""

    @property
    def goal(self) -> str:
        """What is to be reached, in the world's words."""
        ...

    @property
    def scene(self) -> Scene:
        """How things stand now."""
        ...

    def moves(self) -> Sequence[Move]:
        """What can be done now, in a fixed order; empty where the world cannot tell."""
        ...

    def do(self, move: str) -> Scene:
        """Does something; what is not possible changes nothing, and the scene says so in words.

        Raises:
            WorldFault: The world failed.
        """
        ...


@runtime_checkable
class Stateful(Protocol):
    """Optional: a trial that can go back to where it was without being played again."""

    def snapshot(self) -> object:
        """How things stand, to come back to within this trial."""
        ...

    def restore(self, snapshot: object) -> None:
        """Goes back there."""
        ...


@runtime_checkable
class Described(Protocol):
    """Optional: a trial whose scene calls things otherwise than its moves do."""

    def described(self) -> Sequence[Move]:
        """The moves with things called as the scene calls them, where that tells them apart as well."""
        ...


@runtime_checkable
class World(Protocol):
    """Tasks of one package, with its settings.

    The same moves from the same beginning lead to the same scenes. One trial is played at a time: where another one
    begins, the last one can go on no more.
    """

    @property
    def name(self) -> str:
        """As people call it, such as ``scienceworld``; what is learned is kept under it, so it tells a setting too."""
        ...

    @property
    def version(self) -> str:
        """Package, version and settings; where it differs, what was learned may not hold."""
        ...

    def tasks(self) -> Sequence[str]:
        """Names of the tasks."""
        ...

    def variations(self, task: str, split: Split) -> Sequence[int]:
        """The variations of a task in a split; no variation is in two of them.

        Raises:
            UsageError: There is no such task.
        """
        ...

    def start(self, task: str, variation: int) -> Trial:
        """Begins a trial.

        Raises:
            UsageError: There is no such task or variation.
            WorldFault: The world failed.
        """
        ...

    def close(self) -> None:
        """Ends what it started; closing twice is no error."""
        ...


def identity(world: World) -> str:
    """How a world is told from all others, and from itself before a change: its version, with its name where that does
    not say it."""
    name, version = world.name, world.version
    return version if version.startswith(name.partition(":")[0]) else f"{name} {version}"
