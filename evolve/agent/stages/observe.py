"""Runs the action and brings back what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Action, Observation, Step


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the last action in the episode's environment."""
    *before, step = read_steps(state)
    key = (step.number, "observe", "observation")
    observed = context.outputs.once(key, Observation, lambda: _observed(step.action, before, context))
    return {"steps": with_last_step(state, replace(step, observation=observed))}


def _observed(action: Action, before: Sequence[Step], context: EpisodeContext) -> Observation:
    if action.kind == "recall":
        found = context.recall(context.view, observed_features(context), context.knobs.recall_k)
        return Observation(ok=False, outputs=tuple(item.text for item in found))
    if action.kind == "ask_user":
        return Observation(ok=False, error="nobody is here to answer; decide without asking")
    return context.environment.observe(action, before)
