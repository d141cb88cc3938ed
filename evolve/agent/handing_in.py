"""What an episode would throw away: where it ends without a judged answer, what it left is handed in after all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evolve.agent.answer_stages import doubted_alternative
from evolve.agent.context import EpisodeContext
from evolve.agent.outcome import should_continue
from evolve.core.episodes import OWN, Action, Step

TOLD = "the model ended without handing it in"


@dataclass(frozen=True, kw_only=True)
class _Left:
    # A key of the JSON in episodes' files, as the fields of every class given to ``outputs.compute_once`` are.
    step: Step | None = None


def files_left_behind(context: EpisodeContext, steps: Sequence[Step]) -> Step | None:
    """A further step that hands in what the steps left, where the episode ends with them; None where nothing is.

    Every end comes here: an episode that goes in circles, gives up, fails, or is out of replies or budget. It looks at
    what decides for the policy too, and at nothing else, so the arms of a comparison are treated alike.
    """
    if should_continue(steps, context) or context.remaining(steps).submissions < 1:
        return None
    number = len(steps) + 1
    kept = context.outputs.compute_once(
        (number, "judge", "left"), _Left, lambda: _Left(step=_left(context, steps, number))
    )
    return kept.step


def is_finished(context: EpisodeContext, steps: Sequence[Step]) -> bool:
    """Whether the steps of a person's own task left what can be judged, so that it needs no further reply.

    Where tasks are held out, an endpoint that fails is never to decide about one.
    """
    if not (context.identity.split == OWN and steps and context.remaining(steps).submissions):
        return False
    return context.environment.left_right(steps) is not None


def _left(context: EpisodeContext, steps: Sequence[Step], number: int) -> Step | None:
    environment, action = context.environment, Action(kind="finish", text=TOLD)
    left = environment.left_right(steps)
    if left is not None or context.kind.has_states:
        return None if left is None else Step(number=number, action=action, observation=left)
    settled = doubted_alternative(context, steps, action)
    judged = {step.action.code for step in steps if step.judgement is not None}
    if settled.kind != "code" or settled.code in judged:
        return None
    observed = environment.observe(settled, steps)
    return Step(number=number, action=settled, observation=observed) if observed.ok else None
