"""The types of the search language, and how JSON values become values of them.

Inside a search every value is immutable and hashable, so that observational
equivalence is a dictionary look-up: lists are tuples, dictionaries are
:class:`FrozenDict`. Dates are ISO strings on the outside and :class:`datetime.date`
only between operations.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Type:
    """A monomorphic or polymorphic type.

    Attributes:
        name: ``int float bool str date datetime list dict row fn pair`` or a variable such as ``T``.
        args: Type arguments; for ``fn`` the parameters followed by the result.
        fields: Column names of a ``row``, one per argument.
    """

    name: str
    args: tuple[Type, ...] = ()
    fields: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.name == "row":
            inner = ", ".join(f"{k}: {t}" for k, t in zip(self.fields, self.args, strict=True))
            return f"row[{inner}]"
        if self.name == "fn":
            *params, result = self.args
            return f"({', '.join(map(str, params))}) -> {result}"
        return f"{self.name}[{', '.join(map(str, self.args))}]" if self.args else self.name

    def __hash__(self) -> int:
        # Types key every look-up of a search, and hashing nested ones anew is what dominates there.
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.args, self.fields))

    @property
    def is_variable(self) -> bool:
        """Whether this is a type variable; variables are single capital letters."""
        return len(self.name) == 1 and self.name.isupper()


INT, FLOAT, BOOL, STR = Type("int"), Type("float"), Type("bool"), Type("str")
DATE, DATETIME = Type("date"), Type("datetime")
T, U = Type("T"), Type("U")


def list_of(item: Type) -> Type:
    """The type of lists of ``item``."""
    return Type("list", (item,))


def dict_of(key: Type, value: Type) -> Type:
    """The type of dictionaries with homogeneous keys and values."""
    return Type("dict", (key, value))


def row_of(columns: Mapping[str, Type]) -> Type:
    """The type of a record with named columns, in sorted order."""
    names = tuple(sorted(columns))
    return Type("row", tuple(columns[n] for n in names), names)


def fn_of(*params_then_result: Type) -> Type:
    """The type of functions: parameters, then the result."""
    return Type("fn", params_then_result)


class FrozenDict(dict[Any, Any]):
    """A dictionary that is a value: hashable, and by convention never changed."""

    __slots__ = ("_hash",)

    def __hash__(self) -> int:  # type: ignore[override]
        try:
            return self._hash
        except AttributeError:
            self._hash: int = hash(frozenset(self.items()))
            return self._hash


def freeze_value(value: Any) -> Any:
    """The immutable form of a JSON value (lists become tuples, objects FrozenDict)."""
    if isinstance(value, (list, tuple)):
        items = tuple(value)
        try:
            hash(items)
        except TypeError:
            return tuple(map(freeze_value, items))
        return items  # What is hashable is frozen already, and asking is far cheaper than copying.
    if isinstance(value, dict):
        return FrozenDict((k, freeze_value(v)) for k, v in value.items())
    return value


def thaw_value(value: Any) -> Any:
    """The JSON form of a search value; the inverse of :func:`freeze_value`."""
    if isinstance(value, tuple):
        return list(map(thaw_value, value))
    if isinstance(value, dict):
        return {k: thaw_value(v) for k, v in value.items()}
    return value


def as_type(value: Any, type_: Type) -> Any:
    """``value`` frozen, with integers lifted to floats wherever ``type_`` says float."""
    # A bool is an int for Python, and no number here.
    if type_ == FLOAT and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if type_.name == "list" and isinstance(value, (list, tuple)):
        return tuple(as_type(v, type_.args[0]) for v in value)
    if type_.name == "dict" and isinstance(value, dict):
        return FrozenDict((k, as_type(v, type_.args[1])) for k, v in value.items())
    if type_.name == "row" and isinstance(value, dict):
        kinds = dict(zip(type_.fields, type_.args, strict=True))
        return FrozenDict((k, as_type(v, kinds[k])) for k, v in value.items())
    return freeze_value(value)


UNKNOWN = Type("?")
"""The element type of a list that was empty in every example."""


def infer(values: Iterable[Any]) -> Type | None:
    """The one type that all JSON ``values`` share, or None where they have none.

    Integers and floats together are float; empty lists and objects agree with any list
    or object; objects with the same keys everywhere are rows, others dictionaries.
    """
    common: Type | None = UNKNOWN
    for value in values:
        kind = _type_of(value)
        if kind is None or (common := _join(common or UNKNOWN, kind)) is None:
            return None
    return common


_SCALARS = {bool: BOOL, int: INT, float: FLOAT, str: STR}


def _type_of(value: Any) -> Type | None:
    if type(value) in _SCALARS:
        return _SCALARS[type(value)]
    if isinstance(value, (list, tuple)):
        inner = infer(value)
        return list_of(inner) if inner else None
    if isinstance(value, dict):
        kinds = {k: _type_of(v) for k, v in value.items()}
        if not all(isinstance(k, str) for k in kinds) or None in kinds.values():
            return None
        return row_of({k: t for k, t in kinds.items() if t})
    return None


def _join(a: Type, b: Type) -> Type | None:
    # An empty list shows nothing of its items, so it agrees with any list.
    if a == b or b == UNKNOWN:
        return a
    if a == UNKNOWN:
        return b
    if {a, b} == {INT, FLOAT}:
        return FLOAT
    if a.name == b.name == "list":
        inner = _join(a.args[0], b.args[0])
        return list_of(inner) if inner else None
    if a.name == "row" and b.name == "row" and a.fields == b.fields:
        inners = [_join(x, y) for x, y in zip(a.args, b.args, strict=True)]
        if all(inners):
            return Type("row", tuple(t for t in inners if t), a.fields)
        return None
    if {a.name, b.name} <= {"row", "dict"}:
        return _join_as_dicts(a, b)
    return None


def _join_as_dicts(a: Type, b: Type) -> Type | None:
    value: Type | None = UNKNOWN
    for kind in (a, b):
        for t in kind.args[1:] if kind.name == "dict" else kind.args:
            value = _join(value or UNKNOWN, t)
            if value is None:
                return None
    return dict_of(STR, value or UNKNOWN)


def resolve(type_: Type, default: Type = INT) -> Type:
    """``type_`` with unknown element types replaced by ``default``."""
    if type_ == UNKNOWN:
        return default
    return Type(type_.name, tuple(resolve(a, default) for a in type_.args), type_.fields)


def inner_types(type_: Type) -> Iterable[Type]:
    """``type_`` and every type inside it."""
    yield type_
    for arg in type_.args:
        yield from inner_types(arg)


def match(pattern: Type, actual: Type, bound: dict[str, Type]) -> bool:
    """Whether ``actual`` is an instance of ``pattern``; extends ``bound`` with its variables."""
    if pattern.is_variable:
        return bound.setdefault(pattern.name, actual) == actual
    if pattern.name != actual.name or len(pattern.args) != len(actual.args):
        return False
    return pattern.fields == actual.fields and all(
        match(p, a, bound) for p, a in zip(pattern.args, actual.args, strict=True)
    )


def substitute(pattern: Type, bound: Mapping[str, Type]) -> Type:
    """``pattern`` with its variables replaced."""
    if pattern.is_variable:
        return bound[pattern.name]
    if not pattern.args:
        return pattern
    return Type(pattern.name, tuple(substitute(a, bound) for a in pattern.args), pattern.fields)


def variables(pattern: Type) -> frozenset[str]:
    """The names of the type variables in ``pattern``."""
    return frozenset(t.name for t in inner_types(pattern) if t.is_variable)
