"""Runs a skill in the sandbox under Python's audit hook: a second look behind the lint.

The lint decides first. This run would show a way past it that the calls at hand take: no file, process or socket may be
opened, nothing compiled, no frame looked at and no module imported but what the source names.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from evolve.core.episodes import Json
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.skills.lint import modules_used
from evolve.skills.skill import Skill


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """The result of an audited run.

    Attributes:
        events: What the code reached for, such as ``open '/etc/passwd'``; [] for a skill.
        calls: How many calls were watched.
        error: "" or why the run did not end; one that works unwatched works here too.
        fault: "" or what went wrong with the sandbox.
    """

    events: tuple[str, ...] = ()
    calls: int = 0
    error: str = ""
    fault: str = ""


def audit_skill(sandbox: Sandbox, skill: Skill, inputs: Sequence[Sequence[Json]], limits: SandboxLimits) -> AuditResult:
    """Imports the skill, calls it on the inputs and runs its tests, all watched.

    Args:
        sandbox: Where it runs.
        skill: Parses, and works unwatched.
        inputs: Lists of arguments.
        limits: Of the whole run.
    """
    driver = guest_source("audit_driver.py")
    modules = sorted({*modules_used(skill.code), *_imports(skill.test_code)} - {"skill"})
    arguments = [skill.code, skill.entry, skill.test_code, [list(row) for row in inputs], modules]
    result = sandbox.run_programs([Program(source=driver, entry="watched")], [arguments], limits)
    if result.fault or result.killed or result.timed_out:
        # what ended in time unwatched has several times as much here, so this is the machine's doing
        return AuditResult(fault=result.fault or "the watched run had to be ended")
    run = result.programs[0]
    outcome = run.outputs[0]
    if run.error or not outcome.ok:
        return AuditResult(error=run.error or outcome.error)
    match outcome.value:
        case {"events": [*events], "calls": int(calls)}:
            return AuditResult(events=tuple(map(str, events)), calls=calls)
    return AuditResult(error="it told nothing that can be read")


def _imports(source: str) -> set[str]:
    modules: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            modules.add(node.module)
    return modules
