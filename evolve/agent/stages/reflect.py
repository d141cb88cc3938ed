"""Turns what happened into claims."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.execution import make_probe
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.episodes import Step


def reflect(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for claims with evidence; it may re-run variations through the sandbox.

    Steps that the environment cut short (faults, denials, time-outs) are not shown: they are never evidence.
    Neither is an answer that was accepted on too few unseen rows to be called verified.
    """
    if not context.learns:
        return {}
    steps = evidence_steps(read_steps(state))
    if not steps:
        return {}
    claims = context.policy.reflect(context.view, context.identity.group, steps, make_probe(context.sandbox))
    return {"claims": to_json(claims)}


def evidence_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    """The steps whose outcome is the answer's own doing."""
    return tuple(step for step in steps if _is_evidence(step))


def _is_evidence(step: Step) -> bool:
    observed, judged = step.observation, step.judgement
    if observed is None or observed.fault or observed.denied:
        return False
    if judged is None:
        return True
    return not judged.fault and (judged.verified or not judged.accepted)
