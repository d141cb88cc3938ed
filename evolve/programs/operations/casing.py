"""Letter case: the cases of ``str`` and the naming styles of identifiers."""

from __future__ import annotations

import re

from evolve.programs.operation import Operation, define
from evolve.programs.types import BOOL, STR


def operations() -> tuple[Operation, ...]:
    """Changes of case, tests of case, and identifier styles."""
    text = (STR,)
    words = (words_of,)
    return (
        define("upper", text, STR, "a0.upper()", function=str.upper, cost=2, scalar=True),
        define("lower", text, STR, "a0.lower()", function=str.lower, cost=2, scalar=True),
        define("capitalize", text, STR, "a0.capitalize()", function=str.capitalize, cost=4, scalar=True),
        define("title_case", text, STR, "a0.title()", function=str.title, cost=3, scalar=True),
        define(
            "capitalize_words", text, STR, '" ".join(word.capitalize() for word in a0.split())', cost=4, scalar=True
        ),
        define("sentence_case", text, STR, "sentence_case(a0)", support=(sentence_case,), cost=8),
        define("swap_case", text, STR, "a0.swapcase()", function=str.swapcase, cost=8),
        define("is_upper", text, BOOL, "a0.isupper()", function=str.isupper, cost=5, scalar=True),
        define("snake_case", text, STR, '"_".join(words_of(a0)).lower()', support=words, cost=5, scalar=True),
        define("kebab_case", text, STR, '"-".join(words_of(a0)).lower()', support=words, cost=5),
        define("pascal_case", text, STR, '"".join(word.capitalize() for word in words_of(a0))', support=words, cost=6),
        define("camel_case", text, STR, "camel_case(a0)", support=(words_of, camel_case), cost=6, scalar=True),
        define("spaced_words", text, STR, '" ".join(words_of(a0))', support=words, cost=6),
    )


def words_of(text: str) -> list[str]:
    """The words of a text or identifier: runs of letters or digits, split where camel case does."""
    return re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_]+", text)


def camel_case(text: str) -> str:
    """The words of a text as one camel-case identifier."""
    first, *others = words_of(text)
    return first.lower() + "".join(word.capitalize() for word in others)


def sentence_case(text: str) -> str:
    """The text in lower case, with a capital at the start of every sentence."""
    return re.sub(r"(^|[.!?]\s+)([a-z])", lambda m: m[1] + m[2].upper(), text.lower())
