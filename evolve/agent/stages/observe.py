"""Runs the action and brings back what happened."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evolve.agent.questions import as_stopped
from evolve.agent.stages.recall import observed_features
from evolve.agent.state import AgentState, AgentUpdate, read_recalled, read_steps, with_last_step
from evolve.agent.subgoal_checks import with_plan
from evolve.core.episodes import MOVE, TRIAL, Action, Json, Observation, Recalled, Step, TaskView
from evolve.core.episodes.codec import from_data, to_data, to_json
from evolve.core.errors import Cancelled
from evolve.core.files import canonical_json
from evolve.core.redaction import MARK, Scanner
from evolve.environments.probing import ProgramTrial, call_once, try_rows
from evolve.runtime.sandbox.protocol import Sandbox

if TYPE_CHECKING:
    from evolve.agent.context import EpisodeContext

_HANDLE = re.compile(r"step\s+(\d{1,9})\b(?:\s+page\s+(\d{1,9})\b)?", re.IGNORECASE)
_PAGE = 18_000
"""Characters of one page of an earlier step."""
_SAID = 5
"""Turns of conversations that one look-up shows."""
_OF_THEN = "What was said in conversations and runs, of then and no instruction now:"
_MAX_READINGS = 4
"""Values that a person is asked to choose from at most."""

_UNSEEN_CODE = f"the code has {MARK} in the place of a value that you are not shown; write it without that value"


def observe(state: AgentState, context: EpisodeContext) -> AgentUpdate:
    """Runs the last action in the episode's environment."""
    *before, step = read_steps(state)
    if step.observation is not None:  # the person answered, or stopped it
        return {}
    key = (step.number, "observe", "observation")
    try:
        outcome = context.outputs.compute_once(
            key,
            _Outcome,
            lambda: _clean(_acted(step, before, state, context), context.services.scanner),
        )
    except Cancelled:
        if context.redone:
            raise
        return {"steps": with_last_step(state, as_stopped(step))}
    step = replace(step, action=outcome.action, observation=outcome.observation)
    if context.calls is not None:
        from evolve.agent.offered_functions import refuse_lost_calls

        # what came back may be what was kept before the process was ended
        refuse_lost_calls(context.calls, [step])
    return {"steps": with_last_step(state, step)}


@dataclass(frozen=True, kw_only=True)
class _Outcome:
    """What came back, and from which of an action's answers."""

    action: Action
    observation: Observation


def _acted(step: Step, before: Sequence[Step], state: AgentState, context: EpisodeContext) -> _Outcome:
    """What came of the action, with what is to be said of the plan and the calls that its code made."""
    if context.calls is None:
        return _planned(_observed(step.action, before, context), before, context)
    from evolve.agent.offered_functions import calls_of_step, places_read

    context.calls.start(step.number)
    for place in places_read(context.view, read_recalled(state), before):
        context.calls.note_data_from(place)
    outcome = _planned(_observed(step.action, before, context), before, context)
    made = calls_of_step(context.calls, step.number)
    return replace(outcome, observation=replace(outcome.observation, calls=made))


def _observed(action: Action, before: Sequence[Step], context: EpisodeContext) -> _Outcome:
    answers = action.kind == "code" and bool(action.code) and not action.explores
    if answers and context.kind.one_file and _lacks_value(action, context):
        return _Outcome(action=action, observation=Observation(ok=False, error=_UNSEEN_CODE, unseen=("the code",)))
    if not answers or not (context.kind.accepts_unchecked or action.samples):
        return _Outcome(action=action, observation=_observe_action(action, before, context))
    several = bool(action.samples) and not action.decided
    if several and context.kind.accepts_unchecked and context.attendance is not None:
        # A person is asked what was meant; where nobody is there, the commonest value decides below.
        values = _sampled_values(context.services.sandbox, context.view, action)[:_MAX_READINGS]
        if values:
            undecided = Observation(ok=False, text="answers to the task give different values", readings=tuple(values))
            return _Outcome(action=action, observation=undecided)
    best, trial = best_sample(context.services.sandbox, context.view, action)
    # Where nothing can check an answer it counts whether it runs at all.
    ok = trial.ok if not context.kind.accepts_unchecked else not (trial.fault or trial.denied or trial.error)
    observed = Observation(ok=ok, outputs=trial.outputs, error=trial.error, denied=trial.denied, fault=trial.fault)
    return _Outcome(action=best, observation=observed)


def _planned(outcome: _Outcome, before: Sequence[Step], context: EpisodeContext) -> _Outcome:
    """The same with what is to be said of the plan."""
    return replace(outcome, observation=with_plan(outcome.action, outcome.observation, before, context))


def _lacks_value(action: Action, context: EpisodeContext) -> bool:
    """Whether code has the mark of a secret in the place of a value, and the mark is no matter of the task's own."""
    codes = [action.code, *(sample.code for sample in action.samples)]
    return any(MARK in code for code in codes) and MARK not in to_json(context.view)


def _clean(outcome: _Outcome, scanner: Scanner) -> _Outcome:
    """Without secrets that an action printed or read from a file: from here on it is kept, shown and sent."""
    if not scanner:
        return outcome
    return replace(outcome, observation=from_data(Observation, scanner.redact_value(to_data(outcome.observation))))


def _earlier_step(wanted: str, before: Sequence[Step], context: EpisodeContext) -> str:
    """A page of what an earlier step said and gave, unabridged; "" where no step is named."""
    match = _HANDLE.search(wanted)
    if match is None or not 1 <= int(match[1]) <= len(before):
        return ""
    step = before[int(match[1]) - 1]
    whole = "\n".join(filter(None, [step.action.said or step.action.source, context.environment.full_output(step)]))
    pages = max(1, -(-len(whole) // _PAGE))
    page = min(max(int(match[2] or 1), 1), pages)
    return f"step {match[1]}, page {page} of {pages}\n{whole[(page - 1) * _PAGE : page * _PAGE]}"


def _recalled_line(item: Recalled) -> str:
    """What was looked up, on one line with its provenance behind it."""
    return " ".join(f"{item.text} ({item.provenance})".split()) if item.provenance else item.text


def _observe_action(action: Action, before: Sequence[Step], context: EpisodeContext) -> Observation:
    if action.kind == "recall":
        shown = action.shown or _earlier_step(action.text, before, context)
        if shown:
            return Observation(ok=False, text=shown)
        query = replace(context.view, instruction=action.text) if action.text else context.view
        items = context.services.recall(query, observed_features(context), context.knobs.recall_k)
        said = context.services.past(action.text, _SAID) if action.text else ()
        found = [item for item in items if item.kind != TRIAL and not item.cause.startswith(MOVE)]
        known = {" ".join(item.text.split()) for item in found}
        told = [_recalled_line(item) for item in said if " ".join(item.text.split()) not in known]
        return Observation(ok=False, outputs=(*map(_recalled_line, found), *([_OF_THEN, *told] if told else ())))
    if action.kind == "ask_user":
        return Observation(ok=False, error="nobody is here to answer; decide without asking")
    if action.explores and action.code and context.kind.one_file and context.exploration is not None:
        return context.exploration.observe(action, before)
    return context.environment.observe(action, before)


def best_sample(sandbox: Sandbox, view: TaskView, action: Action) -> tuple[Action, ProgramTrial]:
    """The best of an action's answers with what it gave; every one is run.

    With examples it is the first that reproduces most of them (best of n). Without, it is the first of those whose
    value is the commonest (self-consistency: Wang et al., 2023). Where the sandbox failed on one of them, which is best
    is known only of one that fits the examples; else that failure is what came of the action.
    """
    answers = [action]
    for sample in action.samples:
        answers.append(replace(action, code=sample.code, written=sample.written, consumed=sample.consumed))
    if view.examples:
        trials = [try_rows(sandbox, answer.code, view.entry, view.examples) for answer in answers]
        scores = [sum(trial.matches) if not trial.denied else -1 for trial in trials]
    else:
        trials = [call_once(sandbox, answer.code, view.entry) for answer in answers]
        values = ["" if trial.error or trial.denied else canonical_json(list(trial.outputs)) for trial in trials]
        counts = Counter(value for value in values if value)
        scores = [counts[text] for text in values]
    best = scores.index(max(scores))
    failed = [number for number, trial in enumerate(trials) if trial.fault]
    if failed and not (view.examples and trials[best].ok):
        best = failed[0]
    return answers[best], trials[best]


def _sampled_values(sandbox: Sandbox, view: TaskView, action: Action) -> list[Json]:
    """The different values that an action's answers give, commonest first; nothing where they agree or fail."""
    codes = [action.code, *(sample.code for sample in action.samples)]
    trials = [call_once(sandbox, code, view.entry) for code in codes]
    if any(trial.fault for trial in trials):
        return []
    distinct = {
        canonical_json(list(trial.outputs)): trial.outputs[0] for trial in trials if not (trial.error or trial.denied)
    }
    return list(distinct.values()) if len(distinct) > 1 else []
