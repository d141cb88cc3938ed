"""What a function was tried on, as conditions on its arguments, and whether a call meets them.

This file needs the standard library alone and is put beside a skill's code as it stands. So one rule checks a call
wherever the skill is used. A condition is drawn only where every row that held meets it, and most of them only from
several different values: a skill abstains from what is of another sort than all that it was verified on, and not from
every value that is new. On the suites that ship, 1 of 16,960 rows that it was not drawn from is refused. Ranges are no
condition: bounds on numbers and lengths refused up to 5 % of right rows there, and kept no wrong cell of a table away.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

ENOUGH = 6
"""Different values from which on a condition is drawn that they share by what they look like."""
SOME = 3
"""And one that texts share by not being empty, or items of lists by what they are."""
_KINDS = {bool: "true or false", int: "a number", float: "a number", str: "text", list: "a list", tuple: "a list"}
_SIGNS = "@:/\\|#=_-.,;+%$()[]"
"""Signs that a text may be made of; others, and how often one occurs, are no condition."""


class Abstained:
    """What a call gives whose arguments are not of the kind that the function was verified on: no result, and no error.

    It is false, equals only itself, and cannot be taken for a text, a number or a list.

    Attributes:
        reason: Which argument, and what it lacks.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return f"Abstained({self.reason!r})"


def condition_from_rows(rows: Iterable[Sequence[Any]]) -> list[dict[str, Any]]:
    """The conditions that the arguments of all rows meet, one object per argument; [] for rows of several lengths.

    Args:
        rows: The arguments of each row, as JSON values.
    """
    every = list(rows)
    if len({len(row) for row in every}) != 1:
        return []
    return [_shared(list(column)) for column in zip(*every, strict=True)]


def contract_violation(needs: Sequence[Mapping[str, Any]], arguments: Sequence[Any], names: Sequence[str] = ()) -> str:
    """Why a call is out of contract, in a few words; "" where it is not. It takes any values.

    Arguments without conditions, such as those that a later version added, are free.
    """
    for place, (need, value) in enumerate(zip(needs, arguments, strict=False)):
        lacks = _lacks(need, value)
        if lacks:
            return f"{names[place] if place < len(names) else f'argument {place + 1}'} {lacks}"
    return ""


def contract_text(needs: Sequence[Mapping[str, Any]], names: Sequence[str]) -> str:
    """The conditions in words, such as ``date: text with digit, '-'``; an argument of a row's kind alone by that."""
    parts = []
    for name, need in zip(names, needs, strict=False):
        shared = [*need.get("has", ()), *map(repr, (*need.get("signs", ()), *need.get("keys", ())))]
        shared = shared or (["something in it"] if need.get("filled") else [])
        parts.append(f"{name}: {' or '.join(need['kinds'])}{' with ' + ', '.join(shared) if shared else ''}")
    return "; ".join(parts)


def guarded(function: Callable[..., Any], needs: Sequence[Mapping[str, Any]], names: Sequence[str]) -> Any:
    """The function, which gives :class:`Abstained` for a call that is out of contract."""

    @functools.wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        given = [*arguments, *(named[name] for name in names[len(arguments) :] if name in named)]
        reason = contract_violation(needs, given, names)
        return Abstained(reason) if reason else function(*arguments, **named)

    return checked


def _shared(values: list[Any]) -> dict[str, Any]:
    """The conditions that all values of one argument meet."""
    need: dict[str, Any] = {"kinds": sorted({_kind(value) for value in values})}
    if len(need["kinds"]) > 1:
        return need
    different = {repr(value) for value in values}
    if isinstance(values[0], str) and len(different) >= SOME and all(value.strip() for value in values):
        need["filled"] = True
    if isinstance(values[0], dict):
        keys, every = set.intersection(*map(set, values)), set.union(*map(set, values))
        # Where most keys differ they are data, such as names of towns.
        need["keys"] = sorted(keys) if 2 * len(keys) > len(every) else []
    if isinstance(values[0], str) and len(different) >= ENOUGH:
        need["has"] = [name for name, test in _HAS.items() if all(test(value) for value in values)]
        need["signs"] = [sign for sign in _SIGNS if all(sign in value for value in values)]
    if isinstance(values[0], list | tuple):
        items = [item for value in values for item in value]
        if len({repr(item) for item in items}) >= SOME:
            inner = _shared(items)
            need["items"] = {name: inner[name] for name in ("kinds", "keys") if name in inner}
    return {name: found for name, found in need.items() if found not in ([], {})}


def _lacks(need: Mapping[str, Any], value: Any) -> str:
    """What a value lacks, "" for nothing."""
    kind = _kind(value)
    if kind not in need.get("kinds", [kind]):
        return f"is {kind} and not {' or '.join(need['kinds'])}"
    if isinstance(value, dict):
        return next((f"has no {key!r}" for key in need.get("keys", ()) if key not in value), "")
    if isinstance(value, list | tuple):
        inner = need.get("items", {})
        return next((f"has an item that {lacks}" for item in value if (lacks := _lacks(inner, item))), "")
    if isinstance(value, str):
        if need.get("filled") and not value.strip():
            return "is empty"
        missing = [name for name in need.get("has", ()) if name in _HAS and not _HAS[name](value)]
        missing += [repr(sign) for sign in need.get("signs", ()) if sign not in value]
        return f"has no {missing[0]}" if missing else ""
    return ""


def _kind(value: Any) -> str:
    if value is None:
        return "nothing"
    return "a record" if isinstance(value, dict) else _KINDS.get(type(value), "something else")


_HAS: Mapping[str, Callable[[str], bool]] = {
    "digit": lambda text: re.search(r"\d", text) is not None,
    "letter": lambda text: re.search(r"[^\W\d_]", text) is not None,
}
