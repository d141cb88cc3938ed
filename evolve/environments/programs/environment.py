"""The environment of writing a function: an action is its source, run on the visible examples."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evolve.core.episodes import Action, Json, Judgement, Observation, Row, Step, call_text, shown_rows, value_text
from evolve.core.equality import equal
from evolve.core.files import canonical_json
from evolve.core.reasons import reason
from evolve.environments.environment import BaseEnvironment, KnownRows
from evolve.environments.probing import make_probe, truncate_value
from evolve.environments.verdicts import judged_by_all
from evolve.runtime.sandbox.protocol import Sandbox
from evolve.tasks.model import Task, row_key
from evolve.tasks.verification.program_runs import try_rows
from evolve.tasks.verification.verifiers import RowsVerifier, Submission, TestsVerifier, Verifier

_MOST_INPUTS = 1_000
"""Inputs without an output on which two functions are compared at most."""


class ProgramsEnvironment(BaseEnvironment):
    """The environment of a function to find.

    Args:
        task: Its verify rows and tests are used here and given to nobody.
        sandbox: Where answers run.
        judge: Asked where there are neither rows nor tests; its bit is an opinion.
        shows: A refusal shows a row that failed; from then on it verifies nothing.
    """

    def __init__(
        self,
        task: Task,
        sandbox: Sandbox,
        judge: Verifier | None = None,
        *,
        name: str = "programs",
        shows: bool = False,
    ) -> None:
        super().__init__(sandbox)
        self.name = name
        self._entry, self._examples = task.entry, task.examples
        self._rows, self._tests, self._shows = task.verify_rows(), task.tests, shows
        self._judge = judge if not self._rows and not task.tests else None
        # Where tests decide as well, equal values do not make two answers alike.
        self._unseen = () if task.tests else tuple(list(row.input) for row in self._rows)
        self._earlier = tuple(one.row for one in task.refused if one.row is not None)
        self._inputs = task.unlabelled[:_MOST_INPUTS]

    def _verifiers(self, shown: Sequence[Row]) -> tuple[Verifier, ...]:
        """Who is asked, once these rows were shown."""
        if self._judge is not None:
            return (self._judge,)
        if not self._rows and self._tests:
            return (TestsVerifier(tests=self._tests),)
        unseen = self._unseen_rows(shown)
        # Rows are the best verifier, so they are asked first; an opinion counts only where there is nothing better.
        rows = RowsVerifier(rows=unseen, shows=self._shows)
        return (rows, TestsVerifier(tests=self._tests)) if self._tests else (rows,)

    def _unseen_rows(self, shown: Sequence[Row]) -> tuple[Row, ...]:
        known = {row_key(row) for row in shown}
        return tuple(row for row in self._rows if row_key(row) not in known)

    def known_rows(self, steps: Sequence[Step]) -> KnownRows | None:
        """All rows, where a refusal showed one."""
        shown = tuple({row_key(row): row for row in (*self._earlier, *shown_rows(steps))}.values())
        if not (shown and self._shows):
            return None
        visible = {row_key(row): row for row in (*shown, *self._examples)}
        return KnownRows(
            shown=shown, visible=tuple(visible.values()), unseen=self._unseen_rows(shown), inputs=self._inputs
        )

    def observe(self, action: Action, before: Sequence[Step]) -> Observation:
        if action.kind in ("finish", "give_up"):
            return Observation(ok=False, error=action.text or "the policy gave up")
        if action.kind == "answer":
            told = (
                "the task asks for a function, and not for words" if self._examples or self._rows or self._tests else ""
            )
            return Observation(ok=not told, outputs=(action.text,), error=told)
        if not action.code:
            return Observation(ok=False, error=action.text or "the action has no code")
        visible = len(self._examples)
        rows = (*self._examples, *self._earlier, *shown_rows(before))
        trial = try_rows(self._sandbox, action.code, self._entry, rows)
        # What is said to be mistyped, with the row named, is for the person to decide.
        excused = {canonical_json(list(misfit.input)) for misfit in action.misfits} if self._shows else set()
        matches = [right or row_key(row) in excused for row, right in zip(rows, trial.matches, strict=False)]
        # Handed in, it would be refused for certain, and use up a submission.
        missed = next((place for place in range(visible, len(trial.outputs)) if not matches[place]), None)
        repeated = "" if missed is None else self._missed(rows[missed], trial.outputs[missed])
        return Observation(
            ok=replace(trial, matches=tuple(matches)).ok,
            outputs=trial.outputs[:visible],
            error=repeated or trial.error,
            denied=trial.denied,
            fault=trial.fault,
        )

    def _missed(self, row: Row, got: Json) -> str:
        wanted, gave = value_text(row.output), value_text(got)
        return f"a row that a refusal showed still fails: {call_text(self._entry, row)}: wanted {wanted}, got {gave}"

    def judge(self, steps: Sequence[Step]) -> Judgement:
        """Runs the answer on the rows the policy never saw, and on the hidden tests; one bit comes back."""
        if steps[-1].action.kind == "answer":
            return self._judge_words(steps[-1].action.text)
        code, observation = steps[-1].action.code, steps[-1].observation
        value = (
            ""
            if observation is None or self._examples or not observation.outputs
            else f"\nIt gave: {json.dumps(observation.outputs[0])}"
        )
        submission = Submission(code=code, entry=self._entry, shown=code + value)
        judged = judged_by_all(self._verifiers(shown_rows(steps)), submission, self._sandbox)
        misfits = steps[-1].action.misfits
        if not (judged.accepted and misfits):
            return judged
        first = misfits[0]
        why = reason("row_does_not_fit", input=list(first.input), given=first.given, expected=first.expected)
        return replace(judged, verified=False, doubt=why)

    def _judge_words(self, text: str) -> Judgement:
        """A rubric's verdict on an answer in words; where there is none, nothing can tell."""
        if self._judge is None:
            return Judgement(accepted=True, verified=False, rows=0, unchecked=True)
        return judged_by_all((self._judge,), Submission(entry=self._entry, shown=text), self._sandbox)

    def equivalent_answer(self, code: str, others: Sequence[str]) -> str | None:
        """The first other answer that gives the same values, or fails, on the same rows that the policy never saw."""
        if not (self._unseen and others):
            return None
        programs = [(source, self._entry) for source in (code, *others)]
        own, *tables = make_probe(self._sandbox)(programs, self._unseen)
        return next((other for other, table in zip(others, tables, strict=True) if _same(own, table)), None)


def _same(values: Sequence[Json] | None, others: Sequence[Json] | None) -> bool:
    """Whether two answers gave the same on every row; which error they ended in does not count."""
    if values is None or others is None or any(map(truncate_value, (*values, *others))):
        return False
    return all(
        (_failed(one) and _failed(other)) or equal(one, other) for one, other in zip(values, others, strict=True)
    )


def _failed(value: Json) -> bool:
    return isinstance(value, dict) and set(value) == {"error"}
