"""Packages that hand on names of their modules, and load a module when one of its names is asked for."""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # as in ``typing``, which is slow to load and would be loaded before anything else
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attach(package: str, *defined: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """``__getattr__`` and ``__dir__`` (PEP 562) of a package, and with them its ``__all__``.

    The package hands on what it imports for type checkers in the ``if TYPE_CHECKING:`` whose ``else:`` calls this. Its
    source is read when a name is first asked for.

    Args:
        package: Its ``__name__``. No name is that of a module of the package: whichever is loaded first would stand for
            both.
        defined: Names that the package offers besides and defines itself.
    """
    found: list[Mapping[str, str]] = []

    def places() -> Mapping[str, str]:
        if not found:
            found.append(_read(str(sys.modules[package].__file__)))
        return found[0]

    def everything() -> list[str]:
        return sorted([*places(), *defined])

    def load(name: str) -> Any:
        if name == "__all__":
            return everything()
        if name not in places():
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        from importlib import import_module

        owner = import_module(places()[name])
        value = getattr(owner, name) if hasattr(owner, name) else import_module(f"{owner.__name__}.{name}")
        setattr(sys.modules[package], name, value)  # from now on without this detour
        return value

    return load, everything


def _read(source: str) -> Mapping[str, str]:
    """The module of each name that a package hands on."""
    import ast

    with open(source, encoding="utf-8") as file:
        blocks = [node for node in ast.parse(file.read()).body if isinstance(node, ast.If) and node.orelse]
    lines = [line for block in blocks for line in block.body if isinstance(line, ast.ImportFrom)]
    return {alias.name: line.module or "" for line in lines for alias in line.names}
