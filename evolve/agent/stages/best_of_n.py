"""Compares an answer with rivals and goes on with the best."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.context import EpisodeContext
from evolve.agent.deliberating import compared, deliberated, exchanged, is_error, near, noted, right, with_rivals
from evolve.agent.state import AgentState, AgentUpdate
from evolve.episodes import Action, Plan, Step

_NAME = "best_of_n"


def best_of_n(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the answer and its rivals on the examples and on inputs near them.

    The best reproduces most examples; among those, has a value on most of the near inputs; among those, came first.
    """
    return deliberated(state, context, _NAME, _work)


def _work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    action = with_rivals(context, plan, steps, _NAME)
    rivals = action.rivals
    if not rivals:
        return noted(action, _NAME, "there is no rival to compare with")
    examples = context.view.examples
    inputs = [*(list(row.input) for row in examples), *near(context)] or [[]]
    codes = [action.code, *(one.code for one in rivals)]
    table = compared(context, (steps[-1].number, _NAME, "table"), codes, inputs)
    scores = [
        (right(values, examples), sum(not is_error(value) for value in (values or ())[len(examples) :]))
        for values in table
    ]
    best = scores.index(max(scores))
    text = f"number {best + 1} of {len(codes)} is the best: {scores[best][0]} examples, {scores[best][1]} near inputs"
    return noted(action if best == 0 else exchanged(action, rivals[best - 1]), _NAME, text)
