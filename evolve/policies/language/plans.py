"""Plans: a DAG of subgoals made from a reply, and when evidence lets a new one take its place."""

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


def current_subgoals(plan: Plan, steps: Sequence[Step]) -> tuple[Subgoal, ...]:
    """The subgoals in force: the last revision among the steps, else the plan's."""
    for step in reversed(steps):
        if step.action.revised:
            return step.action.revised
    return plan.subgoals


def may_revise(steps: Sequence[Step]) -> bool:
    """Whether something spoke against the plan since it was made: a failure, a refusal or a person's word."""
    since: list[Step] = []
    for step in reversed(steps):
        since.append(step)
        if step.action.revised:
            break
    return any(_speaks_against(step) for step in since)


def _speaks_against(step: Step) -> bool:
    observed, judged = step.observation, step.judgement
    if observed is None or observed.fault or observed.denied:
        return False
    wrong = bool(step.action.code) and not (step.action.explores or observed.ok or observed.state is not None)
    return observed.person or wrong or bool(observed.error) or (judged is not None and not judged.accepted)
