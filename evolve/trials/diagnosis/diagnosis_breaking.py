"""Finds the step that broke a run: the first thing that went wrong and stayed wrong, not the last that was tried.

The signs, the strongest first: an action that reached a limit or was denied something and was not made up for; a score
of the check that fell; a complaint of the last check that no check before the step had; the first divergence from a
run of the same task that went well (Recon-Act, GraphTracer); the first answer that was refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolve.core.episodes import EnvironmentState, Step
from evolve.core.reasons import reason
from evolve.trials.diagnosis.case import BreakingStep, Case, episode_label, first_divergence, led_to, state_of
from evolve.trials.diagnosis.diagnosis_faults import stopped_by

_CHANGING = re.compile(r"0x[0-9a-f]+|\d+")
"""Addresses, times, counts and lines differ from check to check where nothing else does."""
_LEAST_STATES = 2
"""Different states on which a check must have said the same before it is suspected itself."""


def breaking_step(case: Case) -> BreakingStep:
    """The step from which on the run was lost, with what shows it."""
    steps = led_to(case.record.steps)
    if not steps:
        return BreakingStep(step=0, why=reason("no_action"))
    for sign in (_unmoved_check, _fallen_score, _new_complaint, _cut_short):
        found = sign(steps)
        if found is not None:
            return found
    if case.record.status == "budget":
        return BreakingStep(step=0, why=reason("budget_ran_out"))
    return _diverged(case, steps) or _refused(steps)


def error_lines(check: str) -> frozenset[str]:
    """The lines that a check printed, without what changes from time to time."""
    lines = (_CHANGING.sub("#", line).strip(" .=-_") for line in check.splitlines())
    return frozenset(line for line in lines if len(line) > 1)


def _checked(steps: Sequence[Step]) -> list[tuple[Step, EnvironmentState, str]]:
    """The steps that changed something and after which the check ran, with what it said.

    Of what was handed in unchanged only the last line of what the check had said before may stand there.
    """
    found = []
    for step in steps:
        state = state_of(step)
        if state is not None and state.check is not None and state.changed:
            found.append((step, state, state.check))
    return found


def _unmoved_check(steps: Sequence[Step]) -> BreakingStep | None:
    """A check that says the same of every state, and names nothing that was changed."""
    checked = _checked(steps)
    changed = {name for step in steps if (state := state_of(step)) is not None for name in state.changed or ()}
    said = {error_lines(text) for _, _, text in checked}
    states = {state.snapshot for _, state, _ in checked}
    if len(states) < _LEAST_STATES or len(said) != 1 or any(state.score for _, state, _ in checked):
        return None
    text = checked[-1][2]
    if any(name in text or name.rpartition("/")[2] in text for name in changed):
        return None
    return BreakingStep(step=0, why=reason("check_unmoved", states=len(states)), blames="check")


def _fallen_score(steps: Sequence[Step]) -> BreakingStep | None:
    """The first step whose check gave less than one before it, and that was not made up for."""
    checked = _checked(steps)
    scores = [state.score for _, state, _ in checked]
    for place in range(1, len(scores)):
        if scores[place] < max(scores[:place]) and max(scores[place:]) < max(scores[:place]):
            step = checked[place][0]
            why = reason("check_fell", before=max(scores[:place]), after=scores[place])
            return BreakingStep(step=step.number, why=why)
    return None


def _new_complaint(steps: Sequence[Step]) -> BreakingStep | None:
    """The first step from which on the check said something of the last failure that it had not said before."""
    checked = _checked(steps)
    if len(checked) < _LEAST_STATES:
        return None
    said = [error_lines(text) for _, _, text in checked]
    for place in range(1, len(said)):
        fresh = said[-1] - said[0]
        lasting = {line for line in fresh if all(line in later for later in said[place:])} - said[place - 1]
        if lasting:
            line = min(lasting, key=lambda text: (-len(text), text))
            return BreakingStep(step=checked[place][0].number, why=reason("check_said_new", line=line[:120]))
    return None


def _cut_short(steps: Sequence[Step]) -> BreakingStep | None:
    """A step that reached a limit or was denied something."""
    fault = next((fault for fault in map(stopped_by, steps) if fault is not None), None)
    return None if fault is None else BreakingStep(step=fault.step, why=fault.told)


def _diverged(case: Case, steps: Sequence[Step]) -> BreakingStep | None:
    same = next((one for one in case.good if one.task == case.record.task), None)
    if same is None:
        return None
    step = first_divergence(steps, led_to(same.steps))
    if step is None or (step.action.kind in ("finish", "give_up") and len(steps) > 1):
        return None
    return BreakingStep(step=step.number, why=reason("diverged", other=episode_label(case.record, same)))


def _refused(steps: Sequence[Step]) -> BreakingStep:
    for step in steps:
        if step.judgement is not None and not step.judgement.accepted:
            return BreakingStep(step=step.number, why=reason("first_refused"))
    for step in steps:
        if step.observation is not None and step.action.code and not (step.action.explores or step.observation.ok):
            if not step.observation.error:
                return BreakingStep(step=step.number, why=reason("first_not_borne_out"))
            return BreakingStep(step=step.number, why=reason("first_failed", error=step.observation.error[:160]))
    if not any(step.action.code for step in steps):
        return BreakingStep(step=0, why=reason("no_answer_to_try"))
    return BreakingStep(step=steps[-1].number, why=reason("was_last"))
