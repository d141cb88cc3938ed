"""The vocabulary: every operation of the search language, one module per kind of value."""

from __future__ import annotations

from evolve.policies.search.programs.operation import Operation
from evolve.policies.search.programs.terms import Constant

__all__ = ["literals", "vocabulary"]


def vocabulary() -> tuple[Operation, ...]:
    """All operations, in a fixed order; names are unique.

    Static costs are the unlearned prices. A constant or pattern in an operation is one
    that any data worker would name (ISO dates, decimal separators), never one from a suite.
    """
    from evolve.policies.search.programs.operations import (
        dates,
        dictionaries,
        higher_order,
        lists,
        numbers,
        patterns,
        rows,
        strings,
        text_numbers,
        times,
    )

    modules = (
        numbers,
        lists,
        higher_order,
        strings,
        patterns,
        text_numbers,
        dates,
        times,
        dictionaries,
        rows,
    )
    return tuple(operation for module in modules for operation in module.operations())


def literals() -> tuple[tuple[Constant, int], ...]:
    """The built-in constants with their static costs, in a fixed order.

    Closed sets (delimiters, patterns, formats, units) have types of their own, so that
    they stand only where the operation asks for them. Constants mined from examples come on top.
    """
    from evolve.policies.search.programs.operations import dates, patterns, strings, text_numbers, times

    modules = (strings, patterns, text_numbers, dates, times)
    return tuple(constant for module in modules for constant in module.constants())
