"""Tells by its values whether a function remembers earlier calls."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from evolve.core.episodes import Json
from evolve.core.equality import equal
from evolve.runtime.sandbox import Outcome, Program, Sandbox, SandboxLimits, SandboxResult

_ROUNDS, _FEW, _ALONE = 40, 2, 6
"""How often one process makes all calls, how often where that is too much, and calls with a process of their own."""
_MOST_CALLS = 4_000
_LIMITS = SandboxLimits(wall_s=12.0, program_s=4.0)


def remembers_calls(
    sandbox: Sandbox,
    program: Program,
    inputs: Sequence[Sequence[Json]],
    checked: Callable[[SandboxResult], SandboxResult],
) -> bool:
    """Whether a program gives another value for an input after other calls than it gives first in a process.

    Calls that time left no room for say nothing.

    Args:
        checked: Gives a result that is no fault of the sandbox.
    """
    alone = [[values] for values in inputs[:_ALONE]]
    for rounds in (max(_FEW, min(_ROUNDS, _MOST_CALLS // max(1, len(inputs)))), _FEW):
        orders = list(_orders(len(inputs), rounds))
        calls = [inputs[place] for place in orders]
        sets = [calls, *alone]
        done = checked(sandbox.run_programs([program] * len(sets), (), _LIMITS, per_program=sets))
        many, *first = done.programs
        if not many.error:
            break
    known = {place: run.outputs[0] for place, run in enumerate(first) if run.outputs and not run.timed_out}
    for place, outcome in zip(orders, many.outputs, strict=False):
        if outcome.error and many.timed_out:
            break
        if not same_outcome(known.setdefault(place, outcome), outcome):
            return True
    return False


def same_outcome(one: Outcome, other: Outcome) -> bool:
    """Whether two calls gave the same value, or both none."""
    return equal(one.value, other.value) if one.ok and other.ok else one.ok == other.ok


def _orders(count: int, rounds: int) -> Sequence[int]:
    """The places of all inputs again and again: as they stand, the other way round, and in orders drawn by chance."""
    chance, places = random.Random(count), list(range(count))
    drawn = [chance.sample(places, count) for _ in range(max(0, rounds - 2))]
    return [place for order in (places, places[::-1], *drawn) for place in order]
