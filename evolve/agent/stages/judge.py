"""Puts an answer to the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.codec import from_json, to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.founding import founded
from evolve.agent.stage_costs import paid
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_plan, read_steps, with_last_step
from evolve.episodes import Judgement, Step
from evolve.errors import BudgetExhausted


def judge(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Has the environment's verifiers judge an answer that is ready for it; one bit comes back, and a row of a
    person's own task where a refusal may show one.

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
        result = paid(context, key, lambda: _judged(context, steps))
    except BudgetExhausted:
        return {}
    judgement, weighed = founded(context, read_plan(state), steps, from_json(Judgement, result.text))
    cost = read_aside(state) + result.cost + weighed.cost
    return {"steps": with_last_step(state, replace(step, judgement=judgement)), "aside": to_json(cost)}


def _judged(context: EpisodeContext, steps: Sequence[Step]) -> str:
    judgement = context.environment.judge(steps)
    if judgement.row is None or not context.scanner:
        return to_json(judgement)
    # What an answer gave is kept, shown and sent from here on, as what it printed is.
    return to_json(replace(judgement, got=context.scanner.cleaned(judgement.got)))
