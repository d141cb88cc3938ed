"""Evaluates terms: compiles each to a function from frozen inputs to its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evolve.policies.search.programs.operation import EVALUATION_ERRORS, Operation
from evolve.policies.search.programs.terms import Apply, Bound, Constant, Input, Lambda, Term

Meaning = Callable[[tuple[Any, ...], tuple[Any, ...]], Any]
"""A compiled term: task inputs and lambda parameters to a value."""


def compile_term(term: Term, operations: Mapping[str, Operation]) -> Callable[[tuple[Any, ...]], Any]:
    """The function from frozen inputs to the term's value.

    The function raises one of ``EVALUATION_ERRORS`` where the term is undefined.

    Raises:
        KeyError: The term uses an operation that is not in ``operations``.
    """
    meaning = _compile(term, operations)
    return lambda inputs: meaning(inputs, ())


def evaluate(term: Term, inputs: tuple[Any, ...], operations: Mapping[str, Operation]) -> Any:
    """The value of ``term`` on frozen ``inputs``; see :func:`compile_term`."""
    return compile_term(term, operations)(inputs)


def value_or(meaning: Callable[[tuple[Any, ...]], Any], inputs: tuple[Any, ...], otherwise: Any) -> Any:
    """The value of a compiled term, or ``otherwise`` where it is undefined."""
    try:
        return meaning(inputs)
    except EVALUATION_ERRORS:
        return otherwise


def _compile(term: Term, operations: Mapping[str, Operation]) -> Meaning:
    match term:
        case Input(index):
            return lambda inputs, bound: inputs[index]
        case Bound(index):
            return lambda inputs, bound: bound[index]
        case Constant(value, _):
            return lambda inputs, bound: value
        case Lambda(_, body):
            inner = _compile(body, operations)
            return lambda inputs, _: lambda *args: inner(inputs, args)
        case Apply(name, args):
            function = operations[name].function
            parts = [_compile(a, operations) for a in args]
            if len(parts) == 1:
                (only,) = parts
                return lambda inputs, bound: function(only(inputs, bound))
            if len(parts) == 2:
                left, right = parts
                return lambda inputs, bound: function(left(inputs, bound), right(inputs, bound))
            return lambda inputs, bound: function(*[part(inputs, bound) for part in parts])
