"""Random changes of a workflow, by typed operators. Every result has passed the workflow's own check.

So it compiles and ends, and a search over workflows needs no second check.

Each operator names itself and says in a line what it tries, so that a bandit can learn which of them pay. All of them
are deterministic given the workflow and the random generator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from random import Random
from typing import Any

from evolve.errors import WorkspaceError
from evolve.workflow import (
    BY_HAND,
    KINDS,
    KNOB_BOUNDS,
    Knobs,
    Workflow,
    conditions_of,
    kind_of,
    places_of,
    used_knobs,
)

_WIDE = 50
"""A whole knob whose bounds span more than this is scaled by a factor; others move by a little."""


TURN_KNOB = "turn-knob"
"""The operator that turns any knob."""


@dataclass(frozen=True, kw_only=True)
class Operator:
    """One kind of change.

    Attributes:
        name: kebab-case, stable: what a bandit keeps its statistics under.
        why: What such a change tries, in one line.
        propose: Lists changed workflows, in an order that depends on the generator alone; unchecked parts are
            left out by whoever asks.
    """

    name: str
    why: str
    propose: Callable[[Workflow, Random], Iterator[Workflow | None]]

    def apply(self, workflow: Workflow, random: Random) -> Workflow | None:
        """A changed workflow that passes the check, or None where this operator has nothing to change."""
        for changed in self.propose(workflow, random):
            if changed is not None and changed != workflow:
                return changed
        return None


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """A workflow with the operator that made it, and why in one line."""

    workflow: Workflow
    operator: str
    why: str


def operators(skills: Sequence[str] = ()) -> tuple[Operator, ...]:
    """Every operator.

    Args:
        skills: Stages that call admitted skills (``skill:NAME@DIGEST``) and may be inserted.
    """
    basic = (
        Operator(name="add-stage", why="puts in a stage that is not there yet", propose=_added),
        Operator(name="remove-stage", why="leaves out a stage, which saves its cost", propose=_removed),
        Operator(name="move-stage", why="changes the order of stages that may change places", propose=_moved),
        Operator(name="replace-stage", why="puts another stage in the place of one", propose=_replaced),
        Operator(name="change-route", why="changes where a decision leads, or adds or drops one", propose=_rerouted),
        Operator(name=TURN_KNOB, why="changes a number within its bounds", propose=_turned),
    )
    if not skills:
        return basic
    return (
        *basic,
        Operator(name="insert-skill", why="lets a learned skill act as a stage", propose=_skill_inserter(skills)),
    )


def single_operators(skills: Sequence[str] = ()) -> tuple[Operator, ...]:
    """Every operator, with one per knob in the place of the one that turns any: which knob counts can be learned."""
    return (*(operator for operator in operators(skills) if operator.name != TURN_KNOB), *knob_operators())


def knob_operators() -> tuple[Operator, ...]:
    """One operator per knob."""
    return tuple(
        Operator(
            name=f"turn-{item.name}", why=f"changes {item.name} within its bounds", propose=_knob_turner(item.name)
        )
        for item in fields(Knobs)
        if item.name not in BY_HAND
    )


def mutate(workflow: Workflow, random: Random, among: Sequence[Operator] | None = None) -> Mutation | None:
    """One random change by one of the operators; None where none of them has anything to change."""
    chosen = list(operators() if among is None else among)
    for operator in random.sample(chosen, len(chosen)):
        changed = operator.apply(workflow, random)
        if changed is not None:
            return Mutation(workflow=changed, operator=operator.name, why=operator.why)
    return None


def crossover(a: Workflow, b: Workflow, random: Random) -> Workflow:
    """A workflow of parts of both: optional stages, routes and numbers each come from one or the other."""
    # In random order: the first gives the order of stages, and stands where the mix does not pass the check.
    before, after = random.sample([a, b], 2)
    return mixed(before, after, lambda part: random.random() < 0.5) or before


def mixed(a: Workflow, b: Workflow, takes: Callable[[str], bool]) -> Workflow | None:
    """The first workflow with some parts as the second has them; None where that does not pass the check.

    Args:
        takes: Asked once per part that may differ: ``stage:NAME``, ``route:STAGE``, ``knob:NAME``.
    """
    # ``takes`` may draw at random for each part, so another order of asking would be another search for the same seed.
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
    return _checked(stages, routes, _with_numbers(a.knobs, numbers))


def changed_part(workflow: Workflow, part: str, random: Random) -> Workflow | None:
    """The workflow with one part changed at random; None where that cannot be.

    Args:
        part: ``stage:NAME`` (put in or left out), ``route:STAGE`` or ``knob:NAME``.
    """
    kind, _, name = part.partition(":")
    if kind == "knob":
        proposals = _knob_turner(name)(workflow, random)
    elif kind == "route":
        proposals = _rerouted(workflow, random, (name,))
    elif name in workflow.stages:
        proposals = iter(() if _is_fixed(name) else (_without(workflow, name),))
    else:
        proposals = _inserted(workflow, random, [name])
    return next((proposal for proposal in proposals if proposal is not None and proposal != workflow), None)


def _added(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
    return _inserted(workflow, random, _insertable())


def _skill_inserter(skills: Sequence[str]) -> Callable[[Workflow, Random], Iterator[Workflow | None]]:
    def propose(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
        return _inserted(workflow, random, skills)

    return propose


def _inserted(workflow: Workflow, random: Random, names: Iterable[str]) -> Iterator[Workflow | None]:
    missing = [name for name in names if name not in workflow.stages]
    for name in _shuffled(missing, random):
        for stages in _shuffled(_insertions(workflow.stages, name), random):
            for routes in _shuffled([workflow.routes, *_own_routes(workflow, stages, name)], random):
                yield _checked(stages, routes, workflow.knobs)


def _removed(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
    for stage in _shuffled(_optional(workflow), random):
        yield _without(workflow, stage)


def _moved(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
    for stage in _shuffled(_optional(workflow), random):
        rest = [name for name in workflow.stages if name != stage]
        for stages in _shuffled(_insertions(rest, stage), random):
            if stages != list(workflow.stages):
                yield _checked(stages, workflow.routes, workflow.knobs)


def _replaced(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
    for stage in _shuffled(_optional(workflow), random):
        position = workflow.stages.index(stage)
        for name in _shuffled([other for other in _insertable() if other not in workflow.stages], random):
            stages = [*workflow.stages[:position], name, *workflow.stages[position + 1 :]]
            yield _checked(stages, _routes_without(workflow, stage), workflow.knobs)


def _rerouted(workflow: Workflow, random: Random, among: Sequence[str] = ()) -> Iterator[Workflow | None]:
    routed = [name for name in workflow.stages if conditions_of(name) and (not among or name in among)]
    for stage in _shuffled(routed, random):
        others = {name: targets for name, targets in workflow.routes.items() if name != stage}
        if stage in workflow.routes and random.random() < 0.2:
            yield _checked(workflow.stages, others, workflow.knobs)
        for routes in _shuffled(_own_routes(workflow, workflow.stages, stage), random):
            yield _checked(workflow.stages, routes, workflow.knobs)


def _turned(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
    for name in _shuffled(used_knobs(workflow.stages), random):
        yield from _knob_turner(name)(workflow, random)


def _knob_turner(name: str) -> Callable[[Workflow, Random], Iterator[Workflow | None]]:
    def propose(workflow: Workflow, random: Random) -> Iterator[Workflow | None]:
        if name in used_knobs(workflow.stages):
            value = turned(name, getattr(workflow.knobs, name), random)
            yield _checked(workflow.stages, workflow.routes, _with_numbers(workflow.knobs, {name: value}))

    return propose


def turned(name: str, value: float, random: Random) -> float:
    """Another value of a knob within its bounds: by a factor where they are wide, else a near one or any."""
    low, high = KNOB_BOUNDS[name]
    whole = isinstance(low, int)
    wide = high - low > _WIDE if whole else high > 1
    if wide:
        near = (value or 2) * random.choice((0.25, 0.5, 2.0, 4.0))  # a factor would never lead away from zero
    elif random.random() < 0.5:  # any value, so that no number takes many small steps to reach
        near = random.uniform(low, high)
    else:
        near = value + random.choice((-2, -1, 1, 2)) * (1 if whole else 0.05)
    bounded = min(high, max(low, near))
    return round(bounded) if whole else round(bounded, 2 if high <= 1 else 6)


def _checked(stages: Sequence[str], routes: Mapping[str, Mapping[str, str]], knobs: Knobs) -> Workflow | None:
    """The workflow, or None where it does not pass; routes and knobs of stages that are not there are dropped."""
    used = used_knobs(tuple(stages))
    unused = {item.name: item.default for item in fields(Knobs) if item.name not in (*used, *BY_HAND)}
    valid = {stage: dict(targets) for stage, targets in routes.items() if stage in stages}
    try:
        return Workflow(stages=tuple(stages), routes=valid, knobs=_with_numbers(knobs, unused))
    except WorkspaceError:
        return None


def _with_numbers(knobs: Knobs, numbers: Mapping[str, Any]) -> Knobs:
    return replace(knobs, **numbers)


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


def _insertable() -> list[str]:
    """The stages that may be put in and left out: what has an effect outside the episode is a person's choice."""
    return [kind.name for kind in KINDS if not (kind.mandatory or kind.effect)]


def _optional(workflow: Workflow) -> list[str]:
    return [stage for stage in workflow.stages if not _is_fixed(stage)]


def _is_fixed(stage: str) -> bool:
    kind: Any = kind_of(stage)
    return bool(kind.mandatory or kind.effect)


def _shuffled(items: Iterable[Any], random: Random) -> list[Any]:
    listed = list(items)
    return random.sample(listed, len(listed))
