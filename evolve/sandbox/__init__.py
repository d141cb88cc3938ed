"""Runs untrusted Python in isolation: one call, one bounded execution, the result is data.

    with open_sandbox(cache_dir=folder) as sandbox:
        result = sandbox.run_programs([Program(source=text, entry="solve")], inputs)
        result = sandbox.execute("sum(range(10))")

Nothing else in evolve starts a process for code it did not write; :class:`ServerProcess` is for programs that a person
approved. The values are light to import; the machinery is loaded on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evolve.sandbox.actions import ActionFile, ActionResult, CodeSession, SandboxDenied
from evolve.sandbox.protocol import (
    NOT_RUN,
    UNSANDBOXED,
    Outcome,
    ProbeOutcome,
    Program,
    ProgramRun,
    Sandbox,
    SandboxLimits,
    SandboxResult,
    TestModule,
    fingerprint_of,
)

if TYPE_CHECKING:
    from evolve.sandbox.choose import check_backends, open_sandbox
    from evolve.sandbox.serving import ServerNeeds, ServerProcess

__all__ = [
    "NOT_RUN",
    "UNSANDBOXED",
    "ActionFile",
    "ActionResult",
    "CodeSession",
    "Outcome",
    "ProbeOutcome",
    "Program",
    "ProgramRun",
    "Sandbox",
    "SandboxDenied",
    "SandboxLimits",
    "SandboxResult",
    "ServerNeeds",
    "ServerProcess",
    "TestModule",
    "check_backends",
    "fingerprint_of",
    "open_sandbox",
]


def __getattr__(name: str) -> Any:
    if name in ("check_backends", "open_sandbox"):
        from evolve.sandbox import choose

        return getattr(choose, name)
    if name in ("ServerNeeds", "ServerProcess"):
        from evolve.sandbox import serving

        return getattr(serving, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
