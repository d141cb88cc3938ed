"""Asks a task anew with some facts and nothing else changed, to see whether they make the difference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evolve.environments import Attempted, Trials, kind_of
from evolve.episodes import Action, Recalled, Step, TaskView
from evolve.policies.language.reflection import failed_answers, right_answer


@dataclass(frozen=True, kw_only=True)
class RepeatedQuestion:
    """A question that is asked again with other facts, and nothing else changed.

    Attributes:
        ask: Gives an action, from facts and the steps before it. No skill is offered: one that rests on the same fact
            would hide whether the fact makes a difference.
        steps: What was done before: nothing where a function is wanted; in a folder what led to the state from which
            the first failed change started, or the right one where none failed.
    """

    view: TaskView
    trials: Trials
    ask: Callable[[Sequence[Recalled], Sequence[Step]], Action]
    steps: tuple[Step, ...] = ()

    def outcome(self, facts: Sequence[Recalled]) -> Attempted | None:
        """What becomes of an action with these facts; None where nothing can be said of it."""
        action = self.ask(facts, self.steps)
        if action.kind == "finish" and kind_of(self.view.environment).one_file:
            return Attempted(fits=False, right=False)
        if not action.code or action.explores:
            return None
        return self.trials.attempt(action, self.steps)


def steps_before(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps after which the question is asked anew."""
    step = next(iter(failed_answers(steps)), None) or right_answer(steps)
    if step is None or step.observation is None or step.observation.state is None:
        return ()
    parent = step.observation.state.parent
    return tuple(earlier for earlier in steps if earlier.number <= parent)
