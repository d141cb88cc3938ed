"""The package as it is installed and described: what it needs, what it adds, what its page names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.beside import Beside
from tests.cli.conftest import command_tree

__all__ = ["command_tree"]

PACKAGE = Beside("evolve-chroma")


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have() -> None:
    PACKAGE.check_needs()


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name() -> None:
    PACKAGE.check_offers()


def test_the_page_names_commands_that_there_are(command_tree: Any) -> None:
    PACKAGE.check_pages(command_tree, 1)


@pytest.mark.slow
def test_the_wheel_has_the_package_and_nothing_else(tmp_path: Path) -> None:
    PACKAGE.check_wheel(tmp_path)


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path) -> None:
    PACKAGE.check_alone(tmp_path)
