"""Suites made by seeded generators. Their hidden programs are plain Python; they know no policy.

A generator is a module with ``generate(n, seed) -> list[Task]``: the same arguments give the
same tasks on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from importlib import import_module

from evolve.episodes import BUILT_IN
from evolve.errors import UsageError
from evolve.tasks.model import Suite

__all__ = ["BUILTIN", "BuiltinSuite", "generate_suite"]


@dataclass(frozen=True, kw_only=True)
class BuiltinSuite:
    """One suite that ships.

    Attributes:
        name: What a person types.
        summary: One line for help and lists.
        size: Number of tasks by default.
    """

    name: str
    summary: str
    size: int


BUILTIN = (
    BuiltinSuite(name="composed", summary="later tasks combine hidden concepts of earlier ones", size=360),
    BuiltinSuite(name="everyday", summary="columns as a data worker meets them", size=320),
    BuiltinSuite(name="lists", summary="functions over lists of integers", size=480),
    BuiltinSuite(name="strings", summary="functions over text", size=480),
    BuiltinSuite(name="tables", summary="functions over rows of tables", size=480),
)


def generate_suite(name: str, *, n: int | None = None, seed: int = 0) -> Suite:
    """A built-in suite.

    Args:
        name: One of :data:`BUILTIN`.
        n: Number of tasks; by default the suite's own.
        seed: Another seed gives other parameters and rows.

    Raises:
        UsageError: For an unknown name or a number of tasks below one.
    """
    known = {suite.name: suite for suite in BUILTIN}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"built-in suites: {', '.join(known)}"
        raise UsageError(f"no suite {name!r}", hint=hint)
    size = known[name].size if n is None else n
    if size < 1:
        raise UsageError(f"a suite needs at least one task, not {size}")
    module = import_module(f"evolve.tasks.suites.{name}")
    return Suite(name=name, tasks=tuple(replace(task, source=BUILT_IN) for task in module.generate(size, seed)))
