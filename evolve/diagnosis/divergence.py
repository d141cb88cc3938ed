"""Which steps led to the end of an episode, and where it first did something else than one that went well."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.episodes import EnvironmentState, Step


def state_of(step: Step) -> EnvironmentState | None:
    """Where a step left an environment that has states."""
    return step.observation.state if step.observation is not None else None


def led_to(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps on which the end of an episode rests, in order, along the edges of what each consumed.

    Where actions leave states, the state of a step consumed that of its parent, so branches that were left are out.
    Elsewhere every step could see all before it.
    """
    by_number = {step.number: step for step in steps}
    last = next((step for step in reversed(steps) if state_of(step) is not None), None)
    if last is None:
        return tuple(steps)
    chain, number = [], last.number
    while number in by_number:
        step = by_number.pop(number)  # each once, whatever the record says
        chain.append(step)
        state = state_of(step)
        number = state.parent if state is not None else 0
    return tuple(reversed(chain))


def first_divergence(failed: Sequence[Step], good: Sequence[Step]) -> Step | None:
    """The first step of a failed episode that a good one did not begin with as well; None where it did all of them.

    Steps are compared by what they do, not by what is said of them.
    """
    for place, step in enumerate(failed):
        if place >= len(good) or _deed(step) != _deed(good[place]):
            return step
    return None


def counterpart(step: Step, good: Sequence[Step]) -> Step | None:
    """The step of a good episode that stands where this one stands, or the last one of a shorter one."""
    if not good:
        return None
    return good[min(step.number, len(good)) - 1]


def _deed(step: Step) -> tuple[str, str]:
    action = step.action
    return action.kind, " ".join((action.source or action.text).split())
