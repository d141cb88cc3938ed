"""Inputs on which programs that fit all examples differ: the questions worth asking.

Examples are read as people write them, as words, numbers and marks between them, and one thing is varied at a time:
fields are exchanged between rows, a number gets fewer or more digits, a piece is missing or there is one more, case
changes.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from evolve.core.episodes import Ambiguity, Json, TaskView
from evolve.core.errors import ModelMistake
from evolve.policies.search.answers import answer_source
from evolve.policies.search.problem import SearchProblem, problem_of
from evolve.policies.search.programs.evaluation import compile_term, value_or
from evolve.policies.search.programs.terms import Term
from evolve.policies.search.programs.types import STR, Type, thaw_value
from evolve.policies.search.searcher import Vocabulary

MAX_PROBES = 80
"""Inputs that are made of one problem."""
_MARKS = (" ", ",", "/", "-", ".", ";", "_")
SEEN_ENOUGH = 12
"""Values of an argument after which what none of them has is hardly to be expected of the next one."""
_RANGE = 6
"""Numbers after which one further from them than they are from each other is hardly to be expected."""
_FIELDS = re.compile(r"\d+|[^\W\d_]+|.", re.DOTALL)


_Way = Callable[[Any, Type, Sequence[Any]], Iterator[Any]]
"""From a value, its type and all values of its column to other values."""


def probe_inputs(problem: SearchProblem, wanted: Sequence[tuple[Any, ...]] = ()) -> dict[tuple[Any, ...], int]:
    """Inputs that no example has, each with how unlikely it is, from 0; deterministic.

    Args:
        wanted: Further inputs that are known, without their outputs.
    """
    found: dict[tuple[Any, ...], int] = {}
    known = set(problem.inputs)
    whole = zip(*problem.inputs, *wanted, strict=True)
    columns = [[one for one in column if isinstance(one, type(column[0]))] for column in whole]
    ways = [zip(_exchanged(problem), itertools.repeat(0))]
    ways += [zip(_varied(problem, columns, way), itertools.repeat(far)) for way, far in _WAYS]
    # In turn, so that no way of varying uses up the room of the others.
    for one in filter(None, itertools.chain.from_iterable(itertools.zip_longest(*ways))):
        if one[0] not in known:
            found.setdefault(*one)
        if len(found) >= MAX_PROBES:
            break
    return found


def _exchanged(problem: SearchProblem) -> Iterator[tuple[Any, ...]]:
    """Each row with one field of its neighbour, or one argument where there are several."""
    rows = problem.inputs
    for first, second in zip(rows, (*rows[1:], *rows[:1]), strict=True):
        for place, type_ in enumerate(problem.input_types):
            if len(first) > 1:
                yield (*first[:place], second[place], *first[place + 1 :])
            if type_ == STR:
                for text in _mixed(first[place], second[place]):
                    yield (*first[:place], text, *first[place + 1 :])


def _mixed(one: str, other: str) -> Iterator[str]:
    ours, theirs = _FIELDS.findall(one), _FIELDS.findall(other)
    if [_kind(field) for field in ours] == [_kind(field) for field in theirs]:
        for place, field in enumerate(theirs):
            if field != ours[place]:
                yield "".join((*ours[:place], field, *ours[place + 1 :]))


def _kind(field: str) -> str:
    return "digits" if field.isdigit() else "letters" if field.isalpha() else field


def _varied(problem: SearchProblem, columns: Sequence[Sequence[Any]], way: _Way) -> Iterator[tuple[Any, ...]]:
    for row in problem.inputs:
        for place, type_ in enumerate(problem.input_types):
            for value in way(row[place], type_, columns[place]):
                if value != row[place]:
                    yield (*row[:place], value, *row[place + 1 :])


def _padded(texts: Sequence[str]) -> bool:
    return any(re.search(r"(?<!\d)0\d", text) for text in texts)


def _other_digits(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """Other numbers of as many digits."""
    yield from (text for text, usual in _turned_digits(value, type_, column) if usual)


def _odd_digits(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """The same where several values are known, and these numbers lie far from theirs, such as a year 4117."""
    yield from (text for text, usual in _turned_digits(value, type_, column) if not usual)


def _turned_digits(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    for place, field, fields in _numbers_in(value, type_):
        known = [int(text) for text in _numbers_at(column, place)]
        low, high = min(known), max(known)
        for turned in ("1234567891", "7418529631"):
            other = field.translate(str.maketrans("0123456789", turned))
            is_near = 2 * low - high <= int(other) <= 2 * high - low
            yield "".join((*fields[:place], other, *fields[place + 1 :])), len(known) < _RANGE or is_near


def _leading_zero(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """A number padded with a zero, where other numbers of the column are padded and none at this place is so far."""
    if type_ == STR:
        widths = {len(number) for text in column for number in re.findall(r"(?<!\d)0\d+", text)}
        for place, field, fields in _numbers_in(value, type_):
            same = _numbers_at(column, place)
            if len(field) in widths and {len(other) for other in same} == {len(field)} and not _padded(same):
                yield "".join((*fields[:place], "0" + field[1:], *fields[place + 1 :]))


def _fewer_digits(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """Numbers with one digit less and one more, unless they are padded to a width."""
    yield from _resized(value, type_, column, met=True)


def _unmet_digits(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """The same where many values are known, and none has a number of so many digits there."""
    yield from _resized(value, type_, column, met=False)


def _resized(value: Any, type_: Type, column: Sequence[Any], *, met: bool) -> Iterator[Any]:
    for place, field, fields in _numbers_in(value, type_):
        if not _padded(column):
            less = field[1:].lstrip("0")
            for other in ([less] if less else []) + ([field + "1"] if len(field) < 3 else []):
                if (len(column) < SEEN_ENOUGH or len(other) in set(map(len, _numbers_at(column, place)))) == met:
                    yield "".join((*fields[:place], other, *fields[place + 1 :]))


def _numbers_at(column: Sequence[str], place: int) -> list[str]:
    """The numbers that stand at a place of the values, as they are written."""
    parted = [_FIELDS.findall(text) for text in column]
    return [fields[place] for fields in parted if place < len(fields) and fields[place].isdigit()]


def _numbers_in(value: Any, type_: Type) -> Iterator[tuple[int, str, list[str]]]:
    if type_ == STR:
        fields = _FIELDS.findall(value)
        yield from ((place, field, fields) for place, field in enumerate(fields) if field.isdigit())


def _pieces(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """A piece less and one more, of texts that a mark divides into a number of pieces that varies."""
    yield from (text for text, usual in _other_pieces(value, type_, column) if usual)


def _odd_pieces(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    """The same where it is hardly to be expected: there are always as many pieces, or other marks become more or fewer
    than they ever are, such as quotes that no longer come in pairs."""
    yield from (text for text, usual in _other_pieces(value, type_, column) if not usual)


def _other_pieces(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[tuple[str, bool]]:
    """Texts with other pieces, each with whether it is like those of the column apart from the mark between them."""
    if type_ != STR:
        return
    counts = [_marks_of(text) for text in column]
    for mark in _MARKS:
        pieces = value.split(mark)
        if len(pieces) > 1:
            varies = len({count[mark] for count in counts}) > 1
            # From another row, since a piece that comes twice is another thing to ask about.
            others = [piece for text in column for piece in text.split(mark) if piece not in pieces]
            made = [pieces[:-1], [*pieces[:-1], *others[:1], pieces[-1]]]
            made += [[pieces[0], *pieces[2:]]] if len(pieces) > 2 else []
            for text in map(mark.join, made):
                yield text, varies and _is_usual(_marks_of(text), counts, mark)


def _marks_of(text: str) -> Counter[str]:
    return Counter(character for character in text if not character.isalnum())


def _is_usual(own: Counter[str], counts: Sequence[Counter[str]], apart: str) -> bool:
    """Whether a text has as many of each other mark as some texts of the column have."""
    marks = {*own, *(mark for count in counts for mark in count)} - {apart}
    return all(min(one[mark] for one in counts) <= own[mark] <= max(one[mark] for one in counts) for mark in marks)


def _case(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    if type_ == STR:
        yield value.lower()
        yield value.upper()


def _numbers(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    if type_.name in {"int", "float"}:
        yield from (type(value)(n) for n in (0, 7, -value, value + 1, value * 10, 12345))


def _lists(value: Any, type_: Type, column: Sequence[Any]) -> Iterator[Any]:
    if type_.name == "list":
        yield from (value[::-1], value[1:], value[:-1], value + value[:2])


_WAYS: tuple[tuple[_Way, int], ...] = (
    (_other_digits, 0),
    (_odd_digits, 3),
    (_leading_zero, 0),
    (_fewer_digits, 1),
    (_pieces, 1),
    (_odd_pieces, 3),
    (_unmet_digits, 3),
    (_numbers, 1),
    (_lists, 1),
    (_case, 3),
)


NO_VALUE = "(no value)"
"""Stands for the value of a program that has none on an input."""


def find_disagreement(
    term: Term, rivals: Sequence[Term], problem: SearchProblem, view: TaskView, vocabulary: Vocabulary
) -> Ambiguity | None:
    """An input on which ``term`` and a rival give different values, or None.

    Inputs on which either program has no value are passed over: nobody can choose between a value and none.
    """
    meaning = compile_term(term, vocabulary.by_name)
    for rival in rivals:
        rival_meaning = compile_term(rival, vocabulary.by_name)
        for inputs in probe_inputs(problem):
            value, rival_value = (value_or(one, inputs, NO_VALUE) for one in (meaning, rival_meaning))
            if value != rival_value and NO_VALUE not in (value, rival_value):
                return Ambiguity(
                    input=tuple(thaw_value(v) for v in inputs),
                    outputs=(thaw_value(value), thaw_value(rival_value)),
                    code=answer_source(rival, view, vocabulary),
                )
    return None


def near_inputs(view: TaskView) -> list[list[Json]]:
    """Inputs near the examples, as JSON; none where the search cannot type the examples."""
    try:
        problem = problem_of(view)
    except ModelMistake:
        return []
    return [[thaw_value(value) for value in inputs] for inputs in probe_inputs(problem)]
