"""Runs the action and brings back what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.execution import call_once, try_rows
from evolve.agent.exploring import EXPLORES
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Action, Observation, Step


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the code of the last action on the visible examples, in the sandbox."""
    *earlier, step = read_steps(state)
    key = (step.number, "observe", "observation")
    observed = context.outputs.once(key, Observation, lambda: _observed(step.action, earlier, context))
    return {"steps": with_last_step(state, replace(step, observation=observed))}


def _observed(action: Action, earlier: Sequence[Step], context: EpisodeContext) -> Observation:
    if action.kind == "finish":
        return Observation(ok=False, error=action.text or "the policy gave up")
    if action.kind == "recall":
        if action.data.get("shown"):
            return Observation(ok=False, text=str(action.data["shown"]))
        asked = replace(context.view, instruction=action.text) if action.text else context.view
        found = context.recall(asked, observed_features(context), context.knobs.recall_k)
        return Observation(ok=False, outputs=tuple(item.text for item in found))
    if action.kind == "ask_user":
        return Observation(ok=False, error="nobody is here to answer; decide without asking")
    if not action.code:
        return Observation(ok=False, error=action.text or "the action has no code")
    if action.data.get(EXPLORES) and context.exploration is not None:
        return context.exploration.observe(action, earlier)
    if not context.view.examples:
        return _called(action, context)
    trial = try_rows(context.sandbox, action.code, context.view.entry, context.view.examples)
    return Observation(ok=trial.ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)


def _called(action: Action, context: EpisodeContext) -> Observation:
    """For a task in words: whether the function runs at all, and what it gives."""
    trial = call_once(context.sandbox, action.code, context.view.entry)
    ok = not (trial.fault or trial.denied or trial.error)
    return Observation(ok=ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)
