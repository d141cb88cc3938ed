"""Clues of literals in texts: patterns, separators, formats of dates and numbers, decimals, places."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from evolve.policies.search.leaves import NUMBERS
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.operations import literals
from evolve.policies.search.programs.types import FrozenDict


@dataclass(frozen=True)
class ExampleSides:
    """The sides of the examples as clues of literals look at them.

    Attributes:
        inputs: The first text of every input, empty where there is none.
        outputs: Every output.
        texts: The outputs where all are texts, else empty.
    """

    inputs: tuple[str, ...]
    outputs: tuple[Any, ...]
    texts: tuple[str, ...]

    @staticmethod
    def from_problem(problem: SearchProblem) -> ExampleSides:
        """The sides of a problem's examples."""
        texts = problem.outputs if all(isinstance(o, str) for o in problem.outputs) else ()
        return ExampleSides(tuple(map(_first_text, problem.inputs)), problem.outputs, texts)

    def all_outputs_pass(self, test: Callable[[str, str], bool]) -> bool:
        """Whether the outputs are texts and each passes the test together with its input."""
        return bool(self.texts) and all(map(test, self.inputs, self.texts))

    @cached_property
    def joined_text(self) -> str:
        """All texts, to see at once what stands in none of them."""
        return "\0".join((*self.inputs, *self.texts))

    @cached_property
    def input_words(self) -> list[list[str]]:
        """The words of every input."""
        return [re.findall(r"[^\W_]+", text) for text in self.inputs]

    @cached_property
    def shows_digits(self) -> tuple[bool, bool]:
        """Whether every input, and whether every output, has a digit."""
        return all(map(DIGIT.search, self.inputs)), bool(self.texts) and all(map(DIGIT.search, self.texts))

    @cached_property
    def output_numbers(self) -> list[list[str]]:
        """What may be numbers in every output that is a text."""
        return [NUMBER.findall(text) for text in self.texts]

    @cached_property
    def amounts(self) -> dict[str, float | None]:
        """What number each output, and each of those pieces, says."""
        return {text: _amount(text) for text in (*self.texts, *(one for found in self.output_numbers for one in found))}

    @cached_property
    def decimal_places(self) -> list[int]:
        """The decimal places of the outputs that are numbers."""
        return [len(repr(float(o)).partition(".")[2].removesuffix("0")) for o in self.outputs if _is_number(o)]


def clues_of_texts(problem: SearchProblem) -> Iterator[tuple[str, str]]:
    """``(priced name, clue)`` for every clue of a literal that holds."""
    sides = ExampleSides.from_problem(problem)
    without = not sides.texts and not any(sides.inputs)
    for name, kind, value in literals_with_price():
        reader = READERS.get(kind)
        if reader is not None and not (without and kind not in NUMERIC):
            for clue, holds in zip(CLUES[kind], reader(value, sides), strict=False):
                if holds:
                    yield name, clue


@lru_cache(maxsize=1)
def literals_with_price() -> tuple[tuple[str, str, Any], ...]:
    """``(priced name, kind, value)`` of every built-in literal that may have clues."""
    constants = [(c.type.name, c.value) for c, _ in literals()] + [("int", n) for n in NUMBERS]
    known = {*READERS, UNIT}
    return tuple({f"literal:{k}:{v}": (f"literal:{k}:{v}", k, v) for k, v in constants if k in known}.values())


def literal_clue_kind(name: str) -> str:
    """The kind of a priced literal, "" for other priced names."""
    return name.split(":", 2)[1] if name.startswith("literal:") else ""


def _first_text(row: Sequence[Any]) -> str:
    flat = [part for value in row for part in (value.values() if isinstance(value, FrozenDict) else (value,))]
    return next((part for part in flat if isinstance(part, str)), "")


def _pattern(value: str, sides: ExampleSides) -> Sequence[bool]:
    """In the output; whole output; not always found; once, often; first or last match in the output."""
    pattern = _compiled(value)
    written = bool(sides.texts) and all(map(pattern.search, sides.texts))
    whole = written and all(map(pattern.fullmatch, sides.texts))
    matches = []
    for text in sides.inputs:
        found = pattern.findall(text)
        if not found:
            return written, whole, True
        matches.append(found)
    return (
        written,
        whole,
        False,
        all(len(f) == 1 for f in matches),
        all(len(f) > 1 for f in matches),
        bool(sides.texts) and all(f[0] and f[0] in y for f, y in zip(matches, sides.texts, strict=True)),
        bool(sides.texts) and all(f[-1] and f[-1] in y for f, y in zip(matches, sides.texts, strict=True)),
    )


def _delimiter(value: str, sides: ExampleSides) -> Sequence[bool]:
    """Always, never in the output; not always, once, often in the input; the output is or has a field."""
    if value not in sides.joined_text:
        return False, bool(sides.texts), True
    written = [value in y for y in sides.texts]
    shown = bool(written) and all(written), bool(written) and not any(written)
    if not all(value in text for text in sides.inputs):
        return *shown, True
    counts = [text.count(value) for text in sides.inputs]
    return (
        *shown,
        False,
        all(k == 1 for k in counts),
        all(k > 1 for k in counts),
        sides.all_outputs_pass(lambda x, y: y.strip() in [part.strip() for part in x.split(value)]),
        sides.all_outputs_pass(lambda x, y: any(part and part in y for part in x.split(value))),
    )


def _moment(value: str, sides: ExampleSides) -> Sequence[bool]:
    """In the output, whole output, in the input, whole input."""
    shape, has_digits = _shape(value)
    read, written = (True, bool(sides.texts)) if not has_digits else sides.shows_digits
    written = written and all(map(shape.search, sides.texts))
    read = read and all(map(shape.search, sides.inputs))
    return (
        written,
        written and all(map(shape.fullmatch, sides.texts)),
        read,
        read and all(map(shape.fullmatch, sides.inputs)),
    )


DIGIT = re.compile(r"\d")
NUMBER = re.compile(r"[-+]?[\d,_]*\.?\d+(?:e[+-]\d+)?%?")


def _number_format(value: str, sides: ExampleSides) -> Sequence[bool]:
    """The output is, or has, a number written this way."""
    if not sides.texts:
        return ()
    # What says no number can only be one in another base.
    may_be = value[-1] in BASES or None not in map(sides.amounts.get, sides.texts)
    return (
        may_be and all(_written_as(value, y, sides.amounts[y]) for y in sides.texts),
        all(sides.output_numbers)
        and all(
            any(_written_as(value, token, sides.amounts[token]) for token in found) for found in sides.output_numbers
        ),
    )


def _written_as(spec: str, text: str, amount: float | None) -> bool:
    """Whether the number that a text says, None for none, is written so in a format."""
    try:
        if spec[-1] in BASES:
            return format(int(text, BASES[spec[-1]]), spec) == text
        if amount is None:
            return False
        if spec[-1] in "d_," and amount == int(amount):
            return format(int(amount), spec) == text
        return spec[-1] != "d" and format(amount, spec) == text
    except (ValueError, OverflowError):
        return False


def _amount(text: str) -> float | None:
    """The number that a text says, whatever stands between its digits."""
    try:
        number = float(text.rstrip("%").replace(",", "").replace("_", ""))
    except ValueError:
        return None
    return number / 100 if text.endswith("%") else number


BASES: Mapping[str, int] = {"x": 16, "X": 16, "b": 2, "o": 8}


def _decimals(value: int, sides: ExampleSides) -> Sequence[bool]:
    """The outputs have at most so many decimal places and one has them all; one has more."""
    full = len(sides.decimal_places) == len(sides.outputs)
    return (full and max(sides.decimal_places) == value, full and max(sides.decimal_places) > value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _whole_number(value: int, sides: ExampleSides) -> Sequence[bool]:
    """The output's length; its place among blanks or among words; too large a place; letters left out."""
    if value < 0:
        return ()
    fits = bool(sides.texts) and all(len(w) > value for w in sides.input_words)
    pairs = list(zip(sides.input_words, sides.texts, strict=True)) if fits else []
    return (
        all(hasattr(o, "__len__") and len(o) == value for o in sides.outputs),
        sides.all_outputs_pass(lambda x, y: x.split()[value : value + 1] == [y]),
        fits and all(w[value] == y for w, y in pairs),
        fits and all(w[value] in y for w, y in pairs),
        bool(sides.texts) and not fits,
        sides.all_outputs_pass(lambda x, y: len(x) - len(y) == value),
    )


UNIT = "unit"
"""Literals that are whole numbers too, and have the clues of those."""

NUMERIC = frozenset({"decimals", "int"})
"""Literals that have clues where there is no text."""

READERS: Mapping[str, Callable[[Any, ExampleSides], Sequence[bool]]] = {
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

_SHAPE = ("in the output", "the whole output", "in the input", "the whole input")
_WRITTEN = ("the whole output", "in the output")
_SAID: Mapping[str, tuple[str, ...]] = {
    "pattern": (
        "in the output", "the whole output", "not always found", "found once", "found often",
        "first match in the output", "last match in the output",
    ),
    "delimiter": (
        "in every output", "in no output", "not always in the input", "once in the input", "often in the input",
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
CLUES: Mapping[str, tuple[str, ...]] = {kind: tuple(f"{kind}: {clue}" for clue in _SAID[kind]) for kind in _SAID}
"""What the truth values of each reader say, in order; what is not told does not hold."""

DIRECTIVES: Mapping[str, str] = {
    "Y": r"\d{4}", "G": r"\d{4}", "y": r"\d{2}", "m": r"(?:0\d|1[0-2])", "d": r"[0-3]\d", "j": r"\d{3}",
    "V": r"\d{2}", "H": r"[0-2]\d", "I": r"(?:0\d|1[0-2])", "M": r"[0-5]\d", "S": r"[0-5]\d", "p": r"(?:AM|PM)",
    "B": r"(?:January|February|March|April|May|June|July|August|September|October|November|December)",
    "b": r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)", "A": r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day",
    "a": r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)", "z": r"[+-]\d{4}",
}  # fmt: skip
"""What each directive of a date or time format looks like."""


WORDS_OF_DATES = frozenset("BbAap")
"""Directives that may stand without a digit."""


@lru_cache(maxsize=256)
def _shape(form: str) -> tuple[re.Pattern[str], bool]:
    """What is written in a form, and whether a digit must be in it."""
    parts = re.split(r"%(.)", form)
    shape = re.compile("".join(DIRECTIVES.get(p, ".+") if i % 2 else re.escape(p) for i, p in enumerate(parts)))
    return shape, any(p in DIRECTIVES and p not in WORDS_OF_DATES for p in parts[1::2])


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
