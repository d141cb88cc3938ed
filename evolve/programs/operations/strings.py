"""Strings: slicing, stripping, searching, replacing, padding; the parts around a delimiter."""

from __future__ import annotations

import operator
import unicodedata

from evolve.programs.operation import MAX_ITEMS, Operation, define, natural, positive
from evolve.programs.terms import Constant
from evolve.programs.types import BOOL, INT, STR, T, Type, list_of

DELIMITER = Type("delimiter")
"""A short separator between the parts of a text."""

FILL = Type("fill")
"""One character that pads or masks."""

STRS = list_of(STR)

LONGEST = 8 * MAX_ITEMS
"""Longest string, in characters, that an operation may build."""


def operations() -> tuple[Operation, ...]:
    """The methods of ``str`` and the idioms around them."""
    return (*_slices(), *_stripping(), *_around(), *_changes(), *_queries(), *_characters())


def constants() -> tuple[tuple[Constant, int], ...]:
    """Delimiters and fill characters, each with its static cost."""
    delimiters = {
        1: (" ", ",", "-", "/", ".", ":", ", "),
        2: ("_", "@"),
        3: (";", "|", " - ", "\n", "(", ")", "=", "\t", "#", "&"),
        4: (": ", "; ", " | ", "'", '"', "[", "]", "?", "+", "*", "<", ">", "\\", "{", "}", "$", "%", "://", "--"),
    }
    fills = {2: ("0", " ", "*"), 3: ("-", "_", "#", "X", "x", ".")}
    return (
        *((Constant(text, DELIMITER), cost) for cost, texts in delimiters.items() for text in texts),
        *((Constant(text, FILL), cost) for cost, texts in fills.items() for text in texts),
    )


def _slices() -> tuple[Operation, ...]:
    part = (INT, STR)
    return (
        define("prefix", part, STR, "a1[:a0]", function=lambda n, text: text[: natural(n)], cost=3, scalar=True),
        define("suffix", part, STR, "a1[-a0:]", function=lambda n, text: text[-positive(n) :], cost=4, scalar=True),
        define("skip_characters", part, STR, "a1[a0:]", function=_skip, cost=4, scalar=True, noun="rest"),
        define("drop_characters", part, STR, "a1[:-a0]", function=lambda n, text: text[: -positive(n)], cost=5),
        define("character_at", part, STR, "a1[a0]", cost=4, scalar=True, noun="character"),
        define(
            "reverse_text",
            (STR,),
            STR,
            "a0[::-1]",
            function=operator.itemgetter(slice(None, None, -1)),
            cost=5,
            scalar=True,
        ),
        define(
            "text_chunks",
            part,
            STRS,
            "[a1[i:i + a0] for i in range(0, len(a1), a0)]",
            function=_chunks,
            cost=4,
            noun="groups",
        ),
    )


def _stripping() -> tuple[Operation, ...]:
    return (
        define("strip", (STR,), STR, "a0.strip()", function=str.strip, cost=2, scalar=True),
        define("remove_prefix", (STR, STR), STR, "a1.removeprefix(a0)", cost=5),
        define("remove_suffix", (STR, STR), STR, "a1.removesuffix(a0)", cost=5),
    )


def _around() -> tuple[Operation, ...]:
    marked = (DELIMITER, STR)
    return (
        define("before_first", marked, STR, "a1.split(a0, 1)[0]", cost=3, scalar=True, noun="head"),
        define("after_first", marked, STR, "a1.split(a0, 1)[-1]", cost=3, scalar=True, noun="rest"),
        define("before_last", marked, STR, "a1.rsplit(a0, 1)[0]", cost=3, scalar=True, noun="head"),
        define("after_last", marked, STR, "a1.rsplit(a0, 1)[-1]", cost=3, scalar=True, noun="tail"),
        define("before_text", (STR, STR), STR, "a1.split(a0, 1)[0]", cost=6, noun="head"),
        define("after_text", (STR, STR), STR, "a1.split(a0, 1)[-1]", cost=6, noun="rest"),
    )


def _changes() -> tuple[Operation, ...]:
    two = (STR, STR)
    padding = (INT, FILL, STR)
    return (
        define("concatenate_text", two, STR, "a0 + a1", function=lambda a, b: fits(a + b), cost=4, scalar=True),
        define("replace_text", (STR, STR, STR), STR, "a2.replace(a0, a1)", function=_replace, cost=5),
        define("delete_text", two, STR, 'a1.replace(a0, "")', function=_delete, cost=5),
        define("repeat_text", (INT, STR), STR, "a1 * a0", function=_repeat, cost=7),
        define("pad_left", padding, STR, "a2.rjust(a0, a1)", function=_pad_left, cost=5),
        define("pad_right", padding, STR, "a2.ljust(a0, a1)", function=_pad_right, cost=7),
        define("zero_fill", (INT, STR), STR, "a1.zfill(a0)", function=_zero_fill, cost=4, scalar=True),
        define("mask_all_but_last", padding, STR, "a2[-a0:].rjust(len(a2), a1)", function=_mask, cost=4, noun="masked"),
        define("remove_accents", (STR,), STR, "remove_accents(a0)", support=(remove_accents,), cost=7, noun="plain"),
        define("choose", (BOOL, T, T), T, "a1 if a0 else a2", function=_choose, cost=7, scalar=True),
    )


def _queries() -> tuple[Operation, ...]:
    two = (STR, STR)
    return (
        define("text_length", (STR,), INT, "len(a0)", function=len, cost=2, scalar=True),
        define("has_text", two, BOOL, "a0 in a1", cost=4, scalar=True),
        define("starts_with", two, BOOL, "a1.startswith(a0)", cost=4, scalar=True),
        define("ends_with", two, BOOL, "a1.endswith(a0)", cost=5, scalar=True),
        define("find_text", two, INT, "a1.find(a0)", cost=5),
        define("count_text", two, INT, "a1.count(a0)", cost=4, scalar=True),
        define("is_digits", (STR,), BOOL, "a0.isdigit()", function=str.isdigit, cost=5, scalar=True),
    )


def _characters() -> tuple[Operation, ...]:
    return (
        define("characters", (STR,), STRS, "list(a0)", function=tuple, cost=4),
        define("unique_characters", (STR,), STR, '"".join(dict.fromkeys(a0))', cost=8),
        define("sort_characters", (STR,), STR, '"".join(sorted(a0))', cost=7),
    )


def remove_accents(text: str) -> str:
    """The text with its accented letters replaced by the plain ones."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(char for char in decomposed if not unicodedata.combining(char))


def fits(text: str) -> str:
    """``text``, undefined where it is longer than an operation may build."""
    if len(text) > LONGEST:
        raise OverflowError
    return text


def _skip(n: int, text: str) -> str:
    return text[natural(n) :]


def _chunks(n: int, text: str) -> tuple[str, ...]:
    if len(text) > MAX_ITEMS * positive(n):
        raise OverflowError
    return tuple([text[i : i + n] for i in range(0, len(text), n)])


def _choose(condition: bool, yes: object, no: object) -> object:
    return yes if condition else no


def _replace(old: str, new: str, text: str) -> str:
    # Worked out beforehand, because the text itself could fill the memory.
    if not old or (len(new) > len(old) and text.count(old) * len(new) > LONGEST):
        raise ValueError
    return fits(text.replace(old, new))


def _delete(old: str, text: str) -> str:
    if not old:
        raise ValueError
    return text.replace(old, "")


def _repeat(n: int, text: str) -> str:
    # Asked before the text is made, which could fill the memory.
    if natural(n) * len(text) > LONGEST:
        raise OverflowError
    return text * n


def _width(n: int) -> int:
    if not 0 <= n <= LONGEST:
        raise OverflowError
    return n


def _pad_left(n: int, fill: str, text: str) -> str:
    return text.rjust(_width(n), fill)


def _pad_right(n: int, fill: str, text: str) -> str:
    return text.ljust(_width(n), fill)


def _zero_fill(n: int, text: str) -> str:
    return text.zfill(_width(n))


def _mask(n: int, fill: str, text: str) -> str:
    return text[-positive(n) :].rjust(len(text), fill)
