"""Sees where a run goes round in circles: what earlier steps mean for the next one, and when a person has to help.

A repetition is the same action in the same state that gave the same again: running the tests once more after an edit
is none. Going to and fro between two steps, one error again and again, and replies without anything to run count too.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from evolve.core.episodes import PREFERENCE, Action, Recalled, Step, passes_check
from evolve.core.files import canonical_json, digest

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


def hints_in(steps: Sequence[Step]) -> tuple[Recalled, ...]:
    """What an episode was told from memory, as the first action that was not stopped keeps it."""
    return next((step.action.plan.told for step in steps if step.action.plan is not None), ())


def is_decided(items: Sequence[Recalled], steps: Sequence[Step]) -> bool:
    """Whether a person has said already what is meant: in this episode, or by an answer on a similar task."""
    before = any(item.kind == PREFERENCE and item.questions for item in items)
    return before or any(step.action.kind == "ask_user" for step in steps)


def _readings(step: Step) -> list[Any]:
    return list(step.observation.readings) if step.observation is not None else []


DONE = "The check passes: reply with a block `done`, which hands it in."
_PATIENCE = 2
"""Replies in a row without anything to run that count as a repetition."""
_ERRORS = 4
"""Times in a row that one error is met before it counts as a repetition."""


def hint_after(steps: Sequence[Step]) -> str:
    """What is told behind the last step where it turns in circles, or ""; what is done has only to be handed in."""
    repeated = _circle(steps)
    if (repeated or (steps and _is_idle(steps[-1]))) and passes_check(steps):
        return DONE
    return f"{repeated} Do something else, or give up and say what is missing." if repeated else ""


def stuck_reason(steps: Sequence[Step]) -> str:
    """Why the episode ends here, or "": it was told that it turns in circles, and goes on with it."""
    circle = _circle(steps)
    # The hint has to have had a chance: the last step came after it.
    return f"{circle} The hint changed nothing, so this stops here." if circle and _circle(steps[:-1]) else ""


def _circle(steps: Sequence[Step]) -> str:
    """How the last steps turn in circles, in one sentence; "" where they do not."""
    own = [step for step in steps[-2 * _ERRORS :] if step.observation is None or not step.observation.person]
    keys = [_key(step) for step in own[-4:]]
    if not keys:
        return ""
    if len(keys) >= _PATIENCE and all(_is_idle(step) for step in own[-_PATIENCE:]):
        # Without a reply the text says why there is none, which is what has to be known last.
        why = [step.action.text for step in own[-_PATIENCE:] if not step.action.said]
        return why[-1] if why else f"{_PATIENCE} replies in a row held nothing that could be run."
    if len(keys) >= 2 and keys[-1] == keys[-2]:
        return "You did the same again and saw the same again."
    if len(keys) >= 4 and keys[-4:-2] == keys[-2:]:
        return "You go to and fro between the same two steps."
    errors = [step.observation.error for step in own if step.observation is not None]
    if len(errors) >= _ERRORS and errors[-1] and len(set(errors[-_ERRORS:])) == 1 and not _moved(own[-_ERRORS:]):
        return f"You met the same error {_ERRORS} times in a row."
    return ""


def _is_idle(step: Step) -> bool:
    return step.action.kind == "code" and not step.action.code


def _moved(steps: Sequence[Step]) -> bool:
    """Whether files were changed on the way, so that the same error may have another cause each time."""
    return any(step.observation is not None and step.observation.state is not None and step.observation.state.changed
               for step in steps)  # fmt: skip


def _key(step: Step) -> str:
    action, observed = step.action, step.observation
    state = observed.state if observed is not None else None
    gave = [] if observed is None else [observed.error, observed.text, observed.denied, list(observed.outputs)]
    left = [] if state is None else [state.snapshot, state.output, state.check]
    said = " ".join((action.source or action.text).split())
    return digest(canonical_json([action.kind, said, gave, left]))
