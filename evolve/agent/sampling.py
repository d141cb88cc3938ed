"""Several answers to one question: the one that fits the examples, else the one that most of them agree with."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from evolve.environments.probing import Trial, call_once, try_rows
from evolve.episodes import Action, Alternative, Json, TaskView
from evolve.files import canonical_json
from evolve.sandbox.protocol import Sandbox


def chosen(sandbox: Sandbox, view: TaskView, action: Action) -> tuple[Action, Trial]:
    """The best of an action's answers with what it gave; every one is run.

    With examples it is the first that reproduces most of them (best of n). Without, it is the first of those whose
    value is the commonest (self-consistency: Wang et al., 2023). Where the sandbox failed on one of them, which is best
    is known only of one that fits the examples; else that failure is what came of the action.
    """
    answers = [action, *(_sample(action, one) for one in action.samples)]
    if view.examples:
        trials = [try_rows(sandbox, one.code, view.entry, view.examples) for one in answers]
        scores = [sum(trial.matches) if not trial.denied else -1 for trial in trials]
    else:
        trials = [call_once(sandbox, one.code, view.entry) for one in answers]
        said = ["" if trial.error or trial.denied else canonical_json(list(trial.outputs)) for trial in trials]
        counts = Counter(text for text in said if text)
        scores = [counts[text] for text in said]
    best = scores.index(max(scores))
    failed = [number for number, trial in enumerate(trials) if trial.fault]
    if failed and not (view.examples and trials[best].ok):
        best = failed[0]
    return answers[best], trials[best]


def readings(sandbox: Sandbox, view: TaskView, action: Action) -> list[Json]:
    """The different values that an action's answers give, commonest first; nothing where they agree or fail."""
    trials = [call_once(sandbox, code, view.entry) for code in _codes(action)]
    if any(trial.fault for trial in trials):
        return []
    gave = {canonical_json(list(one.outputs)): one.outputs[0] for one in trials if not (one.error or one.denied)}
    return list(gave.values()) if len(gave) > 1 else []


def _codes(action: Action) -> list[str]:
    return [action.code, *(one.code for one in action.samples)]


def _sample(action: Action, one: Alternative) -> Action:
    return replace(action, code=one.code, written=one.written, consumed=one.consumed)
