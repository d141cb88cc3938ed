"""What a task of a world is about: the world, its task and variation, and how many moves there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Json
from evolve.tasks.reading.limits import FilePosition

MOST_MOVES = 1_000

WORLD_FAILED = "the world failed"
"""How the error of a fault begins that is a world's."""

_KEYS = {"world": str, "task": str, "variation": int, "moves": int, "differences": bool, "fitting": bool}


@dataclass(frozen=True, kw_only=True)
class WorldWork:
    """One variation of a world's task; implements :class:`~evolve.tasks.work.Work`.

    Attributes:
        world: Name of the world, with its settings where it has some.
        moves: Most moves of the trial.
        differences: A move tells what can be seen now that could not be seen before, and not all that can be seen.
        fitting: Moves are told by their kinds, or those that fit words; else all of them each time.
    """

    world: str
    task: str
    variation: int
    moves: int = 100
    differences: bool = True
    fitting: bool = True
    folder: str = ""
    check: str = ""
    cannot_be_verified: bool = False

    @property
    def kind(self) -> str:
        """``worlds``."""
        return "worlds"

    @property
    def place(self) -> str:
        """World, task and variation; see :class:`~evolve.tasks.work.VariedWork`."""
        return f"{self.world}/{self.task}/{self.variation}"

    def as_json(self) -> Mapping[str, Json]:
        """The work as it stands in a task file."""
        return {name: getattr(self, name) for name in _KEYS}

    def identity(self) -> Mapping[str, Json]:
        """World, task and variation, however they are told."""
        return {name: getattr(self, name) for name in ("world", "task", "variation")}


def world_work(data: Json, place: FilePosition) -> WorldWork:
    """The work that stands in a task file.

    Raises:
        TaskError: It is not as it should be.
    """
    if not isinstance(data, dict):
        raise place.error("expected an object with world, task and variation")
    given: dict[str, Any] = dict(data)
    for name, value in given.items():
        if name not in _KEYS:
            raise place.field_position(name).error("is not known", hint=f"there are {', '.join(_KEYS)}")
        if not isinstance(value, _KEYS[name]) or isinstance(value, bool) != (_KEYS[name] is bool):
            raise place.field_position(name).error(f"expected {_KEYS[name].__name__}")
    for name in ("world", "task", "variation"):
        if name not in given:
            raise place.field_position(name).error("is missing")
    if not 1 <= given.get("moves", 1) <= MOST_MOVES:
        raise place.field_position("moves").error(f"expected 1 to {MOST_MOVES}")
    return WorldWork(**given)
