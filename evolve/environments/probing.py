"""Runs programs in the sandbox for whoever asks what they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from evolve.episodes import Json
from evolve.failpoints import hit
from evolve.sandbox.protocol import Program, Sandbox, SandboxLimits
from evolve.tasks.verification.trials import Trial, try_rows

__all__ = ["PROBE_LIMITS", "Probe", "Trial", "call_once", "cut_short", "make_probe", "try_rows"]

Probe = Callable[[Sequence[tuple[str, str]], Sequence[Sequence[Json]]], list[list[Json] | None]]
"""``probe(programs, inputs)`` runs each ``(source, entry)`` on every input in one sandbox
execution; gives a list per program of outputs, or None where that program failed to load.
A row that raised is the dict ``{"error": "..."}``.

In a folder each source is an action's code, its entry is not used, and an input is ``[snapshot]``, the state it starts
from. The output says whether the visible check passes afterwards; it is None where nothing was changed."""

# What the texts begin with in which runner and sandbox say that the work was ended or refused.
_MACHINE = ("PermissionError", "MemoryError", "TimeoutError", "time limit", "disk limit", "not run", "the sandbox")


def cut_short(value: Json) -> bool:
    """Whether an output of a probe says that the machine ended or refused the work, so nothing of the program."""
    return isinstance(value, dict) and set(value) == {"error"} and str(value["error"]).startswith(_MACHINE)


PROBE_LIMITS = SandboxLimits(wall_s=10.0)


def call_once(sandbox: Sandbox, source: str, entry: str) -> Trial:
    """Calls a function without parameters once; there is nothing to compare its value with."""
    hit("sandbox.before")
    result = sandbox.run_programs([Program(source=source, entry=entry)], [[]])
    hit("sandbox.after")
    if result.fault or len(result.programs) != 1 or len(result.programs[0].outputs) > 1:
        return Trial(error=result.fault or "the sandbox gave no result", fault=True)
    run = result.programs[0]
    denied = (*run.denied, *result.denied)
    return Trial(
        outputs=tuple(outcome.value if outcome.ok else {"error": outcome.error} for outcome in run.outputs),
        error=run.error or next((outcome.error for outcome in run.outputs if not outcome.ok), ""),
        denied=denied[0] if denied else "time:limit" if run.timed_out or result.timed_out else "",
    )


def make_probe(sandbox: Sandbox) -> Probe:
    """A :data:`Probe` bound to the sandbox. A faulty execution gives None for every program."""

    def probe(programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        if not programs or not inputs:
            return [[] for _ in programs]
        to_run = [Program(source=source, entry=entry) for source, entry in programs]
        hit("sandbox.before")
        result = sandbox.run_programs(to_run, inputs, PROBE_LIMITS)
        hit("sandbox.after")
        if result.fault or len(result.programs) != len(programs):
            return [None] * len(programs)
        return [
            None if run.error else [out.value if out.ok else {"error": out.error} for out in run.outputs]
            for run in result.programs
        ]

    return probe
