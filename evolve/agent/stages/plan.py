"""Names the goal and prices the work."""

from __future__ import annotations

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_recalled
from evolve.episodes import Plan
from evolve.errors import ModelMistake

UNFIT = "unfit"
"""Key of a plan's data that says why the policy cannot work on the task."""


def plan(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for a plan, given what was recalled.

    A task that the policy cannot take at all gets a plan that says why.
    """
    try:
        plan = context.policy.plan(context.view, read_recalled(state))
    except ModelMistake as error:
        plan = Plan(goal="", data={UNFIT: str(error)})
    return {"plan": to_json(plan)}
