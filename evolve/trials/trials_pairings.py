"""Which skills a policy may be offered here: those verified for it in this sandbox, tried now where nobody did so.

A verdict holds for one content, one policy and one sandbox. What was admitted for another model or on another machine
is tried by its own tests before anybody is told of it, and the verdict is kept, so that this happens once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.runtime.sandbox import ProgramRun, Sandbox, SandboxLimits, TestModule
from evolve.skills import Skill, SkillRepository
from evolve.skills.repository import PAIRING

_MOST = 100
"""Skills that are tried before one run, the most helpful first; the others wait for the next."""
_TEST_S = 1.0


def verified_pairings(library: SkillRepository, skills: Sequence[Skill], policy: str, sandbox: Sandbox) -> list[Skill]:
    """Those of the skills that are verified for a policy and a sandbox, in their order; keeps the verdicts on new ones.

    Procedures stay: the folders on which they were tried are their evidence. A test that ran out of time says nothing,
    so its skill waits for the next run.
    """
    from evolve.skills import AdmissionVerdict

    blank = AdmissionVerdict(digest="", policy=policy, fingerprint=sandbox.backend)
    known = library.paired(policy, sandbox.backend)
    asked = [skill for skill in skills if skill.digest not in known and not skill.environment]
    asked = sorted(asked, key=lambda skill: -len(skill.tasks))[:_MOST]
    modules = [
        TestModule(files={"skill.py": one.code, "test_skill.py": one.test_code}, test_file="test_skill.py")
        for one in asked
    ]
    limits = SandboxLimits(wall_s=2.0 + _TEST_S * len(modules), program_s=_TEST_S)
    ran = sandbox.run_tests(modules, limits) if modules else None
    for skill, run in zip(asked, () if ran is None or ran.fault or ran.killed else ran.programs, strict=False):
        if not run.timed_out:
            reason = failure_of(run)
            failed = PAIRING if reason else ""
            verdict = replace(blank, digest=skill.digest, admitted=not reason, failed=failed, reason=reason)
            library.record_verdict(replace(verdict, checks={"tests": len(run.outputs)}))
            known[skill.digest] = not reason
    return [skill for skill in skills if skill.environment or known.get(skill.digest, False)]


def failure_of(run: ProgramRun) -> str:
    """Why a skill failed its own tests, in one sentence; "" where it passed them."""
    failed = next((f"{output.name} fails: {output.error}" for output in run.outputs if not output.ok), run.error)
    return failed or ("" if run.outputs else "it has no tests")
