"""Asks a task anew with some facts and nothing else changed, to see whether they make the difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolve.environments import kind_of
from evolve.environments.probing import Probe, cut_short
from evolve.episodes import Recalled, Step, TaskView
from evolve.policies.language.proposals import Proposal
from evolve.policies.language.reflection import is_failure, right_answer
from evolve.tasks import equal

_SOUND = "def sound(*values):\n    return True\n"
"""A program that cannot fail: where it does, the sandbox did."""


@dataclass(frozen=True, kw_only=True)
class RepeatedQuestion:
    """A question that is asked again with other facts, and nothing else changed.

    Attributes:
        ask: Gives a reply to the question for an action, from facts and the steps before it. No skill is offered: one
            that rests on the same fact would hide whether the fact makes a difference.
        steps: What was done before: nothing where a function is wanted; in a folder what led to the state from which
            the first failed change started, or the right one where none failed.
        snapshot: That state; "" is the folder at its start.
    """

    view: TaskView
    probe: Probe
    ask: Callable[[Sequence[Recalled], Sequence[Step]], Proposal]
    steps: tuple[Step, ...] = ()
    snapshot: str = ""

    def solves(self, facts: Sequence[Recalled]) -> bool | None:
        """Whether an action with these facts is right, by the examples or by the check on a copy of the folder.

        None where the machine kept that open, or the action only looked around.
        """
        reply = self.ask(facts, self.steps)
        if kind_of(self.view.environment).has_states:
            return self._passes(reply.code) if reply.code else None
        return self._fits(reply.code) if reply.kind == "code" else False

    def _passes(self, code: str) -> bool | None:
        (outputs,) = self.probe([(code, "")], [[self.snapshot]])
        return None if outputs is None or outputs[0] is None else outputs[0] is True

    def _fits(self, code: str) -> bool | None:
        inputs = [list(row.input) for row in self.view.examples]
        # In one run with the answer: if the sandbox fails, both fail.
        outputs, sound = self.probe([(code, self.view.entry), (_SOUND, "sound")], inputs)
        if sound is None or any(cut_short(value) for value in outputs or ()):
            return None
        rows = self.view.examples
        return outputs is not None and all(equal(value, row.output) for value, row in zip(outputs, rows, strict=True))


def state_before(steps: Sequence[Step]) -> tuple[tuple[Step, ...], str]:
    """The steps and the snapshot from which the question is asked anew."""
    failed = next((step for step in steps if is_failure(step)), None)
    step = failed or right_answer(steps)
    if step is None or step.observation is None or step.observation.state is None:
        return (), ""
    parent = step.observation.state.parent
    before = tuple(earlier for earlier in steps if earlier.number <= parent)
    last = before[-1].observation if before else None
    return before, last.state.snapshot if last is not None and last.state is not None else ""
