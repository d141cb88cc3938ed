"""Rewrites an answer that was doubted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.deliberating import as_rival, bought, compared, deliberated, doubt_of, exchanged, noted, right
from evolve.agent.state import AgentState, AgentUpdate
from evolve.episodes import Action, Plan, Step
from evolve.policies.protocol import Criticising

_NAME = "revise"


def revise(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Asks for another answer where an earlier stage doubted this one.

    The new one is taken if it reproduces at least as many examples, so that a mistaken doubt does no harm there.
    """
    return deliberated(state, context, _NAME, _work)


def _work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    step, policy = steps[-1], context.policy
    doubt = doubt_of(step.action)
    if doubt is None:
        return step.action
    if not isinstance(policy, Criticising):
        return noted(step.action, _NAME, "the policy cannot revise an answer")
    asked = bought(
        context,
        (step.number, _NAME, "answer"),
        lambda: (policy.revise(context.view, plan, steps, doubt.text),),
    )[0]
    action = replace(step.action, cost=step.action.cost + asked.cost)
    if asked.kind != "code" or asked.code == action.code:
        return noted(action, _NAME, asked.text or "the answer stays as it is")
    examples = context.view.examples
    inputs = [list(row.input) for row in examples] or [[]]
    table = compared(context, (step.number, _NAME, "table"), [action.code, asked.code], inputs)
    before, after = (right(values, examples) for values in table)
    if after < before:
        return noted(action, _NAME, f"not taken: {after} examples in place of {before}")
    return noted(exchanged(action, as_rival(asked)), _NAME, "revised because " + doubt.text, doubtful=False)
