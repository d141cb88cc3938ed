"""Runs the action and brings back what happened."""

from __future__ import annotations

from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.execution import try_rows
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Action, Observation


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the code of the last action on the visible examples, in the sandbox."""
    step = read_steps(state)[-1]
    key = (step.number, "observe", "observation")
    observed = context.outputs.once(key, Observation, lambda: _observed(step.action, context))
    return {"steps": with_last_step(state, replace(step, observation=observed))}


def _observed(action: Action, context: EpisodeContext) -> Observation:
    if action.kind == "finish":
        return Observation(ok=False, error=action.text or "the policy gave up")
    if action.kind == "recall":
        found = context.recall(context.view, observed_features(context), context.knobs.recall_k)
        return Observation(ok=False, outputs=tuple(item.text for item in found))
    if action.kind == "ask_user":
        return Observation(ok=False, error="nobody is here to answer; decide without asking")
    if not action.code:
        return Observation(ok=False, error=action.text or "the action has no code")
    trial = try_rows(context.sandbox, action.code, context.view.entry, context.view.examples)
    return Observation(ok=trial.ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)
