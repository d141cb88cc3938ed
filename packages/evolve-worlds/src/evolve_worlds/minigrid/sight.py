"""What an agent on a grid knows: a map of what it has seen, drawn from its views alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

Cell = tuple[int, int]
"""Columns to the right of the first cell and rows below it, with the first look to the right."""

AHEAD: Sequence[Cell] = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""The cell ahead by direction; one further turns to the right."""

# As minigrid.core.constants numbers what a cell of a view holds.
_KINDS = {1: "empty", 2: "wall", 3: "floor", 4: "door", 5: "key", 6: "ball", 7: "box", 8: "goal", 9: "lava"}
_COLORS = ("red", "green", "blue", "purple", "yellow", "grey")
_DOORS = ("open", "closed", "locked")
_FREE = ("empty", "floor", "goal")


@dataclass(frozen=True, kw_only=True)
class Content:
    """What a cell holds; ``state`` is that of a door."""

    kind: str
    color: str = ""
    state: str = ""

    @property
    def passable(self) -> bool:
        return self.kind in _FREE or self.state == "open"


@dataclass(kw_only=True)
class Thing:
    """Something that can be spoken of, by the same name wherever it is; without a cell it is carried or gone."""

    name: str
    kind: str
    cell: Cell | None


@dataclass(kw_only=True)
class Sight:
    """All that was seen since the trial began. Where it stands it knows by counting its own steps."""

    cell: Cell = (0, 0)
    direction: int = 0
    seen: dict[Cell, Content] = field(default_factory=dict)
    in_view: set[Cell] = field(default_factory=set)
    things: list[Thing] = field(default_factory=list)
    carried: Thing | None = None

    @property
    def ahead(self) -> Cell:
        """The cell that it faces."""
        return beside(self.cell, self.direction)

    def look(self, image: Any) -> None:
        """Takes in a view.

        Args:
            image: Kinds, colours and states by column and row, shape (7, 7, 3): the last row is where it stands, in
                the middle, and the first is farthest ahead. What it carries is drawn where it stands.
        """
        self.in_view = set()
        ahead, right = AHEAD[self.direction], AHEAD[(self.direction + 1) % 4]
        wide, deep = image.shape[0], image.shape[1]
        for column in range(wide):
            for row in range(deep):
                content = _content(image[column, row])
                far, aside = deep - 1 - row, column - wide // 2
                if content is None or (far == 0 and aside == 0):
                    continue
                cell = (
                    self.cell[0] + far * ahead[0] + aside * right[0],
                    self.cell[1] + far * ahead[1] + aside * right[1],
                )
                self.in_view.add(cell)
                self.seen[cell] = content
        # It stands on a free cell or in an open door, which it saw before it entered.
        self.seen.setdefault(self.cell, Content(kind="empty"))
        self._name_what_is_new()

    def _name_what_is_new(self) -> None:
        for cell in sorted(self.in_view):
            content = self.seen[cell]
            there = self.at(cell)
            if content.kind in ("door", "key", "ball", "box"):
                if there is None:
                    plain = f"{content.color} {content.kind}"
                    alike = sum(thing.name.startswith(plain) for thing in self.things)
                    name = f"{plain} {alike + 1}" if alike else plain
                    self.things.append(Thing(name=name, kind=content.kind, cell=cell))
            elif there is not None:
                there.cell = None

    def at(self, cell: Cell) -> Thing | None:
        """What was seen there and can be spoken of."""
        return next((thing for thing in self.things if thing.cell == cell), None)

    def known(self, name: str) -> Thing | None:
        """What has this name and lies somewhere."""
        return next((thing for thing in self.things if thing.name == name and thing.cell is not None), None)

    def state(self, thing: Thing) -> str:
        """That of a door; "" for other things."""
        return self.seen[thing.cell].state if thing.cell is not None else ""

    def way(self, ends: Callable[[Cell], bool]) -> list[Cell] | None:
        """The cells of a shortest way over free cells that were seen, without the first; None where there is none."""
        came: dict[Cell, Cell | None] = {self.cell: None}
        waiting = deque([self.cell])
        while waiting:
            cell = waiting.popleft()
            if ends(cell):
                return list(_back(came, cell))[::-1][1:]
            for nearby in around(cell):
                if nearby not in came and nearby in self.seen and self.seen[nearby].passable:
                    came[nearby] = cell
                    waiting.append(nearby)
        return None

    def edge(self, cell: Cell) -> bool:
        """Whether a cell beside it was never seen."""
        return any(nearby not in self.seen for nearby in around(cell))

    def free(self, cell: Cell) -> bool:
        """Whether something can be put there."""
        return cell != self.cell and cell in self.seen and self.seen[cell].kind == "empty"


def beside(cell: Cell, direction: int) -> Cell:
    """The cell next to another one."""
    return cell[0] + AHEAD[direction][0], cell[1] + AHEAD[direction][1]


def around(cell: Cell) -> list[Cell]:
    """The four cells beside one."""
    return [beside(cell, direction) for direction in range(4)]


def _content(told: Any) -> Content | None:
    kind = _KINDS.get(int(told[0]))
    if kind is None:
        return None
    door = _DOORS[int(told[2])] if kind == "door" else ""
    return Content(kind=kind, color=_COLORS[int(told[1])], state=door)


def _back(came: dict[Cell, Cell | None], cell: Cell) -> Iterator[Cell]:
    place: Cell | None = cell
    while place is not None:
        yield place
        place = came[place]
