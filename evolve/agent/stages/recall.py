"""Offers what was learned from similar tasks, and draws which items are withheld so that their use can be measured.

Whatever the order of episodes, and whichever variant acts, the same item is drawn alike on the same task. So two
variants that share an item have it withheld together (common random numbers).
"""

from __future__ import annotations

from evolve.agent.context import EpisodeContext
from evolve.agent.state import AgentState, AgentUpdate
from evolve.core.episodes import MOVE, PREFERENCE, TRIAL
from evolve.core.episodes.codec import to_json
from evolve.core.errors import ModelMistake
from evolve.core.files import digest

_SCALE = 1 << 32  # of eight hexadecimal digits


def sampling_fraction(seed: int, task: str, item: str) -> float:
    """A number in [0, 1), uniform over items and tasks; an item is withheld where it is below the share wanted."""
    return int(digest(f"{seed}:{task}:{item}")[:8], 16) / _SCALE


def recall(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Recalls items by the task's features and words.

    What a person wants is an instruction and offered whole, and what experiments showed is a plan, which a gap
    would make wrong. Of the rest, on tasks one learns from, a share is
    withheld at random, so that later its use can be measured. Trials of a variant withhold nothing here: they are
    compared with one another, and have controls of their own. Nothing is looked up for a policy that learns through
    its guide.
    """
    if not context.policy.recalls:
        return {"recalled": to_json([]), "withheld": []}
    k = context.knobs.recall_k
    features = observed_features(context)
    offered = context.services.recall(context.view, features, k)
    wishes = [item for item in offered if item.kind == PREFERENCE]
    moves = [item for item in offered if item.cause.startswith(MOVE)] if context.knobs.replayed else []
    others = [item for item in offered if item.kind not in (PREFERENCE, TRIAL) and not item.cause.startswith(MOVE)][:k]
    trials = [item for item in offered if item.kind == TRIAL] if context.learns else []
    share = context.knobs.withhold if context.learns else 0.0
    seed, task = context.identity.seed, context.view.id
    withheld = [item.id for item in others if sampling_fraction(seed, task, item.id) < share]
    remaining = [item for item in others if item.id not in withheld]
    return {"recalled": to_json([*wishes, *moves, *remaining, *trials]), "withheld": withheld}


def observed_features(context: EpisodeContext) -> tuple[float, ...]:
    """The task's features; () where the policy cannot make sense of its values."""
    try:
        return tuple(context.policy.features(context.view))
    except ModelMistake:
        return ()
