"""Carries out moves in words on a grid, step by step, by what was seen and nothing else."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from evolve_worlds.minigrid.sight import AHEAD, Cell, Content, Sight, Thing, around
from evolve_worlds.world import Move

# The package's numbers of primitive actions.
_LEFT, _RIGHT, _FORWARD, _PICK_UP, _DROP, _TOGGLE = range(6)


@dataclass(kw_only=True)
class Walker:
    """An agent on the grid of a level.

    Attributes:
        grid: The level's environment. Its views, its reward and whether it has ended are all that is taken from it.
        steps: Primitive actions so far; each counts in the level's own limit.
    """

    grid: Any
    sight: Sight = field(default_factory=Sight)
    steps: int = 0
    reward: float = 0.0
    ended: bool = False
    failed: bool = False

    def moves(self) -> list[Move]:
        """What can be said to it now."""
        sight = self.sight
        lying = [thing for thing in sight.things if thing.cell is not None]
        found = [Move(schema="explore")]
        found += [Move(schema="go to the {}", objects=(thing.name,)) for thing in lying]
        if sight.carried is None:
            found += [Move(schema="pick up the {}", objects=(one.name,)) for one in lying if one.kind != "door"]
        else:
            found += [Move(schema="drop")]
            found += [Move(schema="drop next to the {}", objects=(one.name,)) for one in lying if one.kind != "door"]
        shut = [one for one in lying if one.kind == "door" and sight.state(one) != "open"]
        return found + [Move(schema="open the {}", objects=(thing.name,)) for thing in shut]

    def do(self, text: str) -> str:
        """Does what is said; gives what came of it in a sentence."""
        for order, act in (
            ("go to the ", self._go_to),
            ("pick up the ", self._pick_up),
            ("open the ", self._open),
            ("drop next to the ", self._drop_next_to),
        ):
            if text.startswith(order):
                thing = self.sight.known(text.removeprefix(order))
                return act(thing) if thing is not None else "You have seen no such thing."
        if text == "drop":
            return self._drop()
        if text == "explore":
            return self._explore()
        return "You cannot do that here."

    def _go_to(self, thing: Thing) -> str:
        if not self._reach(thing.cell):
            return f"You know no way to the {thing.name}."
        return f"You stand before the {thing.name}."

    def _pick_up(self, thing: Thing) -> str:
        if thing.kind == "door":
            return "You cannot pick up a door."
        if self.sight.carried is not None:
            return f"You already carry the {self.sight.carried.name}."
        if not self._reach(thing.cell):
            return f"You know no way to the {thing.name}."
        if not self.ended:
            thing.cell, self.sight.carried = None, thing
            self._act(_PICK_UP)
        return f"You carry the {thing.name}."

    def _open(self, thing: Thing) -> str:
        if thing.kind != "door":
            return f"You cannot open the {thing.name}."
        if self.sight.state(thing) == "open":
            return f"The {thing.name} is already open."
        if not self._reach(thing.cell):
            return f"You know no way to the {thing.name}."
        if not self.ended:
            self._act(_TOGGLE)
        return f"The {thing.name} is {self.sight.state(thing)}."

    def _drop(self) -> str:
        if self.sight.carried is None:
            return "You carry nothing."
        for cell in (self.sight.ahead, *around(self.sight.cell)):
            if self.sight.free(cell):
                return self._put(cell)
        return "There is no room here."

    def _drop_next_to(self, thing: Thing) -> str:
        sight = self.sight
        if sight.carried is None:
            return "You carry nothing."
        places = [cell for cell in around(thing.cell or sight.cell) if sight.free(cell) or cell == sight.cell]
        ways = [(way, cell) for cell in places if (way := self._way_beside(cell)) is not None]
        if not ways:
            return f"You know no free place next to the {thing.name}."
        way, place = min(ways, key=lambda one: len(one[0]))
        self._walk(way)
        return self._put(place)

    def _put(self, cell: Cell) -> str:
        """Lays down what is carried on a free cell beside it."""
        thing = self.sight.carried
        if not self.ended and thing is not None:
            self._face(cell)
        if self.ended or thing is None:
            return "You ran out of time."
        thing.cell, self.sight.carried = cell, None
        self.sight.seen[cell] = Content(kind=thing.kind, color=thing.name.split()[0])
        self._act(_DROP)
        return f"You dropped the {thing.name}."

    def _explore(self) -> str:
        """Walks to the edges of what was seen, the nearest first, until something is seen for the first time."""
        before = len(self.sight.things)
        while not self.ended and len(self.sight.things) == before:
            way = self.sight.way(self.sight.edge)
            if way is None:
                return "There is nothing more to be seen without opening a door or clearing the way."
            self._walk(way)
            unseen = [cell for cell in around(self.sight.cell) if cell not in self.sight.seen]
            if unseen and not self.ended:
                self._face(unseen[0])
        found = [thing.name for thing in self.sight.things[before:]]
        return f"You find the {' and the '.join(found)}." if found else "You look around."

    def _reach(self, target: Cell | None) -> bool:
        """Walks to a cell beside the target and faces it; false where no way is known."""
        way = self._way_beside(target) if target is not None else None
        if way is None or target is None:
            return False
        self._walk(way)
        if not self.ended:
            self._face(target)
        return True

    def _way_beside(self, target: Cell) -> list[Cell] | None:
        return self.sight.way(lambda cell: target in around(cell))

    def _walk(self, way: list[Cell]) -> None:
        for cell in way:
            if not self.ended:
                self._face(cell)
            if not self.ended:
                self.sight.cell = cell
                self._act(_FORWARD)

    def _face(self, cell: Cell) -> None:
        """Turns to a cell beside it, the shorter way round."""
        wanted = AHEAD.index((cell[0] - self.sight.cell[0], cell[1] - self.sight.cell[1]))
        while self.sight.direction != wanted and not self.ended:
            right = (wanted - self.sight.direction) % 4 <= 2
            self.sight.direction = (self.sight.direction + (1 if right else -1)) % 4
            self._act(_RIGHT if right else _LEFT)

    def _act(self, action: int) -> None:
        view, reward, terminated, truncated, _ = self.grid.step(action)
        self.steps += 1
        self.reward = float(reward)
        self.ended = bool(terminated or truncated)
        self.failed = bool(terminated) and self.reward <= 0.0
        self.sight.look(view["image"])

    def seen_in_words(self) -> str:
        """What is in view, what is remembered, and what is carried."""
        sight = self.sight
        here = [
            self._told(one, self._where(one.cell)) for one in sight.things if one.cell and one.cell in sight.in_view
        ]
        known = [self._told(one, []) for one in sight.things if one.cell and one.cell not in sight.in_view]
        lines = [f"You see {', '.join(here)}." if here else "You see nothing but floor and walls."]
        lines += [f"You remember {', '.join(known)}."] if known else []
        return "\n".join([*lines, f"You carry {f'the {sight.carried.name}' if sight.carried else 'nothing'}."])

    def _told(self, thing: Thing, where: list[str]) -> str:
        more = ", ".join(part for part in (self.sight.state(thing), *where) if part)
        return f"the {thing.name} ({more})" if more else f"the {thing.name}"

    def _where(self, cell: Cell) -> list[str]:
        across, down = cell[0] - self.sight.cell[0], cell[1] - self.sight.cell[1]
        ahead, right = AHEAD[self.sight.direction], AHEAD[(self.sight.direction + 1) % 4]
        forward = across * ahead[0] + down * ahead[1]
        aside = across * right[0] + down * right[1]
        parts = [f"{forward} ahead"] if forward else []
        return parts + ([f"{abs(aside)} to the {'right' if aside > 0 else 'left'}"] if aside else [])
