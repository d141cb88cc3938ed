"""What several tests begin with: made once, and put where it was made before each of them."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import evolve
from evolve.workspace import Workspace


class Begun:
    """States of one folder with a workspace ``ws`` in it, each reached once."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._kept: dict[str, tuple[Any, Path]] = {}

    def at(self, name: str, make: Callable[[Workspace], Any]) -> Any:
        """Puts the folder in the state that ``make`` leaves, and gives what it gave."""
        shutil.rmtree(self.place, ignore_errors=True)
        if name not in self._kept:
            self.place.mkdir()
            with evolve.open(self.place / "ws") as workspace:
                given = make(workspace)
            self._kept[name] = given, shutil.copytree(self.place, self.place.with_name(f"{name} kept"))
        else:
            shutil.copytree(self._kept[name][1], self.place)
            evolve.init(self.place / "ws", trust=True)  # another state may have been there before it
        return self._kept[name][0]
