"""Worlds to test with: those of the package, and the one that docs/own-world.md shows."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator

import pytest

from evolve_worlds import World, open_world
from tests.architecture.source import ROOT
from tests.cli.conftest import cli, command_tree, empty_workspace, made
from tests.environments.conftest import sandbox
from tests.policies.language.conftest import memory, model

__all__ = ["cli", "command_tree", "empty_workspace", "made", "memory", "model", "sandbox"]

_OWN = re.compile(r"^```python\n# evolve_toys/worlds\.py\n(.*?)^```$", re.DOTALL | re.MULTILINE)

WORLDS = ("own", "gymnasium", "minigrid", "scienceworld", pytest.param("textworld", marks=pytest.mark.textworld))

TASKS = {"minigrid": "PutNextLocal", "scienceworld": "use-thermometer", "textworld": "quest-2"}
"""What is played, where it is not the first task."""


@pytest.fixture(scope="module", params=WORLDS)
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    made = own(tmp_path_factory) if request.param == "own" else open_world(request.param)
    yield made
    made.close()


@pytest.fixture
def task(world: World) -> str:
    return TASKS.get(world.name, world.tasks()[0])


def own(folders: pytest.TempPathFactory) -> World:
    (text,) = _OWN.findall((ROOT / "packages" / "evolve-worlds" / "docs" / "own-world.md").read_text("utf-8"))
    file = folders.mktemp("own") / "worlds.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location("own_worlds", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Counter()
