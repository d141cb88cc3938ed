"""Rewrites an answer that was doubted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.answer_stages import (
    ask_once,
    doubt_of,
    examples_matched,
    exchange_answer,
    rival_answer,
    run_programs,
    with_note,
)
from evolve.agent.context import EpisodeContext
from evolve.core.episodes import Action, Plan, Step

_NAME = "revise"


def work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    """Asks for another answer where an earlier stage doubted this one.

    The new one is taken if it reproduces at least as many examples, so that a mistaken doubt does no harm there.
    """
    step = steps[-1]
    doubt = doubt_of(step.action)
    if doubt is None:
        return step.action
    revision = ask_once(
        context,
        (step.number, _NAME, "answer"),
        lambda: (context.policy.revise(context.view, plan, steps, doubt.text),),
    )[0]
    action = replace(step.action, cost=step.action.cost + revision.cost)
    if revision.kind != "code" or revision.code == action.code:
        return with_note(action, _NAME, revision.text or "the answer stays as it is")
    examples = context.view.examples
    inputs = [list(row.input) for row in examples] or [[]]
    table = run_programs(context, (step.number, _NAME, "table"), [action.code, revision.code], inputs)
    before, after = (examples_matched(values, [row.output for row in examples]) for values in table)
    if after < before:
        return with_note(action, _NAME, f"not taken: {after} examples in place of {before}")
    # The doubt was about the answer that is gone, so this one does not count as doubted.
    return with_note(
        exchange_answer(action, rival_answer(revision)), _NAME, "revised because " + doubt.text, doubtful=False
    )
