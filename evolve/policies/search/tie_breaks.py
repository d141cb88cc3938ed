"""Chooses among answers that are right on every row: by letters beyond ASCII, by copying, by habit.

Whether it does is tried out: a program that copies, cuts or tests letters gives for a row with accents what it gives
for the row, with accents. This is a metamorphic relation (Chen et al. 1998): no output has to be known for it.
"""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.core.episodes import Row
from evolve.core.errors import ModelMistake
from evolve.policies.search.alternatives import UNDEFINED, AnsweredProblem
from evolve.policies.search.enumerator import near_values, output_matcher
from evolve.policies.search.known_functions import TreeSkill
from evolve.policies.search.leaves import constant_name
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.probe_inputs import probe_inputs
from evolve.policies.search.problem import SearchProblem, problem_from_rows
from evolve.policies.search.programs.evaluation import compile_term
from evolve.policies.search.programs.operation import EVALUATION_ERRORS
from evolve.policies.search.programs.terms import (
    Apply,
    Constant,
    Lambda,
    Term,
    from_json,
    replace_subterm,
    subterm_paths,
    walk,
)
from evolve.policies.search.programs.types import STR, as_type, thaw_value
from evolve.policies.search.searcher import Searcher, Vocabulary
from evolve.runtime.sandbox import Outcome
from evolve.skills.hard_coded import CopiedLiteral, copied_literals

_PLAIN = "abcdefghijklmnopqrstuvwxyz"
_ACCENTED = "áḃçďéḟğĥíĵķĺṁñóṗɋŕšťúṽŵẋýž"
_ADDED = str.maketrans(_PLAIN + _PLAIN.upper(), _ACCENTED + _ACCENTED.upper())
_TAKEN = str.maketrans(_ACCENTED + _ACCENTED.upper(), _PLAIN + _PLAIN.upper())
_DEARER = 2
"""Most by which the price of a literal may exceed that of the one in whose place it stands."""
_USUAL = 1
"""How unlikely an input may be on which both have to give the same."""


def with_accents_too(term: Term, problem: SearchProblem, vocabulary: Vocabulary) -> Term:
    """The term, with other literals where it fails for letters with accents and the rows allow one that does not.

    On rows, and on usual inputs near them, it gives what it gave.
    """
    accented = _accented(problem)
    if accented == list(problem.inputs):
        return term
    near_rows = [row for row, far in probe_inputs(problem).items() if far <= _USUAL]
    fits = output_matcher(problem.output_type, problem.outputs)
    for path, part in list(subterm_paths(term)):
        if not isinstance(part, Constant):
            continue
        whole = _closed(term, path)
        within = AnsweredProblem(term=whole[1], problem=problem, vocabulary=vocabulary)
        if _goes_with(within, whole[1], accented):
            continue
        own = within.values_of(term, near_rows)
        for other in _others(part, vocabulary):
            changed = replace_subterm(term, path, other)
            here = replace_subterm(whole[1], path[len(whole[0]) :], other)
            if (
                _goes_with(within, here, accented)
                and fits(within.values_of(changed, problem.inputs))
                and all(map(_is_kept, own, within.values_of(changed, near_rows)))
            ):
                term = changed
                break
    return term


def goes_with_accents(answered: AnsweredProblem, term: Term) -> bool:
    """Whether a program gives for rows with accents what it gives for the rows, apart from the accents."""
    return _goes_with(answered, term, _accented(answered.problem))


def is_accented(row: Sequence[Any]) -> bool:
    """Whether a text of a row has letters beyond ASCII."""
    return any(isinstance(value, str) and not value.isascii() for value in row)


def _accented(problem: SearchProblem) -> list[tuple[Any, ...]]:
    return [tuple(_turned(value, _ADDED) for value in row) for row in problem.inputs]


def _closed(term: Term, path: tuple[int, ...]) -> tuple[tuple[int, ...], Term]:
    """The smallest part around a literal that has a value of its own: one outside of lambdas."""
    at: tuple[int, ...] = ()
    found = term
    for place, part in subterm_paths(term):
        if len(place) < len(path) and path[: len(place)] == place:
            if isinstance(part, Lambda):
                break
            at, found = place, part
    return at, found


def _goes_with(answered: AnsweredProblem, part: Term, accented: Sequence[tuple[Any, ...]]) -> bool:
    plain = answered.values_of(part, answered.problem.inputs)
    return all(
        value is not UNDEFINED and near_values(_turned(value, _TAKEN), was)
        for value, was in zip(answered.values_of(part, accented), plain, strict=True)
        if was is not UNDEFINED
    )


def _is_kept(value: Any, other: Any) -> bool:
    return value is UNDEFINED or (other is not UNDEFINED and near_values(value, other))


def _others(part: Constant, vocabulary: Vocabulary) -> Iterator[Constant]:
    """Literals of the same type that cost little more, the cheapest first."""
    price = vocabulary.static.get(constant_name(part), 0)
    alike = [(cost, one) for one, cost in vocabulary.literals if one.type == part.type and one != part]
    yield from (one for cost, one in sorted(alike, key=lambda pair: pair[0]) if cost <= price + _DEARER)


def _turned(value: Any, table: dict[int, int]) -> Any:
    if isinstance(value, str):
        return value.translate(table)
    return type(value)(_turned(one, table) for one in value) if isinstance(value, list | tuple) else value


_CANDIDATES = 4_000
"""Expressions that are tried for one piece."""


def with_copies(term: Term, problem: SearchProblem, vocabulary: Vocabulary, meter: SearchMeter) -> Term:
    """The term, or one as right on every row that copies pieces of its texts where rows with others would need that.

    Args:
        meter: Counts what is tried; it may be spent.
    """
    rows = [
        Row(input=tuple(map(thaw_value, given)), output=thaw_value(output))
        for given, output in zip(problem.inputs, problem.outputs, strict=True)
    ]
    copying = _Copying(problem, rows, vocabulary, meter)
    for path, part in sorted(subterm_paths(term), key=lambda pair: pair[0], reverse=True):
        if isinstance(part, Constant) and part.type == STR and isinstance(part.value, str):
            term = copying.instead_of(term, path, part.value)
    return term


class _Copying:
    def __init__(self, problem: SearchProblem, rows: Sequence[Row], vocabulary: Vocabulary, meter: SearchMeter) -> None:
        self._problem, self._rows, self._vocabulary, self._meter = problem, rows, vocabulary, meter

    def instead_of(self, term: Term, path: tuple[int, ...], literal: str) -> Term:
        parts: list[Term] = []
        end = 0
        for one in copied_literals(literal, self._rows):
            meaning = compile_term(term, self._vocabulary.by_name)
            outcomes = []
            for changed in one.changed:
                try:
                    types = self._problem.input_types
                    inputs = tuple(as_type(value, kind) for value, kind in zip(changed.input, types, strict=True))
                    outcomes.append(Outcome(value=thaw_value(meaning(inputs))))
                except EVALUATION_ERRORS as error:
                    outcomes.append(Outcome(error=type(error).__name__))
            copy = self._copy(one) if one.is_frozen(outcomes) else None
            if copy is not None:
                parts += [*_literal(literal[end : one.start]), copy]
                end = one.start + len(one.piece)
        if not parts:
            return term
        joined, *rest = [*parts, *_literal(literal[end:])]
        for part in rest:
            joined = Apply("concatenate_text", (joined, part))
        other = replace_subterm(term, path, joined)
        return other if self._is_right(other) else term

    def _copy(self, one: CopiedLiteral) -> Term | None:
        """What gives the piece on every row, and the other one where that stands in its place."""
        rows = [Row(input=row.input, output=one.piece) for row in self._rows]
        rows += [Row(input=changed.input, output=changed.other) for changed in one.changed]
        try:
            problem = problem_from_rows(rows, "copy")
        except ModelMistake:
            return None
        if problem.input_types != self._problem.input_types:
            return None
        meter = SearchMeter(limit=_CANDIDATES, deadline=self._meter.deadline, cancellation=self._meter.cancellation)
        found = next(Searcher(problem, self._vocabulary, {}, meter, combine=False).programs(), None)
        self._meter.used += meter.used
        self._meter.work += meter.work
        return None if found is None else found.term

    def _is_right(self, term: Term) -> bool:
        meaning = compile_term(term, self._vocabulary.by_name)
        try:
            pairs = zip(self._problem.inputs, self._problem.outputs, strict=True)
            return all(meaning(given) == wanted for given, wanted in pairs)
        except EVALUATION_ERRORS:
            return False


def _literal(text: str) -> list[Term]:
    return [Constant(text, STR)] if text else []


_MOMENT = datetime.datetime(2024, 3, 31, 14, 5, 9)
_READS = "parse_"


@dataclass(frozen=True, kw_only=True)
class Preferred:
    """A term and, where a habit chose it, one sentence that says so."""

    term: Term
    told: str = ""


class WritingHabits:
    """How dates, times and numbers are written and read in verified answers.

    Args:
        library: The skills behind which these answers stand.
    """

    def __init__(self, library: Iterable[TreeSkill], vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._used: Counter[Constant | str] = Counter()
        for skill in library:
            try:
                term = from_json(skill.tree["term"])
            except (KeyError, ValueError, TypeError):
                continue
            self._used.update({way for part in walk(term) if (way := _way(part)) is not None})

    def prefer(self, term: Term, problem: SearchProblem) -> Preferred:
        """The term, or one as plain that is as right on every row and written as more of the earlier answers are."""
        told = []
        for path, part in list(subterm_paths(term)):
            for other in self._more_usual(part):
                changed = replace_subterm(term, path, other)
                if self._values(changed, problem) == self._values(term, problem) is not None:
                    told.append(
                        f"the rows allow {_shown(part)} as well as {_shown(other)}, and the latter is usual here"
                    )
                    term = changed
                    break
        return Preferred(term=term, told="; ".join(told))

    def _more_usual(self, part: Term) -> Iterator[Term]:
        """What may stand in place of a part at the same price and is used more, the most used first."""
        own = _way(part)
        if own is None:
            return
        for way, count in sorted(self._used.items(), key=lambda item: (-item[1], repr(item[0]))):
            if count <= self._used[own] or way == own:
                continue
            if isinstance(part, Constant) and isinstance(way, Constant) and way.type == part.type:
                if self._price(way) == self._price(part):
                    yield way
            elif isinstance(part, Apply) and isinstance(way, str) and self._are_alike(way, part.operation):
                yield Apply(way, part.args)

    def _price(self, constant: Constant) -> int | None:
        return self._vocabulary.static.get(constant_name(constant))

    def _are_alike(self, one: str, other: str) -> bool:
        left, right = self._vocabulary.by_name.get(one), self._vocabulary.by_name.get(other)
        if left is None or right is None:
            return False
        return (left.params, left.result, left.cost) == (right.params, right.result, right.cost)

    def _values(self, term: Term, problem: SearchProblem) -> Sequence[Any] | None:
        meaning = compile_term(term, self._vocabulary.by_name)
        try:
            return [meaning(given) for given in problem.inputs]
        except EVALUATION_ERRORS:
            return None


def _way(part: Term) -> Constant | str | None:
    """A way to write or to read something: a format, or an operation that reads; None for anything else."""
    if isinstance(part, Constant) and part.type.name.endswith("_format"):
        return part
    return part.operation if isinstance(part, Apply) and part.operation.startswith(_READS) else None


def _shown(part: Term) -> str:
    """A way as a person sees it: something that is written so, or how it is read."""
    if isinstance(part, Apply):
        return part.operation.removeprefix(_READS).replace("_", " ")
    assert isinstance(part, Constant)
    if part.type.name in ("date_format", "time_format"):
        return _MOMENT.strftime(str(part.value))
    return format(1234 if part.type.name == "integer_format" else 1234.5, str(part.value))
