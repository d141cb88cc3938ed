"""What the steps in a folder say of its states: which hold, what the check gave, and what was handed in."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.environments.tree import state_of
from evolve.episodes import Step


def known_outcome(before: Sequence[Step], snapshot: str) -> tuple[bool | None, str, str]:
    """Whether the check passed when last run on this state, None where it did not run; its last line, its limit."""
    for step in reversed(before):
        state = state_of(step)
        if state is not None and state.snapshot == snapshot and state.check is not None:
            lines = state.check.strip().splitlines()
            return state.score == 1.0, lines[-1][:200] if lines else "it printed nothing", state.limit
    return None, "", ""


def was_handed_in(before: Sequence[Step], snapshot: str) -> bool:
    """Whether this very state was handed in before, and told to fail the check."""
    states = [state_of(step) for step in before if step.action.kind == "finish"]
    return any(state is not None and state.snapshot == snapshot for state in states)
