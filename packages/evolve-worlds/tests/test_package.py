"""The package as it is installed and described: what it needs, what it adds, what its pages name."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import evolve
import evolve_worlds
from evolve.extensions import PACKAGES, installed
from tests.architecture.source import ROOT
from tests.architecture.test_python_api import commands
from tests.cli.test_docs import problem, typed

PACKAGE = ROOT / "packages" / "evolve-worlds"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]
PAGES = ("README", *(f"docs/{path.stem}" for path in sorted((PACKAGE / "docs").glob("*.md"))))
CALLS = {
    "lab trials": "ws.trials",
    "lab worlds list": "evolve_worlds.worlds.list",
    "lab worlds check": "evolve_worlds.worlds.check",
    "lab worlds play": "evolve_worlds.worlds.play",
}


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have():
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = [one for one in map(Requirement, PROJECT["dependencies"]) if one.name == core["name"]]
    assert Version(core["version"]) in needed.specifier
    assert not [text for text in ("0.1.0", "0.1.0.post1", "0.2", "99") if Version(text) in needed.specifier]
    assert Version(PROJECT["version"]).local


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name():
    for group, points in PROJECT["entry-points"].items():
        for name, place in points.items():
            module, _, attribute = place.partition(":")
            assert getattr(importlib.import_module(module), attribute) is not None
            assert installed(group.removeprefix("evolve."))[name] == PROJECT["name"]
            assert name.endswith(".md") or PACKAGES[name] == PROJECT["name"]


def test_every_command_has_its_call_in_python_and_on_the_page(command_tree, tmp_path):
    added = [one for one in commands(command_tree) if one.split()[1:2] in (["trials"], ["worlds"])]
    assert sorted(added) == sorted(CALLS)
    page = (PACKAGE / "README.md").read_text("utf-8")
    with evolve.open(tmp_path / "ws") as opened:
        for command, call in CALLS.items():
            found = {"ws": opened, "evolve_worlds": evolve_worlds}[call.split(".")[0]]
            for part in call.split(".")[1:]:
                importlib.import_module("evolve_worlds.worlds")
                found = getattr(found, part)
            assert callable(found) and f"| `evolve {command}` | `{call}" in page


def test_the_pages_name_commands_that_there_are(command_tree):
    found = [(name, words) for name in PAGES for words in typed(f"../packages/evolve-worlds/{name}")]
    assert len(found) > 10
    assert [(name, words) for name, words in found if problem(words, command_tree)] == []


@pytest.mark.parametrize("name", [name for name in PAGES if name.endswith(("README", "worlds", "own-world"))])
def test_a_page_is_read_in_one_sitting(name):
    assert (PACKAGE / f"{name}.md").read_text("utf-8").count("\n") <= 200


def test_opening_the_doors_loads_no_world():
    heavy = ("gymnasium", "minigrid", "py4j", "scienceworld", "textworld")
    doors = [f"evolve_worlds{part}" for part in ("", ".environment", ".experience", ".experiments", ".commands.worlds")]
    script = f"import sys, {', '.join(doors)}; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == []


@pytest.mark.slow
def test_the_wheel_has_the_prompt_and_alone_the_package(tmp_path: Path):
    build = f"import hatchling.build as b; b.build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=PACKAGE, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert {"evolve_worlds/prompts/act-worlds.md", "evolve_worlds/py.typed"} <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"evolve_worlds"}


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path):
    words = ["-q", "--no-index", "--no-build-isolation", "--target", str(tmp_path), str(PACKAGE)]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *words], capture_output=True, text=True)
    assert done.returncode != 0 and "No matching distribution found for evolve-learn==0.1.0+source" in done.stderr
    assert not list(tmp_path.iterdir())
