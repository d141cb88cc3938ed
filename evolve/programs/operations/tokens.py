"""Tokens: splitting a text into parts, and joining parts again."""

from __future__ import annotations

from evolve.programs.operation import Operation, define
from evolve.programs.operations.strings import DELIMITER, STRS, fits
from evolve.programs.types import INT, STR


def operations() -> tuple[Operation, ...]:
    """From text to parts, from parts to text, and clean-up of both."""
    return (*_splitting(), *_joining(), *_parts())


def _splitting() -> tuple[Operation, ...]:
    marked = (DELIMITER, STR)
    return (
        define("split", marked, STRS, "a1.split(a0)", cost=2, noun="parts"),
        define("split_whitespace", (STR,), STRS, "a0.split()", cost=2, noun="words"),
        define("field", (INT, DELIMITER, STR), STR, "a2.split(a1)[a0]", cost=2, scalar=True, noun="field"),
        define("word", (INT, STR), STR, "a1.split()[a0]", cost=2, scalar=True, noun="word"),
        define("last_word", (STR,), STR, "a0.split()[-1]", cost=3, scalar=True, noun="last_word"),
        define("initials", (STR,), STR, '"".join(word[0] for word in a0.split())', cost=4, scalar=True),
    )


def _joining() -> tuple[Operation, ...]:
    return (
        define("join", (DELIMITER, STRS), STR, "a0.join(a1)", function=_join, cost=2, noun="joined"),
        define("concatenate_all", (STRS,), STR, '"".join(a0)', function=_concatenate_all, cost=3, noun="joined"),
        define("collapse_whitespace", (STR,), STR, '" ".join(a0.split())', cost=3, scalar=True),
        define("reverse_words", (STR,), STR, '" ".join(reversed(a0.split()))', cost=6),
        define("reverse_fields", (DELIMITER, STR), STR, "a0.join(reversed(a1.split(a0)))", cost=6),
    )


def _parts() -> tuple[Operation, ...]:
    return (
        define("non_empty", (STRS,), STRS, "[part for part in a0 if part]", cost=4, noun="parts"),
        define("common_prefix", (STRS,), STR, "common_prefix(a0)", support=(common_prefix,), cost=9),
    )


def common_prefix(texts: list[str]) -> str:
    """The longest text that all the texts start with."""
    low, high = min(texts), max(texts)
    for i, char in enumerate(low):
        if char != high[i]:
            return low[:i]
    return low


def _join(separator: str, parts: tuple[str, ...]) -> str:
    return fits(separator.join(parts))


def _concatenate_all(parts: tuple[str, ...]) -> str:
    return fits("".join(parts))
