"""What learning and other work beside the actions costs: paid once, kept piece by piece, set aside and continued.

What was spent on work that brought nothing, because the endpoint failed or the person stopped it, is kept beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace

from evolve.agent.context import EpisodeContext
from evolve.agent.outputs import PaidOutput
from evolve.agent.state import AgentState, read_aside, read_steps
from evolve.core.episodes import Cost
from evolve.core.episodes.codec import to_json
from evolve.core.errors import Cancelled, EndpointProblem, SetupProblem
from evolve.core.events import Event
from evolve.core.files import digest
from evolve.runtime.models import ModelReply, ModelRequest

SPENT = "spent"
"""Kind of the event that tells what an episode has cost that breaks off."""


def once_with_cost(context: EpisodeContext, key: tuple[int, str, str], compute: Callable[[], str]) -> PaidOutput:
    """What ``compute`` gave when it was first called under this key, with its cost."""

    def work() -> PaidOutput:
        before = context.policy.total_cost
        text = compute()
        return PaidOutput(text=text, cost=context.policy.total_cost - before)

    return context.outputs.compute_once(key, PaidOutput, work)


def start_within_budget(context: EpisodeContext, state: AgentState) -> None:
    """Tells the policy what is left of the episode's limits."""
    left = context.remaining(read_steps(state))
    context.policy.start_budget(left.minus_cost(read_aside(state) + context.outputs.lost_cost()))


def episode_cost(state: AgentState, context: EpisodeContext) -> Cost:
    """What the episode has cost so far."""
    return sum((step.action.cost for step in read_steps(state)), read_aside(state) + context.outputs.lost_cost())


@contextmanager
def report_failures(context: EpisodeContext, state: Callable[[], AgentState]) -> Iterator[None]:
    """Tells what the episode has cost where machine or endpoint break it off; the error goes on."""
    try:
        yield
    except SetupProblem:
        data: Mapping[str, object] = {
            "cost": asdict(episode_cost(state(), context)),
            "lost": bool(context.outputs.lost_cost().tokens),
        }
        context.services.events.emit(Event(kind=SPENT, episode=context.identity.episode, data=data))
        raise


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
        before = self._context.policy.total_cost

        def work() -> _Asked:
            reply = ask()
            return _Asked(reply=reply, cost=self._context.policy.total_cost - before)

        try:
            points = self._context.outputs.with_check(self._context.check)
            kept = points.compute_once(self._key(f"{name} {self._asked[name]}"), _Asked, work)
        except (Cancelled, EndpointProblem):
            cost = self._context.policy.total_cost - before
            if cost != Cost():
                self._lost += 1
                self._context.outputs.compute_once(self._key(f"lost {self._lost}"), _Asked, lambda: _Asked(cost=cost))
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
    policy = context.policy.with_reply_cache(asking)
    return replace(context, policy=policy, outputs=context.outputs.with_check(context.check)), asking
