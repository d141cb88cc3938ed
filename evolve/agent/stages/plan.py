"""Names the goal and prices the work."""

from __future__ import annotations

from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_recalled
from evolve.core.episodes import BudgetEnd, Plan, Recalled
from evolve.core.episodes.codec import to_json
from evolve.core.errors import BudgetExhausted, ModelMistake


def plan(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks the policy for a plan, given what was recalled.

    A task that the policy cannot take at all gets a plan that says why.
    """
    key = (len(state["steps"]), "plan", "plan")  # a plan that is made anew after some steps is paid for anew
    result = once_with_cost(context, key, lambda: to_json(_planned(context, read_recalled(state))))
    return {"plan": result.text, "aside": to_json(read_aside(state) + result.cost)}


def _planned(context: EpisodeContext, recalled: tuple[Recalled, ...]) -> Plan:
    try:
        return context.begun.plan or context.policy.plan(context.view, recalled)
    except ModelMistake as error:
        return Plan(goal="", unfit=str(error))
    except BudgetExhausted as error:
        return Plan(goal="", unfit=str(error), ended=BudgetEnd(tokens=error.tokens))
