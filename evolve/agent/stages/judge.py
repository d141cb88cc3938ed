"""Puts an answer to the verifier."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.handing_in import TOLD, files_left_behind
from evolve.agent.learning_costs import once_with_cost
from evolve.agent.outcome import is_accepted, is_fault
from evolve.agent.outputs import PaidOutput
from evolve.agent.state import AgentState, AgentUpdate, read_aside, read_plan, read_steps, with_last_step
from evolve.core.episodes import Judgement, Plan, Step, call_text
from evolve.core.episodes.codec import from_data, from_json, to_json, upgrade_reason_text
from evolve.core.errors import BudgetExhausted
from evolve.core.reasons import Reason, reason


def judge(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Has the environment's verifiers judge an answer that is ready for it; one bit comes back, and a row of a
    person's own task where a refusal may show one.

    An answer that failed a visible example is not submitted and uses up no submission. Neither does one that a model
    should have judged when the budget ended. What an episode leaves that nobody handed in is judged at its end; where
    a fault or the budget ended it, a refusal changes nothing of that, since they say nothing about the task.
    """
    steps = read_steps(state)
    observed = steps[-1].observation
    if observed is not None and observed.ok:
        return _with_verdict(state, context, steps) if context.remaining(steps).submissions else {}
    left = files_left_behind(context, steps)
    if left is None:
        return {}
    whole = AgentState(**{**state, "steps": [*state["steps"], to_json(left)]})
    update = _with_verdict(whole, context, [*steps, left])
    if not update:
        return {}
    judged = from_json(Step, update["steps"][-1])
    if not is_accepted(judged) and (is_fault(steps[-1]) or steps[-1].action.ended is not None):
        return {"aside": update["aside"]}
    return {**update, "steps": [*state["steps"], to_json(_with_reason(judged))]}


def _with_reason(step: Step) -> Step:
    """The step whose verdict also says who handed it in, where it says anything."""
    judgement = step.judgement
    if judgement is None or not judgement.text:
        return step
    return replace(step, judgement=replace(judgement, text=f"{judgement.text}; {TOLD}"))


def _with_verdict(state: AgentState, context: EpisodeContext, steps: Sequence[Step]) -> AgentUpdate:
    """The last step with what the verifiers say of it."""
    step = steps[-1]
    key = (step.number, "judge", "judgement")
    try:
        result = once_with_cost(context, key, lambda: _judged(context, steps))
    except BudgetExhausted:
        return {}
    judgement, weighed = _confirm_verification(context, read_plan(state), steps, from_json(Judgement, result.text))
    cost = read_aside(state) + result.cost + weighed.cost
    return {"steps": with_last_step(state, replace(step, judgement=judgement)), "aside": to_json(cost)}


def _judged(context: EpisodeContext, steps: Sequence[Step]) -> str:
    judgement = context.environment.judge(steps)
    if judgement.row is None or not context.services.scanner:
        return to_json(judgement)
    # What an answer gave is kept, shown and sent from here on, as what it printed is.
    return to_json(replace(judgement, got=context.services.scanner.redact_value(judgement.got)))


def _confirm_verification(
    context: EpisodeContext, plan: Plan, steps: Sequence[Step], judged: Judgement
) -> tuple[Judgement, PaidOutput]:
    """The judgement of the last step, verified only where the rows bear it; worked out once, whatever a crash repeats.

    Where no row was shown, or the policy cannot search again, it stays as it is.
    """
    policy = context.policy
    if not (judged.verified and policy.learns_from_refusals):
        return judged, PaidOutput(text="")
    known = context.environment.known_rows(steps)
    if known is None:
        return judged, PaidOutput(text="")

    def weigh() -> PaidOutput:
        standing = policy.leave_one_out(context.view, plan, steps, known, context.remaining(steps))
        if standing.row is not None:
            why: Reason | None = reason("rests_on_one_row", row=call_text(context.view.entry, standing.row))
        else:
            why = None if standing.whole else reason("one_row_not_looked_at")
        return PaidOutput(text="" if why is None else to_json(why), cost=standing.cost)

    weighed = context.outputs.compute_once((steps[-1].number, "judge", "founding"), PaidOutput, weigh)
    if not weighed.text:
        return judged, weighed
    is_data = weighed.text.startswith("{")  # earlier versions kept a sentence
    doubt = from_data(Reason, json.loads(weighed.text) if is_data else upgrade_reason_text(weighed.text))
    return replace(judged, verified=False, doubt=doubt), weighed
