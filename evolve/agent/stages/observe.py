"""Runs the action and brings back what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.agent.context import EpisodeContext
from evolve.agent.exploring import EXPLORES
from evolve.agent.sampling import chosen
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import Action, Observation, Step


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the code of the last action on the visible examples, in the sandbox."""
    *earlier, step = read_steps(state)
    key = (step.number, "observe", "observation")
    seen = context.outputs.once(key, _Seen, lambda: _observed(step.action, earlier, context))
    return {"steps": with_last_step(state, replace(step, action=seen.action, observation=seen.observation))}


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What came back, and from which of an action's answers."""

    action: Action
    observation: Observation


def _observed(action: Action, earlier: Sequence[Step], context: EpisodeContext) -> _Seen:
    if action.kind != "code" or not action.code or action.data.get(EXPLORES):
        return _Seen(action=action, observation=_without_answer(action, earlier, context))
    best, trial = chosen(context.sandbox, context.view, action)
    # A task in words has no row to fit: there it counts whether the answer runs at all.
    ok = trial.ok if context.view.examples else not (trial.fault or trial.denied or trial.error)
    observed = Observation(ok=ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)
    return _Seen(action=best, observation=observed)


def _without_answer(action: Action, earlier: Sequence[Step], context: EpisodeContext) -> Observation:
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
    if context.exploration is None:
        return Observation(ok=False, error="code that finds something out cannot be run here")
    return context.exploration.observe(action, earlier)
