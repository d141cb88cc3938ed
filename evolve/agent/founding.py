"""Whether an answer that came after a shown row is called verified: not where a single row alone led to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.stage_costs import Paid
from evolve.environments import Showing
from evolve.episodes import Judgement, Plan, Step, called
from evolve.policies.protocol import Weighing


def founded(context: EpisodeContext, plan: Plan, steps: Sequence[Step], judged: Judgement) -> tuple[Judgement, Paid]:
    """The judgement of the last step, verified only where the rows bear it; worked out once, whatever a crash repeats.

    Where no row was shown, or the policy cannot search again, it stays as it is.
    """
    policy, environment = context.policy, context.environment
    if not (judged.verified and isinstance(policy, Weighing) and isinstance(environment, Showing)):
        return judged, Paid(text="")
    known = environment.known(steps)
    if known is None:
        return judged, Paid(text="")

    def weigh() -> Paid:
        standing = policy.weigh(context.view, plan, steps, known, context.left(steps))
        if standing.row is not None:
            text = f"it was found only because of one row, {called(context.view.entry, standing.row)}"
        else:
            text = "" if standing.whole else "it took too long to see whether it rests on one row alone"
        return Paid(text=text, cost=standing.cost)

    weighed = context.outputs.once((steps[-1].number, "judge", "founding"), Paid, weigh)
    return (replace(judged, verified=False, doubt=weighed.text) if weighed.text else judged), weighed
