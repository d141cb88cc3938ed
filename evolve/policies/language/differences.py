"""What a step gave as its difference to an earlier one, where it is long and mostly the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from evolve.episodes import Step, TaskView
from evolve.policies.language.quoting import shortened
from evolve.policies.language.results import seen_text

_LEAST = 1_000
"""Characters from which on a text is shown as a difference."""
_SHARE = 0.5
"""Share of a text that its difference takes at most."""


@dataclass(frozen=True, kw_only=True)
class Difference:
    """How what a step gave differs from what another gave.

    Attributes:
        step: Number of the other step, which is shown whole.
        lines: Those that went and came, with ``-`` and ``+`` before them.
    """

    step: int
    lines: str


def differences(view: TaskView, steps: Sequence[Step], most: int) -> Mapping[int, Difference]:
    """Of the steps that are shown, by number, those that are told as a difference to the last whole one of their kind.

    Each is told from a step that is whole, so that nobody has to put several differences together.

    Args:
        steps: All that stand in the prompt in full, in order.
        most: Characters at which what a step gave is cut.
    """
    whole: dict[str, tuple[int, str]] = {}
    found: dict[int, Difference] = {}
    for step in steps:
        kind = _kind(step)
        if not kind:
            continue
        text = shortened(seen_text(view, step), most)
        if kind in whole and len(text) >= _LEAST:
            number, before = whole[kind]
            pieces = unified_diff(before.splitlines(), text.splitlines(), lineterm="", n=0)
            lines = "\n".join(list(pieces)[2:])
            if len(lines) <= _SHARE * len(text):
                found[step.number] = Difference(step=number, lines=lines)
                continue
        whole[kind] = step.number, text
    return found


def _kind(step: Step) -> str:
    """What of its kind a step is compared with; "" for one that is always whole."""
    observed = step.observation
    if observed is None or observed.person or step.judgement is not None or not step.action.code:
        return ""
    if observed.state is not None:
        return "change" if observed.state.changed else "look"
    return "look" if step.action.explores else ""
