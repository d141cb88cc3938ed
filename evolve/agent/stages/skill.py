"""Calls a learned skill as a stage."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from evolve.agent.context import EpisodeContext
from evolve.agent.deliberating import as_rival, changed, compared, exchanged, is_answer, is_error, noted, right
from evolve.agent.stage_skills import called, role_of
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.episodes import Action, Plan, Step

_LONGEST = 100_000


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
    return changed(state, context, stage, partial(_work, stage))


def _work(stage: str, context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    used, step = context.skills[stage], steps[-1]
    action, role = step.action, role_of(used)
    value = called(context, (step.number, stage, "value"), used, action.code)
    if is_error(value):
        return noted(action, stage, f"the skill failed: {str(value['error'])[:300]}")
    if role == "filter":
        return noted(action, stage, "kept" if value is True else "the skill doubts the answer", doubtful=value is False)
    if not isinstance(value, str) or not value.strip() or len(value) > _LONGEST:
        return noted(action, stage, "the skill gave no source")
    if value == action.code:
        return noted(action, stage, "the skill left the answer as it is")
    return _tried(stage, context, steps, value)


def _tried(stage: str, context: EpisodeContext, steps: Sequence[Step], code: str) -> Action:
    step, used = steps[-1], context.skills[stage]
    action, examples = step.action, context.view.examples
    inputs = [list(row.input) for row in examples] or [[]]
    table = compared(context, (step.number, stage, "table"), [action.code, code], inputs)
    before, after = (right(values, examples) for values in table)
    # A proposal has to be better; a changed answer only has to be as good.
    if after < before or (after == before and role_of(used) == "propose"):
        return noted(action, stage, f"not taken: {after} examples in place of {before}")
    other = as_rival(Action(kind="code", code=code, consumed=(*action.consumed, f"skill:{used.digest}")))
    if not action.code:
        made = replace(action, kind="code", code=code, consumed=other.consumed)
        return noted(made, stage, "proposed by the skill")
    made = exchanged(action, other)
    return noted(replace(made, rivals=tuple(one for one in made.rivals if one.code)), stage, "changed by the skill")
