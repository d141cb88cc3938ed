"""Plans: a DAG of subgoals made from a reply, and what evidence does to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evolve.episodes import Plan, Step, Subgoal

_MOST = 8
"""Subgoals of one plan."""
_LONGEST = 300
"""Characters of a goal or postcondition."""

PLAN_SCHEMA: Mapping[str, Any] = {
    "title": "plan",
    "type": "object",
    "properties": {
        "goal": {"type": "string"},
        "subgoals": {
            "type": "array",
            "maxItems": _MOST,
            "items": {
                "type": "object",
                "properties": {
                    "goal": {"type": "string"},
                    "postcondition": {"type": "string"},
                    "needs": {"type": "array", "items": {"type": "integer"}},
                },
                "required": ["goal", "postcondition", "needs"],
                "additionalProperties": False,
            },
        },
    },
    "required": ["goal", "subgoals"],
    "additionalProperties": False,
}


def read_subgoals(items: Sequence[Mapping[str, Any]]) -> tuple[Subgoal, ...]:
    """Subgoals ``s1``, ``s2`` and so on. A need that is no earlier subgoal is dropped, so there are no circles."""
    return tuple(
        Subgoal(
            id=f"s{place}",
            goal=str(item["goal"])[:_LONGEST],
            postcondition=str(item["postcondition"])[:_LONGEST],
            needs=tuple(f"s{need}" for need in dict.fromkeys(item["needs"]) if 0 < need < place),
        )
        for place, item in enumerate(items[:_MOST], 1)
    )


def dependants(subgoals: Sequence[Subgoal], refuted: str) -> tuple[str, ...]:
    """The subgoal and all that need it, directly or not; nothing else is touched by its failure."""
    affected = {refuted}
    for subgoal in subgoals:  # needs only point back, so one pass finds all
        if affected & set(subgoal.needs):
            affected.add(subgoal.id)
    return tuple(subgoal.id for subgoal in subgoals if subgoal.id in affected)


def revised(subgoals: Sequence[Subgoal], refuted: str, fresh: Sequence[Subgoal]) -> tuple[Subgoal, ...]:
    """The plan with a refuted subgoal and its dependants replaced; what did not depend on it stays as it was."""
    replaced = set(dependants(subgoals, refuted))
    remaining = [subgoal for subgoal in subgoals if subgoal.id not in replaced]
    number = max((int(subgoal.id[1:]) for subgoal in subgoals), default=0)
    names = {subgoal.id: f"s{number + place}" for place, subgoal in enumerate(fresh, 1)}
    added = [
        Subgoal(
            id=names[subgoal.id],
            goal=subgoal.goal,
            postcondition=subgoal.postcondition,
            needs=tuple(names[need] for need in subgoal.needs if need in names),
        )
        for subgoal in fresh
    ]
    # Plans that are revised again and again must not fill the prompt.
    return (*remaining, *added)[: 2 * _MOST]


def current_subgoals(plan: Plan, steps: Sequence[Step]) -> tuple[Subgoal, ...]:
    """The subgoals in force: the last revision among the steps, else the plan's."""
    for step in reversed(steps):
        if step.action.revised:
            return step.action.revised
    return plan.subgoals


def refuted_subgoal(steps: Sequence[Step], after: int) -> str:
    """The subgoal on which ``after`` answers in a row have failed since the last revision, or ""."""
    attempts: list[str] = []
    for step in reversed(steps):
        # What the machine refused or broke says nothing of the subgoal.
        if step.observation is not None and (step.observation.fault or step.observation.denied):
            break
        if step.action.kind == "code" and not step.action.explores:
            attempts.append(step.action.subgoal)
        if step.action.revised:
            break
    recent = attempts[:after]
    return recent[0] if len(recent) == after and recent[0] and len(set(recent)) == 1 else ""
