"""What a skill may use: names of the language, and of the standard library what ``allowed.toml`` lists.

A list of what is forbidden never ends; what is not on these lists is refused.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


def text_words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


CALLED_ON_IMPORT = text_words(
    """
    abs all any ascii bin bool bytearray bytes chr complex dict divmod enumerate float format frozenset hex int len list
    max min oct ord pow range repr reversed round set slice sorted str sum tuple zip
    """
)
"""Builtins that the top level may call, on values that hold nothing of the skill's own."""

ANY_SIZE = text_words(
    """
    abs bool complex Decimal dict divmod float Fraction frozenset int list MappingProxyType max min round set timedelta
    tuple
    """
)
"""What takes a large number there without doing anything that often, or making anything that long."""

MODULES_CALLED_ON_IMPORT = text_words(
    "collections dataclasses datetime decimal enum fractions math operator re string struct types typing"
)
"""The same of modules, for what is listed of them."""

WRAPPERS = text_words("dict frozenset list set tuple MappingProxyType field")
"""What may be called there on functions of the skill as well: it keeps them and calls none."""

DUNDER_METHODS = text_words(
    """
    __init__ __post_init__ __repr__ __str__ __hash__ __bool__ __call__ __enter__ __exit__
    __eq__ __ne__ __lt__ __le__ __gt__ __ge__
    __len__ __iter__ __next__ __reversed__ __contains__ __getitem__ __setitem__ __delitem__ __missing__
    __add__ __radd__ __iadd__ __sub__ __rsub__ __isub__ __mul__ __rmul__ __imul__ __matmul__ __truediv__ __rtruediv__
    __floordiv__ __rfloordiv__ __mod__ __rmod__ __divmod__ __pow__ __rpow__ __and__ __rand__ __or__ __ror__ __xor__
    __rxor__ __lshift__ __rshift__ __neg__ __pos__ __invert__ __abs__ __round__ __floor__ __ceil__ __trunc__
    __int__ __float__ __index__
    """
)
"""Special methods a class may define: all act on instances, and the top level makes none."""

DUNDER_ATTRIBUTES = text_words("__init__ __name__ __post_init__")

DECORATORS = frozenset(
    {
        ("abc", "abstractmethod"),
        ("contextlib", "contextmanager"),
        ("dataclasses", "dataclass"),
        ("enum", "unique"),
        ("functools", "cache"),
        ("functools", "cached_property"),
        ("functools", "lru_cache"),
        ("functools", "total_ordering"),
        ("functools", "wraps"),
        ("typing", "final"),
        ("typing", "override"),
    }
)
"""What may decorate at the top level, with ``property``, ``staticmethod`` and ``classmethod``."""

ONLY_DECORATORS = DECORATORS - {("functools", "cache"), ("functools", "lru_cache")}
"""Those that change what they are given, so they are used in no other way."""

ENCODINGS = text_words(
    "utf-8 utf8 utf-8-sig utf-16 utf-16-le utf-16-be utf-32 ascii us-ascii latin-1 latin1 iso-8859-1 cp1252"
)
"""Codecs are modules that are found by name, so the name must stand in the source."""


@dataclass(frozen=True, kw_only=True)
class AllowedNames:
    """The lists of ``allowed.toml``.

    Attributes:
        builtins: Names that are there without an import. None reaches code, frames, files or attributes by their names.
        modules: For each module that may be imported, its names with the way each may be used: ``values`` anywhere,
            ``classes`` where nothing can change them for everyone, ``functions`` like these where the source sets
            attributes, of ``tables`` the items.
        attributes: Attributes of values of any kind.
        withheld: Attributes that values have and a skill must neither read nor define.
        methods: Attributes that are methods written in Python, which could be changed for everyone.
    """

    builtins: frozenset[str]
    modules: Mapping[str, Mapping[str, str]]
    attributes: frozenset[str]
    withheld: frozenset[str]
    methods: frozenset[str]


@lru_cache(maxsize=1)
def allowed_lists() -> AllowedNames:
    """The lists, read once."""
    data = tomllib.loads(Path(__file__).with_name("allowed.toml").read_text(encoding="utf-8"))
    modules = {
        module: {name: usage for usage, names in table.items() for name in names.split()}
        for module, table in data["modules"].items()
    }
    names = {key: text_words(data[key]) for key in ("builtins", "attributes", "withheld", "methods")}
    return AllowedNames(modules=modules, **names)


@lru_cache(maxsize=1)
def modules_and_packages() -> frozenset[str]:
    """Modules that may be imported, and packages that only hold such."""
    return frozenset(allowed_lists().modules) | {name.split(".")[0] for name in allowed_lists().modules}
