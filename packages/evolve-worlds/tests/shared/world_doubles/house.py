"""A small house for tests: one thing is to be chosen and brought to the attic. An encoder knows instruments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from evolve_worlds import Move, Scene, Split, Trial

THINGS = ("lamp", "kettle", "violin", "ladder")
ROOMS = ("hall", "attic", "cellar")
INSTRUMENTS = ("violin", "cello", "harp", "oboe")


@dataclass
class House:
    """One thing is to be chosen and brought to the box in the attic; a wrong choice loses the trial."""

    name: str = "house"
    version: str = "house 1"
    done: int = 0
    kind: str = ""
    """What the goal calls the thing, where it does not name it."""

    def tasks(self) -> Sequence[str]:
        return ("bring",)

    def variations(self, task: str, split: Split) -> Sequence[int]:
        return range(len(THINGS))

    def start(self, task: str, variation: int) -> Trial:
        return Visit(house=self, wanted=THINGS[variation])

    def close(self) -> None:
        return


@dataclass
class Visit:
    """One trial in the house."""

    house: House
    wanted: str
    things: Sequence[str] = THINGS
    room: str = "hall"
    chosen: bool = False
    held: set[str] = field(default_factory=set)
    scene: Scene = field(init=False)

    def __post_init__(self) -> None:
        self.scene = self._told("You are there.")

    @property
    def goal(self) -> str:
        if self.house.kind:
            return f"Find the {self.house.kind}. First, choose the thing. Then, move it to the box in the attic."
        return f"Choose the {self.wanted}. Then move it to the box in the attic."

    def moves(self) -> Sequence[Move]:
        here = [one for one in self.things if self.room == "cellar" or one in self.held]
        found = [Move(schema="go to {}", objects=(one,)) for one in ROOMS if one != self.room]
        for one in here:
            found += [Move(schema=f"{verb} {{}}", objects=(one,)) for verb in ("choose", "pick up", "look at")]
            if self.room == "attic":
                found.append(Move(schema="move {} to {}", objects=(one, "box")))
        return found

    def do(self, move: str) -> Scene:
        self.house.done += 1
        if move not in [one.text for one in self.moves()]:
            self.scene = self._told("That cannot be done.", self.scene.score)
            return self.scene
        verb, _, thing = move.rpartition(" ")
        if verb == "go to":
            self.room = thing
        elif verb == "pick up":
            self.held.add(thing)
        elif verb == "choose":
            if thing != self.wanted:
                self.scene = Scene(told="Wrong.", over=True, lost=True)
                return self.scene
            self.chosen = True
        elif move == f"move {self.wanted} to box" and self.chosen:
            self.scene = Scene(told="Done.", score=1.0, over=True)
            return self.scene
        self.scene = self._told("So it is.", 0.5 if self.chosen else 0.0)
        return self.scene

    def _told(self, told: str, score: float = 0.0) -> Scene:
        seen = self.things if self.room == "cellar" else tuple(sorted(self.held))
        return Scene(told=told, view=f"The {self.room}.\n{', '.join(seen)}", score=score)


class Kinds:
    """An encoder that knows what an instrument is."""

    name, dimension = "kinds", 2

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        return np.array(
            [[1.0, 0.0] if {*INSTRUMENTS, "instrument"} & set(one.split()) else [0.0, 1.0] for one in texts]
        )
