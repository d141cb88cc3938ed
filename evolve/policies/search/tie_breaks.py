"""Of answers that are right on every row, one that goes with letters beyond ASCII as well.

Whether it does is tried out: a program that copies, cuts or tests letters gives for a row with accents what it gives
for the row, with accents. This is a metamorphic relation (Chen et al. 1998): no output has to be known for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from evolve.policies.search.alternatives import UNDEFINED, Answered
from evolve.policies.search.enumerator import matcher, near_values
from evolve.policies.search.leaves import constant_name
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Constant, Lambda, Term, paths, replace
from evolve.policies.search.search_probes import probes
from evolve.policies.search.searcher import Vocabulary

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
    near_rows = [row for row, far in probes(problem).items() if far <= _USUAL]
    fits = matcher(problem.output_type, problem.outputs)
    for path, part in list(paths(term)):
        if not isinstance(part, Constant):
            continue
        whole = _closed(term, path)
        within = Answered(term=whole[1], problem=problem, vocabulary=vocabulary)
        if _goes_with(within, whole[1], accented):
            continue
        own = within.values(term, near_rows)
        for other in _others(part, vocabulary):
            changed = replace(term, path, other)
            here = replace(whole[1], path[len(whole[0]) :], other)
            if (
                _goes_with(within, here, accented)
                and fits(within.values(changed, problem.inputs))
                and all(map(_is_kept, own, within.values(changed, near_rows)))
            ):
                term = changed
                break
    return term


def goes_with_accents(answered: Answered, term: Term) -> bool:
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
    for place, part in paths(term):
        if len(place) < len(path) and path[: len(place)] == place:
            if isinstance(part, Lambda):
                break
            at, found = place, part
    return at, found


def _goes_with(answered: Answered, part: Term, accented: Sequence[tuple[Any, ...]]) -> bool:
    plain = answered.values(part, answered.problem.inputs)
    return all(
        value is not UNDEFINED and near_values(_turned(value, _TAKEN), was)
        for value, was in zip(answered.values(part, accented), plain, strict=True)
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
