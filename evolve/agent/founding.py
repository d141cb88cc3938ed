"""Whether an answer that came after a shown row is called verified: not where a single row alone led to it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.codec import from_data, to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.stage_costs import Paid
from evolve.environments import Showing
from evolve.episodes import Judgement, Plan, Step, called
from evolve.episodes.upgrades import to_reason
from evolve.policies.protocol import Weighing
from evolve.reasons import Reason, reason


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
            why: Reason | None = reason("rests_on_one_row", row=called(context.view.entry, standing.row))
        else:
            why = None if standing.whole else reason("one_row_not_looked_at")
        return Paid(text="" if why is None else to_json(why), cost=standing.cost)

    weighed = context.outputs.once((steps[-1].number, "judge", "founding"), Paid, weigh)
    if not weighed.text:
        return judged, weighed
    is_data = weighed.text.startswith("{")  # earlier versions kept a sentence
    doubt = from_data(Reason, json.loads(weighed.text) if is_data else to_reason(weighed.text))
    return replace(judged, verified=False, doubt=doubt), weighed
