"""Runs the action and brings back what happened."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from evolve.agent.codec import to_json
from evolve.agent.context import EpisodeContext
from evolve.agent.environments.protocol import UNSEEN
from evolve.agent.exploring import EXPLORES
from evolve.agent.questions import stopped
from evolve.agent.sampling import SAMPLES, chosen, in_words, readings
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_steps, with_last_step
from evolve.episodes import TRIAL, Action, Observation, Recalled, Step
from evolve.errors import Cancelled
from evolve.policies.protocol import DECIDED, READINGS
from evolve.redaction import MARK, Scanner

_MOST = 4
"""Most values that a person is asked to choose from."""

_UNSEEN_CODE = f"the code has {MARK} in the place of a value that you are not shown; write it without that value"


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the last action in the episode's environment."""
    *before, step = read_steps(state)
    if step.observation is not None:  # the person answered, or stopped it
        return {}
    key = (step.number, "observe", "observation")
    try:
        seen = context.outputs.once(
            key, _Seen, lambda: _clean(_observed(step.action, before, context), context.scanner)
        )
    except Cancelled:
        return {"steps": with_last_step(state, stopped(step))}
    return {"steps": with_last_step(state, replace(step, action=seen.action, observation=seen.observation))}


@dataclass(frozen=True, kw_only=True)
class _Seen:
    """What came back, and from which of an action's answers."""

    action: Action
    observation: Observation


def _observed(action: Action, before: Sequence[Step], context: EpisodeContext) -> _Seen:
    answers = action.kind == "code" and bool(action.code) and not action.data.get(EXPLORES)
    if answers and context.environment.name == "programs" and _lacks_value(action, context):
        return _Seen(action=action, observation=Observation(ok=False, error=_UNSEEN_CODE, data={UNSEEN: ["the code"]}))
    if not answers or not (in_words(context.view) or action.data.get(SAMPLES)):
        return _Seen(action=action, observation=_one(action, before, context))
    several = bool(action.data.get(SAMPLES)) and not action.data.get(DECIDED)
    if several and in_words(context.view) and context.attendance is not None:
        values = readings(context.sandbox, context.view, action)[:_MOST]
        if values:
            told = Observation(ok=False, text="answers to the task give different values", data={READINGS: values})
            return _Seen(action=action, observation=told)
    best, trial = chosen(context.sandbox, context.view, action)
    # A task in words has no row to fit: there it counts whether the answer runs at all.
    ok = trial.ok if not in_words(context.view) else not (trial.fault or trial.denied or trial.error)
    observed = Observation(ok=ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)
    return _Seen(action=best, observation=observed)


def _lacks_value(action: Action, context: EpisodeContext) -> bool:
    """Whether code has the mark of a secret in the place of a value, and the mark is no matter of the task's own."""
    codes = [action.code, *(str(one["code"]) for one in action.data.get(SAMPLES, ()))]
    return any(MARK in code for code in codes) and MARK not in to_json(context.view)


def _clean(seen: _Seen, scanner: Scanner) -> _Seen:
    """Without secrets that an action printed or read from a file: from here on it is kept, shown and sent."""
    if not scanner:
        return seen
    one = seen.observation
    clean = replace(
        one,
        outputs=tuple(scanner.cleaned(one.outputs)),
        error=scanner.clean(one.error),
        denied=scanner.clean(one.denied),
        text=scanner.clean(one.text),
        data=scanner.cleaned(one.data),
    )
    return replace(seen, observation=clean)


def _told(item: Recalled) -> str:
    """What was looked up, on one line with its provenance behind it."""
    provenance = item.data.get("provenance")
    return " ".join(f"{item.text} ({provenance})".split()) if provenance else item.text


def _one(action: Action, before: Sequence[Step], context: EpisodeContext) -> Observation:
    if action.kind == "recall":
        if action.data.get("shown"):
            return Observation(ok=False, text=str(action.data["shown"]))
        asked = replace(context.view, instruction=action.text) if action.text else context.view
        found = context.recall(asked, observed_features(context), context.knobs.recall_k)
        return Observation(ok=False, outputs=tuple(_told(item) for item in found if item.kind != TRIAL))
    if action.kind == "ask_user":
        return Observation(ok=False, error="nobody is here to answer; decide without asking")
    explores = action.data.get(EXPLORES) and action.code and context.environment.name == "programs"
    if explores and context.exploration is not None:
        return context.exploration.observe(action, before)
    return context.environment.observe(action, before)
