"""The package as it is installed and described: what it needs, what it adds, what its page names."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.beside import Beside

PACKAGE = Beside("evolve-tools")


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have():
    PACKAGE.check_needs()


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name():
    PACKAGE.check_offers()


def test_it_takes_of_evolve_what_doors_offer():
    allowed = {
        "evolve.core.episodes",
        "evolve.core.errors",
        "evolve.core.files",
        "evolve.runtime.functions",
        "evolve.runtime.functions.servers",
    }
    found = {
        node.module
        for path in PACKAGE.folder.glob("src/**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "evolve"
    }
    assert found <= {*allowed, "evolve.core.lazy"}


def test_the_page_names_commands_that_there_are_and_is_read_in_one_sitting(command_tree):
    PACKAGE.check_pages(command_tree, 4)
    assert PACKAGE.text("README").count("\n") <= 200


def test_naming_its_kinds_loads_nothing_heavy():
    heavy = ("anyio", "httpx2", "mcp", "yaml")
    script = f"import sys, evolve_tools.kinds; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ast.literal_eval(done.stdout) == []


@pytest.mark.slow
def test_the_wheel_has_alone_the_package(tmp_path: Path):
    PACKAGE.check_wheel(tmp_path, "openapi/service.py")


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path):
    PACKAGE.check_alone(tmp_path)
