"""The page of names that stay: each is there and explained, and the pages for users import no other."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.source import ROOT

PAGE = ROOT / "docs" / "api.md"
SHOWN = sorted([ROOT / "docs" / "python.md", *(ROOT / "docs").glob("extending*.md")])


def listed() -> list[tuple[list[str], str]]:
    """Every name of the page with the modules in its heading."""
    modules: list[str] = []
    names = []
    for line in PAGE.read_text("utf-8").splitlines():
        if line.startswith("## "):
            modules = line.removeprefix("## ").split(", ")
        elif line.startswith("- "):
            names += [(modules, name) for name in re.findall(r"`([\w.]+)`", line.partition(":")[0])]
    return names


def value_of(modules: list[str], name: str) -> Any:
    """What stands under a name in the first of the modules that has it."""
    *inner, last = name.split(".")
    for module in modules:
        loaded = importlib.import_module(".".join([module, *inner]))
        if hasattr(loaded, last):
            return getattr(loaded, last)
        if hasattr(loaded, "__path__") and importlib.util.find_spec(f"{loaded.__name__}.{last}"):
            return importlib.import_module(f"{loaded.__name__}.{last}")
    return None


def imported(page: Path) -> Iterator[str]:
    """Every name of evolve that the code on a page imports, or takes of ``evolve`` itself."""
    for block in re.findall(r"```python\n(.*?)```", page.read_text("utf-8"), re.S):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "evolve":
                yield from (alias.name for alias in node.names)
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "evolve":
                yield node.attr


def test_the_page_is_short() -> None:
    assert PAGE.read_text("utf-8").count("\n") <= 120


def test_every_listed_name_is_there_and_explained() -> None:
    found = {name: value_of(modules, name) for modules, name in listed()}
    assert [name for name, value in found.items() if value is None] == []
    explained = {name: value for name, value in found.items() if inspect.isclass(value) or inspect.isroutine(value)}
    assert [name for name, value in explained.items() if not inspect.getdoc(value)] == []


@pytest.mark.parametrize("page", SHOWN, ids=lambda page: page.stem)
def test_pages_for_users_import_no_other_name(page: Path) -> None:
    names = {name.split(".")[-1] for _, name in listed()}
    assert sorted(set(imported(page)) - names) == []
