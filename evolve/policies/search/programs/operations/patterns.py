"""Regular expressions over a closed set of classes that any data worker would name."""

from __future__ import annotations

import re
from functools import lru_cache

from evolve.policies.search.programs.operation import Operation, define
from evolve.policies.search.programs.operations.strings import DELIMITER, STRS, fits
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, INT, STR, Type

PATTERN = Type("pattern")
"""A regular expression without groups, as text."""


def operations() -> tuple[Operation, ...]:
    """Finding, keeping, deleting, replacing and testing matches."""
    return (*_finding(), *_changing(), *_testing())


def constants() -> tuple[tuple[Constant, int], ...]:
    """The patterns, each with its static cost."""
    patterns = {**_usual(), 4: _particular()}
    return tuple((Constant(pattern, PATTERN), cost) for cost, some in patterns.items() for pattern in some)


def _usual() -> dict[int, tuple[str, ...]]:
    """Letters, digits, words, numbers, and what stands around and between them, by static cost."""
    return {
        1: (r"\d+", r"[A-Za-z]+"),
        2: (
            r"[A-Z]",
            r"[A-Z]+",
            r"[a-z]+",
            r"[A-Za-z0-9]+",
            r"\d",
            r"\D",
            r"\s+",
            r"[^A-Za-z0-9]+",
            r"[^\w\s]",
            r"-?\d+(?:\.\d+)?",
            r"[A-Z][a-z]+",
        ),
        3: (
            r"\w+",
            r"\W+",
            r"\S+",
            r"[^A-Za-z]",
            r"[A-Za-z]",
            r"\([^)]*\)",
            r"(?<=\()[^)]*",
            r"\d[\d,]*(?:\.\d+)?",
            r"(?<=\")[^\"]*(?=\")",
            r"^\d+",
            r"\d+$",
            r"\b\d{4}\b",
            r"[^\d.]+",
            r"\b\w",
            r"\d*\.\d+",
        ),
    }


def _particular() -> tuple[str, ...]:
    """Tags, addresses, dates, amounts and other texts with a form of their own."""
    return (
        r"\[[^\]]*\]",
        r"(?<=\[)[^\]]*",
        r"<[^>]*>",
        r"(?<=<)[^>]*",
        r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+",
        r"https?://[^\s<>\"]+",
        r"[aeiouAEIOU]",
        r"\b\d{1,2}:\d{2}(?::\d{2})?\b",
        r"\b\d{4}-\d{2}-\d{2}\b",
        r"\b\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b",
        r"\b(?:\d{1,3}\.){3}\d{1,3}\b",
        r"(?<=')[^']*(?=')",
        r"[A-Za-z]+\d+",
        r"\b[A-Z]{2,}\b",
        r"#\w+",
        r"@\w+",
        r"\{[^}]*\}",
        r"^\W+",
        r"\W+$",
        r"\.\w+$",
        r"(?<==)[^\s;&,]+",
        r"[$€£¥]\s?\d[\d,]*(?:\.\d+)?",
        r"\d+(?:\.\d+)?%",
        r"(?<=[a-z])(?=[A-Z])",
    )


def _finding() -> tuple[Operation, ...]:
    two = (PATTERN, STR)
    return (
        define("find_all", two, STRS, "re.findall(a0, a1)", function=_find_all, cost=3, noun="matches"),
        define(
            "first_match", two, STR, "re.search(a0, a1).group()", function=_first, cost=2, scalar=True, noun="match"
        ),
        define(
            "last_match", two, STR, "re.findall(a0, a1)[-1]", function=_last, cost=3, scalar=True, noun="last_match"
        ),
        define("nth_match", (INT, PATTERN, STR), STR, "re.findall(a1, a2)[a0]", function=_nth, cost=3, noun="match"),
        define("after_match", two, STR, "a1[re.search(a0, a1).end():]", function=_after, cost=4, noun="rest"),
        define("split_on_match", two, STRS, "re.split(a0, a1)", function=_split, cost=4, noun="parts"),
        define("count_matches", two, INT, "len(re.findall(a0, a1))", function=_count, cost=4, scalar=True),
    )


def _changing() -> tuple[Operation, ...]:
    two = (PATTERN, STR)
    return (
        define("delete_matches", two, STR, 're.sub(a0, "", a1)', function=_delete, cost=3, scalar=True),
        define(
            "keep_matches", two, STR, '"".join(re.findall(a0, a1))', function=_keep, cost=3, scalar=True, noun="kept"
        ),
        define(
            "replace_matches", (PATTERN, DELIMITER, STR), STR, "re.sub(a0, lambda _: a1, a2)", function=_replace, cost=4
        ),
        define(
            "join_matches",
            (PATTERN, DELIMITER, STR),
            STR,
            "a1.join(re.findall(a0, a2))",
            function=lambda pattern, separator, text: fits(separator.join(_compiled(pattern).findall(text))),
            cost=4,
            noun="joined",
        ),
    )


def _testing() -> tuple[Operation, ...]:
    two = (PATTERN, STR)
    return (define("has_match", two, BOOL, "bool(re.search(a0, a1))", function=_has, cost=4, scalar=True),)


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _search(pattern: str, text: str) -> re.Match[str]:
    match = _compiled(pattern).search(text)
    if match is None:
        raise ValueError
    return match


def _find_all(pattern: str, text: str) -> tuple[str, ...]:
    return tuple(_compiled(pattern).findall(text))


def _first(pattern: str, text: str) -> str:
    return _search(pattern, text).group()


def _last(pattern: str, text: str) -> str:
    return str(_compiled(pattern).findall(text)[-1])


def _nth(n: int, pattern: str, text: str) -> str:
    return str(_compiled(pattern).findall(text)[n])


def _after(pattern: str, text: str) -> str:
    return text[_search(pattern, text).end() :]


def _split(pattern: str, text: str) -> tuple[str, ...]:
    return tuple(_compiled(pattern).split(text))


def _count(pattern: str, text: str) -> int:
    return len(_compiled(pattern).findall(text))


def _delete(pattern: str, text: str) -> str:
    return _compiled(pattern).sub("", text)


def _keep(pattern: str, text: str) -> str:
    return "".join(_compiled(pattern).findall(text))


def _replace(pattern: str, new: str, text: str) -> str:
    # In a replacement text a backslash would be read as a reference.
    return fits(_compiled(pattern).sub(new if "\\" not in new else lambda _: new, text))


def _has(pattern: str, text: str) -> bool:
    return _compiled(pattern).search(text) is not None
