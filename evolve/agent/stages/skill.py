"""Calls a learned skill as a stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from evolve.agent.answer_stages import (
    as_rival,
    change_action,
    examples_matched,
    exchange_answer,
    is_answer,
    is_error,
    run_programs,
    with_note,
)
from evolve.agent.context import EpisodeContext
from evolve.agent.stages.stage_skills import call_skill, role_of
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.core.episodes import Action, Plan, Step

_LONGEST = 100_000
"""Characters of source that a skill may give; every checkpoint after it holds them."""


def skill(state: AgentState, context: EpisodeContext, *, stage: str) -> AgentUpdate:
    """Runs the skill in the sandbox and lets it act on the answer, as its signature says.

    What it gives is tried on the examples and taken only where it does not make the answer worse there. Whatever goes
    wrong in it is said about the answer and ends nothing.
    """
    steps = read_steps(state)
    if not steps or steps[-1].action.explores or steps[-1].action.kind not in ("code", "finish"):
        return {}
    proposes = role_of(context.skills[stage]) == "propose"
    if not proposes and not is_answer(steps[-1].action):
        return {}
    return change_action(state, context, stage, partial(_work, stage))


def _work(stage: str, context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    used, step = context.skills[stage], steps[-1]
    action, role = step.action, role_of(used)
    value = call_skill(context, (step.number, stage, "value"), used, action.code)
    if is_error(value):
        return with_note(action, stage, f"the skill failed: {str(value['error'])[:300]}")
    if role == "filter":
        return with_note(
            action, stage, "kept" if value is True else "the skill doubts the answer", doubtful=value is False
        )
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return with_note(action, stage, "the skill gave no source")
    if value == action.code:
        return with_note(action, stage, "the skill left the answer as it is")
    return _tested(stage, context, steps, value)


def _tested(stage: str, context: EpisodeContext, steps: Sequence[Step], code: str) -> Action:
    step, used = steps[-1], context.skills[stage]
    action, examples = step.action, context.view.examples
    inputs = [list(row.input) for row in examples] or [[]]
    table = run_programs(context, (step.number, stage, "table"), [action.code, code], inputs)
    before, after = (examples_matched(values, [row.output for row in examples]) for values in table)
    # A proposal has to be better; a changed answer only has to be as good.
    if after < before or (after == before and role_of(used) == "propose"):
        return with_note(action, stage, f"not taken: {after} examples in place of {before}")
    other = as_rival(Action(kind="code", code=code, consumed=(*action.consumed, f"skill:{used.digest}")))
    if not action.code:
        revised = replace(action, kind="code", code=code, consumed=other.consumed)
        return with_note(revised, stage, "proposed by the skill")
    revised = exchange_answer(action, other)
    return with_note(
        replace(revised, rivals=tuple(rival for rival in revised.rivals if rival.code)), stage, "changed by the skill"
    )
