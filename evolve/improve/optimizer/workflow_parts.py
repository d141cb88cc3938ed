"""The parts of a workflow that a search may change: named, drawn anew one at a time, and taken from another workflow.

A part is ``stage:NAME`` (there or not), ``route:STAGE`` or ``knob:NAME``. Every result has passed the workflow's own
check, so it compiles and ends, and a search needs no second check. All of it is deterministic given the workflow and
the random generator.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from random import Random
from typing import Any

from evolve.agent.workflow import (
    BY_HAND,
    KINDS,
    KNOB_BOUNDS,
    Knobs,
    Workflow,
    conditions_of,
    places_of,
    stage_kind,
    used_knobs,
    workflow_differences,
)
from evolve.core.errors import WorkspaceError

_WIDE = 50
"""A whole knob whose bounds span more than this is drawn by its order of magnitude; others evenly."""


def parts_of(workflow: Workflow, *, only: str = "") -> tuple[str, ...]:
    """Every part that :func:`resample_part` may change.

    Args:
        only: ``knobs`` to leave stages and routes alone.
    """
    knobs = [f"knob:{name}" for name in used_knobs(workflow.stages) if name not in BY_HAND]
    if only == "knobs":
        return tuple(knobs)
    # What has an effect outside the episode is a person's choice.
    stages = [kind.name for kind in KINDS if not (kind.mandatory or kind.effect)]
    stages += [name for name in workflow.stages if name not in stages and not _is_fixed(name)]
    routes = [f"route:{name}" for name in workflow.stages if conditions_of(name)]
    return (*knobs, *(f"stage:{name}" for name in dict.fromkeys(stages)), *routes)


def resample_part(workflow: Workflow, part: str, random: Random) -> Workflow | None:
    """The workflow with one part drawn anew; None where that cannot be, or comes to the same."""
    kind, _, name = part.partition(":")
    if kind == "knob":
        proposals = _turned(workflow, name, random)
    elif kind == "route":
        proposals = _rerouted(workflow, name, random)
    elif name in workflow.stages:
        proposals = iter(() if _is_fixed(name) else (_without(workflow, name),))
    else:
        proposals = _inserted(workflow, name, random)
    return next((proposal for proposal in proposals if proposal is not None and proposal != workflow), None)


def crossover(a: Workflow, b: Workflow, takes: Callable[[str], bool]) -> Workflow | None:
    """The first workflow with some parts as the second has them; None where that does not pass the check.

    Args:
        takes: Asked once per part that may differ.
    """
    only = [stage for stage in (*a.stages, *b.stages) if (stage in a.stages) != (stage in b.stages)]
    taken = {stage for stage in only if not _is_fixed(stage) and takes(f"stage:{stage}")}
    stages = [stage for stage in a.stages if stage not in taken]
    for stage in b.stages:
        if stage not in a.stages and (stage in taken or _is_fixed(stage)):
            stages = next(iter(_insertions(stages, stage)), stages)
    routes: dict[str, Mapping[str, str]] = {}
    for stage in stages:
        mine, theirs = a.routes.get(stage), b.routes.get(stage)
        if stage not in a.stages or (stage in b.stages and mine != theirs and takes(f"route:{stage}")):
            mine = theirs
        if mine is not None:
            routes[stage] = mine
    turned = [item.name for item in fields(Knobs) if item.name not in BY_HAND]
    numbers = {name: getattr((b if takes(f"knob:{name}") else a).knobs, name) for name in turned}
    return _checked(stages, routes, replace(a.knobs, **numbers))


def parts_between(before: Workflow, after: Workflow) -> tuple[str, ...]:
    """Names of the parts that differ.

    A stage that is put in or left out takes its own routes and numbers along; they are not named beside it.
    """
    parts: dict[str, None] = {}
    for difference in workflow_differences(before, after):
        kind, name = difference.kind, difference.item.partition(".")[0]
        if kind == "route" and (name in before.stages) != (name in after.stages):
            continue
        if kind == "knob" and not (name in before.effective_knobs() and name in after.effective_knobs()):
            continue
        parts[f"{kind if kind in ('route', 'knob') else 'stage'}:{name}"] = None
    return tuple(parts)


def _turned(workflow: Workflow, name: str, random: Random) -> Iterator[Workflow | None]:
    if name in used_knobs(workflow.stages):
        value = _drawn(name, getattr(workflow.knobs, name), random)
        turned: dict[str, Any] = {name: value}
        yield _checked(workflow.stages, workflow.routes, replace(workflow.knobs, **turned))


def _drawn(name: str, value: float, random: Random) -> float:
    """Another value of a knob within its bounds: a near one, or as often any."""
    low, high = KNOB_BOUNDS[name]
    whole = isinstance(low, int)
    wide, any_value = (high - low > _WIDE if whole else high > 1), random.random() < 0.5
    if wide and any_value:
        shift = 1.0 if low == 0 else 0.0  # zero has no logarithm
        drawn = math.exp(random.uniform(math.log(low + shift), math.log(high + shift))) - shift
    elif wide:
        drawn = (value or 2) * random.choice((0.25, 0.5, 2.0, 4.0))  # a factor would never lead away from zero
    elif any_value:
        drawn = random.uniform(low, high)
    else:
        drawn = value + random.choice((-2, -1, 1, 2)) * (1 if whole else 0.05)
    bounded = min(high, max(low, drawn))
    return round(bounded) if whole else round(bounded, 2 if high <= 1 else 6)


def _inserted(workflow: Workflow, name: str, random: Random) -> Iterator[Workflow | None]:
    for stages in _shuffled(_insertions(workflow.stages, name), random):
        ways = [workflow.routes, _routes_with(workflow, stages, name), *_own_routes(workflow, stages, name)]
        for routes in _shuffled(ways, random):
            yield _checked(stages, routes, workflow.knobs)


def _rerouted(workflow: Workflow, stage: str, random: Random) -> Iterator[Workflow | None]:
    if stage in workflow.routes and random.random() < 0.2:
        others = {name: targets for name, targets in workflow.routes.items() if name != stage}
        yield _checked(workflow.stages, others, workflow.knobs)
    if stage in workflow.stages:
        for routes in _shuffled(_own_routes(workflow, workflow.stages, stage), random):
            yield _checked(workflow.stages, routes, workflow.knobs)


def _checked(stages: Sequence[str], routes: Mapping[str, Mapping[str, str]], knobs: Knobs) -> Workflow | None:
    """The workflow, or None where it does not pass; routes and knobs of stages that are not there are dropped."""
    used = used_knobs(tuple(stages))
    unused: dict[str, Any] = {item.name: item.default for item in fields(Knobs) if item.name not in (*used, *BY_HAND)}
    valid = {stage: dict(targets) for stage, targets in routes.items() if stage in stages}
    try:
        return Workflow(stages=tuple(stages), routes=valid, knobs=replace(knobs, **unused))
    except WorkspaceError:
        return None


def _without(workflow: Workflow, stage: str) -> Workflow | None:
    stages = [other for other in workflow.stages if other != stage]
    return _checked(stages, _routes_without(workflow, stage), workflow.knobs)


def _routes_without(workflow: Workflow, removed: str) -> dict[str, dict[str, str]]:
    """The routes, with those to a stage that goes leading to what follows it, or comes before it on the way back."""
    position = workflow.stages.index(removed)
    act = workflow.stages.index("act")
    routes: dict[str, dict[str, str]] = {}
    for stage, targets in workflow.routes.items():
        if stage != removed:
            following = workflow.stages[position + 1 if position < len(workflow.stages) - 1 else position - 1]
            heir = "act" if position < act and workflow.stages.index(stage) > act else following
            routes[stage] = {condition: heir if target == removed else target for condition, target in targets.items()}
    return routes


def _routes_with(workflow: Workflow, stages: Sequence[str], added: str) -> dict[str, dict[str, str]]:
    """The routes, with those to what follows the added stage leading to it: a way past it would leave it unreached."""
    following = stages[stages.index(added) + 1] if stages[-1] != added else ""
    return {
        stage: {condition: added if target == following else target for condition, target in targets.items()}
        for stage, targets in workflow.routes.items()
    }


def _own_routes(workflow: Workflow, stages: Sequence[str], stage: str) -> list[dict[str, Mapping[str, str]]]:
    """The routes with every other pair of targets for this stage; most of them pass the check."""
    conditions = conditions_of(stage)
    if not conditions:
        return []
    position, act = list(stages).index(stage), list(stages).index("act")
    behind, ahead = stages[: act + 1], stages[position + 1 :]
    back, on = conditions
    variants: list[dict[str, Mapping[str, str]]] = []
    for first in (*behind, *(ahead if back == "doubtful" else ())):
        for second in ahead:
            pair: dict[str, str] = {back: first, on: second}
            if first != second and pair != workflow.routes.get(stage):
                variants.append({**workflow.routes, stage: pair})
    return variants


def _insertions(stages: Sequence[str], name: str) -> list[list[str]]:
    """Every order that results from putting in the stage where it may stand."""
    orders = [[*stages[:at], name, *stages[at:]] for at in range(len(stages) + 1)]
    return [order for order in orders if places_of(order) is not None]


def _is_fixed(stage: str) -> bool:
    kind: Any = stage_kind(stage)
    return bool(kind.mandatory or kind.effect)


def _shuffled(items: Iterable[Any], random: Random) -> list[Any]:
    listed = list(items)
    return random.sample(listed, len(listed))
