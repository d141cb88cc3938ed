"""What the lines of play of an episode took, and what came of those that were left; all of it follows from steps."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evolve.core.episodes import Step
from evolve.environments.branching import state_of

_DONE, _CAME = 300, 200
"""Characters of what was done in a branch, and of what the world said to it, that are told."""


def moves_of(steps: Sequence[Step]) -> list[str]:
    """The moves that the code of steps made."""
    seen = [step.observation for step in steps if step.observation is not None]
    calls = [call for one in seen for call in one.calls if call.function == "act" and call.state == "answered"]
    return [str(json.loads(call.arguments)["move"]) for call in calls]


def moves_made(steps: Sequence[Step], *, restores: bool) -> int:
    """Moves that the world really made, on all lines together.

    Args:
        restores: The trial goes back by itself. Else the moves up to where it goes back are made again, and count.
    """
    lengths, made, at = {0: 0}, 0, 0
    for step in steps:
        state = state_of(step)
        if state is not None and step.action.code:
            lengths[step.number] = int(state.snapshot)
            made += lengths[step.number] - (lengths[state.parent] if restores or state.parent == at else 0)
            at = step.number
    return made


def moves_back(steps: Sequence[Step], path: Sequence[Step], *, restores: bool) -> int:
    """Moves that have to be made again after the steps until the trial stands at the end of a path."""
    acted = [step.number for step in steps if state_of(step) is not None and step.action.code]
    if restores or not path or path[-1].number == acted[-1]:
        return 0
    state = state_of(path[-1])
    return int(state.snapshot) if state is not None else 0


def with_what_was_left(focused: Sequence[Step], steps: Sequence[Step]) -> tuple[Step, ...]:
    """The same steps; each with which a branch began that was left says in one line what came of it.

    Args:
        steps: All of the episode.
    """
    return tuple(_told(step, steps) for step in focused)


def _told(step: Step, steps: Sequence[Step]) -> Step:
    state = state_of(step)
    if step.observation is None or state is None or not state.undone:
        return step
    below = {step.number}
    for other in steps:
        found = state_of(other)
        if found is not None and found.parent in below:
            below.add(other.number)
    ends = [found for other in steps if other.number in below and (found := state_of(other)) is not None]
    place = f"step {state.parent}" if state.parent else "the start"
    done = "; ".join(moves_of([step])) or "no move"
    came = f" -> {said[:_CAME]}" if (said := _last_said(step)) else ""
    more = f" in {len(below)} steps" if len(below) > 1 else ""
    lost = "; nothing can follow it" if all(one.over for one in ends) else ""
    left = f"step {step.number}, from {place}: {done[:_DONE]}{came}; score {max(one.score for one in ends):.2f} at best"
    state = replace(state, left=f"{left}{more}{lost}")
    return replace(step, observation=replace(step.observation, state=state))


def _last_said(step: Step) -> str:
    """What the world said to the last move of a step; "" where the record holds only a part of that."""
    calls = step.observation.calls if step.observation is not None else ()
    told = [call.told for call in calls if call.function == "act" and call.state == "answered"]
    try:
        return " ".join(str(json.loads(told[-1])["told"]).split()) if told else ""
    except ValueError:
        return ""
