"""Lets learning be set aside at any time and go on later: what it pays for is kept piece by piece, and counted once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace

from evolve.agent.agent_stage_costs import policy_cost
from evolve.agent.context import EpisodeContext
from evolve.core.episodes import Cost
from evolve.core.episodes.codec import to_json
from evolve.core.errors import Cancelled, EndpointProblem
from evolve.core.files import digest
from evolve.policies.base import Remembering
from evolve.runtime.models import ModelReply, ModelRequest

_STAGE = "ask"


@dataclass(frozen=True, kw_only=True)
class _Asked:
    """A question that was paid for; without a reply where the call was stopped or failed."""

    reply: ModelReply | None = None
    cost: Cost = field(default_factory=Cost)


class CountedModelCalls:
    """Implements :data:`~evolve.policies.base.Once` for one episode that is learned from.

    Attributes:
        paid: What earlier processes have paid for.
        lost: Of that, what brought no reply: a call that was stopped in the midst, or an endpoint that failed.
    """

    def __init__(self, context: EpisodeContext, number: int) -> None:
        self._context, self._number = context, number
        kept = context.outputs.all_of(_STAGE, _Asked)
        self.paid = self.total()
        lost = [one.cost for one in kept if one.reply is None]
        self.lost = sum(lost, Cost())
        self._lost, self._asked = len(lost), Counter[str]()

    def __call__(self, request: ModelRequest, ask: Callable[[], ModelReply]) -> ModelReply:
        """What is kept of the question, else what ``ask`` gives; the same question asked twice is two."""
        name = digest(to_json(asdict(request)))[:16]
        self._asked[name] += 1
        before = policy_cost(self._context)

        def work() -> _Asked:
            reply = ask()
            return _Asked(reply=reply, cost=policy_cost(self._context) - before)

        try:
            points = self._context.outputs.checked(self._context.check)
            kept = points.once(self._key(f"{name} {self._asked[name]}"), _Asked, work)
        except (Cancelled, EndpointProblem):
            cost = policy_cost(self._context) - before
            if cost != Cost():
                self._lost += 1
                self._context.outputs.once(self._key(f"lost {self._lost}"), _Asked, lambda: _Asked(cost=cost))
            raise
        assert kept.reply is not None
        return kept.reply

    def total(self) -> Cost:
        """What was paid for so far, by this process too."""
        return sum((one.cost for one in self._context.outputs.all_of(_STAGE, _Asked)), Cost())

    def _key(self, kind: str) -> tuple[int, str, str]:
        return self._number, _STAGE, kind


def set_aside_when_asked(context: EpisodeContext, number: int) -> tuple[EpisodeContext, CountedModelCalls]:
    """The surroundings of learning from an episode with so many steps, which can be set aside at any time."""
    asking = CountedModelCalls(context, number)
    policy = context.policy.remembering(asking) if isinstance(context.policy, Remembering) else context.policy
    return replace(context, policy=policy, outputs=context.outputs.checked(context.check)), asking
