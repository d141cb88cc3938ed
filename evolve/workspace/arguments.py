"""Checks the arguments of public methods against their annotations, so that a wrong kind is told in a sentence."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache, wraps
from types import FunctionType, NoneType, SimpleNamespace, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from evolve.core.errors import UsageError
from evolve.core.ledger import Budget, Ledger, Spent, parse_budget, process_seconds

BudgetLike = Budget | Ledger | str | Sequence[str] | None
"""A budget or its short forms, such as ``"50k-candidates"``; None is unlimited. Calls that are given the same ledger
spend from one budget, and its seconds count from when it was made."""

_Class = TypeVar("_Class", bound=type)
_WORDS = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
    os.PathLike: "a path",
    Sequence: "a list",
    Mapping: "a dictionary",
}


def check_arguments(*own: str) -> Callable[[_Class], _Class]:
    """Makes the constructor and the public methods of a class refuse arguments of kinds that they do not take.

    Args:
        own: Parameters that are refused where they are read, in words of their own.
    """

    def change(cls: _Class) -> _Class:
        for name, method in list(vars(cls).items()):
            if isinstance(method, FunctionType) and (name == "__init__" or not name.startswith("_")):
                setattr(cls, name, _checked(method, own))
        return cls

    return change


def _checked(method: Callable[..., Any], own: Sequence[str]) -> Callable[..., Any]:
    @wraps(method)
    def call(*args: Any, **kwargs: Any) -> Any:
        parameters = _parameters(method)
        for name, value in [*zip(parameters, args, strict=False), *kwargs.items()]:
            if name not in own and name in parameters and not _takes(method, parameters[name], value):
                kind = _kind(method, name)
                raise UsageError(f"{name}: expected {_kind_in_words(kind)}, got {type(value).__name__}")
        return method(*args, **kwargs)

    return call


@cache
def _parameters(method: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(method).parameters


def _takes(method: Callable[..., Any], parameter: inspect.Parameter, value: Any) -> bool:
    # What is left out is most often None, and to look at its kind loads the module that defines it.
    may_be_none = value is None and str(parameter.annotation).endswith("None")
    return may_be_none or _fits(value, _kind(method, parameter.name))


@cache
def _kind(method: Any, name: str) -> Any:
    """The kind of a parameter; Any where a name in it is known to type checkers alone."""
    parameter = _parameters(method)[name]
    if not isinstance(parameter.annotation, str) or parameter.kind is parameter.VAR_POSITIONAL:
        return Any
    try:
        hint = SimpleNamespace(__annotations__={name: parameter.annotation})
        return get_type_hints(hint, _Known(method.__globals__))[name]
    except NameError:
        return Any


class _Known(dict[str, Any]):
    """The names of a module; those that it imports for type checkers alone are had from the door."""

    def __missing__(self, name: str) -> Any:
        from evolve import workspace

        if name not in dir(workspace):
            raise KeyError(name)
        return getattr(workspace, name)


def _fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a kind, as far as its outermost layer tells; items of lists are not looked at."""
    origin = get_origin(kind) or kind
    if origin in (Union, UnionType):
        return any(_fits(value, member) for member in get_args(kind))
    if origin is Literal:
        return any(type(value) is type(literal) for literal in get_args(kind))
    if kind is Any or not isinstance(origin, type):  # such as what only type checkers tell apart
        return True
    if getattr(origin, "_is_protocol", False):
        # By hand, since isinstance takes only protocols that are marked as checkable at run time.
        return all(hasattr(value, name) for name in vars(origin) if not name.startswith("_"))
    if origin in (int, float):
        # True is an int to Python, and no number to whoever calls.
        return isinstance(value, int if origin is int else (int, float)) and not isinstance(value, bool)
    if origin in (Sequence, Iterable):
        # A text can be walked through letter by letter, so one id would pass for a list of them.
        return isinstance(value, Iterable) and not isinstance(value, str | bytes | Mapping)
    return isinstance(value, origin)


def _kind_in_words(kind: Any) -> str:
    """A kind of argument as a message names it, such as ``a text or None``."""
    if get_origin(kind) in (Union, UnionType):
        words = list(dict.fromkeys(map(_kind_in_words, get_args(kind))))
        return " or ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)
    if get_origin(kind) is Literal:
        return " or ".join(map(repr, get_args(kind)))
    origin = get_origin(kind) or kind
    name = getattr(origin, "__name__", str(origin))
    return _WORDS.get(origin, f"{'an' if name[:1] in 'AEIO' else 'a'} {name}")


def as_budget(budget: BudgetLike) -> Budget:
    """A budget from its short forms; None is unlimited."""
    if budget is None:
        return Budget()
    if isinstance(budget, Ledger):
        return budget.budget
    if isinstance(budget, Budget):
        return replace(budget)
    return parse_budget([budget] if isinstance(budget, str) else budget)


def as_ledger(budget: BudgetLike) -> Ledger:
    """What a call may spend and books on: the ledger that was given, else one that begins now."""
    return budget if isinstance(budget, Ledger) else Ledger(as_budget(budget))


def command_budget(texts: Sequence[str], *, whole_process: bool = True) -> Ledger:
    """The budget of a whole command: everything it does books on it.

    Args:
        texts: As typed after ``--budget``.
        whole_process: The seconds count from when this process was started, and not from now.

    Raises:
        UsageError: For text of another form and for a bound of zero.
    """
    return Ledger(parse_budget(texts), spent=Spent(seconds=process_seconds() if whole_process else 0.0))
