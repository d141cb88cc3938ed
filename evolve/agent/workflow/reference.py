"""Tells in words which stages and numbers a workflow may have, and how often each stage can be visited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from evolve.agent.workflow.knobs import KNOB_BOUNDS, Knobs
from evolve.agent.workflow.spec import Workflow
from evolve.agent.workflow.stages import KINDS, PLACES, stage_kind


def stage_reference(names: Iterable[str]) -> str:
    """One line for each of these stages, in the order in which they may stand: where, what it decides, what it does."""
    known = {name: kind for name in dict.fromkeys(names) if (kind := stage_kind(name)) is not None}
    lines = []
    for name, kind in sorted(known.items(), key=lambda item: PLACES.index(item[1].places[0])):
        told = ["always there" if kind.mandatory else " or ".join(_between(place) for place in kind.places)]
        if kind.conditions:
            told.append("decides " + " or ".join(kind.conditions))
        if kind.knobs:
            told.append("has " + ", ".join(kind.knobs))
        lines.append(f"- {name} ({'; '.join(told)}): {kind.does}")
    return "\n".join(lines)


def knob_reference(names: Iterable[str]) -> str:
    """One line for each of these knobs: its bounds, the value it has where it is left out, and what it means."""
    wanted = set(names)
    lines = []
    for item in fields(Knobs):
        if item.name in wanted:
            low, high = KNOB_BOUNDS[item.name]
            kind = "whole number" if isinstance(low, int) else "number"
            lines.append(
                f"- {item.name} ({kind}, {low} to {high}; {item.default} if left out): {item.metadata['does']}"
            )
    return "\n".join(lines)


def _between(place: str) -> str:
    """Where a place lies among the stages that are always there."""
    always = [(PLACES.index(kind.places[0]), kind.name) for kind in KINDS if kind.mandatory]
    here = PLACES.index(place)
    before = [name for rank, name in always if rank < here]
    after = [name for rank, name in always if rank > here]
    if not before:
        return f"before {after[0]}"
    return f"between {before[-1]} and {after[0]}" if after else f"after {before[-1]}"


def visit_bounds(workflow: Workflow) -> dict[str, int]:
    """How often an episode can visit each stage at most.

    A way back leads to ``act`` or before it and is taken only while fewer than ``steps`` actions were chosen, and
    between two of them ``act`` chooses one. So an episode makes at most ``steps`` passes, in each of which it visits a
    stage at most once; what lies outside of every loop is visited in one of them only.
    """
    position = {stage: number for number, stage in enumerate(workflow.stages)}
    back = [edge for edge in workflow.edges if position[edge.target] <= position[edge.source]]
    first = min((position[edge.target] for edge in back), default=len(position))
    last = max((position[edge.source] for edge in back), default=-1)
    return {stage: workflow.knobs.steps if first <= number <= last else 1 for stage, number in position.items()}


def inapplicable_stages(workflow: Workflow, *, policy: str, environment: str, one_file: bool) -> dict[str, str]:
    """The stages that do nothing in such an episode, each with the reason.

    Args:
        policy: ``search`` or ``language``, with or without the model's name.
        environment: Name of the kind of environment.
        one_file: Whether an answer is one source file there.
    """
    reasons = {}
    for stage in workflow.stages:
        kind = stage_kind(stage)
        name = policy.partition(":")[0]
        if kind is not None and kind.policies and name not in kind.policies:
            reasons[stage] = f"{stage} does nothing for the policy {name}"
        elif kind is not None and kind.one_file and not one_file:
            reasons[stage] = f"{stage} does nothing in the environment {environment}"
    return reasons
