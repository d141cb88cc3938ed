"""Runs answers in the sandbox and compares what they gave, outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.episodes import Json, Row
from evolve.faults import hit
from evolve.policies.protocol import Probe
from evolve.sandbox.protocol import Program, ProgramRun, Sandbox, SandboxLimits, SandboxResult
from evolve.tasks.equality import equal

PROBE_LIMITS = SandboxLimits(wall_s=10.0)


@dataclass(frozen=True, kw_only=True)
class Trial:
    """What one program gave on some rows.

    Attributes:
        outputs: Per row the value, or ``{"error": ...}``.
        matches: Per row whether the value equals the expected output.
        error: Why the program did not load, or the first row's failure, or "".
        denied: ``kind:target`` of a refused operation, ``time:limit`` for a time-out, or "".
        fault: The sandbox failed; the trial says nothing about the program.
    """

    outputs: tuple[Json, ...] = ()
    matches: tuple[bool, ...] = ()
    error: str = ""
    denied: str = ""
    fault: bool = False

    @property
    def ok(self) -> bool:
        """Every row was reproduced by a program that did nothing forbidden."""
        return not self.fault and not self.denied and all(self.matches)


def try_rows(sandbox: Sandbox, source: str, entry: str, rows: Sequence[Row]) -> Trial:
    """Runs the program on the rows' inputs in one sandboxed process and compares the outputs here."""
    if not rows:
        return Trial()
    found = _run(sandbox, Program(source=source, entry=entry), [list(row.input) for row in rows])
    if isinstance(found, Trial):
        return found
    result, run = found
    outcomes = run.outputs
    matches = [
        not run.error and outcome.ok and equal(outcome.value, row.output)
        for outcome, row in zip(outcomes, rows, strict=False)
    ]
    denied = (*run.denied, *result.denied)
    return Trial(
        outputs=tuple(outcome.value if outcome.ok else {"error": outcome.error} for outcome in outcomes),
        matches=tuple(matches) if matches else (False,) * len(rows),
        error=run.error or next((outcome.error for outcome in outcomes if not outcome.ok), ""),
        denied=denied[0] if denied else "time:limit" if run.timed_out or result.timed_out else "",
    )


def call_once(sandbox: Sandbox, source: str, entry: str) -> Trial:
    """Calls a function without parameters once; there is nothing to compare its value with."""
    found = _run(sandbox, Program(source=source, entry=entry), [[]])
    if isinstance(found, Trial):
        return found
    result, run = found
    denied = (*run.denied, *result.denied)
    return Trial(
        outputs=tuple(outcome.value if outcome.ok else {"error": outcome.error} for outcome in run.outputs),
        error=run.error or next((outcome.error for outcome in run.outputs if not outcome.ok), ""),
        denied=denied[0] if denied else "time:limit" if run.timed_out or result.timed_out else "",
    )


def _run(sandbox: Sandbox, program: Program, inputs: list[list[Json]]) -> Trial | tuple[SandboxResult, ProgramRun]:
    """One program on some inputs; a trial that says so where the sandbox failed."""
    hit("sandbox.before")
    result = sandbox.run_programs([program], inputs)
    hit("sandbox.after")
    if result.fault or len(result.programs) != 1:
        return Trial(error=result.fault or "the sandbox gave no result", fault=True)
    run = result.programs[0]
    if len(run.outputs) not in (0, len(inputs)):
        return Trial(error="the sandbox gave a result of the wrong shape", fault=True)
    return result, run


def make_probe(sandbox: Sandbox) -> Probe:
    """A :data:`Probe` bound to the sandbox. A faulty execution gives None for every program."""

    def probe(programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        if not programs or not inputs:
            return [[] for _ in programs]
        wanted = [Program(source=source, entry=entry) for source, entry in programs]
        hit("sandbox.before")
        result = sandbox.run_programs(wanted, inputs, PROBE_LIMITS)
        hit("sandbox.after")
        if result.fault or len(result.programs) != len(programs):
            return [None] * len(programs)
        return [
            None if run.error else [out.value if out.ok else {"error": out.error} for out in run.outputs]
            for run in result.programs
        ]

    return probe
