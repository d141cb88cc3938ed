"""Terms: the expression trees of the search language.

A term is what a search finds, what an ablation changes, and what a skill keeps beside
its code. Its JSON form is a nested list: ``["input", 0]``, ``["const", "int", 3]``,
``["bound", 0]``, ``["lambda", [types], body]``, ``["op", name, arg, ...]``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.policies.search.programs.types import Type, freeze_value, thaw_value


@dataclass(frozen=True)
class Input:
    """The task's argument number ``index``, from 0."""

    index: int


@dataclass(frozen=True)
class Bound:
    """Parameter number ``index`` of the enclosing lambda, from 0."""

    index: int


@dataclass(frozen=True)
class Constant:
    """A literal."""

    value: Any
    type: Type


@dataclass(frozen=True)
class Lambda:
    """A function of bounded depth; its body may use the task's inputs but no outer lambda."""

    params: tuple[Type, ...]
    body: Term


@dataclass(frozen=True)
class Apply:
    """An operation applied to terms. ``operation`` is the operation's name."""

    operation: str
    args: tuple[Term, ...]


Term = Input | Bound | Constant | Lambda | Apply


def children(term: Term) -> tuple[Term, ...]:
    """The direct sub-terms."""
    if isinstance(term, Apply):
        return term.args
    return (term.body,) if isinstance(term, Lambda) else ()


def walk(term: Term) -> Iterator[Term]:
    """``term`` and all its sub-terms, parents first."""
    yield term
    for child in children(term):
        yield from walk(child)


def is_open(term: Term) -> bool:
    """Whether the term uses a parameter of a lambda outside itself."""
    if isinstance(term, Apply):
        return any(map(is_open, term.args))
    return isinstance(term, Bound)


def size(term: Term) -> int:
    """The number of nodes, lambdas not counted."""
    return sum(not isinstance(t, Lambda) for t in walk(term))


def operations_in(term: Term) -> list[str]:
    """Names of the operations used, parents first, with repeats."""
    return [t.operation for t in walk(term) if isinstance(t, Apply)]


def replace_subterm(term: Term, path: Sequence[int], new: Term) -> Term:
    """``term`` with the sub-term at ``path`` (child indices from the root) replaced."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(term, Lambda):
        return Lambda(term.params, replace_subterm(term.body, rest, new))
    if not isinstance(term, Apply):
        raise IndexError(f"no sub-term at {list(path)}")
    changed = replace_subterm(term.args[head], rest, new)
    return Apply(term.operation, (*term.args[:head], changed, *term.args[head + 1 :]))


def subterm_paths(term: Term, at: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], Term]]:
    """Every sub-term with its path, parents first."""
    yield at, term
    for i, child in enumerate(children(term)):
        yield from subterm_paths(child, (*at, i))


def to_json(term: Term) -> list[Any]:
    """The JSON form of a term."""
    match term:
        case Input(index):
            return ["input", index]
        case Bound(index):
            return ["bound", index]
        case Constant(value, type_):
            return ["const", type_to_json(type_), thaw_value(value)]
        case Lambda(params, body):
            return ["lambda", [type_to_json(t) for t in params], to_json(body)]
        case Apply(operation, args):
            return ["op", operation, *map(to_json, args)]


def from_json(data: Any) -> Term:
    """The term of a JSON form.

    Raises:
        ValueError: The data is not the JSON form of a term.
    """
    match data:
        case ["input", int(index)]:
            return Input(index)
        case ["bound", int(index)]:
            return Bound(index)
        case ["const", type_, value]:
            return Constant(freeze_value(value), type_from_json(type_))
        case ["lambda", list(params), body]:
            return Lambda(tuple(map(type_from_json, params)), from_json(body))
        case ["op", str(name), *args]:
            return Apply(name, tuple(map(from_json, args)))
    raise ValueError(f"not a term: {str(data)[:80]}")


def type_to_json(type_: Type) -> Any:
    """The JSON form of a type: its name, or ``[name, args, fields]``."""
    if not type_.args:
        return type_.name
    return [type_.name, [type_to_json(a) for a in type_.args], list(type_.fields)]


def type_from_json(data: Any) -> Type:
    """The type of a JSON form.

    Raises:
        ValueError: The data is not the JSON form of a type.
    """
    match data:
        case str(name):
            return Type(name)
        case [str(name), list(args), list(fields)]:
            return Type(name, tuple(map(type_from_json, args)), tuple(fields))
    raise ValueError(f"not a type: {str(data)[:80]}")
