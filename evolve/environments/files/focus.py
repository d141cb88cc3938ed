"""Chooses the state of a folder from which the next action starts: best-first search over snapshots.

The tree of states is what the steps say of themselves (number, parent, score); nothing else is remembered. After
Koh, McAleer, Fried and Salakhutdinov, "Tree Search for Language Model Agents", 2024, with the check as the value
function. The number of steps of the workflow bounds it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from evolve.episodes import EnvironmentState, Step


def best_first(steps: Sequence[Step], branches: int) -> tuple[Step, ...]:
    """The path to the state to go on from, then what was tried from there and undone.

    The state with the best score goes first, the latest among equals, so that looking around goes straight on. One
    from which ``branches`` actions started is left; where all are, the last step is gone on from.
    """
    nodes = {step.number: step for step in steps if _parent(step) is not None}
    tried = Counter(_parent(step) for step in nodes.values())
    scores = {0: start_score(steps), **{number: _score(step) for number, step in nodes.items()}}
    open_ones = [(score, number) for number, score in scores.items() if tried[number] < branches]
    number = max(open_ones)[1] if open_ones else max(nodes)
    path = _path(nodes, number)
    on_path = {step.number for step in path}
    # Steps without a state, such as mistakes and recalls, are shown wherever one is.
    beside = [step for step in steps if _parent(step) is None]
    undone = [_undone(step) for step in nodes.values() if _parent(step) == number and step.number not in on_path]
    return tuple(sorted([*beside, *path], key=lambda step: step.number)) + tuple(undone)


def start_score(steps: Sequence[Step]) -> float:
    """The check's score before anything was done, as the first step with a state tells it."""
    states = [state_of(step) for step in steps]
    return next((state.start for state in states if state is not None and state.start is not None), 0.0)


def state_of(step: Step) -> EnvironmentState | None:
    """Where a step left the environment; None where it has no state of its own."""
    return None if step.observation is None else step.observation.state


def _path(nodes: dict[int, Step], number: int) -> list[Step]:
    path: list[Step] = []
    while number in nodes:
        path.append(nodes[number])
        number = _parent(nodes[number]) or 0
    return path[::-1]


def _parent(step: Step) -> int | None:
    state = state_of(step)
    return None if state is None else state.parent


def _score(step: Step) -> float:
    state = state_of(step)
    return 0.0 if state is None else state.score


def _undone(step: Step) -> Step:
    observed = step.observation
    if observed is None or observed.state is None:
        return step
    error = f"undone, another state is better: {observed.error}"
    state = replace(observed.state, undone=True)
    return replace(step, observation=replace(observed, ok=False, error=error, state=state))


def acts(step: Step) -> bool:
    """Whether the blocks of a step ran and its state still holds."""
    state = state_of(step)
    return bool(step.action.code) and state is not None and not state.undone


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
