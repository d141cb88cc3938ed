"""A small suite that a :class:`FixedPolicy` can solve, with room to get faster."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from evolve.core.episodes import Row
from evolve.tasks import Suite, Task
from evolve.testing.policies import PROGRAMS, FixedLearner

_FUNCTIONS: Mapping[str, Callable[[Sequence[int]], Any]] = {
    "last": lambda xs: xs[-1],
    "length": len,
    "sort": sorted,
    "total": sum,
}


def small_suite(n: int = 60, seed: int = 0) -> Suite:
    """``n`` tasks over four functions, every task a group of its own."""
    rng = random.Random(seed)
    return Suite(name="small", tasks=tuple(_task(place, rng) for place in range(n)))


def _task(place: int, rng: random.Random) -> Task:
    name = sorted(_FUNCTIONS)[place % len(_FUNCTIONS)]
    rows = []
    for number in range(9):
        xs = [rng.randint(-50, 50) for _ in range(3 + number % 4)]
        rows.append(Row(input=(xs,), output=_FUNCTIONS[name](xs)))
    return Task(
        id=f"small-{place:03d}",
        family=name,
        instruction=f"give the {name}",
        examples=tuple(rows[:3]),
        hidden=tuple(rows[3:]),
    )


def slow_learner(decoys: int = 20, *, distils: bool = False) -> FixedLearner:
    """A learner whose unlearned policy looks at many useless programs first."""
    useless = {f"decoy-{number}": f"def solve(xs):\n    return 'no {number}'\n" for number in range(decoys)}
    return FixedLearner(programs={**useless, **PROGRAMS}, distils=distils)
