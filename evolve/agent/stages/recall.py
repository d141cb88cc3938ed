"""Offers what was learned from similar tasks."""

from __future__ import annotations

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate
from evolve.errors import ModelMistake
from evolve.files import digest

_SCALE = 1 << 32


def recall(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Recalls items by the task's features and words.

    On tasks one learns from, a share of the items is withheld at random, so that later their use can be
    measured. The draw depends on seed, task and item only, never on the order of episodes.
    """
    k = context.knobs.recall_k
    features = observed_features(context)
    found = context.recall(context.view, features, k)[:k] if k else ()
    share = context.knobs.withhold if context.learns else 0.0
    withheld = [item.id for item in found if _draw(context, item.id) < share]
    return {"recalled": to_json([item for item in found if item.id not in withheld]), "withheld": withheld}


def observed_features(context: EpisodeContext) -> tuple[float, ...]:
    """The task's features; () where the policy cannot make sense of its values."""
    try:
        return tuple(context.policy.features(context.view))
    except ModelMistake:
        return ()


def _draw(context: EpisodeContext, item: str) -> float:
    drawn = digest(f"{context.identity.seed}:{context.view.id}:{item}")
    return int(drawn[:8], 16) / _SCALE
