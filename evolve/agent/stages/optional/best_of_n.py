"""Compares an answer with rivals and goes on with the best."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.answer_stages import (
    change_answer,
    examples_matched,
    exchange_answer,
    is_error,
    nearby_inputs,
    run_programs,
    with_note,
    with_rivals,
)
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate
from evolve.core.episodes import Action, Json, Plan, Step

_NAME = "best_of_n"


def best_of_n(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the answer and its rivals on the examples and on inputs near them.

    The best reproduces most examples; among those, has a value on most of the near inputs; among those, came first.
    """
    return change_answer(state, context, _NAME, _work)


def _work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    action = with_rivals(context, plan, steps, _NAME)
    rivals = action.rivals
    if not rivals:
        return with_note(action, _NAME, "there is no rival to compare with")
    examples = context.view.examples
    # A task without examples is one question: it is called without arguments.
    inputs = [*(list(row.input) for row in examples), *nearby_inputs(context)] or [[]]
    codes = [action.code, *(rival.code for rival in rivals)]
    table = run_programs(context, (steps[-1].number, _NAME, "table"), codes, inputs)
    scores = [_score(values, [row.output for row in examples]) for values in table]
    best = scores.index(max(scores))
    text = f"number {best + 1} of {len(codes)} is the best: {scores[best][0]} examples, {scores[best][1]} near inputs"
    return with_note(action if best == 0 else exchange_answer(action, rivals[best - 1]), _NAME, text)


def _score(values: Sequence[Json] | None, expected: Sequence[Json]) -> tuple[int, int]:
    """Examples reproduced, and inputs beyond them that give a value."""
    return examples_matched(values, expected), sum(not is_error(value) for value in (values or ())[len(expected) :])
