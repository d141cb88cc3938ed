"""Records what model calls cost that belong to no action: once per stage, however often a crash makes it run again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from evolve.agent.context import EpisodeContext
from evolve.episodes import Cost
from evolve.policies.protocol import Spending


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
