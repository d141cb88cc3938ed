"""Puts an answer to the verifier."""

from __future__ import annotations

from dataclasses import replace

from evolve.agent.codec import from_json, to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.stage_costs import paid
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_steps, with_last_step
from evolve.episodes import Judgement
from evolve.errors import BudgetExhausted


def judge(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Has the environment's verifiers judge an answer that is ready for it; one bit comes back.

    An answer that failed a visible example is not submitted and uses up no submission. Neither does one that a model
    should have judged when the budget ended.
    """
    steps = read_steps(state)
    step = steps[-1]
    observed = step.observation
    if observed is None or not observed.ok or context.left(steps).submissions < 1:
        return {}
    key = (step.number, "judge", "judgement")
    try:
        result = paid(context, key, lambda: to_json(context.environment.judge(steps)))
    except BudgetExhausted:
        return {}
    judged = replace(step, judgement=from_json(Judgement, result.text))
    return {"steps": with_last_step(state, judged), "aside": to_json(read_aside(state) + result.cost)}
