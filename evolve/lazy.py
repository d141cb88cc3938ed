"""Packages that hand on names of their modules, and load a module when one of its names is asked for."""

from __future__ import annotations

TYPE_CHECKING = False  # as in ``typing``, which is slow to load and would be loaded before anything else
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def attach(package: str, offered: Mapping[str, str]) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """``__all__``, ``__getattr__`` and ``__dir__`` (PEP 562) of a package.

    Type checkers read the same names from imports under ``TYPE_CHECKING``; a test holds both against each other.

    Args:
        package: Its ``__name__``.
        offered: By module, ``".relative"`` or whole, the names that are handed on, with blanks between them. No name is
            that of a module of the package: whichever is loaded first would stand for both.
    """
    places = {name: place for place, names in offered.items() for name in names.split()}
    everything = sorted(places)

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        import sys
        from importlib import import_module

        value = getattr(import_module(places[name], package), name)
        setattr(sys.modules[package], name, value)  # from now on without this detour
        return value

    return everything, load, lambda: everything
