"""Compares an answer with rivals and goes on with the best."""

from __future__ import annotations

from collections.abc import Sequence

from evolve.agent.answer_stages import exchange_answer, is_error, run_rivals, with_note, with_rivals
from evolve.agent.context import EpisodeContext
from evolve.core.episodes import Action, Plan, Step

_NAME = "best_of_n"


def work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    """Runs the answer and its rivals on the examples and on inputs near them.

    The best reproduces most examples; among those, has a value on most of the near inputs; among those, came first.
    """
    action = with_rivals(context, plan, steps, _NAME)
    if not action.rivals:
        return with_note(action, _NAME, "there is no rival to compare with")
    table, matched = run_rivals(context, action, steps[-1].number, _NAME)
    beyond = [(values or [])[len(context.view.examples) :] for values in table]
    near = [sum(not is_error(value) for value in values) for values in beyond]
    scores = list(zip(matched, near, strict=True))
    best = scores.index(max(scores))
    text = f"number {best + 1} of {len(table)} is the best: {matched[best]} examples, {near[best]} near inputs"
    return with_note(action if best == 0 else exchange_answer(action, action.rivals[best - 1]), _NAME, text)
