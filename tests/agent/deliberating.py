"""Tasks and workflows for episodes with stages between an action and its judgement."""

from __future__ import annotations

from evolve.agent import Agent, AgentServices
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Row
from evolve.policies.search import SearchPolicy
from evolve.tasks import Task
from evolve.testing import TrustingSandbox


def rows(function, *inputs):
    return tuple(Row(input=given, output=function(*given)) for given in inputs)


def with_stages(*stages, routes=None, before=(), after=(), **knobs):
    """The plain episode with stages between action and trial, before the action, and after the trial."""
    listed = ("plan", *before, "act", *stages, "observe", *after, "judge", "reflect", "distill", "commit")
    ways = {"judge": {"again": "act", "stop": "reflect"}, **(routes or {})}
    return Workflow(stages=listed, routes=ways).with_knobs(**knobs)


def search_agent(workflow, *, policy=None, sandbox=None, **around):
    return Agent(
        AgentServices(policy=policy or SearchPolicy(), sandbox=sandbox or TrustingSandbox(), run="r1", **around),
        workflow,
    )


def notes(record, stage):
    """What a stage said, over all steps."""
    return [note for step in record.steps for note in step.action.notes if note.stage == stage]


def conditional(xs, n):
    """Two elements, one of which needs a condition: as a whole it is too long to enumerate."""
    return [max(xs) if n > 2 else min(xs), len(xs) + n]


def first_or_zero(xs):
    return xs[0] if xs else 0


SPLIT = Task(
    id="split",
    family="numbers",
    instruction="two elements",
    examples=rows(
        conditional,
        ([3, 1, 2], 1), ([9, 5, 4, 4], 5), ([1, 2, 8], 3), ([7, 7], 0), ([4, 6, 5, 1], 2), ([2, 9], 4),
        ([8, 3, 3], 1), ([1, 9, 2], 7),
    ),
    hidden=rows(conditional, ([5, 6], 9), ([5, 6, 1], 1), ([0, 4], 3), ([2, 2, 7], 2), ([8], 5), ([6, 1, 1, 1], 0)),
)  # fmt: skip

LOOSE = Task(
    id="loose",
    family="numbers",
    instruction="the sum",
    examples=rows(sum, ([5],), ([7],)),
    hidden=rows(sum, ([1, 2],), ([],), ([3, 3, 3],), ([4],), ([0, 9],), ([2, 1],)),
)
"""Its examples leave open whether the sum, the first, the last or the largest is meant."""

FIRM = Task(
    id="firm",
    family="numbers",
    instruction="the even ones",
    examples=rows(lambda xs: [x for x in xs if x % 2 == 0], ([2, 4, 6],), ([8],), ([2, 3, 4],), ([5, 1, 0, 12],)),
    hidden=rows(lambda xs: [x for x in xs if x % 2 == 0], ([1, 2],), ([3],), ([4, 4, 1],), ([0],), ([9, 8],), ([],)),
)
