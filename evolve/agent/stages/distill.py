"""Proposes skills from an answer worth keeping, and procedures from a change that a check accepted."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.procedures import procedures
from evolve.agent.stage_costs import paid
from evolve.agent.stages.reflect import evidence_steps
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_steps
from evolve.episodes import Step
from evolve.errors import BudgetExhausted, ModelMistake


def distill(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for skill drafts after an answer was verified on unseen rows, for procedures after a check."""
    if not context.learns or context.later:
        return {}
    steps = evidence_steps(read_steps(state), by_check=context.kind.has_states)
    verified = any(step.judgement is not None and step.judgement.verified for step in steps)
    if not (verified or context.kind.has_states):
        return {}
    result = paid(context, (len(steps), "distill", "drafts"), lambda: _drafts(context, steps, verified))
    return {"drafts": result.text, "aside": to_json(read_aside(state) + result.cost)}


def _drafts(context: EpisodeContext, steps: Sequence[Step], verified: bool) -> str:
    try:
        drafts = context.policy.distill(context.view, steps) if verified else ()
        drafts += procedures(context, steps) if context.kind.has_states else ()
    except (ModelMistake, BudgetExhausted):  # the answer stands; it only gets no name to be found by
        return ""
    return to_json(drafts) if drafts else ""
