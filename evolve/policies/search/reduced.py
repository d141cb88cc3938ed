"""Whether a program needs all of its operations for what it is right on.

An operation that leaves every row as it is, or whose effect on every row is lost further out, was asked for by no row:
the program without it explains as much with less. To the rows it is a mutant that no test kills (DeMillo, Lipton &
Sayward 1978).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from evolve.programs.operation import Operation
from evolve.programs.terms import Apply, Constant, Lambda, Term, paths, replace
from evolve.programs.types import match


def with_an_operation_less(term: Term, operations: Mapping[str, Operation]) -> Iterator[Term]:
    """The term with one of its operations, outside lambdas too, replaced by a value of the same type that it takes.

    A list in whose place stands a text would often have a value too, such as whether a word is in it.
    """
    for path, part in paths(term):
        if isinstance(part, Apply):
            operation = operations[part.operation]
            for given, kind in zip(part.args, operation.params, strict=True):
                fits = match(kind, operation.result, {}) or match(operation.result, kind, {})
                if fits and not isinstance(given, Lambda | Constant):
                    yield replace(term, path, given)
