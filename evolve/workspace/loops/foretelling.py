"""Tells a person, before a loop begins, what their tasks can show and what would be enough."""

from __future__ import annotations

from collections import Counter

from evolve.gate.foresight import Foresight
from evolve.improve.stream import blocks_of, distinct, fresh_of
from evolve.record.stores import Stores
from evolve.tasks import Suite
from evolve.tasks.reading.labels import tells_nothing

_HALF = 0.5
"""Share of problems with a gain for which it is told how many would be enough."""

_MANY = 0.2
"""Share of the problems under one instruction from which on that is told."""


def foretold(stores: Stores, suite: Suite, *, streams: bool, seed: int = 0) -> str:
    """How many distinct problems there are, which gain they could show, and how many would show one on half of them.

    Args:
        streams: All but the first quarter are judged, each before it is practised on; else the ``gate`` tasks alone.
        seed: Fixes which are in that quarter.
    """
    groups = {task.group for task in suite.tasks}
    if streams:
        first, *rest = blocks_of(suite, seed)
        later = [task for block in rest for task in block]
        judged = {task.group for task in fresh_of(stores, later, after=first)}
        like = len(groups) - len(distinct(suite.tasks))
        way = ", each before it is practised on"
        way += f" ({like} more have rows or instruction in common with others and do not count)" if like else ""
    else:
        tasks = suite.evidence("gate")
        judged = {task.group for task in tasks} - stores.known_of(tasks)
        way = _alike(suite)
    _, level = stores.decisions.next_level(suite.digest, judged)
    ahead = Foresight.of(len(judged), level)
    told = f"{len(groups)} distinct problems, {len(judged)} of them to judge on{way}. "
    if ahead.share is None:
        told += f"Nothing can be shown with them, since {ahead.needed} must become better and none worse"
    else:
        told += (
            f"To be accepted, what is learned must make {ahead.needed} of these better and none worse, or more:"
            f" a gain on {ahead.share:.0%} of such problems is found four times of five"
        )
    enough = Foresight.enough(_HALF, level)
    if len(judged) < enough:
        share = len(judged) / len(groups)
        wanted = f"about {enough / share:.0f} problems" if judged else f"{enough} problems to judge on"
        told += f"; {wanted} would show a gain on half of them"
    if ahead.share is None:
        told += ". What is learned serves your own runs, and evolve report tells whether it helps there"
    return told


def _alike(suite: Suite) -> str:
    """Problems that stand under one instruction, which may be one problem told more than once."""
    first = {task.group: task.instruction.strip() for task in reversed(suite.tasks)}
    told = Counter(text for text in first.values() if not tells_nothing(text))
    text, count = max(told.items(), key=lambda item: item[1], default=("", 0))
    if count < max(2, _MANY * len(first)):
        return ""
    short = text if len(text) <= 50 else text[:47] + "..."
    return f", {count} under one instruction ({short}), which may be one problem told more than once"
