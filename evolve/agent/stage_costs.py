"""Records what model calls cost that belong to no action: once per stage, however often a crash makes it run again.

What was spent on work that brought nothing, because the endpoint failed or the person stopped it, is kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TypeVar

from evolve.agent.context import EpisodeContext
from evolve.agent.outputs import StepOutputs
from evolve.agent.state import AgentState, read_aside, read_steps
from evolve.episodes import Cost
from evolve.errors import Cancelled, EnvironmentProblem
from evolve.events import Event
from evolve.policies.protocol import Spending

T = TypeVar("T")

SPENT = "spent"
"""Kind of the event that tells what an episode has cost that breaks off."""

_LOST = "lost"


@dataclass(frozen=True, kw_only=True)
class Paid:
    """What a stage got, as JSON text, and what it cost."""

    text: str
    cost: Cost = field(default_factory=Cost)


def paid(context: EpisodeContext, key: tuple[int, str, str], compute: Callable[[], str]) -> Paid:
    """What ``compute`` gave when it was first called under this key, with its cost."""

    def work() -> Paid:
        before = spent(context)
        text = compute()
        return Paid(text=text, cost=spent(context) - before)

    return context.outputs.once(key, Paid, work)


def spent(context: EpisodeContext) -> Cost:
    """What the policy's calls have cost so far; nothing for one that makes none."""
    policy = context.policy
    return policy.spent if isinstance(policy, Spending) else Cost()


class CountedOutputs:
    """Outputs that keep what was spent on those which came to nothing; see :class:`~evolve.agent.outputs.StepOutputs`.

    Args:
        spent: What the policy's calls have cost so far.
    """

    def __init__(self, outputs: StepOutputs, spent: Callable[[], Cost]) -> None:
        self._outputs, self._spent = outputs, spent
        self._counted = Cost()  # what is in some output, or kept as lost

    def once(self, key: tuple[int, str, str], cls: type[T], compute: Callable[[], T]) -> T:
        """As the outputs give it."""

        def work() -> T:
            before, counted = self._spent(), self._counted
            try:
                value = compute()
            except (EnvironmentProblem, Cancelled):
                # What is computed within may have kept a part of it already.
                lost = self._spent() - before - (self._counted - counted)
                if lost:
                    name = f"{' '.join(key[1:])} {len(self.all_of(_LOST, Paid))}"
                    self._outputs.once((key[0], _LOST, name), Paid, lambda: Paid(text="", cost=lost))
                self._counted += lost
                raise
            self._counted = counted + (self._spent() - before)
            return value

        return self._outputs.once(key, cls, work)

    def all_of(self, stage: str, cls: type[T]) -> list[T]:
        """As the outputs give it."""
        return self._outputs.all_of(stage, cls)


def lost_cost(context: EpisodeContext) -> Cost:
    """What the episode has spent on work that came to nothing, in processes before this one too."""
    return sum((one.cost for one in context.outputs.all_of(_LOST, Paid)), Cost())


def begin_within(context: EpisodeContext, state: AgentState) -> None:
    """Tells a policy that spends money or tokens what is left of the episode's limits."""
    if isinstance(context.policy, Spending):
        left = context.left(read_steps(state))
        context.policy.begin(left.less(read_aside(state) + lost_cost(context)))


def cost_of(state: AgentState, context: EpisodeContext) -> Cost:
    """What the episode has cost so far."""
    return sum((step.action.cost for step in read_steps(state)), read_aside(state) + lost_cost(context))


@contextmanager
def told_when_it_breaks(context: EpisodeContext, state: Callable[[], AgentState]) -> Iterator[None]:
    """Tells what the episode has cost where machine or endpoint break it off; the error goes on."""
    try:
        yield
    except EnvironmentProblem:
        data: Mapping[str, object] = {
            "cost": asdict(cost_of(state(), context)),
            "lost": bool(lost_cost(context).tokens),
        }
        context.events.emit(Event(kind=SPENT, episode=context.identity.episode, data=data))
        raise
