"""The package as it is installed and described: what it needs, what it adds, what its pages name."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from tests.beside import Beside

PACKAGE = Beside("evolve-evaluators")
CALLS = {
    "lab metrics list": "ws.metrics.list",
    "lab metrics show": "ws.metrics.show",
    "lab metrics propose": "ws.metrics.propose",
    "lab metrics edit": "ws.metrics.edit",
    "lab judges": "ws.judges.check",
}


def test_it_needs_the_evolve_of_this_tree_which_no_index_can_have():
    PACKAGE.check_needs()


def test_what_it_says_that_it_adds_is_there_and_asked_for_by_its_name():
    PACKAGE.check_offers()


def test_every_command_has_its_call_in_python_and_on_the_page(command_tree, tmp_path):
    with evolve.open(tmp_path / "ws") as opened:
        PACKAGE.check_calls(CALLS, command_tree, {"ws": opened})


def test_the_pages_name_commands_that_there_are(command_tree):
    PACKAGE.check_pages(command_tree, 8)


@pytest.mark.parametrize("name", PACKAGE.pages)
def test_a_page_is_read_in_one_sitting(name):
    assert PACKAGE.text(name).count("\n") <= 200


@pytest.mark.slow
def test_the_wheel_has_alone_the_package(tmp_path: Path):
    PACKAGE.check_wheel(tmp_path)


@pytest.mark.slow
def test_without_evolve_it_is_not_installed(tmp_path: Path):
    PACKAGE.check_alone(tmp_path)
