"""Takes the task apart before it is worked on."""

from __future__ import annotations

from evolve.agent.answer_stages import note_skipped
from evolve.agent.context import EpisodeContext
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_plan
from evolve.core.episodes import Plan
from evolve.core.episodes.codec import from_json, to_json
from evolve.core.errors import BudgetExhausted, ModelMistake

_NAME = "decompose"


def decompose(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Has the policy name parts that can be worked on by themselves; what it has planned stays where it cannot."""
    plan, policy = read_plan(state), context.policy
    if plan.unfit is not None:
        return {}
    if not policy.deliberates:
        return note_skipped(state, _NAME, "the policy cannot take tasks apart")

    def work() -> str:
        try:
            return to_json(policy.decompose(context.view, plan, context.knobs.share))
        except (ModelMistake, BudgetExhausted):  # the plan there is is better than none
            return to_json(plan)

    result = once_with_cost(context, (len(state["steps"]), _NAME, "plan"), work)
    if from_json(Plan, result.text) == plan:
        # The note belongs to the plan, also where it was made anew after some steps.
        update = note_skipped({**state, "steps": []}, _NAME, "the task was not taken apart")
        return {**update, "aside": to_json(read_aside(state) + result.cost)}
    return {"plan": result.text, "aside": to_json(read_aside(state) + result.cost)}
