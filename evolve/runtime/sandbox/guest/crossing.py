"""Writes values as JSON and rebuilds them in another process of the sandbox; sent as text, never imported."""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import functools
import importlib
import math
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# as deep as a result may be; also ends values that contain themselves
DEEPEST = 100
SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
MAPPINGS = {"OrderedDict": collections.OrderedDict, "Counter": collections.Counter, "dict": dict}
CONTAINERS = (*SEQUENCES.values(), dict, bytearray, collections.deque)
"""What holds other values, or can be changed in place."""
VIEWS = {"dict_keys": type({}.keys()), "dict_values": type({}.values()), "dict_items": type({}.items())}
FACTORIES = (None, bool, dict, float, int, list, set, str, tuple)
PATHS = ("Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath")
FIELDS = {
    "builtins.complex": ("real", "imag"),
    "builtins.range": ("start", "stop", "step"),
    "fractions.Fraction": ("numerator", "denominator"),
    "datetime.timedelta": ("days", "seconds", "microseconds"),
    "datetime.date": ("year", "month", "day"),
    "datetime.time": ("hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "datetime.datetime": ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "zoneinfo.ZoneInfo": ("key",),
}
WRITTEN = {
    *("__module__", "__doc__", "__dict__", "__weakref__", "__slots__", "__annotations__", "__orig_bases__"),
    *("__parameters__", "__static_attributes__", "__firstlineno__", "__annotate__", "__annotate_func__"),
    *("__annotations_cache__", "__classcell__", "__match_args__", "__replace__"),
}
"""What Python itself writes into a class."""
ITERATING = {
    "__init__",
    "__iter__",
    "__next__",
    "__new__",
    "__abstractmethods__",
    "__subclasshook__",
    "__class_getitem__",
}
RAISED = {
    "copy": ("Error",),
    "decimal": (
        *("Clamped", "ConversionSyntax", "DecimalException", "DivisionByZero", "DivisionImpossible"),
        *("DivisionUndefined", "FloatOperation", "Inexact", "InvalidContext", "InvalidOperation", "Overflow"),
        *("Rounded", "Subnormal", "Underflow"),
    ),
    "json": ("JSONDecodeError",),
    "re": ("error",),
    "statistics": ("StatisticsError",),
    "zoneinfo": ("ZoneInfoNotFoundError",),
}
"""Exceptions of modules that tests may import, besides those of ``builtins``."""


class NotPlain(Exception):
    """A value that is more than data."""


def packed(value: Any, keep: Any = None, depth: int = 0) -> Any:
    """The value as JSON; every container is a list of its kind and its content.

    Only what is remade as the same in another process crosses: a subclass may act in ways of its own.

    Args:
        keep: Takes an iterator and gives the number by which its items can be asked for; None refuses iterators.
    """
    kind = type(value)
    if value is None or kind in (bool, str, float):
        return value
    if depth > DEEPEST:
        raise NotPlain("nesting without end")
    for name, base in SEQUENCES.items():
        if kind is base:
            return [name, [packed(item, keep, depth + 1) for item in value]]
    if kind is collections.defaultdict and value.default_factory in FACTORIES:
        return ["defaultdict", [FACTORIES.index(value.default_factory), packed(dict(value), keep, depth)]]
    for name, mapping in MAPPINGS.items():
        if kind is mapping:
            # by the class itself, so that nothing the value carries is called
            pairs = mapping.items(value)
            return [name, [[packed(key, keep, depth + 1), packed(item, keep, depth + 1)] for key, item in pairs]]
    # as hexadecimal: Python refuses decimal texts of more than 4,300 digits
    if kind is int:
        return value if abs(value) < 1 << 63 else ["int", hex(value)]
    return [kind.__name__, value.hex()] if kind in (bytes, bytearray) else packed_other(value, keep, depth)


def packed_other(value: Any, keep: Any, depth: int) -> Any:
    """Packs values of a few more types, and iterators."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if kind is decimal.Decimal:
        return [name, [str(value)]]
    if name in FIELDS and getattr(sys.modules.get(kind.__module__), kind.__name__, None) is kind:
        return [name, [packed(getattr(value, field), keep, depth + 1) for field in FIELDS[name]]]
    if kind is datetime.timezone:
        parts = (value.utcoffset(None), value.tzname(None))
        return ["timezone", [packed(part, keep, depth + 1) for part in parts]]
    if kind.__module__.partition(".")[0] == "pathlib" and kind.__qualname__ in PATHS:
        return ["path", [kind.__qualname__, str(value)]]
    if kind is collections.deque:
        return ["deque", [[packed(item, keep, depth + 1) for item in value], value.maxlen]]
    for view, base in VIEWS.items():
        if issubclass(kind, base):
            return [view, [packed(item, keep, depth + 1) for item in value]]
    if is_named(kind):
        content = [packed(item, keep, depth + 1) for item in value]
        return ["named", [kind.__name__, list(kind._fields), content]]
    if keep is not None and is_iterator(kind):
        return ["iterator", keep(value)]
    raise NotPlain(kind.__name__)


@functools.cache
def named(name: str, *fields: str) -> Any:
    """A named tuple of these fields."""
    return collections.namedtuple(name, fields)


def is_named(kind: Any) -> bool:
    """Whether a class is a named tuple without a method of its own."""
    if kind.__bases__ != (tuple,) or not hasattr(kind, "_fields"):
        return False
    reference = vars(named("Made", *kind._fields))
    own = vars(kind)
    # its functions are compared, because a named tuple can be given others under the same names
    same = all(getattr(own.get(name), "__code__", None) is reference[name].__code__ for name in ("__repr__", "_asdict"))
    return same and not {name for name in own.keys() - reference.keys() if name not in WRITTEN}


def is_iterator(kind: Any) -> bool:
    """Whether giving items is all that objects of this class do."""
    if not (hasattr(kind, "__next__") and hasattr(kind, "__iter__")):
        return False
    if kind.__module__ in ("builtins", "itertools"):
        return True
    names = {name for base in kind.__mro__[:-1] for name in vars(base)}
    return all(name in WRITTEN or name in ITERATING or name[:2] != "__" for name in names)


def restored(data: Any, remote: Any = None) -> Any:
    """The value that :func:`packed` described, of builtin types alone; raises for what it cannot have written.

    Args:
        remote: Makes an iterator of the number by which its items can be asked for.
    """
    if data is None or type(data) in (bool, int, float, str):
        return data
    name, content = data
    again = functools.partial(restored, remote=remote)
    if name in SEQUENCES:
        return SEQUENCES[name](map(again, content))
    if name in MAPPINGS:
        return MAPPINGS[name]({again(key): again(item) for key, item in content})
    if name == "int":
        return int(content, 16)
    if name in ("bytes", "bytearray"):
        return getattr(builtins, name).fromhex(content)
    return remote(int(content)) if name == "iterator" else restored_other(name, content, again)


def restored_other(name: str, content: Any, again: Any) -> Any:
    """The same for types that are no builtin names."""
    if name == "defaultdict":
        return collections.defaultdict(FACTORIES[content[0]], again(content[1]))
    if name == "path":
        return getattr(importlib.import_module("pathlib"), PATHS[PATHS.index(content[0])])(content[1])
    if name == "deque":
        return collections.deque(map(again, content[0]), content[1])
    if name == "named":
        return named(str(content[0]), *map(str, content[1]))(*map(again, content[2]))
    if name == "timezone":
        offset, tz_name = map(again, content)
        return (
            datetime.timezone(offset)
            if str(datetime.timezone(offset)) == tz_name
            else datetime.timezone(offset, tz_name)
        )
    if name in VIEWS:
        items = [again(item) for item in content]
        if name == "dict_values":
            return dict(enumerate(items)).values()
        return dict(items).items() if name == "dict_items" else dict.fromkeys(items).keys()
    if name == "decimal.Decimal" or name in FIELDS:
        module, _, attribute = name.partition(".")
        # fold can be given by name only
        values = [again(item) for item in content]
        more = {"fold": values.pop()} if FIELDS.get(name, ())[-1:] == ("fold",) else {}
        return getattr(importlib.import_module(module), attribute)(*values, **more)
    raise ValueError("not a value")


def refuse_shared(value: Any, seen: set[int]) -> None:
    """Raises where a copy would not do: one object at two places, or what is equal to itself only as an object."""
    if isinstance(value, float) and math.isnan(value):
        raise NotPlain("a number that equals nothing")
    if isinstance(value, dict):
        inner: list[Any] = [*value.keys(), *value.values()]
    else:
        inner = list(value) if isinstance(value, CONTAINERS) else []
    if issubclass(type(value), CONTAINERS) and not issubclass(type(value), (tuple, frozenset)):
        if id(value) in seen:
            raise NotPlain("one object at two places")
        seen.add(id(value))
    for item in inner:
        refuse_shared(item, seen)
