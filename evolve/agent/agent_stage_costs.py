"""Records what model calls cost that belong to no action: once per stage, however often a crash makes it run again.

What was spent on work that brought nothing, because the endpoint failed or the person stopped it, is kept beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from evolve.agent.context import EpisodeContext
from evolve.agent.outputs import Paid
from evolve.agent.state import AgentState, read_aside, read_steps
from evolve.core.episodes import Cost
from evolve.core.errors import EnvironmentProblem
from evolve.core.events import Event
from evolve.policies.base import Spending

SPENT = "spent"
"""Kind of the event that tells what an episode has cost that breaks off."""


def once_with_cost(context: EpisodeContext, key: tuple[int, str, str], compute: Callable[[], str]) -> Paid:
    """What ``compute`` gave when it was first called under this key, with its cost."""

    def work() -> Paid:
        before = policy_cost(context)
        text = compute()
        return Paid(text=text, cost=policy_cost(context) - before)

    return context.outputs.once(key, Paid, work)


def policy_cost(context: EpisodeContext) -> Cost:
    """What the policy's calls have cost so far; nothing for one that makes none."""
    policy = context.policy
    return policy.spent if isinstance(policy, Spending) else Cost()


def begin_within(context: EpisodeContext, state: AgentState) -> None:
    """Tells a policy that spends money or tokens what is left of the episode's limits."""
    if isinstance(context.policy, Spending):
        left = context.remaining(read_steps(state))
        context.policy.begin(left.less(read_aside(state) + context.outputs.lost()))


def cost_of(state: AgentState, context: EpisodeContext) -> Cost:
    """What the episode has cost so far."""
    return sum((step.action.cost for step in read_steps(state)), read_aside(state) + context.outputs.lost())


@contextmanager
def told_when_it_breaks(context: EpisodeContext, state: Callable[[], AgentState]) -> Iterator[None]:
    """Tells what the episode has cost where machine or endpoint break it off; the error goes on."""
    try:
        yield
    except EnvironmentProblem:
        data: Mapping[str, object] = {
            "cost": asdict(cost_of(state(), context)),
            "lost": bool(context.outputs.lost().tokens),
        }
        context.events.emit(Event(kind=SPENT, episode=context.identity.episode, data=data))
        raise
