"""What earlier steps mean for the next one: what it was told, and whether a person has to decide first."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evolve.core.episodes import PREFERENCE, Action, Recalled, Step

_SHOWN = 200


def open_question(steps: Sequence[Step]) -> Action | None:
    """The question which of several values is meant, where the last step's answers gave different ones."""
    values = _readings(steps[-1]) if steps else []
    if not values:
        return None
    options = [json.dumps(value, ensure_ascii=False)[:_SHOWN] for value in values]
    listed = "; ".join(f"{number}) {text}" for number, text in enumerate(options, 1))
    text = f"The task can be understood in different ways. Which is meant: {listed}? A number, or your own words."
    return Action(kind="ask_user", text=text, options=tuple(options))


def told_in(steps: Sequence[Step]) -> tuple[Recalled, ...]:
    """What an episode was told from memory, as the first action that was not stopped keeps it."""
    return next((step.action.plan.told for step in steps if step.action.plan is not None), ())


def is_decided(items: Sequence[Recalled], steps: Sequence[Step]) -> bool:
    """Whether a person has said already what is meant: in this episode, or by an answer on a similar task."""
    before = any(item.kind == PREFERENCE and item.questions for item in items)
    return before or any(step.action.kind == "ask_user" for step in steps)


def _readings(step: Step) -> list[Any]:
    return list(step.observation.readings) if step.observation is not None else []
