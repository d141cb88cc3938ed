"""Whether a program needs all of its operations for what it is right on.

An operation that leaves every row as it is, or whose effect on every row is lost further out, was asked for by no row:
the program without it explains as much with less. To the rows it is a mutant that no test kills (DeMillo, Lipton &
Sayward 1978).
"""

from __future__ import annotations

from collections.abc import Iterator

from evolve.programs.terms import Apply, Constant, Lambda, Term, paths, replace


def with_an_operation_less(term: Term) -> Iterator[Term]:
    """The term with one of its operations, outside lambdas too, replaced by one of the values that it takes.

    Types are not looked at: what does not fit has no value.
    """
    for path, part in paths(term):
        if isinstance(part, Apply):
            for given in part.args:
                if not isinstance(given, Lambda | Constant):
                    yield replace(term, path, given)
