"""The line of Python by which a function is shown."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from evolve.runtime.functions import Function, PythonFunctions
from evolve.runtime.functions.function import signature_of


@dataclass
class Item:
    name: str
    left: int | None


def items(shelf: str) -> list[Item]:
    return []


def one(shelf: str) -> Item:
    return Item("", None)


def counts() -> dict[str, int]:
    return {}


def nothing() -> None: ...


def unsaid(shelf: str): ...


@pytest.mark.parametrize(
    ("function", "shown"),
    [
        (items, 'items(shelf: str) -> list[{"name": str, "left": int | None}]'),
        (one, 'one(shelf: str) -> {"name": str, "left": int | None}'),
        (counts, "counts() -> dict[str, int]"),
        (nothing, "nothing() -> None"),
        (unsaid, "unsaid(shelf: str)"),
    ],
)
def test_what_a_function_gives_is_shown_where_its_annotation_says_so(function, shown):
    assert signature_of(PythonFunctions().add(function)) == shown


@pytest.mark.parametrize(
    "returns",
    [
        {"type": "object", "properties": {f"key{n}": {"type": "string"} for n in range(99)}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
        {"type": "object", "properties": {"ends\nhere": {}}},
        {"type": "array", "items": {"type": "array", "items": {"type": "array", "items": {"type": "array"}}}},
    ],
)
def test_a_type_is_one_short_line_whatever_a_server_says(returns):
    made = Function(name="f", description="", parameters={"type": "object"}, returns=returns)
    shown = signature_of(made)
    assert shown.startswith("f() -> ") and len(shown) < 80 and "\n" not in shown


def test_a_function_that_gives_something_else_is_another():
    made = [
        Function(name="f", description="", parameters={"type": "object"}, returns=returns)
        for returns in ({}, {"type": "string"}, {"type": "integer"})
    ]
    assert len({one.digest for one in made}) == 3
