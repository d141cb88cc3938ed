"""Observable properties of input/output pairs: what a task looks like before it is solved.

Each property is a named predicate over one example. The names are the words in which
insights state their preconditions. (Property signatures: Odena & Sutton 2020.)
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

Property = tuple[str, Callable[[Any, Any], bool]]
"""``(name, holds(input, output))``; a property that raises does not hold."""

Items = Sequence[Any]


def is_subsequence(part: Items, whole: Items) -> bool:
    """Whether ``part`` can be had from ``whole`` by leaving items out."""
    rest = iter(whole)
    return all(any(item == other for other in rest) for item in part)


def _is_slice(part: Items, whole: Items) -> bool:
    """Whether ``part`` stands in ``whole`` without gaps."""
    n = len(part)
    return any(tuple(whole[i : i + n]) == tuple(part) for i in range(len(whole) - n + 1))


def _same_length(test: Callable[[Any, Any], bool]) -> Callable[[Items, Items], bool]:
    # `all` of nothing is true, and lists without items show nothing.
    return lambda x, y: len(x) == len(y) > 0 and all(test(a, b) for a, b in zip(x, y, strict=True))


def _ints(test: Callable[[int], bool]) -> Callable[[Items, Items], bool]:
    return lambda _, y: len(y) > 0 and all(test(b) for b in y)


def list_to_list() -> tuple[Property, ...]:
    """Properties of a list input and a list output."""
    return (
        ("output equals input", lambda x, y: x == y),
        ("same length", lambda x, y: len(x) == len(y)),
        ("shorter", lambda x, y: len(y) < len(x)),
        ("longer", lambda x, y: len(y) > len(x)),
        ("one shorter", lambda x, y: len(y) == len(x) - 1),
        ("two shorter", lambda x, y: len(y) == len(x) - 2),
        ("one longer", lambda x, y: len(y) == len(x) + 1),
        ("two longer", lambda x, y: len(y) == len(x) + 2),
        ("twice as long", lambda x, y: len(y) == 2 * len(x) > 0),
        ("about half as long", lambda x, y: 2 * len(y) in (len(x), len(x) + 1)),
        ("empty output", lambda x, y: not y),
        ("single item", lambda x, y: len(y) == 1),
        ("two items", lambda x, y: len(y) == 2),
        ("three items", lambda x, y: len(y) == 3),
        ("items come from the input", lambda x, y: set(y) <= set(x)),
        ("rearranges the input", lambda x, y: Counter(x) == Counter(y)),
        ("keeps the set of items", lambda x, y: set(x) == set(y)),
        ("leaves items out", lambda x, y: is_subsequence(y, x)),
        ("leaves items out, reversed", lambda x, y: is_subsequence(y[::-1], x)),
        ("slice of the input", lambda x, y: _is_slice(y, x)),
        ("starts the input", lambda x, y: tuple(x[: len(y)]) == tuple(y)),
        ("ends the input", lambda x, y: len(y) <= len(x) and tuple(x[len(x) - len(y) :]) == tuple(y)),
        ("begins with the input", lambda x, y: tuple(y[: len(x)]) == tuple(x)),
        ("finishes with the input", lambda x, y: len(x) <= len(y) and tuple(y[len(y) - len(x) :]) == tuple(x)),
        ("contains the input", lambda x, y: _is_slice(x, y)),
        ("input can be had by leaving items out", lambda x, y: is_subsequence(x, y)),
        ("same item, same image", lambda x, y: x != y and _image_by_item(x, y)),
        ("same item, another image", lambda x, y: len(x) == len(y) and not _image_by_item(x, y)),
        ("the item decides whether it stays", lambda x, y: is_subsequence(y, x) and not _kept_and_dropped(x, y)),
        ("the place decides what stays", lambda x, y: is_subsequence(y, x) and _kept_and_dropped(x, y)),
        *_order_and_ends(),
    )


def _image_by_item(x: Items, y: Items) -> bool:
    image: dict[Any, Any] = {}
    return len(x) == len(y) and all(image.setdefault(a, b) == b for a, b in zip(x, y, strict=True))


def _kept_and_dropped(x: Items, y: Items) -> bool:
    """Whether an item is kept in one place and dropped in another."""
    return bool(Counter(y) & (Counter(x) - Counter(y)))


def _order_and_ends() -> tuple[Property, ...]:
    return (
        ("ascending", lambda x, y: list(y) == sorted(y)),
        ("descending", lambda x, y: list(y) == sorted(y, reverse=True)),
        ("no repeats", lambda x, y: len(set(y)) == len(y)),
        ("removes repeats", lambda x, y: len(set(y)) == len(y) and len(set(x)) < len(x)),
        ("keeps repeats", lambda x, y: len(set(y)) < len(y)),
        ("palindrome", lambda x, y: tuple(y) == tuple(y[::-1])),
        ("first kept", lambda x, y: y[0] == x[0]),
        ("second kept", lambda x, y: y[1] == x[1]),
        ("third kept", lambda x, y: y[2] == x[2]),
        ("fourth kept", lambda x, y: y[3] == x[3]),
        ("last kept", lambda x, y: y[-1] == x[-1]),
        ("starts with the last", lambda x, y: y[0] == x[-1]),
        ("ends with the first", lambda x, y: y[-1] == x[0]),
        ("starts with the second", lambda x, y: y[0] == x[1]),
        ("starts with the third", lambda x, y: y[0] == x[2]),
        ("starts with the largest", lambda x, y: y[0] == max(x)),
        ("starts with the smallest", lambda x, y: y[0] == min(x)),
        ("first is missing", lambda x, y: x[0] not in y),
        ("last is missing", lambda x, y: x[-1] not in y),
        ("largest kept", lambda x, y: max(x) == max(y)),
        ("smallest kept", lambda x, y: min(x) == min(y)),
        ("largest is missing", lambda x, y: max(x) not in y),
        ("smallest is missing", lambda x, y: min(x) not in y),
        ("one value only", lambda x, y: len(set(y)) == 1),
        ("first item twice", lambda x, y: y[0] == y[1]),
        ("most positions unchanged", lambda x, y: 2 * sum(map(_equal, x, y)) > max(len(x), len(y))),
    )


def _equal(a: Any, b: Any) -> bool:
    return bool(a == b)


def _total(numbers: Sequence[float]) -> float:
    """The sum, rounded once where there are floats: how often ``sum`` rounds depends on the version of Python."""
    return math.fsum(numbers) if any(isinstance(number, float) for number in numbers) else sum(numbers)


def numbers_to_numbers() -> tuple[Property, ...]:
    """Properties of lists of numbers on both sides."""
    return (
        ("items grow", _same_length(lambda a, b: b > a)),
        ("items shrink", _same_length(lambda a, b: b < a)),
        ("same difference", lambda x, y: len(x) == len(y) > 0 and len({b - a for a, b in zip(x, y, strict=True)}) == 1),
        ("multiples of the input", _same_length(lambda a, b: b % a == 0)),
        ("growth falls by position", lambda x, y: len(x) == len(y) and y[0] - x[0] == len(x) - 1),
        ("all even", _ints(lambda b: b % 2 == 0)),
        ("all odd", _ints(lambda b: b % 2 == 1)),
        ("same parity as the input", _same_length(lambda a, b: a % 2 == b % 2)),
        ("all below ten", _ints(lambda b: b < 10)),
        ("all above nine", _ints(lambda b: b > 9)),
        ("consecutive numbers", lambda x, y: len(y) > 1 and all(b - a == 1 for a, b in itertools.pairwise(y))),
        ("sum in output", lambda x, y: _total(x) in y),
        ("length in output", lambda x, y: len(x) in y),
        ("total unchanged", lambda x, y: _total(x) == _total(y)),
        ("total grows", lambda x, y: _total(y) > _total(x)),
        ("first output is the first plus second", lambda x, y: y[0] == x[0] + x[1]),
        ("first output is the difference", lambda x, y: y[0] in (x[1] - x[0], x[0] - x[1])),
        ("last output is the sum", lambda x, y: y[-1] == _total(x)),
        ("last output is the length", lambda x, y: y[-1] == len(x)),
        ("last output is the largest", lambda x, y: y[-1] == max(x)),
        ("length is the first input", lambda x, y: len(y) == x[0]),
        ("length is the last input", lambda x, y: len(y) == x[-1]),
        ("output holds zero or one only", lambda x, y: set(y) <= {0, 1}),
        ("items at least as large", _same_length(lambda a, b: b >= a)),
        ("new numbers are small", lambda x, y: all(b < 10 for b in y if b not in x)),
        ("keeps even items", lambda x, y: tuple(b for b in x if b % 2 == 0) == tuple(y)),
        ("keeps items above the mean", lambda x, y: all(b * len(x) > _total(x) for b in y)),
        ("kept items exceed dropped ones", lambda x, y: min(y) > max(set(x) - set(y))),
        ("dropped items exceed kept ones", lambda x, y: max(y) < min(set(x) - set(y))),
    )


def list_to_scalar() -> tuple[Property, ...]:
    """Properties of a list input and a single value as output."""
    return (
        ("is an item", lambda x, y: y in x),
        ("is the first item", lambda x, y: y == x[0]),
        ("is the last item", lambda x, y: y == x[-1]),
        ("is the largest item", lambda x, y: y == max(x)),
        ("is the smallest item", lambda x, y: y == min(x)),
        ("is the length", lambda x, y: y == len(x)),
        ("is at most the length", lambda x, y: 0 <= y <= len(x)),
        ("is the number of distinct items", lambda x, y: y == len(set(x))),
        ("is the sum", lambda x, y: y == _total(x)),
        ("is below the sum", lambda x, y: y < _total(x)),
        ("exceeds every item", lambda x, y: y > max(x)),
        ("is a repeated item", lambda x, y: x.count(y) > 1),
        ("is an inner item", lambda x, y: y in x[1:-1]),
    )


def number_properties() -> tuple[Property, ...]:
    """Properties of a number as input and a number as output."""
    return (
        ("number unchanged", lambda x, y: x == y),
        ("number grows", lambda x, y: y > x),
        ("number shrinks", lambda x, y: y < x),
        ("divides the input", lambda x, y: x % y == 0),
        ("multiple of the input", lambda x, y: y % x == 0),
        ("whole result", lambda x, y: y == int(y)),
        ("rounds the input", lambda x, y: x != y and abs(x - y) < 1),
    )


MARKS = (" ", ",", "-", "/", "@", ":", "(", ".", "_", "#", "$", "%", "|", ";", "'", "=", "\n")
DATE = re.compile(r"\d{1,4}[-/. ]\w{1,9}[-/. ,]+\d{1,4}")
ISO = re.compile(r"\d{4}-\d\d-\d\d")
NUMBER = re.compile(r"-?[\d.,]*\d")
CLOCK = re.compile(r"\d{1,2}:\d\d")


def _mark(mark: str, side: int) -> Property:
    where = ("input", "output")[side]
    name = f"{where} has {mark!r}"
    return (name, (lambda x, y: mark in x)) if side == 0 else (name, (lambda x, y: mark in y))


def text_to_text() -> tuple[Property, ...]:
    """Properties of text on both sides."""
    marks = tuple(_mark(m, side) for m in MARKS for side in (0, 1))
    return (*marks, *_letters(), *_words(), *_text_kinds())


def _letters() -> tuple[Property, ...]:
    return (
        ("text unchanged", lambda x, y: x == y),
        ("text shorter", lambda x, y: len(y) < len(x)),
        ("text longer", lambda x, y: len(y) > len(x)),
        ("same text length", lambda x, y: len(x) == len(y)),
        ("piece of the input", lambda x, y: y in x),
        ("input stands in output", lambda x, y: x in y),
        ("begins the text", lambda x, y: x.startswith(y)),
        ("ends the text", lambda x, y: x.endswith(y)),
        ("output begins with input", lambda x, y: y.startswith(x)),
        ("output ends with input", lambda x, y: y.endswith(x)),
        ("one character", lambda x, y: len(y) == 1),
        ("two characters", lambda x, y: len(y) == 2),
        ("three characters", lambda x, y: len(y) == 3),
        ("upper case", lambda x, y: y.isupper()),
        ("lower case", lambda x, y: y.islower()),
        ("title case", lambda x, y: y.istitle()),
        ("input upper case", lambda x, y: x.isupper()),
        ("input lower case", lambda x, y: x.islower()),
        ("differs in case only", lambda x, y: x != y and x.lower() == y.lower()),
        ("differs in spaces only", lambda x, y: x != y and "".join(x.split()) == "".join(y.split())),
        ("blank ends removed", lambda x, y: x != x.strip() and y == y.strip()),
        ("same characters", lambda x, y: sorted(x) == sorted(y)),
        ("characters come from the input", lambda x, y: _holds_all(x, y, y)),
        ("letters come from the input", lambda x, y: _holds_all(x.lower(), y.lower(), filter(str.isalpha, y.lower()))),
        ("digits come from the input", lambda x, y: _holds_all(x.lower(), y.lower(), filter(str.isdigit, y.lower()))),
        ("same digits in order", lambda x, y: bool(re.sub(r"\D", "", x)) and _digits(x) == _digits(y)),
        ("same letters in order", lambda x, y: re.sub(r"[^a-z]", "", x.lower()) == re.sub(r"[^a-z]", "", y.lower())),
        ("characters left out", lambda x, y: is_subsequence(y, x)),
        ("reversed text", lambda x, y: y == x[::-1]),
        ("starts alike", lambda x, y: x[0] == y[0]),
        ("ends alike", lambda x, y: x[-1] == y[-1]),
        ("capitals of the input", lambda x, y: y == "".join(c for c in x if c.isupper())),
        ("characters repeat", lambda x, y: len(y) > 1 and len(set(y)) == 1),
    )


def _holds_all(whole: str, part: str, signs: Iterable[str]) -> bool:
    """Whether each of the signs stands at least as often in one text as in the other."""
    return all(part.count(sign) <= whole.count(sign) for sign in set(signs))


def _digits(text: str) -> str:
    return re.sub(r"\D", "", text)


def _words() -> tuple[Property, ...]:
    return (
        ("one word", lambda x, y: len(y.split()) == 1),
        ("input is one word", lambda x, y: len(x.split()) == 1),
        ("two words", lambda x, y: len(y.split()) == 2),
        ("input has two words", lambda x, y: len(x.split()) == 2),
        ("input has three words or more", lambda x, y: len(x.split()) > 2),
        ("fewer words", lambda x, y: len(y.split()) < len(x.split())),
        ("words come from the input", lambda x, y: set(_tokens(y)) <= set(_tokens(x))),
        ("same words", lambda x, y: sorted(_tokens(y)) == sorted(_tokens(x))),
        ("first word kept first", lambda x, y: _tokens(y)[0] == _tokens(x)[0]),
        ("last word kept last", lambda x, y: _tokens(y)[-1] == _tokens(x)[-1]),
        ("last word comes first", lambda x, y: _tokens(y)[0] == _tokens(x)[-1]),
        ("first word comes last", lambda x, y: _tokens(y)[-1] == _tokens(x)[0]),
        ("first letters of words", lambda x, y: _squeeze(y) == "".join(w[0] for w in _tokens(x)).lower()),
        ("a middle word", lambda x, y: y in _tokens(x)[1:-1]),
    )


def _tokens(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text)


def _squeeze(text: str) -> str:
    return "".join(_tokens(text)).lower()


def _text_kinds() -> tuple[Property, ...]:
    """What kind of text stands on each side: dates, numbers, clock times."""
    return (
        ("digits only", lambda x, y: y.isdigit()),
        ("letters only", lambda x, y: y.isalpha()),
        ("no digits in output", lambda x, y: not re.search(r"\d", y)),
        ("no letters in output", lambda x, y: not re.search(r"[A-Za-z]", y)),
        ("no digits in input", lambda x, y: not re.search(r"\d", x)),
        ("no letters in input", lambda x, y: not re.search(r"[A-Za-z]", x)),
        ("input looks like a date", lambda x, y: bool(DATE.search(x))),
        ("output looks like a date", lambda x, y: bool(DATE.search(y))),
        ("output is an ISO date", lambda x, y: bool(ISO.fullmatch(y))),
        ("input is a number", lambda x, y: bool(NUMBER.fullmatch(x))),
        ("output is a number", lambda x, y: bool(NUMBER.fullmatch(y))),
        ("input has a clock time", lambda x, y: bool(CLOCK.search(x))),
        ("output has a clock time", lambda x, y: bool(CLOCK.search(y))),
        ("new digits in output", lambda x, y: not _holds_all(x.lower(), y.lower(), filter(str.isdigit, y.lower()))),
        ("new letters in output", lambda x, y: not _holds_all(x.lower(), y.lower(), filter(str.isalpha, y.lower()))),
    )


def text_to_value() -> tuple[Property, ...]:
    """Properties of a text input and a number or truth value as output."""
    return (
        ("is the text's length", lambda x, y: y == len(x)),
        ("is at most the text's length", lambda x, y: 0 <= y <= len(x)),
        ("is the number of words", lambda x, y: y == len(x.split())),
        ("its digits stand in the text", lambda x, y: str(y).replace(".", "") in _digits(x)),
        ("stands in the text", lambda x, y: str(y) in x),
        ("truth value", lambda x, y: isinstance(y, bool)),
        ("text looks like a date", lambda x, y: bool(DATE.search(x))),
        ("text has a clock time", lambda x, y: bool(CLOCK.search(x))),
        ("text is a number", lambda x, y: bool(NUMBER.fullmatch(x))),
    )
