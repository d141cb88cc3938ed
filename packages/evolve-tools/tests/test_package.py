"""The package as it is installed and described: what it needs, what it adds, what its page names."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from evolve.extensions import BUILT_IN, PACKAGES, installed
from tests.architecture.source import ROOT
from tests.cli.test_docs import problem, typed

PACKAGE = ROOT / "packages" / "evolve-tools"
PROJECT = tomllib.loads((PACKAGE / "pyproject.toml").read_text("utf-8"))["project"]


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have():
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    (needed,) = [one for one in map(Requirement, PROJECT["dependencies"]) if one.name == core["name"]]
    assert Version(core["version"]) in needed.specifier
    assert not [text for text in ("0.1.0", "0.1.0.post1", "0.2", "99") if Version(text) in needed.specifier]
    assert Version(PROJECT["version"]).local
    assert "pyyaml" not in {Requirement(one).name.lower() for one in core["dependencies"]}


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name():
    ((group, points),) = PROJECT["entry-points"].items()
    for name, place in points.items():
        module, _, attribute = place.partition(":")
        assert getattr(importlib.import_module(module), attribute) is not None
        assert installed(group.removeprefix("evolve."))[name] == PROJECT["name"] == PACKAGES[f"kind {name}"]
        assert name not in BUILT_IN["functions"]


def test_it_takes_of_evolve_what_doors_offer():
    allowed = {"evolve.episodes", "evolve.errors", "evolve.files", "evolve.functions", "evolve.functions.servers"}
    found = {
        node.module
        for path in PACKAGE.glob("src/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "evolve"
    }
    assert found <= {*allowed, "evolve.lazy"}


def test_the_page_names_commands_that_there_are_and_is_read_in_one_sitting(command_tree):
    found = typed("../packages/evolve-tools/README")
    assert len(found) > 4 and [words for words in found if problem(words, command_tree)] == []
    assert (PACKAGE / "README.md").read_text("utf-8").count("\n") <= 200


def test_naming_its_kinds_loads_nothing_heavy():
    heavy = ("anyio", "httpx2", "mcp", "yaml")
    script = f"import sys, evolve_tools.kinds; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == []


@pytest.mark.slow
def test_the_wheel_has_the_package_alone(tmp_path: Path):
    build = f"import hatchling.build as b; b.build_wheel({str(tmp_path)!r})"
    subprocess.run([sys.executable, "-c", build], cwd=PACKAGE, check=True, capture_output=True)
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        names = set(wheel.namelist())
    assert {"evolve_tools/openapi/service.py", "evolve_tools/py.typed"} <= names
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"evolve_tools"}


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path):
    words = ["-q", "--no-index", "--no-build-isolation", "--target", str(tmp_path), str(PACKAGE)]
    done = subprocess.run([sys.executable, "-m", "pip", "install", *words], capture_output=True, text=True)
    assert done.returncode != 0 and "No matching distribution found for evolve-learn==0.1.0+source" in done.stderr
    assert not list(tmp_path.iterdir())
