"""A fifth of all executions fails or is denied: what a model blames or praises then is no insight."""

from __future__ import annotations

import random

import pytest

from evolve.runtime.sandbox import ProgramRun, SandboxResult
from evolve.testing import TrustingSandbox
from tests.policies.language.test_trials_of_claims import FULL, SIX, SIX_COUNT, Coder, coding

IDLE = "Codes are printed on white paper."
TASKS = 40


class Flaky(TrustingSandbox):
    """Every tenth execution is a fault and every tenth is denied, by chance."""

    def __init__(self) -> None:
        super().__init__()
        self.rng, self.failed = random.Random(5), 0

    def run_programs(self, programs, inputs, limits=None, **more):
        drawn = self.rng.random()
        self.failed += drawn < 0.2
        if drawn < 0.1:
            return SandboxResult(programs=(), fault="no room")
        result = super().run_programs(programs, inputs, limits, **more)
        if drawn >= 0.2:
            return result
        denied = ("file:/etc/passwd",)
        runs = tuple(ProgramRun(error="refused", outputs=one.outputs, denied=denied) for one in result.programs)
        return SandboxResult(programs=runs, denied=denied)


@pytest.mark.slow
@pytest.mark.parametrize(("states", "learned"), [(IDLE, False), (SIX_COUNT, True)], ids=["idle", "true"])
def test_what_makes_no_difference_is_never_learned_from_failures(model, memory, states, learned):
    sandbox, taught = Flaky(), []

    def with_it(prompt):
        return SIX if SIX_COUNT in prompt else FULL

    for number in range(TASKS):
        # Of the idle fact both trials are right: it found out by itself.
        answers = iter([FULL])
        programs = with_it if learned else lambda _, answers=answers: next(answers, SIX)
        said = model(Coder(states, programs=programs))
        task = coding(lambda text: text[-6:], number=number)
        record = said.run(task, sandbox=sandbox)
        memory.commit(record, instruction=task.instruction)
        taught += [one.direction for claim in record.claims for one in claim.evidence]
    assert sandbox.failed >= TASKS / 4
    # None in forty: with probability .95 fewer than .08 of such claims are false.
    assert set(taught) == ({1} if learned else set())
    assert bool(memory.list_insights()) is learned and len(taught) >= (TASKS / 3 if learned else 0)
