"""Chooses the state from which the next action starts: search over the states that the actions of an episode left.

The tree of states is what the steps say of themselves (number, parent, score); nothing else is remembered. After
Koh, McAleer, Fried and Salakhutdinov, "Tree Search for Language Model Agents", 2024, with the check, or another
score, as the value function. The number of steps of the workflow bounds it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from statistics import fmean

from evolve.core.episodes import EnvironmentState, Step


def active_path(steps: Sequence[Step], branches: int, exploring: float) -> tuple[Step, ...]:
    """The steps that led to the state from which the next action starts, then what was tried beside.

    Args:
        branches: Most actions tried from one state; with 1 nothing is gone back from.
        exploring: How much :func:`uct_branch` tries what was tried little; with 0 the best state is gone on from.
    """
    if branches <= 1:
        return tuple(steps)
    return uct_branch(steps, branches, exploring) if exploring > 0 else best_first(steps, branches)


def best_first(steps: Sequence[Step], branches: int) -> tuple[Step, ...]:
    """The path to the state to go on from, then what was tried from there and undone.

    The state with the best score goes first, the latest among equals, so that looking around goes straight on. One
    from which ``branches`` actions started is left; where all are, the last step is gone on from.
    """
    nodes = {step.number: step for step in steps if _parent(step) is not None}
    tried = Counter(_parent(step) for step in nodes.values())
    scores = {0: start_score(steps), **{number: _score(step) for number, step in nodes.items()}}
    alive = [number for number in scores if not _over(nodes.get(number))]
    open_ones = [(scores[number], number) for number in alive if tried[number] < branches]
    number = max(open_ones)[1] if open_ones else max(alive)
    return _seen_from(steps, number, {number})


def uct_branch(steps: Sequence[Step], branches: int, exploring: float) -> tuple[Step, ...]:
    """The same with upper confidence bounds (UCT; Kocsis and Szepesvari 2006), as for language models by Zhou et al.
    (LATS, 2024).

    From the start it goes down to the child with the highest mean score of all states below it, plus
    ``exploring * sqrt(ln N / n)`` with N states below the parent and n below the child. A state from which fewer than
    ``branches`` actions started is a choice itself, with its own score, and one that is over is none. What was tried
    beside the whole path is shown too, so that later branches learn from those that failed.
    """
    nodes = {step.number: step for step in steps if _parent(step) is not None}
    children: dict[int, list[int]] = {}
    for number, step in nodes.items():
        children.setdefault(_parent(step) or 0, []).append(number)
    below: dict[int, list[float]] = {}

    def scores(number: int) -> list[float]:
        if number not in below:
            own = [_score(nodes[number])] if number in nodes else [start_score(steps)]
            below[number] = own + [one for child in children.get(number, ()) for one in scores(child)]
        return below[number]

    def open_(number: int) -> bool:
        fresh = not _over(nodes.get(number)) and len(children.get(number, ())) < branches
        return fresh or any(map(open_, children.get(number, ())))

    if not open_(0):
        return best_first(steps, branches)
    number = 0
    while True:
        whole, own = len(scores(number)), children.get(number, [])
        choices = [(_bound(scores(child), whole, exploring), child) for child in own if open_(child)]
        if len(own) < branches and not _over(nodes.get(number)):
            choices.append((_bound(scores(number)[:1], whole, exploring, len(own) + 1), number))
        best = max(choices)[1]
        if best == number:
            return _seen_from(steps, number, {number, *(step.number for step in _path(nodes, number)), 0})
        number = best


def best_path(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps that led to the best state, the earliest among equals."""
    nodes = {step.number: step for step in steps if _parent(step) is not None}
    best = min(nodes, key=lambda number: (-_score(nodes[number]), number), default=0)
    return tuple(_path(nodes, best))


def _bound(scores: Sequence[float], whole: int, exploring: float, tried: int | None = None) -> float:
    count = len(scores) if tried is None else tried
    return fmean(scores) + exploring * math.sqrt(math.log(whole + 1) / count)


def _seen_from(steps: Sequence[Step], number: int, parents: Collection[int]) -> tuple[Step, ...]:
    """The path to a state, then what was started from some states and is not on it."""
    nodes = {step.number: step for step in steps if _parent(step) is not None}
    path = _path(nodes, number)
    on_path = {step.number for step in path}
    # Steps without a state, such as mistakes and recalls, are shown wherever one is.
    beside = [step for step in steps if _parent(step) is None]
    undone = [_undone(step) for step in nodes.values() if _parent(step) in parents and step.number not in on_path]
    return tuple(sorted([*beside, *path], key=lambda step: step.number)) + tuple(undone)


def start_score(steps: Sequence[Step]) -> float:
    """The check's score before anything was done, as the first step with a state tells it."""
    states = [state_of(step) for step in steps]
    return next((state.start for state in states if state is not None and state.start is not None), 0.0)


def state_of(step: Step) -> EnvironmentState | None:
    """Where a step left the environment; None where it has no state of its own."""
    return None if step.observation is None else step.observation.state


def is_active(step: Step) -> bool:
    """Whether the blocks of a step ran and its state still holds."""
    state = state_of(step)
    return bool(step.action.code) and state is not None and not state.undone


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


def _over(step: Step | None) -> bool:
    state = None if step is None else state_of(step)
    return state is not None and state.over


def _undone(step: Step) -> Step:
    observed = step.observation
    if observed is None or observed.state is None:
        return step
    error = f"undone, another state is better: {observed.error}"
    state = replace(observed.state, undone=True)
    return replace(step, observation=replace(observed, ok=False, error=error, state=state))
