"""Says before a run how often each stage of a workflow can be visited, and which stages will do nothing."""

from __future__ import annotations

from evolve.workflow.spec import Workflow
from evolve.workflow.stages import kind_of


def visit_bounds(workflow: Workflow) -> dict[str, int]:
    """How often an episode can visit each stage at most.

    A way back leads to ``act`` or before it and is taken only while fewer than ``steps`` actions were chosen, and
    between two of them ``act`` chooses one. So an episode makes at most ``steps`` passes, in each of which it visits a
    stage at most once; what lies outside of every loop is visited in one of them only.
    """
    position = {stage: number for number, stage in enumerate(workflow.stages)}
    back = [edge for edge in workflow.edges if position[edge.target] <= position[edge.source]]
    first = min((position[edge.target] for edge in back), default=len(position))
    last = max((position[edge.source] for edge in back), default=-1)
    return {stage: workflow.knobs.steps if first <= number <= last else 1 for stage, number in position.items()}


def misfits(workflow: Workflow, *, policy: str, environment: str, one_file: bool) -> dict[str, str]:
    """The stages that do nothing in such an episode, each with the reason.

    Args:
        policy: ``search`` or ``language``, with or without the model's name.
        environment: Name of the kind of environment.
        one_file: Whether an answer is one source file there.
    """
    reasons = {}
    for stage in workflow.stages:
        kind = kind_of(stage)
        name = policy.partition(":")[0]
        if kind is not None and kind.policies and name not in kind.policies:
            reasons[stage] = f"{stage} does nothing for the policy {name}"
        elif kind is not None and kind.one_file and not one_file:
            reasons[stage] = f"{stage} does nothing in the environment {environment}"
    return reasons
