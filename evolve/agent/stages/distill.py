"""Proposes skills from an answer worth keeping."""

from __future__ import annotations

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.stages.reflect import evidence_steps
from evolve.agent.state import AgentState, AgentUpdate, read_steps


def distill(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for skill drafts, only after an answer was verified on unseen rows."""
    steps = evidence_steps(read_steps(state))
    verified = any(step.judgement is not None and step.judgement.verified for step in steps)
    if not (context.learns and verified):
        return {}
    drafts = context.policy.distill(context.view, steps)
    return {"drafts": to_json(drafts)} if drafts else {}
