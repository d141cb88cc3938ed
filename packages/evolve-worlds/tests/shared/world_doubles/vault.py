"""A small world for tests: a chest in the hall, whose key lies in the garden and can be spoiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.core.errors import UsageError
from evolve_worlds import Move, Scene, Split, WorldFault

ROOMS = ("hall", "garden")
SOLUTION = ("go garden", "take key", "go hall", "open chest")


@dataclass
class Vault:
    """Implements :class:`~evolve_worlds.World`; every variation is the same but for the colour of the chest."""

    name: str = "vault"
    version: str = "vault 1"
    played: list[str] = field(default_factory=list)

    def tasks(self) -> Sequence[str]:
        return ("open",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        if task not in self.tasks():
            raise UsageError(f"no task {task!r}")
        return {"train": (0, 1), "dev": (2,), "test": (3, 4)}[split]

    def start(self, task: str, variation: int) -> VaultTrial:
        if task not in self.tasks() or not 0 <= variation <= 4:
            raise UsageError(f"no variation {variation} of {task!r}")
        return VaultTrial(self)

    def close(self) -> None:
        self.played.append("closed")


class VaultTrial:
    def __init__(self, world: Vault) -> None:
        self._world = world
        self._room, self._key, self._score, self._over = "hall", "garden", 0.0, ""
        self.goal = "Open the chest in the hall."
        self.scene = self._scene("You wake up.")

    def moves(self) -> Sequence[Move]:
        if self._over:
            return ()
        found = [Move(schema="go {}", objects=(room,)) for room in ROOMS if room != self._room]
        found += [Move(schema="wait")]
        if self._key == self._room:
            found += [Move(schema="take {}", objects=("key",)), Move(schema="bend {}", objects=("key",))]
        if self._room == "hall":
            found += [Move(schema="open {}", objects=("chest",))]
        return found

    def do(self, move: str) -> Scene:
        self._world.played.append(move)
        if move == "break down":
            raise WorldFault("the world broke down")
        if not self._over:
            told = self._done(move) if move in [one.text for one in self.moves()] else "That is not possible."
            self.scene = self._scene(told)
        return self.scene

    def _done(self, move: str) -> str:
        verb, _, thing = move.partition(" ")
        if verb == "go":
            self._room = thing
        elif verb == "take":
            self._key, self._score = "me", 0.5
        elif verb == "bend":
            self._over = "lost"
        elif verb == "open" and self._key == "me":
            self._score, self._over = 1.0, "done"
        elif verb == "open":
            return "It is locked."
        return f"You {move}."

    def _scene(self, told: str) -> Scene:
        lines = [f"You are in the {self._room}."] + (["A key lies here."] if self._key == self._room else [])
        lines += ["You have the key."] if self._key == "me" else []
        return Scene(
            told=told, view="\n".join(lines), score=self._score, over=bool(self._over), lost=self._over == "lost"
        )
