"""What the steps in a folder say of its states: which hold, what the check gave, and what was handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from evolve.core.episodes import Observation, Step, checked_state
from evolve.environments.branching import state_of
from evolve.tasks.verification.checks import Checked

_MOST_CHECKED = 3
"""States of a folder on which no check has run yet, because it is slow, that are checked at an episode's end."""


def known_outcome(before: Sequence[Step], snapshot: str) -> tuple[bool | None, str, str]:
    """Whether the check passed when last run on this state, None where it did not run; its last line, its limit."""
    state = checked_state(before, snapshot)
    if state is None:
        return None, "", ""
    lines = (state.check or "").strip().splitlines()
    return state.score == 1.0, lines[-1][:200] if lines else "it printed nothing", state.limit


def was_handed_in(before: Sequence[Step], snapshot: str) -> bool:
    """Whether this very state was handed in before, and told to fail the check."""
    states = [state_of(step) for step in before if step.action.kind == "finish"]
    return any(state is not None and state.snapshot == snapshot for state in states)


def left_right(steps: Sequence[Step], checked: Callable[[str], Checked]) -> Observation | None:
    """What can be judged of what the steps left, see :class:`~evolve.environments.environment.Leaving`.

    Args:
        checked: Runs the check on the state of a snapshot, such as one that was passed over because the check is slow.
    """
    states = [(step.number, state) for step in reversed(steps) if (state := state_of(step)) is not None]
    judged = {state.snapshot for step in steps if step.judgement is not None and (state := state_of(step)) is not None}
    asked = set[str]()
    for number, state in states:
        if not state.snapshot or state.snapshot in judged or state.undone:
            continue
        passed = known_outcome(steps, state.snapshot)[0]
        if passed is None and (state.snapshot in asked or len(asked) < _MOST_CHECKED):
            asked.add(state.snapshot)
            passed = checked(state.snapshot).ok
        if passed and not checked("").ok:
            state = replace(state, parent=number, changed=None, output="", whole="", value=None)
            return Observation(ok=True, state=state)
    return None
