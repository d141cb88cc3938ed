"""What an operation of the search language is, and how one is declared.

An operation has a meaning twice: ``function`` on frozen values, for the search, and
``template``, the Python expression it becomes in an answer. A property test holds the
two together. Longer meanings are *support functions*: ordinary Python whose source is
printed above the answer, so that the answer runs by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.programs.terms import Term
from evolve.policies.search.programs.types import Type, freeze_value

EVALUATION_ERRORS = (
    ValueError,
    TypeError,
    IndexError,
    KeyError,
    ZeroDivisionError,
    OverflowError,
    AttributeError,  # ``re.search`` gives None where nothing matches, which has no ``group``
)
"""What a partial operation may raise; the search reads it as "no value here".

``StopIteration`` must never leave an operation: inside ``map`` it would end the row early.
"""

MAX_ITEMS = 128
"""Longest list or, times 8, longest string that an operation may build."""

MAX_INT = 10**12
"""Largest magnitude of an integer that an operation may build."""


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One typed operation.

    Attributes:
        name: Unique name, snake case; the cause of insights is ``operation:<name>``.
        params: Parameter types; may hold type variables.
        result: Result type; its variables occur in ``params``.
        function: Meaning on frozen values; raises one of ``EVALUATION_ERRORS`` where undefined.
        template: Python expression over ``a0, a1, ...``; ``a0(x)`` applies a lambda argument.
        cost: Static cost, set by hand by how general the operation is among those that take its types: 1 to 3 for
            what any program uses, 4 and 5 for the common, 6 and 7 for the special, 8 to 12 for the rare, and one
            more where a lambda takes two arguments. What a search found on a suite never sets it.
        support: Functions whose source the answer prints, dependencies first.
        scalar: Whether lambda bodies may use it.
        commutative: Whether the two arguments may be swapped, so that only one order is tried.
        noun: What the result is called when an answer names it, such as ``words``.
        meaning: For a learned operation the term that it stands for, over its parameters as inputs; else None.
        applications: How many operations one call comes to: more than one for a learned operation.
        over: Types that an enumeration takes for the type variables, where it should not take all; a solver may take
            any.
    """

    name: str
    params: tuple[Type, ...]
    result: Type
    function: Callable[..., Any]
    template: str
    cost: int = 4
    support: tuple[Callable[..., Any], ...] = ()
    scalar: bool = False
    commutative: bool = False
    noun: str = ""
    meaning: Term | None = None
    applications: int = 1
    over: tuple[Type, ...] = ()


def define(name: str, params: Iterable[Type], result: Type, template: str, **more: Any) -> Operation:
    """An operation; ``function`` defaults to the meaning of the template on frozen values.

    A template that yields a list gets a function that yields a tuple.
    """
    parameters = tuple(params)
    support = tuple(more.get("support", ()))
    function = more.pop("function", None)
    if function is None:
        function = _compile_template(template, len(parameters), support, _freezing(result))
    return Operation(name=name, params=parameters, result=result, template=template, function=function, **more)


def _freezing(result: Type) -> str:
    """How a value of type ``result`` becomes frozen: the name of a function, or ""."""
    if result.name == "list":
        nested = result.args[0].name in {"list", "dict", "row"} or result.args[0].is_variable
        return "bounded_freeze" if nested else "bounded_tuple"
    return "freeze" if result.name in {"dict", "row"} else ""


def bounded_tuple(items: Iterable[Any]) -> tuple[Any, ...]:
    """A tuple of at most ``MAX_ITEMS`` items.

    Raises:
        OverflowError: There are more.
    """
    result = tuple(items)
    if len(result) > MAX_ITEMS:
        raise OverflowError("a list too long for the search")
    return result


def bounded_freeze(value: Any) -> Any:
    """The frozen form of a value of at most 4 x ``MAX_ITEMS`` items in all.

    Raises:
        OverflowError: There are more.
    """
    frozen = freeze_value(value)
    # Items of items, because a short list may hold long ones.
    nested = isinstance(frozen, tuple) and frozen and isinstance(frozen[0], tuple)
    if nested and sum(len(v) for v in frozen if isinstance(v, tuple)) > 4 * MAX_ITEMS:
        raise OverflowError("a nested list too large for the search")
    return frozen


def template_names() -> dict[str, Any]:
    """The standard-library names that a template may use; a fresh dictionary each time."""
    import calendar
    import datetime
    import functools
    import itertools
    import json
    import math
    import re
    import statistics
    import urllib.parse
    from collections import Counter

    return {
        "calendar": calendar,
        "datetime": datetime,
        "functools": functools,
        "itertools": itertools,
        "json": json,
        "math": math,
        "re": re,
        "statistics": statistics,
        "urllib": urllib,
        "Counter": Counter,
        "freeze": freeze_value,
        "bounded_freeze": bounded_freeze,
        "bounded_tuple": bounded_tuple,
    }


def natural(count: int) -> int:
    """``count``, undefined below 0."""
    # A negative count would cut at the other end, which other operations do; of a duration, Python writes
    # "-1 day, 23:59:59".
    if count < 0:
        raise ValueError
    return count


def positive(count: int) -> int:
    """``count``, undefined below 1."""
    # A slice from -0 is the whole list or text.
    if count < 1:
        raise ValueError
    return count


def holds(test: Callable[..., Any], *values: Any) -> bool:
    """Whether a test is true of values; not where it is undefined."""
    try:
        return bool(test(*values))
    except EVALUATION_ERRORS:
        return False


def _compile_template(
    template: str, arity: int, support: Iterable[Callable[..., Any]] = (), wrap: str = ""
) -> Callable[..., Any]:
    """The Python function of a template over ``a0, a1, ...``, its result passed through ``wrap``.

    Templates are written in this package; no text from outside ever reaches this.
    """
    names = template_names()
    names.update((f.__name__, f) for f in support)
    body = f"{wrap}({template})" if wrap else template
    source = f"lambda {', '.join(f'a{i}' for i in range(arity))}: {body}"
    compiled: Callable[..., Any] = eval(compile(source, f"<{template}>", "eval"), names)
    return compiled
