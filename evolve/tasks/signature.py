"""The signature grammar of tasks: parse, format, infer from values, check values against it.

    signature  :=  "(" [parameter ("," parameter)*] ")" "->" type
    parameter  :=  name ":" type
    type       :=  base ["|" "None"]
    base       :=  int | float | bool | str | row | any | None | list[type] | dict[str, type]

``row`` is a dictionary with values of mixed types, such as a table row; ``any`` is a value whose
type the examples do not settle. Dates are ISO strings, so their type is ``str``.
"""

from __future__ import annotations

import itertools
import keyword
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

from evolve.core.episodes import Json, Row

MAX_TYPE_DEPTH = 16
_LONGEST_LABEL, _MOST_WORDS = 40, 4
_LABEL_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+|[^\W\d_A-Za-z]+")
_TOKEN = re.compile(r"\s*(->|[A-Za-z_][A-Za-z0-9_]*|[()\[\],:|])")
_SCALARS = ("int", "float", "bool", "str", "row", "any", "None")


class SignatureError(ValueError):
    """Text that is not a signature; the message says what was expected where."""


@dataclass(frozen=True)
class TypeExpr:
    """A type: ``name`` is a scalar's name, ``list``, ``dict``, ``optional``, or ``empty``.

    ``empty`` is the element type of an empty list during inference: it joins with everything.
    """

    name: str
    args: tuple[TypeExpr, ...] = ()

    def __str__(self) -> str:
        if self.name == "optional":
            return f"{self.args[0]} | None"
        if self.name == "list":
            return f"list[{self.args[0]}]"
        if self.name == "dict":
            return f"dict[str, {self.args[0]}]"
        return "any" if self.name == "empty" else self.name


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One positional argument."""

    name: str
    type: TypeExpr


@dataclass(frozen=True, kw_only=True)
class Signature:
    """Named, typed parameters and the type of the result."""

    parameters: tuple[Parameter, ...]
    result: TypeExpr


INT, FLOAT, BOOL, STR = TypeExpr("int"), TypeExpr("float"), TypeExpr("bool"), TypeExpr("str")
ROW, ANY, NONE, EMPTY = TypeExpr("row"), TypeExpr("any"), TypeExpr("None"), TypeExpr("empty")


def list_of(item: TypeExpr) -> TypeExpr:
    """The type of lists of ``item``."""
    return TypeExpr("list", (item,))


def dict_of(value: TypeExpr) -> TypeExpr:
    """The type of dictionaries from str to ``value``."""
    return TypeExpr("dict", (value,))


def optional_type(base: TypeExpr) -> TypeExpr:
    """``base | None``; types that already hold None stay as they are."""
    return base if base.name in ("optional", "None", "any") else TypeExpr("optional", (base,))


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, int]] = []
        position = 0
        while text[position:].strip():
            match = _TOKEN.match(text, position)
            if match is None:
                raise SignatureError(f"unexpected {text[position:].strip()[0]!r} in signature {_short(text)}")
            self.tokens.append((match[1], match.start(1)))
            position = match.end()
        self.next = 0

    def peek(self) -> str:
        return self.tokens[self.next][0] if self.next < len(self.tokens) else "end"

    def take(self, expected: str = "") -> str:
        token = self.peek()
        if expected and token != expected:
            raise SignatureError(f"expected {expected!r} but found {token!r} in signature {_short(self.text)}")
        self.next += 1
        return token

    def signature(self) -> Signature:
        self.take("(")
        parameters: list[Parameter] = []
        while self.peek() != ")":
            if parameters:
                self.take(",")
            parameters.append(self.parameter())
        self.take(")")
        self.take("->")
        result = self.type(0)
        self.take("end")
        names = [parameter.name for parameter in parameters]
        if len(set(names)) != len(names):
            raise SignatureError(f"a parameter name occurs twice in signature {_short(self.text)}")
        return Signature(parameters=tuple(parameters), result=result)

    def parameter(self) -> Parameter:
        name = self.take()
        if not name.isidentifier() or keyword.iskeyword(name):
            raise SignatureError(f"{name!r} cannot name a parameter in signature {_short(self.text)}")
        self.take(":")
        return Parameter(name=name, type=self.type(0))

    def type(self, depth: int) -> TypeExpr:
        if depth > MAX_TYPE_DEPTH:
            raise SignatureError(f"types nest deeper than {MAX_TYPE_DEPTH} in signature {_short(self.text)}")
        base = self.base(depth)
        if self.peek() == "|":
            self.take()
            self.take("None")
            base = optional_type(base)
        return base

    def base(self, depth: int) -> TypeExpr:
        name = self.take()
        if name in _SCALARS:
            return TypeExpr(name)
        if name not in ("list", "dict"):
            raise SignatureError(
                f"unknown type {name!r} in signature {_short(self.text)}; types are int, float, bool, str, "
                "row, any, None, list[T], dict[str, T] and T | None"
            )
        self.take("[")
        if name == "dict":
            self.take("str")
            self.take(",")
        inner = self.type(depth + 1)
        self.take("]")
        return TypeExpr(name, (inner,))


def parse_signature(text: str) -> Signature:
    """Parse ``(a: list[int], n: int) -> str``; :class:`SignatureError` says what is wrong."""
    return _Parser(text).signature()


def format_signature(signature: Signature) -> str:
    """The signature as text; parsing it gives the same signature."""
    parameters = ", ".join(f"{parameter.name}: {parameter.type}" for parameter in signature.parameters)
    return f"({parameters}) -> {signature.result}"


def _type_of(value: Json) -> TypeExpr:
    """The narrowest type of one JSON value."""
    if value is None:
        return NONE
    for python, name in ((bool, BOOL), (int, INT), (float, FLOAT), (str, STR)):
        if isinstance(value, python):
            return name
    if isinstance(value, dict):
        types = [_type_of(item) for item in value.values()]
        joined = _join_all(types)
        mixed = _holds_any(joined) and not any(_holds_any(part) for part in types)
        return ROW if mixed else dict_of(joined)
    return list_of(_join_all(_type_of(item) for item in value))


def _join_all(types: Iterable[TypeExpr]) -> TypeExpr:
    """The narrowest type that covers all of them; ``empty`` where there are none."""
    return reduce(join, dict.fromkeys(types), EMPTY)  # a type that came before adds nothing


def join(a: TypeExpr, b: TypeExpr) -> TypeExpr:
    """The narrowest type that covers both; ``any`` where only that does."""
    if a == b or b == EMPTY:
        return a
    if a == EMPTY:
        return b
    if NONE in (a, b) or "optional" in (a.name, b.name):
        return optional_type(join(_without_none(a), _without_none(b)))
    if {a.name, b.name} == {"int", "float"}:
        return FLOAT
    if a.name == b.name == "list":
        return list_of(join(a.args[0], b.args[0]))
    if {a.name, b.name} <= {"dict", "row"}:
        if a == ROW or b == ROW:
            return ROW
        value = join(a.args[0], b.args[0])
        return ROW if _holds_any(value) and not (_holds_any(a) or _holds_any(b)) else dict_of(value)
    return ANY


def _without_none(kind: TypeExpr) -> TypeExpr:
    return EMPTY if kind == NONE else kind.args[0] if kind.name == "optional" else kind


def _holds_any(kind: TypeExpr) -> bool:
    return kind == ANY or any(_holds_any(arg) for arg in kind.args)


def infer_signature(rows: Sequence[Row], names: Sequence[str] = ()) -> Signature:
    """The signature that rows show.

    Args:
        rows: At least one; all with the same number of arguments.
        names: Names of the parameters; by default readable ones by type (``xs``, ``n``, ``text``, ...).
    """
    types = [
        _join_all(_type_of(value) for value in column) for column in zip(*(row.input for row in rows), strict=True)
    ]
    chosen = list(names) if names else _parameter_names(types)
    parameters = tuple(Parameter(name=name, type=_settled(kind)) for name, kind in zip(chosen, types, strict=True))
    return Signature(parameters=parameters, result=_settled(_join_all(_type_of(row.output) for row in rows)))


def _settled(kind: TypeExpr) -> TypeExpr:
    return ANY if kind == EMPTY else TypeExpr(kind.name, tuple(_settled(arg) for arg in kind.args))


def has_type(value: Json, kind: TypeExpr) -> bool:
    """Whether a JSON value has a type. An int is a float too; a bool is no number."""
    name = kind.name
    if name == "any":
        return True
    if name == "optional":
        return value is None or has_type(value, kind.args[0])
    if name == "list":
        return isinstance(value, list) and all(has_type(item, kind.args[0]) for item in value)
    if name in ("dict", "row"):
        item_type = kind.args[0] if kind.args else ANY
        return isinstance(value, dict) and all(has_type(item, item_type) for item in value.values())
    if isinstance(value, bool) or name == "bool":
        return isinstance(value, bool) and name == "bool"
    python: dict[str, type | tuple[type, ...]] = {
        "int": int,
        "float": (int, float),
        "str": str,
        "None": type(None),
    }
    return isinstance(value, python[name])


def _parameter_names(types: Sequence[TypeExpr]) -> list[str]:
    """A readable, distinct name for each parameter, by its type."""
    chosen: dict[str, None] = {}
    numbers: dict[str, Iterator[int]] = {}  # a number that was taken once stays taken: time grows with the types alone
    for kind in types:
        stock = _stock_names(kind)
        more = (f"{stock[0]}{number}" for number in numbers.setdefault(stock[0], itertools.count(2)))
        chosen[next(name for name in itertools.chain(stock, more) if name not in chosen)] = None
    return list(chosen)


def _stock_names(kind: TypeExpr) -> tuple[str, ...]:
    if kind.name == "optional":
        return _stock_names(kind.args[0])
    if kind.name == "list":
        inner = kind.args[0].name
        if inner in ("list", "row", "dict"):
            return ("rows",)
        return ("items", "others") if inner == "str" else ("xs", "ys", "zs")
    return {
        "int": ("n", "k", "m"),
        "float": ("x", "y", "z"),
        "bool": ("flag", "other_flag"),
        "str": ("text", "other"),
        "row": ("row", "other_row"),
        "dict": ("mapping", "other_mapping"),
    }.get(kind.name, ("value",))


def argument_name(label: str, position: int) -> str:
    """A column label as a parameter name: snake_case ASCII, ``column_<position>`` where nothing is left."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", label)
    name = re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")
    if name and name[0].isdigit():
        name = f"column_{name}"
    if not name:
        return f"column_{position}"
    return f"{name}_" if keyword.iskeyword(name) else name


def is_plain_name(label: str) -> bool:
    """Whether a label or a name can stand in a prompt and in an exported skill: a file may come from anybody.

    One of more than four words or forty characters could be an order.
    """
    return len(label) <= _LONGEST_LABEL and len(_LABEL_WORD.findall(label)) <= _MOST_WORDS


def with_plain_names(text: str) -> str:
    """The signature with ``column_<position>`` for parameters whose names are not plain.

    Raises:
        SignatureError: The text is none.
    """
    signature = parse_signature(text)
    names = [
        parameter.name if is_plain_name(parameter.name) else f"column_{at}"
        for at, parameter in enumerate(signature.parameters, start=1)
    ]
    if names == [parameter.name for parameter in signature.parameters]:
        return text
    if len(set(names)) < len(names):  # one is called so already
        names = [f"column_{at}" for at in range(1, len(names) + 1)]
    renamed = [replace(parameter, name=name) for parameter, name in zip(signature.parameters, names, strict=True)]
    return format_signature(replace(signature, parameters=tuple(renamed)))


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:77] + "...")
