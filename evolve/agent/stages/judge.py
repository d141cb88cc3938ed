"""Puts an answer to the verifier."""

from __future__ import annotations

from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Judgement


def judge(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Has the environment's verifiers judge an answer that is ready for it; one bit comes back.

    An answer that failed a visible example is not submitted and uses up no submission.
    """
    steps = read_steps(state)
    step = steps[-1]
    observed = step.observation
    if observed is None or not observed.ok or context.left(steps).submissions < 1:
        return {}
    key = (step.number, "judge", "judgement")
    judgement = context.outputs.once(key, Judgement, lambda: context.environment.judge(steps))
    return {"steps": with_last_step(state, replace(step, judgement=judgement))}
