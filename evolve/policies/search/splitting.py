"""Takes a problem apart, searches for the parts on their own and puts them together.

A whole search tries conditionals and concatenations of what it has built under one price limit. Here every part has a
search of its own, with fewer rows or a simpler output, so it gets deeper (divide and conquer: Alur, Radhakrishna and
Udupa, "Scaling enumerative program synthesis via divide and conquer", 2017).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evolve.policies.search.enumerator import output_equality
from evolve.policies.search.meter import SearchMeter
from evolve.policies.search.problem import SearchProblem
from evolve.policies.search.programs.terms import Apply, Term
from evolve.policies.search.programs.types import BOOL
from evolve.policies.search.searcher import Searcher

MOST_ELEMENTS = 6
MIN_ROWS = 2
"""Rows on each side of a condition; fewer would be learned by heart."""

Make = Callable[[SearchProblem, SearchMeter], Searcher]


@dataclass(frozen=True, kw_only=True)
class Split:
    """One way to take a problem apart.

    Attributes:
        says: What the parts are, in words.
        elements: How many elements every output has, if each is searched for by itself; else 0.
        rows: For each row whether it lies on the first side of a condition; empty for elements.
    """

    says: str
    elements: int = 0
    rows: tuple[bool, ...] = ()


def find_splits(problem: SearchProblem) -> tuple[Split, ...]:
    """Every way this module knows to take the problem apart, the most telling first."""
    candidates = [*_by_elements(problem), *_by_rows(problem)]
    seen: dict[tuple[bool, ...], Split] = {}
    for split in candidates:
        # A condition and its negation are one split: `choose` takes either.
        opposite = tuple(not flag for flag in split.rows)
        if opposite not in seen or not split.rows:
            seen.setdefault(split.rows, split)
    return tuple(seen.values())


def compose(
    problem: SearchProblem, choices: Sequence[Split], make: Make, meter: SearchMeter, tried: Sequence[Term]
) -> Term | None:
    """A program put together from parts, or None; every part of every split gets an equal share of the meter.

    Args:
        tried: Programs that are not wanted again.
    """
    for number, split in enumerate(choices):
        end = meter.limit
        parts = split.elements or 3  # a condition and its two branches
        share = meter.remaining // (parts * (len(choices) - number))
        terms: list[Term] = []
        for part in _parts(problem, split):
            meter.limit = min(end, meter.used + share)
            # Parts share the meter, so that a limit or a stop of the whole ends the part at hand.
            solution = next(make(part, meter).programs(), None)
            meter.limit = end
            if solution is None:
                break
            terms.append(solution.term)
        if len(terms) == parts:
            whole = _joined(terms) if split.elements else Apply("choose", tuple(terms))
            if whole not in tried:
                return whole
    return None


def _parts(problem: SearchProblem, split: Split) -> Iterator[SearchProblem]:
    if split.elements:
        kind = problem.output_type.args[0]
        for at in range(split.elements):
            yield replace(problem, outputs=tuple(output[at] for output in problem.outputs), output_type=kind)
        return
    yield replace(problem, outputs=split.rows, output_type=BOOL)
    for side in (True, False):
        yield problem.with_examples([at for at, flag in enumerate(split.rows) if flag is side])


def _joined(terms: Sequence[Term]) -> Term:
    whole: Term = Apply("singleton", (terms[0],))
    for term in terms[1:]:
        whole = Apply("concatenate", (whole, Apply("singleton", (term,))))
    return whole


def _by_elements(problem: SearchProblem) -> Iterator[Split]:
    goal = problem.output_type
    if goal.name == "list" and goal.args[0].name not in {"fn"}:
        lengths = {len(output) for output in problem.outputs}
        if len(lengths) == 1 and 2 <= (length := min(lengths)) <= MOST_ELEMENTS:
            yield Split(says=f"each of the {length} elements by itself", elements=length)


def _by_rows(problem: SearchProblem) -> Iterator[Split]:
    same = output_equality(problem.output_type)
    for index, kind in enumerate(problem.input_types):
        if kind == problem.output_type:
            rows = [same(row[index], output) for row, output in zip(problem.inputs, problem.outputs, strict=True)]
            yield from _two_sided(f"rows whose output is input {index + 1}, and the others", rows)
    for says, test in _tests(problem).items():
        yield from _two_sided(says, [bool(test(output)) for output in problem.outputs])


def _tests(problem: SearchProblem) -> Mapping[str, Callable[[Any], bool]]:
    goal, same = problem.output_type.name, output_equality(problem.output_type)
    common, _ = Counter(problem.outputs).most_common(1)[0]
    tests: dict[str, Callable[[Any], bool]] = {
        f"rows whose output is {common!r}, and the others": lambda output: same(output, common)
    }
    if goal in {"int", "float"}:
        tests["rows with a negative output, and the others"] = lambda output: output < 0
    if goal in {"list", "str"}:
        tests["rows with an empty output, and the others"] = lambda output: len(output) == 0
    return tests


def _two_sided(says: str, rows: Sequence[bool]) -> Iterator[Split]:
    if MIN_ROWS <= sum(rows) <= len(rows) - MIN_ROWS:
        yield Split(says=says, rows=tuple(rows))
