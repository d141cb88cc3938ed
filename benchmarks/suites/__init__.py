"""What draws the tasks of the built-in suites. The hidden programs are plain Python; they know no policy.

A generator is a module with ``generate(n, seed) -> list[Task]``: the same arguments give the
same tasks on every machine. What ships of a suite is drawn once, with its own number of tasks and seed 0, and written
into the package by ``python -m benchmarks.suites write``. An editable install of a clone offers the generators to
evolve, as entry points of the group ``evolve.suites``.
"""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module

from evolve.core.episodes import BUILT_IN
from evolve.tasks import BUILTIN, Suite, load_suite

SIZES = {suite.name: suite.size for suite in BUILTIN}


def draw_suite(name: str, *, n: int | None = None, seed: int = 0) -> Suite:
    """A built-in suite drawn anew.

    Args:
        name: One of :data:`evolve.tasks.BUILTIN`.
        n: Number of tasks; by default as many as ship.
        seed: Another seed gives other parameters and rows.
    """
    module = import_module(f"{__name__}.{name}")
    tasks = module.generate(SIZES[name] if n is None else n, seed)
    return Suite(name=name, tasks=tuple(replace(task, source=BUILT_IN) for task in tasks))


def suite_of(name_or_path: str, *, n: int | None = None, seed: int = 0) -> Suite:
    """What ``load_suite`` gives, also where nothing that draws tasks is installed."""
    if name_or_path in SIZES and (n, seed) != (None, 0):
        return draw_suite(name_or_path, n=n, seed=seed)
    return load_suite(name_or_path, n=n, seed=seed)
