"""What the steps of an episode say of its plan: the subgoals in force, and how far each has come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evolve.core.episodes.plans import Subgoal, SubgoalState, kept_subgoals
from evolve.core.episodes.steps import Step


def subgoal_states(steps: Sequence[Step]) -> tuple[SubgoalState, ...]:
    """The subgoals in force after the steps, in order; () where a policy stated none with its actions.

    A check that held and fails later opens its subgoal again. A revised plan keeps the state of what it leaves as it
    was, see :func:`~evolve.core.episodes.plans.kept_subgoals`.
    """
    states: dict[str, SubgoalState] = {}
    for step in steps:
        stated, observed = stated_subgoals(step), step.observation
        # A state that another was gone back to left nothing behind but the plan, where there is no other.
        undone = observed is not None and observed.state is not None and observed.state.undone
        if stated and not (undone and states):
            kept = kept_subgoals([state.subgoal for state in states.values()], stated)
            fresh = {one.id: SubgoalState(subgoal=one) for one in stated}
            states = {
                name: replace(states[kept[name]], subgoal=state.subgoal) if name in kept else state
                for name, state in fresh.items()
            }
        if undone:
            continue
        for name in step.action.finished:
            if name in states:
                states[name] = replace(states[name], finished=True)
        for gave in observed.checks if observed is not None else ():
            if gave.id in states:
                told = "" if gave.held else gave.told
                states[gave.id] = replace(states[gave.id], held=gave.held, told=told, ran_out=gave.held is None)
    return tuple(states.values())


def stated_subgoals(step: Step) -> tuple[Subgoal, ...]:
    """The plan that a step's action brought, or ()."""
    action = step.action
    return action.revised or (action.plan.subgoals if action.plan is not None else ())
