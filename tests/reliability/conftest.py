"""A small real workspace with one of everything: runs, insights, a note, skills, a promoted variant."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import evolve
from tests.cli.conftest import cli, command_tree
from tests.reliability.workspaces import fill

__all__ = ["cli", "command_tree"]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Made once; tests work on copies."""
    folder = tmp_path_factory.mktemp("made") / "ws"
    fill(folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return evolve.init(shutil.copytree(made, tmp_path / "ws"), trust=True).paths.root
