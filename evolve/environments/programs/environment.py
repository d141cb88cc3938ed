"""The environment of writing a function: an action is its source, run on the visible examples."""

from __future__ import annotations

import json
from collections.abc import Sequence

from evolve.environments.probing import make_probe
from evolve.environments.verdicts import judged_by_all
from evolve.episodes import Action, Json, Judgement, Observation, Seen, Step
from evolve.sandbox.protocol import Sandbox
from evolve.tasks.model import Task
from evolve.tasks.verification.trials import try_rows
from evolve.tasks.verification.verifiers import RowsVerifier, Submission, TestsVerifier, Verifier


class ProgramsEnvironment:
    """The environment of a function to find; implements :class:`~evolve.environments.protocol.Environment`.

    Args:
        task: Its verify rows and tests are used here and given to nobody.
        sandbox: Where answers run.
        judge: Asked where there are neither rows nor tests; its bit is an opinion.
    """

    def __init__(self, task: Task, sandbox: Sandbox, judge: Verifier | None = None, *, name: str = "programs") -> None:
        self.name = name
        self._entry, self._examples, self._sandbox = task.entry, task.examples, sandbox
        rows = task.verify_rows()
        # Rows are the best verifier, so they are asked first; an opinion counts only where there is nothing better.
        self._verifiers: tuple[Verifier, ...] = (RowsVerifier(rows=rows),)
        if task.tests:
            tests = TestsVerifier(tests=task.tests)
            self._verifiers = (*self._verifiers, tests) if rows else (tests,)
        elif judge is not None and not rows:
            self._verifiers = (judge,)

    def reset(self) -> Observation:
        """Nothing is there at the start but the examples, which the policy has."""
        return Observation(ok=False)

    def look(self) -> tuple[Seen, ...]:
        """Nothing."""
        return ()

    def focus(self, steps: Sequence[Step]) -> tuple[Step, ...]:
        """Every step: programs leave nothing behind."""
        return tuple(steps)

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        """Runs the code on the visible examples, in the sandbox."""
        if action.kind in ("finish", "give_up"):
            return Observation(ok=False, error=action.text or "the policy gave up")
        if not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        trial = try_rows(self._sandbox, action.code, self._entry, self._examples)
        return Observation(
            ok=trial.ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault
        )

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """Runs the answer on the rows the policy never saw, and on the hidden tests; one bit comes back."""
        code, observation = steps[-1].action.code, steps[-1].observation
        value = (
            ""
            if observation is None or self._examples or not observation.outputs
            else f"\nIt gave: {json.dumps(observation.outputs[0])}"
        )
        submission = Submission(code=code, entry=self._entry, shown=code + value)
        return judged_by_all(self._verifiers, submission, self._sandbox)

    def probe(self, programs: Sequence[tuple[str, str]], inputs: Sequence[Sequence[Json]]) -> list[list[Json] | None]:
        """Runs each program on every input, in one execution."""
        return make_probe(self._sandbox)(programs, inputs)

    def whole(self, step: Step) -> str:
        """The observation's text."""
        return step.observation.text if step.observation is not None else ""

    def answer(self, step: Step) -> str:
        """The source."""
        return step.action.code

    def close(self) -> None:
        """Holds nothing."""
