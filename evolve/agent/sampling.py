"""Picks among several answers of an action: the one that fits the examples, else the one that most agree with."""

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
    answers = [action, *(_with_sample(action, sample) for sample in action.samples)]
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


def readings(sandbox: Sandbox, view: TaskView, action: Action) -> list[Json]:
    """The different values that an action's answers give, commonest first; nothing where they agree or fail."""
    trials = [call_once(sandbox, code, view.entry) for code in _codes(action)]
    if any(trial.fault for trial in trials):
        return []
    distinct = {
        canonical_json(list(trial.outputs)): trial.outputs[0] for trial in trials if not (trial.error or trial.denied)
    }
    return list(distinct.values()) if len(distinct) > 1 else []


def _codes(action: Action) -> list[str]:
    return [action.code, *(sample.code for sample in action.samples)]


def _with_sample(action: Action, sample: Alternative) -> Action:
    return replace(action, code=sample.code, written=sample.written, consumed=sample.consumed)
