"""The package as it is installed and described: what it needs, what it adds, what its pages name."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import evolve
import evolve_worlds
from tests.beside import Beside

PACKAGE = Beside("evolve-worlds")
CALLS = {
    "lab trials": "ws.trials",
    "lab worlds list": "evolve_worlds.worlds.list",
    "lab worlds check": "evolve_worlds.worlds.check",
    "lab worlds play": "evolve_worlds.worlds.play",
}


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have():
    PACKAGE.check_needs()


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name():
    PACKAGE.check_offers()


def test_every_command_has_its_call_in_python_and_on_the_page(command_tree, tmp_path):
    importlib.import_module("evolve_worlds.worlds")
    with evolve.open(tmp_path / "ws") as opened:
        PACKAGE.check_calls(CALLS, command_tree, {"ws": opened, "evolve_worlds": evolve_worlds})


def test_the_pages_name_commands_that_there_are(command_tree):
    PACKAGE.check_pages(command_tree, 10)


@pytest.mark.parametrize("name", [name for name in PACKAGE.pages if name.endswith(("README", "worlds", "own-world"))])
def test_a_page_is_read_in_one_sitting(name):
    assert PACKAGE.text(name).count("\n") <= 200


def test_opening_the_doors_loads_no_world():
    heavy = ("gymnasium", "minigrid", "py4j", "scienceworld", "textworld")
    doors = [f"evolve_worlds{part}" for part in ("", ".environment", ".experience", ".experiments", ".commands.worlds")]
    script = f"import sys, {', '.join(doors)}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.mark.slow
def test_the_wheel_has_the_prompt_and_alone_the_package(tmp_path: Path):
    PACKAGE.check_wheel(tmp_path, "prompts/act-worlds.md")


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path):
    PACKAGE.check_alone(tmp_path)
