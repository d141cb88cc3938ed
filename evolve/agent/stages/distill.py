"""Proposes skills: an answer worth keeping, the procedure of a change that a check accepted, functions used again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.procedures import propose_procedures
from evolve.agent.stages.reflect import evidence_steps
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_steps
from evolve.core.episodes import SkillDraft, Step
from evolve.core.episodes.codec import to_json
from evolve.core.errors import BudgetExhausted, ModelMistake


def distill(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for skill drafts after an answer was verified on unseen rows, for procedures after a check."""
    everything = read_steps(state)
    accepted = any(step.judgement is not None and step.judgement.accepted for step in everything)
    if not context.learns or context.later or not accepted:
        return {}
    steps = evidence_steps(everything, by_check=context.kind.has_states)
    result = once_with_cost(context, (len(steps), "distill", "drafts"), lambda: _drafts(context, steps, everything))
    return {"drafts": result.text, "aside": to_json(read_aside(state) + result.cost)}


def _drafts(context: EpisodeContext, steps: Sequence[Step], everything: Sequence[Step]) -> str:
    verified = any(step.judgement is not None and step.judgement.verified for step in steps)
    drafts: tuple[SkillDraft, ...] = ()
    with suppress(ModelMistake, BudgetExhausted):  # the answer stands; it only gets no name to be found by
        drafts += context.policy.distill(context.view, steps) if verified else ()
        drafts += propose_procedures(context, steps) if context.kind.has_states else ()
    if not context.view.examples:  # else the answer, which rows verify, is distilled itself
        from evolve.agent.session_functions import session_functions

        drafts += session_functions(context, everything)
    return to_json(drafts) if drafts else ""
