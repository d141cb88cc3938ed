"""Dictionaries with text keys: look-up, change, order, and texts that hold pairs."""

from __future__ import annotations

import urllib.parse
from typing import Any

from evolve.policies.search.programs.operation import Operation, define
from evolve.policies.search.programs.operations.strings import DELIMITER, STRS, fits
from evolve.policies.search.programs.types import BOOL, FLOAT, INT, STR, FrozenDict, T, U, dict_of, fn_of, list_of

DICT = dict_of(STR, T)
COUNTS = dict_of(STR, INT)
AMOUNTS = dict_of(STR, FLOAT)
TEXTS = dict_of(STR, STR)
LIST = list_of(T)


def operations() -> tuple[Operation, ...]:
    """Dictionaries and the texts and lists they come from."""
    return (*_parts(), *_making(), *_changing_by_name(), *_changing_by_function(), *_ordering(), *_texts())


def _parts() -> tuple[Operation, ...]:
    return (
        define("keys", (DICT,), STRS, "list(a0)", function=tuple, cost=2, noun="names"),
        define("values", (DICT,), LIST, "list(a0.values())", function=_values, cost=2, noun="entries"),
        define("get", (STR, DICT), T, "a1[a0]", cost=2, noun="entry"),
        define("get_or_default", (STR, T, DICT), T, "a2.get(a0, a1)", cost=5, noun="entry"),
        define("has_key", (STR, DICT), BOOL, "a0 in a1", cost=5),
        define("dict_size", (DICT,), INT, "len(a0)", function=len, cost=3, noun="size"),
        define("look_up_each", (DICT, STRS), LIST, "[a0[key] for key in a1]", cost=5, noun="entries"),
        define("replace_known", (TEXTS, STRS), STRS, "[a0.get(text, text) for text in a1]", cost=6),
    )


def _making() -> tuple[Operation, ...]:
    return (
        define("dict_of_lists", (STRS, LIST), DICT, "dict(zip(a0, a1))", cost=3, noun="table"),
        define("count_items", (STRS,), COUNTS, "dict(Counter(a0))", cost=3, noun="counts"),
        define("merge", (DICT, DICT), DICT, "{**a0, **a1}", cost=3, noun="merged"),
        define("merge_counts", (COUNTS, COUNTS), COUNTS, "dict(Counter(a0) + Counter(a1))", cost=8, noun="merged"),
        define("invert", (TEXTS,), TEXTS, "{value: key for key, value in a0.items()}", cost=3, noun="inverted"),
    )


def _changing_by_name() -> tuple[Operation, ...]:
    return (
        define(
            "without_key",
            (STR, DICT),
            DICT,
            "{key: value for key, value in a1.items() if key != a0}",
            cost=4,
            noun="rest",
        ),
        define("select_keys", (STRS, DICT), DICT, "{key: a1[key] for key in a0 if key in a1}", cost=4, noun="selected"),
    )


def _changing_by_function() -> tuple[Operation, ...]:
    return (
        define(
            "map_values",
            (fn_of(T, U), DICT),
            dict_of(STR, U),
            "{key: a0(value) for key, value in a1.items()}",
            function=lambda f, table: FrozenDict([(key, f(value)) for key, value in table.items()]),
            cost=3,
            noun="changed",
        ),
        define(
            "map_keys",
            (fn_of(STR, STR), DICT),
            DICT,
            "{a0(key): value for key, value in a1.items()}",
            function=lambda f, table: FrozenDict([(f(key), value) for key, value in table.items()]),
            cost=4,
            noun="changed",
        ),
        define(
            "filter_values",
            (fn_of(T, BOOL), DICT),
            DICT,
            "{key: value for key, value in a1.items() if a0(value)}",
            function=lambda f, table: FrozenDict([(key, value) for key, value in table.items() if f(value)]),
            cost=3,
            noun="kept",
        ),
    )


def _ordering() -> tuple[Operation, ...]:
    return (
        define("keys_by_value", (DICT,), STRS, "sorted(a0, key=a0.get)", function=_keys_by_value, cost=4, noun="names"),
        define(
            "keys_by_value_down",
            (DICT,),
            STRS,
            "sorted(a0, key=a0.get, reverse=True)",
            function=lambda table: tuple(sorted(table, key=table.__getitem__, reverse=True)),
            cost=4,
            noun="names",
        ),
        define("key_of_largest", (DICT,), STR, "max(a0, key=a0.get)", function=_key_of_largest, cost=3),
        define("key_of_smallest", (DICT,), STR, "min(a0, key=a0.get)", function=_key_of_smallest, cost=4),
        define("total_of_values", (COUNTS,), INT, "sum(a0.values())", cost=3, noun="total"),
        # fsum rounds once; how often ``sum`` rounds floats depends on the version of Python.
        define("total_of_amounts", (AMOUNTS,), FLOAT, "math.fsum(a0.values())", cost=4, noun="total"),
    )


def _texts() -> tuple[Operation, ...]:
    return (
        define(
            "parse_pairs",
            (DELIMITER, DELIMITER, STR),
            TEXTS,
            "parse_pairs(a0, a1, a2)",
            support=(parse_pairs,),
            cost=3,
            noun="pairs",
        ),
        define(
            "format_pairs",
            (DELIMITER, DELIMITER, TEXTS),
            STR,
            "a0.join(key + a1 + value for key, value in a2.items())",
            function=_format_pairs,
            cost=4,
            noun="formatted",
        ),
        define(
            "parse_query",
            (STR,),
            TEXTS,
            "dict(urllib.parse.parse_qsl(a0, keep_blank_values=True))",
            cost=6,
            noun="query",
        ),
        define("format_query", (TEXTS,), STR, "urllib.parse.urlencode(a0)", function=urllib.parse.urlencode, cost=7),
        define("unquote_url", (STR,), STR, "urllib.parse.unquote(a0)", function=urllib.parse.unquote, cost=8),
    )


def parse_pairs(pair_separator: str, key_separator: str, text: str) -> dict[str, str]:
    """The keys and values of a text such as ``a=1; b=2``, stripped of blanks; parts without a key are left out."""
    pairs = [part.split(key_separator, 1) for part in text.split(pair_separator) if key_separator in part]
    return {key.strip(): value.strip() for key, value in pairs}


Table = FrozenDict


def _values(table: Table) -> tuple[Any, ...]:
    return tuple(table.values())


def _keys_by_value(table: Table) -> tuple[str, ...]:
    return tuple(sorted(table, key=table.__getitem__))


def _key_of_largest(table: Table) -> str:
    return str(max(table, key=table.__getitem__))


def _key_of_smallest(table: Table) -> str:
    return str(min(table, key=table.__getitem__))


def _format_pairs(separator: str, between: str, table: Table) -> str:
    return fits(separator.join([key + between + value for key, value in table.items()]))
