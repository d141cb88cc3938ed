"""Runs programs in the sandbox and compares what they gave, outside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import Json, Row
from evolve.core.equality import equal
from evolve.core.failpoints import hit_failpoint
from evolve.runtime.sandbox.protocol import Program, Sandbox


@dataclass(frozen=True, kw_only=True)
class ProgramTrial:
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


def try_rows(sandbox: Sandbox, source: str, entry: str, rows: Sequence[Row]) -> ProgramTrial:
    """Runs the program on the rows' inputs in one sandboxed process and compares the outputs here."""
    if not rows:
        return ProgramTrial()
    inputs = [list(row.input) for row in rows]
    hit_failpoint("sandbox.before")
    result = sandbox.run_programs([Program(source=source, entry=entry)], inputs)
    hit_failpoint("sandbox.after")
    if result.fault or len(result.programs) != 1:
        return ProgramTrial(error=result.fault or "the sandbox gave no result", fault=True)
    run = result.programs[0]
    if len(run.outputs) not in (0, len(rows)):
        return ProgramTrial(error="the sandbox gave a result of the wrong shape", fault=True)
    outcomes = run.outputs
    matches = [
        not run.error and outcome.ok and equal(outcome.value, row.output)
        for outcome, row in zip(outcomes, rows, strict=False)
    ]
    denied = (*run.denied, *result.denied)
    return ProgramTrial(
        outputs=tuple(outcome.value if outcome.ok else {"error": outcome.error} for outcome in outcomes),
        matches=tuple(matches) if matches else (False,) * len(rows),
        error=run.error or next((outcome.error for outcome in outcomes if not outcome.ok), ""),
        denied=denied[0] if denied else "time:limit" if run.timed_out or result.timed_out else "",
    )
