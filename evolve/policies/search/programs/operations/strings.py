"""Strings: slicing, stripping, searching, replacing, padding, letter case; splitting into parts, and joining these."""

from __future__ import annotations

import operator
import re
import unicodedata

from evolve.policies.search.programs.operation import MAX_ITEMS, Operation, define, natural, positive
from evolve.policies.search.programs.terms import Constant
from evolve.policies.search.programs.types import BOOL, INT, STR, T, Type, list_of

DELIMITER = Type("delimiter")
"""A short separator between the parts of a text."""

FILL = Type("fill")
"""One character that pads or masks."""

STRS = list_of(STR)

LONGEST = 8 * MAX_ITEMS
"""Longest string, in characters, that an operation may build."""


def operations() -> tuple[Operation, ...]:
    """The methods of ``str`` and the idioms around them."""
    return (*_slices(), *_stripping(), *_around(), *_changes(), *_queries(), *_characters(), *_cases(), *_tokens())


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


def _cases() -> tuple[Operation, ...]:
    """Changes of case, tests of case, and the naming styles of identifiers."""
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


def _tokens() -> tuple[Operation, ...]:
    """From text to parts, from parts to text, and clean-up of both."""
    marked = (DELIMITER, STR)
    return (
        define("split", marked, STRS, "a1.split(a0)", cost=2, noun="parts"),
        define("split_whitespace", (STR,), STRS, "a0.split()", cost=2, noun="words"),
        define("field", (INT, DELIMITER, STR), STR, "a2.split(a1)[a0]", cost=2, scalar=True, noun="field"),
        define("word", (INT, STR), STR, "a1.split()[a0]", cost=2, scalar=True, noun="word"),
        define("last_word", (STR,), STR, "a0.split()[-1]", cost=3, scalar=True, noun="last_word"),
        define("initials", (STR,), STR, '"".join(word[0] for word in a0.split())', cost=4, scalar=True),
        define("join", (DELIMITER, STRS), STR, "a0.join(a1)", function=_join, cost=2, noun="joined"),
        define("concatenate_all", (STRS,), STR, '"".join(a0)', function=_concatenate_all, cost=3, noun="joined"),
        define("collapse_whitespace", (STR,), STR, '" ".join(a0.split())', cost=3, scalar=True),
        define("reverse_words", (STR,), STR, '" ".join(reversed(a0.split()))', cost=6),
        define("reverse_fields", (DELIMITER, STR), STR, "a0.join(reversed(a1.split(a0)))", cost=6),
        define("non_empty", (STRS,), STRS, "[part for part in a0 if part]", cost=4, noun="parts"),
        define("common_prefix", (STRS,), STR, "common_prefix(a0)", support=(common_prefix,), cost=9),
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
