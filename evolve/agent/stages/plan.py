"""Names the goal and prices the work."""

from __future__ import annotations

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_recalled


def plan(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for a plan, given what was recalled."""
    return {"plan": to_json(context.policy.plan(context.view, read_recalled(state)))}
