"""The package as it is installed and described: what it needs, what it adds, what its page names."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import evolve_imports
from evolve_imports.team import Team
from tests.beside import Beside

PACKAGE = Beside("evolve-imports")


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have() -> None:
    PACKAGE.check_needs()


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name() -> None:
    PACKAGE.check_offers()


def test_every_command_has_its_call_in_python_and_on_the_page(command_tree: Any) -> None:
    calls = {
        "lab tasks import": "evolve_imports.import_tasks",
        "skills push": "ws.team.push",
        "skills pull": "ws.team.pull",
    }
    places = {"evolve_imports": evolve_imports, "ws": SimpleNamespace(team=Team)}
    PACKAGE.check_calls(calls, command_tree, places)


def test_the_page_names_commands_that_there_are(command_tree: Any) -> None:
    PACKAGE.check_pages(command_tree, 3)


@pytest.mark.slow
def test_the_wheel_has_the_package_and_nothing_else(tmp_path: Path) -> None:
    PACKAGE.check_wheel(tmp_path, "signs.toml", "prompts/corrections.md")


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path) -> None:
    PACKAGE.check_alone(tmp_path)
