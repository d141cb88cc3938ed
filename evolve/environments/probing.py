"""Runs programs in the sandbox for whoever asks what they give."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from evolve.core.episodes import Action, Json, Step
from evolve.core.failpoints import hit_failpoint
from evolve.runtime.sandbox.protocol import Program, Sandbox, SandboxLimits
from evolve.tasks.verification.program_runs import ProgramTrial, try_rows

__all__ = [
    "PROBE_LIMITS",
    "AttemptResult",
    "Probe",
    "ProgramTrial",
    "ReflectionTrials",
    "call_once",
    "make_probe",
    "truncate_value",
    "try_rows",
]

Probe = Callable[[Sequence[tuple[str, str]], Sequence[Sequence[Json]]], list[list[Json] | None]]
"""``probe(programs, inputs)`` runs each ``(source, entry)`` on every input in one sandbox
execution; gives a list per program of outputs, or None where that program failed to load.
A row that raised is the dict ``{"error": "..."}``.

In a folder each source is an action's code, its entry is not used, and an input is ``[snapshot]``, the state it starts
from. The output says whether the visible check passes afterwards; it is None where nothing was changed."""


@dataclass(frozen=True, kw_only=True)
class AttemptResult:
    """What became of an answer that was only tried.

    Attributes:
        fits: It is right as far as the policy can see: on the examples, or by the visible check.
        right: Whether it is right beyond that too; None where nobody may or can say so.
    """

    fits: bool
    right: bool | None

    def compare_with(self, other: AttemptResult) -> int:
        """1 where this one alone is right, -1 where the other alone is, 0 where they agree or nobody knows."""
        if self.right is not None and other.right is not None:
            return self.right - other.right
        return self.fits - other.fits


class ReflectionTrials(Protocol):
    """What reflection may try: programs on inputs, as a :data:`Probe`, and whole answers."""

    def __call__(
        self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]
    ) -> list[list[Json] | None]:
        """As a :data:`Probe`."""
        ...

    def attempt(self, action: Action, before: Sequence[Step]) -> AttemptResult | None:
        """Tries an action after the given steps as the episode would have done.

        What fits is put to the verifier too while submissions are left, and each bit that is asked for so uses one up.
        None where the machine kept the outcome open, or the action only looked around.
        """
        ...


# What the texts begin with in which runner and sandbox say that the work was ended or refused.
_MACHINE = ("PermissionError", "MemoryError", "TimeoutError", "time limit", "disk limit", "not run", "the sandbox")


def truncate_value(value: Json) -> bool:
    """Whether an output of a probe says that the machine ended or refused the work, so nothing of the program."""
    return isinstance(value, dict) and set(value) == {"error"} and str(value["error"]).startswith(_MACHINE)


PROBE_LIMITS = SandboxLimits(wall_s=10.0)


def call_once(sandbox: Sandbox, source: str, entry: str) -> ProgramTrial:
    """Calls a function without parameters once; there is nothing to compare its value with."""
    hit_failpoint("sandbox.before")
    result = sandbox.run_programs([Program(source=source, entry=entry)], [[]])
    hit_failpoint("sandbox.after")
    if result.fault or len(result.programs) != 1 or len(result.programs[0].outputs) > 1:
        return ProgramTrial(error=result.fault or "the sandbox gave no result", fault=True)
    run = result.programs[0]
    denied = (*run.denied, *result.denied)
    return ProgramTrial(
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
        hit_failpoint("sandbox.before")
        result = sandbox.run_programs(to_run, inputs, PROBE_LIMITS)
        hit_failpoint("sandbox.after")
        if result.fault or len(result.programs) != len(programs):
            return [None] * len(programs)
        return [
            None if run.error else [out.value if out.ok else {"error": out.error} for out in run.outputs]
            for run in result.programs
        ]

    return probe
