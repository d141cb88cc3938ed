"""The suites that ship, one compressed file of tasks each; see ``benchmarks/suites`` for what made them.

A file is a task file as ``render_jsonl`` writes it, compressed with bzip2: the same tasks give the same bytes on every
machine.
"""

from __future__ import annotations

import bz2
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache, partial
from importlib.resources import files
from typing import Any

from evolve.core.episodes import BUILT_IN, Row
from evolve.core.errors import UsageError
from evolve.core.extensions import find
from evolve.tasks.model import Suite, Task

__all__ = ["BUILTIN", "BuiltinSuite", "generate_suite"]

Generator = Callable[[int, int], Sequence[Task]]
"""What a package offers under the name of a suite: tasks by number and seed."""


@dataclass(frozen=True, kw_only=True)
class BuiltinSuite:
    """One suite that ships.

    Attributes:
        name: What a person types.
        size: Number of tasks that ship.
        one_world: Whether another seed gives tasks of the same kind, so that what was learned here can be confirmed
            there. Those of ``composed`` are then made of other hidden steps: who learned these has learned none of
            those.
    """

    name: str
    size: int
    one_world: bool = True


BUILTIN = (
    BuiltinSuite(name="composed", size=360, one_world=False),
    BuiltinSuite(name="everyday", size=320),
    BuiltinSuite(name="lists", size=480),
    BuiltinSuite(name="strings", size=480),
    BuiltinSuite(name="tables", size=480),
)


def generate_suite(name: str, *, n: int | None = None, seed: int = 0) -> Suite:
    """A built-in suite as it ships; another number of tasks or seed is drawn anew where its generator is installed.

    Args:
        name: One of :data:`BUILTIN`.
        n: Number of tasks; by default those that ship.
        seed: Another seed than 0 gives other parameters and rows.

    Raises:
        UsageError: For an unknown name, a number of tasks below one, or where nothing is installed that draws tasks.
    """
    known = {suite.name: suite for suite in BUILTIN}
    if name not in known:
        near = get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else f"built-in suites: {', '.join(known)}"
        raise UsageError(f"no suite {name!r}", hint=hint)
    size = known[name].size if n is None else n
    if size < 1:
        raise UsageError(f"a suite needs at least one task, not {size}")
    tasks = _shipped(name) if (size, seed) == (known[name].size, 0) else _drawn(known[name], size, seed)
    redraws = known[name].one_world and find("suites", name) is not None
    return Suite(name=name, tasks=tasks, draw=partial(_drawn, known[name]) if redraws else None)


@cache
def shipped_groups() -> frozenset[str]:
    """The groups of all tasks that ship: tasks of these problems, in whichever file they stand."""
    return frozenset(found for suite in BUILTIN for found in re.findall(r'"group":\s*"([^"]+)"', _text(suite.name)))


def _text(name: str) -> str:
    return bz2.decompress(files(__name__).joinpath(f"{name}.jsonl.bz2").read_bytes()).decode()


def _shipped(name: str) -> tuple[Task, ...]:
    return tuple(_task(json.loads(line)) for line in _text(name).split("\n") if line)


def _task(value: dict[str, Any]) -> Task:
    """A task as it stands in a file of ours, where nothing needs to be doubted or inferred."""
    rows = {name: _rows(value[name]) for name in ("examples", "hidden")}
    return Task(**{**value, **rows}, source=BUILT_IN)


def _rows(values: Sequence[dict[str, Any]]) -> tuple[Row, ...]:
    return tuple(Row(input=tuple(value["input"]), output=value["output"]) for value in values)


def _drawn(suite: BuiltinSuite, n: int, seed: int) -> tuple[Task, ...]:
    draw: Generator | None = find("suites", suite.name)
    if draw is None:
        command = f"python -m benchmarks.suites draw {suite.name} --n {n} --seed {seed} --out FILE"
        raise UsageError(
            f"{suite.name} ships with {suite.size} tasks, and nothing is installed that draws others",
            hint=f"in a clone of evolve: {command}",
        )
    return tuple(replace(task, source=BUILT_IN) for task in draw(n, seed))
