"""Chooses the next action."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.answer_stages import action_limits, doubted_alternative
from evolve.agent.context import EpisodeContext
from evolve.agent.handing_in import is_finished
from evolve.agent.questions import as_stopped, stopped_action
from evolve.agent.state import AgentState, AgentUpdate, read_plan, read_steps
from evolve.core.episodes import Action, BudgetEnd, Plan, Step
from evolve.core.episodes.codec import to_json
from evolve.core.errors import BudgetExhausted, Cancelled, EndpointProblem, ModelMistake, NotRecorded
from evolve.core.files import clean_text


def act(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for an action within what is left of the limits and opens a step with it.

    A mistake of whoever wrote the answer is a step too: an action without code, shown back next time.
    """
    steps = read_steps(state)
    plan = read_plan(state)
    if plan.unfit is not None:
        unfit = Action(kind="finish", text=clean_text(plan.unfit), ended=plan.ended)
        return {"steps": [*state["steps"], to_json(Step(number=1, action=unfit))]}
    number = len(steps) + 1
    action = context.outputs.compute_once((number, "act", "action"), Action, lambda: _chosen(context, plan, steps))
    step = Step(number=number, action=action)
    return {"steps": [*state["steps"], to_json(as_stopped(step) if action.interrupted else step)]}


def _chosen(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    before = context.policy.total_cost
    try:
        if len(steps) < len(context.begun.actions):
            action = context.begun.actions[len(steps)]
        else:
            active = context.environment.active_steps(steps)
            action = context.policy.act(context.view, plan, active, action_limits(context, steps))
    except ModelMistake as error:
        action = Action(kind="code", text=str(error))
    except BudgetExhausted as error:
        action = Action(kind="finish", text=str(error), ended=BudgetEnd(tokens=error.tokens))
    except EndpointProblem as error:
        if isinstance(error, NotRecorded) or not is_finished(context, steps):
            raise  # the same command goes on once it can be asked again
        action = Action(kind="finish", text=str(error), ended=BudgetEnd())
    except Cancelled:
        if context.redone:
            raise
        action = stopped_action()  # made here, so that what it cost until then is added below
    action = doubted_alternative(context, steps, action)
    # Text from outside enters the record here, so this is where it is cleaned.
    return replace(
        action,
        code=clean_text(action.code),
        text=clean_text(action.text),
        said=clean_text(action.said),
        cost=action.cost + (context.policy.total_cost - before),
    )
