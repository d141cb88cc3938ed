"""Values offered as an installed package would offer them: by a line of metadata on the import path."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import EntryPoints
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from evolve.improve.optimizer.engine import Engine


_NUMBERS = itertools.count(1)


def put_metadata(site: Path, package: str, points: Mapping[str, Mapping[str, str]]) -> None:
    """What an installer leaves of a package in ``site``: ``{group: {name: "module:value"}}``."""
    folder = site / f"{package.replace('-', '_')}-1.0.dist-info"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in of.items()) for group, of in points.items()
    ]
    (folder / "entry_points.txt").write_text("\n".join(lines))


@contextmanager
def offering(folder: Path, seam: str, name: str, place: str) -> Iterator[None]:
    """While it lasts, the name of the seam stands for what is at ``module:name``."""
    put_metadata(folder / "site", f"evolve-{name}", {f"evolve.{seam}": {name: place}})
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder / "site")
        yield


def hide(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """No package offers anything until the test ends.

    Args:
        folder: An empty folder of the test: what packages offer is remembered by the import path.
    """
    patch.syspath_prepend(folder)
    patch.setattr("importlib.metadata.entry_points", lambda **_: EntryPoints(()))


def offer(patch: pytest.MonkeyPatch, site: Path, seam: str, name: str, value: Any) -> None:
    """Offers a value of the test under a name of a seam until the test ends.

    Args:
        site: An empty folder of the test.
    """
    module = ModuleType(f"offered_{next(_NUMBERS)}")
    module.__dict__["value"] = value
    patch.setitem(sys.modules, module.__name__, module)
    put_metadata(site, "evolve-toy", {f"evolve.{seam}": {name: f"{module.__name__}:value"}})
    patch.syspath_prepend(site)


def offer_engine(patch: pytest.MonkeyPatch, folder: Path, engine: Engine) -> None:
    """Offers an engine under its name until the test ends.

    Args:
        folder: A folder of the test.
    """
    from evolve.improve.optimizer.engine import EngineKind

    kind = EngineKind(name=engine.name, changes=frozenset({"workflow", "knobs"}), make=lambda parts: engine)
    offer(patch, folder / f"site-{next(_NUMBERS)}", "engines", engine.name, kind)
