"""Small tasks with known answers, and the moves of an episode without the machinery around them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evolve.agent import make_probe
from evolve.core.episodes import Action, Claim, Judgement, Limits, Plan, Row, Step, TaskView
from evolve.policies import BasePolicy
from evolve.policies.search import TrainingSettings
from evolve.runtime.sandbox import Program, Sandbox, SandboxLimits
from evolve.tasks import equal

LISTS = ([3, 1, 2], [5, 4, 4], [9, 8, 7, 1, 8], [], [6], [2, 2, 7, 10])
TEXTS = ("Ann Lee", "bob  stone", "Cy", "D. E. Fox", "")
BUDGET = Limits(candidates=20_000, seconds=None)
TRAINING = TrainingSettings(dreams=200, steps=60)


def view_of(function: Callable[..., Any], *inputs: Any, name: str = "task", **more: Any) -> TaskView:
    """The task of finding ``function`` from its values on ``inputs`` (tuples are several arguments)."""
    rows = []
    for item in inputs:
        arguments = item if isinstance(item, tuple) else (item,)
        rows.append(Row(input=arguments, output=function(*arguments)))
    words = {"family": "test", "instruction": f"Compute the {name}.", "signature": "", **more}
    return TaskView(id=name, examples=tuple(rows), **words)


def unsolvable(name: str = "noise") -> TaskView:
    """A task whose outputs follow from nothing in the inputs."""
    outputs = [[31, 7, 58], [12], [77, 40, 41, 3], [19, 65], [88], [5, 23, 91]]
    rows = tuple(Row(input=(xs,), output=out) for xs, out in zip(LISTS, outputs, strict=True))
    return TaskView(id=name, family="test", instruction="", signature="", examples=rows)


PRACTICE: dict[str, Callable[..., Any]] = {
    "sort": sorted,
    "sorted tail": lambda xs: sorted(xs)[1:],
    "sorted down": lambda xs: sorted(xs, reverse=True),
    "unique": lambda xs: list(dict.fromkeys(xs)),
    "sorted unique": lambda xs: sorted(set(xs)),
    "evens": lambda xs: [x for x in xs if x % 2 == 0],
    "doubled": lambda xs: [2 * x for x in xs],
    "doubled sorted": lambda xs: sorted(2 * x for x in xs),
    "reverse tail": lambda xs: xs[::-1][1:],
    "two largest": lambda xs: sorted(xs, reverse=True)[:2],
    "sorted evens": lambda xs: sorted(x for x in xs if x % 2 == 0),
    "running sum": lambda xs: [sum(xs[: i + 1]) for i in range(len(xs))],
}
HELD_OUT: dict[str, Callable[..., Any]] = {
    "unique tail": lambda xs: list(dict.fromkeys(xs))[1:],
    "unique down": lambda xs: sorted(set(xs), reverse=True),
    "two smallest": lambda xs: sorted(xs)[:2],
    "evens doubled": lambda xs: [2 * x for x in xs if x % 2 == 0],
    "sorted unique tail": lambda xs: sorted(set(xs))[1:],
    "evens reversed": lambda xs: [x for x in xs if x % 2 == 0][::-1],
    "running sum of sorted": lambda xs: [sum(sorted(xs)[: i + 1]) for i in range(len(xs))],
    "unique evens": lambda xs: list(dict.fromkeys(x for x in xs if x % 2 == 0)),
}


def views_of(functions: dict[str, Callable[..., Any]]) -> list[TaskView]:
    return [view_of(f, *LISTS, name=name) for name, f in functions.items()]


def first_action(policy: BasePolicy, view: TaskView, limits: Limits = BUDGET) -> Action:
    """What a new episode does first, with nothing recalled."""
    return policy.act(view, policy.plan(view, ()), (), limits)


def refused(number: int, action: Action) -> Step:
    """The step of an answer that fitted the examples and not the unseen rows."""
    return Step(number=number, action=action, judgement=Judgement(accepted=False, verified=False, rows=5))


def accepted(action: Action) -> tuple[Step, ...]:
    """The steps of an episode whose first answer was verified."""
    return (Step(number=1, action=action, judgement=Judgement(accepted=True, verified=True, rows=5)),)


def actions(policy: BasePolicy, view: TaskView, count: int, plan: Plan | None = None) -> Iterator[Action]:
    """The first ``count`` actions of an episode in which every answer is refused."""
    chosen = plan or policy.plan(view, ())
    steps: tuple[Step, ...] = ()
    for number in range(1, count + 1):
        action = policy.act(view, chosen, steps, BUDGET)
        yield action
        if action.kind == "finish":
            return
        steps = (*steps, refused(number, action))


def timeless(action: Action) -> Action:
    """The action without the seconds it took."""
    return dataclasses.replace(action, cost=dataclasses.replace(action.cost, seconds=0.0))


def wrong_rows(sandbox: Sandbox, answers: Sequence[tuple[TaskView, str]]) -> list[tuple[str, str, Any]]:
    """Rows that an answer does not reproduce when it runs by itself in the sandbox."""
    programs = [Program(source=code, entry=view.entry) for view, code in answers]
    rows = [[list(row.input) for row in view.examples] for view, _ in answers]
    result = sandbox.run_programs(programs, [], SandboxLimits(wall_s=60.0), per_program=rows)
    assert result.fault == ""
    return [
        (code, run.error or outcome.error, [row.input, row.output, outcome.value])
        for (view, code), run in zip(answers, result.programs, strict=True)
        for row, outcome in zip(view.examples, run.outputs, strict=True)
        if not outcome.ok or not equal(outcome.value, row.output)
    ]


@dataclass(frozen=True)
class Evidence:
    """An evidence row as memory hands it to the fit."""

    features: tuple[float, ...]
    cause: str
    direction: int
    task: str


def experience_from(claims: Iterable[Claim]) -> list[Evidence]:
    return [Evidence(e.features, c.cause, e.direction, e.task) for c in claims for e in c.evidence]


def practise(policy: BasePolicy, views: Iterable[TaskView], sandbox: Sandbox) -> list[Evidence]:
    """Experience from solving each view and reflecting on the answer."""
    found: list[Evidence] = []
    for view in views:
        action = first_action(policy, view)
        if action.kind == "code":
            found += experience_from(policy.reflect(view, view.id, accepted(action), make_probe(sandbox)))
    return found
