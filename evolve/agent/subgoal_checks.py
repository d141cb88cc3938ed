"""Has the checks of a plan's subgoals run after an action, and tells once of open ones before work is handed in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.agent.context import EpisodeContext
from evolve.agent.outcome import should_continue
from evolve.core.episodes import Action, Observation, Step, SubgoalCheck, stated_subgoals, subgoal_states

_OPEN = "not handed in, because of your plan is still open: {names}; handing in again is accepted as it is"


def with_plan(action: Action, observed: Observation, before: Sequence[Step], context: EpisodeContext) -> Observation:
    """The observation with what the checks of subgoals gave; where the work was handed in while some are open, and not
    for the second time, not ready to be judged."""
    steps = [
        *context.environment.active_steps(before),
        Step(number=len(before) + 1, action=action, observation=observed),
    ]
    if not subgoal_states(steps):
        return observed
    if not observed.fault:
        observed = replace(observed, checks=_checks(steps, context))
    last = replace(steps[-1], observation=observed)
    return _sent_back(last, [*steps[:-1], last], before, context)


def _checks(steps: Sequence[Step], context: EpisodeContext) -> tuple[SubgoalCheck, ...]:
    last = steps[-1]
    state = last.observation.state if last.observation is not None else None
    changed = bool(state.changed) if state is not None else context.kind.one_file and bool(last.action.code)
    if not (changed or stated_subgoals(last)):
        return ()
    due = [one for one in subgoal_states(steps) if one.subgoal.check and not one.ran_out]
    # Open ones first: where there is no time for all, what is done stays so until there is.
    subgoals = [one.subgoal for one in sorted(due, key=lambda one: one.status == "checked")]
    if not subgoals:
        return ()
    if context.kind.one_file:
        return () if context.exploration is None else context.exploration.try_checks(subgoals, steps)
    return context.environment.try_checks(subgoals, last)


def _sent_back(last: Step, steps: Sequence[Step], before: Sequence[Step], context: EpisodeContext) -> Observation:
    """What was observed; not ok where a first word of being done leaves subgoals open that can still be seen to."""
    observed = last.observation
    assert observed is not None
    is_open = [one.subgoal for one in subgoal_states(steps) if one.status == "open"]
    # Where a limit or going in circles ended the work, nobody is there to be told.
    if not (is_open and observed.ok and _hands_in(last)) or any(map(_hands_in, before)):
        return observed
    names = "; ".join(f"{one.id[1:]}. {one.goal[:100]}" for one in is_open)
    held_back = replace(observed, ok=False, error=_OPEN.format(names=names))
    told = replace(last, observation=held_back)
    return held_back if should_continue([*before, told], context) else observed


def _hands_in(step: Step) -> bool:
    """Whether the policy itself said that the work is done."""
    return step.action.kind in ("finish", "answer") and bool(step.action.said)
