"""Clues of literals in texts: patterns, separators, formats of dates and numbers, decimals, places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from evolve.policies.search.leaves import NUMBERS
from evolve.policies.search.problem import Problem
from evolve.programs.operations import literals
from evolve.programs.types import FrozenDict


@dataclass(frozen=True)
class Sides:
    """The sides of the examples as clues of literals look at them.

    Attributes:
        inputs: The first text of every input, empty where there is none.
        outputs: Every output.
        texts: The outputs where all are texts, else empty.
    """

    inputs: tuple[str, ...]
    outputs: tuple[Any, ...]
    texts: tuple[str, ...]

    def written(self, test: Callable[[str, str], bool]) -> bool:
        """Whether the outputs are texts and each passes the test together with its input."""
        return bool(self.texts) and all(map(test, self.inputs, self.texts))


def clues_of_texts(problem: Problem) -> Iterator[tuple[str, str]]:
    """``(priced name, clue)`` for every clue of a literal that holds."""
    texts = problem.outputs if all(isinstance(o, str) for o in problem.outputs) else ()
    sides = Sides(tuple(_first_text(row) for row in problem.inputs), problem.outputs, texts)
    without = not texts and not any(sides.inputs)
    for name, kind, value in priced_literals():
        reader = READERS.get(kind)
        if reader is not None and not (without and kind not in NUMERIC):
            for clue, holds in zip(CLUES[kind], reader(value, sides), strict=False):
                if holds:
                    yield name, f"{kind}: {clue}"


@lru_cache(maxsize=1)
def priced_literals() -> tuple[tuple[str, str, Any], ...]:
    """``(priced name, kind, value)`` of every built-in literal that may have clues."""
    constants = [(c.type.name, c.value) for c, _ in literals()] + [("int", n) for n in NUMBERS]
    known = {*READERS, UNIT}
    return tuple({f"literal:{k}:{v}": (f"literal:{k}:{v}", k, v) for k, v in constants if k in known}.values())


def kind_of(name: str) -> str:
    """The kind of a priced literal, "" for other priced names."""
    return name.split(":", 2)[1] if name.startswith("literal:") else ""


def _first_text(row: Sequence[Any]) -> str:
    flat = [part for value in row for part in (value.values() if isinstance(value, FrozenDict) else (value,))]
    return next((part for part in flat if isinstance(part, str)), "")


def _pattern(value: str, sides: Sides) -> Sequence[bool]:
    """Whole output; in the output; found once, often, not always; first or last match in the output."""
    pattern = _compiled(value)
    matches = [pattern.findall(text) for text in sides.inputs]
    always = all(matches)
    return (
        sides.written(lambda _, y: bool(pattern.fullmatch(y))),
        sides.written(lambda _, y: bool(pattern.search(y))),
        all(len(f) == 1 for f in matches),
        all(len(f) > 1 for f in matches),
        not always,
        always and bool(sides.texts) and all(f[0] and f[0] in y for f, y in zip(matches, sides.texts, strict=True)),
        always and bool(sides.texts) and all(f[-1] and f[-1] in y for f, y in zip(matches, sides.texts, strict=True)),
    )


def _delimiter(value: str, sides: Sides) -> Sequence[bool]:
    """Once, often, not always in the input; always, never in the output; the output is or has a field."""
    counts = [text.count(value) for text in sides.inputs]
    always = all(counts)
    return (
        all(k == 1 for k in counts),
        all(k > 1 for k in counts),
        not always,
        sides.written(lambda _, y: value in y),
        bool(sides.texts) and not any(value in y for y in sides.texts),
        always and sides.written(lambda x, y: y.strip() in [part.strip() for part in x.split(value)]),
        always and sides.written(lambda x, y: any(part and part in y for part in x.split(value))),
    )


def _moment(value: str, sides: Sides) -> Sequence[bool]:
    """Whole output, in the output, whole input, in the input."""
    shape = _shape(value)
    return (
        sides.written(lambda _, y: bool(shape.fullmatch(y))),
        sides.written(lambda _, y: bool(shape.search(y))),
        all(shape.fullmatch(x) for x in sides.inputs),
        all(shape.search(x) for x in sides.inputs),
    )


NUMBER = re.compile(r"[-+]?[\d,_]*\.?\d+(?:e[+-]\d+)?%?")


def _number_format(value: str, sides: Sides) -> Sequence[bool]:
    """The output is, or has, a number written this way."""
    return (
        sides.written(lambda _, y: _written_as(value, y)),
        sides.written(lambda _, y: any(_written_as(value, token) for token in NUMBER.findall(y))),
    )


def _written_as(spec: str, text: str) -> bool:
    try:
        if spec[-1] in BASES:
            return format(int(text, BASES[spec[-1]]), spec) == text
        number = float(text.rstrip("%").replace(",", "").replace("_", ""))
        number = number / 100 if text.endswith("%") else number
        if spec[-1] in "d_," and number == int(number):
            return format(int(number), spec) == text
        return spec[-1] != "d" and format(number, spec) == text
    except (ValueError, OverflowError):
        return False


BASES: Mapping[str, int] = {"x": 16, "X": 16, "b": 2, "o": 8}


def _decimals(value: int, sides: Sides) -> Sequence[bool]:
    """The outputs have at most so many decimal places and one has them all; one has more."""
    places = [len(repr(float(o)).partition(".")[2].removesuffix("0")) for o in sides.outputs if _is_number(o)]
    full = len(places) == len(sides.outputs)
    return (full and max(places) == value, full and max(places) > value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _whole_number(value: int, sides: Sides) -> Sequence[bool]:
    """The output's length; its place among blanks or among words; too large a place; letters left out."""
    if value < 0:
        return ()
    words = [re.findall(r"[^\W_]+", text) for text in sides.inputs]
    fits = bool(sides.texts) and all(len(w) > value for w in words)
    pairs = list(zip(words, sides.texts, strict=True)) if fits else []
    return (
        all(hasattr(o, "__len__") and len(o) == value for o in sides.outputs),
        sides.written(lambda x, y: x.split()[value : value + 1] == [y]),
        fits and all(w[value] == y for w, y in pairs),
        fits and all(w[value] in y for w, y in pairs),
        bool(sides.texts) and not fits,
        sides.written(lambda x, y: len(x) - len(y) == value),
    )


UNIT = "unit"
"""Literals that are whole numbers too, and have the clues of those."""

NUMERIC = frozenset({"decimals", "int"})
"""Literals that have clues where there is no text."""

READERS: Mapping[str, Callable[[Any, Sides], Sequence[bool]]] = {
    "pattern": _pattern,
    "delimiter": _delimiter,
    "date_format": _moment,
    "date_input": _moment,
    "time_format": _moment,
    "datetime_format": _moment,
    "integer_format": _number_format,
    "float_format": _number_format,
    "decimals": _decimals,
    "int": _whole_number,
}

_SHAPE = ("the whole output", "in the output", "the whole input", "in the input")
_WRITTEN = ("the whole output", "in the output")
CLUES: Mapping[str, tuple[str, ...]] = {
    "pattern": (
        "the whole output", "in the output", "found once", "found often", "not always found",
        "first match in the output", "last match in the output",
    ),
    "delimiter": (
        "once in the input", "often in the input", "not always in the input", "in every output", "in no output",
        "the output is a field", "the output has a field",
    ),
    "date_format": _SHAPE, "date_input": _SHAPE, "time_format": _SHAPE, "datetime_format": _SHAPE,
    "integer_format": _WRITTEN, "float_format": _WRITTEN,
    "decimals": ("as many as the outputs have", "fewer than the outputs have"),
    "int": (
        "the output's length", "place among pieces", "place among words", "place of a word in the output",
        "too large a place", "letters left out",
    ),
}  # fmt: skip
"""What the truth values of each reader say, in order."""

DIRECTIVES: Mapping[str, str] = {
    "Y": r"\d{4}", "G": r"\d{4}", "y": r"\d{2}", "m": r"(?:0\d|1[0-2])", "d": r"[0-3]\d", "j": r"\d{3}",
    "V": r"\d{2}", "H": r"[0-2]\d", "I": r"(?:0\d|1[0-2])", "M": r"[0-5]\d", "S": r"[0-5]\d", "p": r"(?:AM|PM)",
    "B": r"(?:January|February|March|April|May|June|July|August|September|October|November|December)",
    "b": r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", "A": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    "a": r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "z": r"[+-]\d{4}",
}  # fmt: skip
"""What each directive of a date or time format looks like."""


@lru_cache(maxsize=256)
def _shape(form: str) -> re.Pattern[str]:
    parts = re.split(r"%(.)", form)
    return re.compile("".join(DIRECTIVES.get(p, ".+") if i % 2 else re.escape(p) for i, p in enumerate(parts)))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
