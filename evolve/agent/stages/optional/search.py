"""Searches once more, in another order, where no answer was found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.answer_stages import (
    ask_once,
    change_action,
    is_answer,
    replay_limits,
    run_programs,
    with_answer,
    with_note,
)
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate, read_steps
from evolve.core.episodes import Action, Limits, Plan, Step
from evolve.tasks import equal

_NAME = "search"


def search(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Where the policy gives up, or its answer fails an example, searches for a program in another order.

    The embedded policy gets what its own search left of the budget. Any other policy gets the embedded search, once an
    episode, with a share of the workflow's candidates: what a model cannot write may be easy to enumerate.
    """
    steps = read_steps(state)
    if not steps or not context.view.examples or not _is_wanted(context, steps):
        return {}
    return change_action(state, context, _NAME, _work)


def _is_wanted(context: EpisodeContext, steps: Sequence[Step]) -> bool:
    action = steps[-1].action
    if action.kind not in ("code", "finish") or action.explores:
        return False
    if context.policy.searches:
        return not action.code
    return not any(note.stage == _NAME for step in steps for note in step.action.notes)


def _work(context: EpisodeContext, plan: Plan, steps: Sequence[Step]) -> Action:
    step = steps[-1]
    action = step.action
    if is_answer(action) and _fits(context, step):
        return action
    policy, own = context.policy, context.policy.searches
    if not own:
        from evolve.policies.search import SearchPolicy

        policy = SearchPolicy()
    limits = context.remaining(steps) if own else _lent_limits(context)
    (answer,) = ask_once(
        context, (step.number, _NAME, "answer"), lambda: (policy.search_again(context.view, steps, limits),)
    )
    cost = action.cost + answer.cost
    if answer.kind != "code":
        return replace(with_note(action, _NAME, answer.text), cost=cost)
    # The policy replays its own search from what each action was allowed.
    within = action.allowed or (replay_limits(context, steps[:-1]) if own else None)
    revised = replace(
        with_answer(action, answer.as_alternative), kind="code", text=answer.text, allowed=within, cost=cost
    )
    return with_note(revised, _NAME, answer.text)


def _fits(context: EpisodeContext, step: Step) -> bool:
    inputs = [list(row.input) for row in context.view.examples]
    (values,) = run_programs(context, (step.number, _NAME, "table"), [step.action.code], inputs)
    return values is not None and all(
        equal(value, row.output) for value, row in zip(values, context.view.examples, strict=True)
    )


def _lent_limits(context: EpisodeContext) -> Limits:
    knobs = context.knobs
    return Limits(candidates=int(knobs.candidates * knobs.share), seconds=knobs.seconds * knobs.share)
