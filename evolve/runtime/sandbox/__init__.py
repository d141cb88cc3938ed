"""Runs untrusted Python in isolation: one call, one bounded execution, the result is data.

    with open_sandbox(cache_dir=folder) as sandbox:
        result = sandbox.run_programs([Program(source=text, entry="solve")], inputs)
        result = sandbox.execute("sum(range(10))")

Nothing else in evolve starts a process for code it did not write; :class:`ServerProcess` is for programs that a person
approved. The values are light to import; the machinery is loaded on first use.
"""

from evolve.core.lazy import TYPE_CHECKING, attach

if TYPE_CHECKING:
    from evolve.runtime.sandbox.actions import ActionFile, ActionResult, CodeSession, SandboxDenied
    from evolve.runtime.sandbox.choose import check_backends, open_sandbox
    from evolve.runtime.sandbox.protocol import (
        NOT_RUN,
        UNSANDBOXED,
        Outcome,
        Program,
        ProgramRun,
        Sandbox,
        SandboxLimits,
        SandboxResult,
        SelfTestResult,
        TestModule,
        fingerprint_of,
    )
    from evolve.runtime.sandbox.server_process import ServerNeeds, ServerProcess
else:
    __getattr__, __dir__ = attach(__name__)
