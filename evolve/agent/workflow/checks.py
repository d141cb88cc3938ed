"""Checks that a workflow compiles, ends, and commits exactly once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from evolve.agent.workflow.knobs import BY_HAND, KNOB_BOUNDS, Knobs, used_knobs
from evolve.agent.workflow.stages import KINDS, MANDATORY, SKILL, places_of, stage_kind
from evolve.core.errors import WorkspaceError
from evolve.core.extensions import extension_names


def check_order(stages: tuple[str, ...], routes: Mapping[str, Mapping[str, str]]) -> None:
    """Checks that the stages exist, stand in an order that ends in ``commit``, and that routes lead where they may.

    Raises:
        WorkspaceError: Naming the stage or route that is wrong.
    """
    for stage in stages:
        if stage_kind(stage) is None:
            known = ", ".join(extension_names("stages"))
            skill_form = "a skill stage is written skill:NAME@DIGEST, with 12 to 64 hexadecimal digits"
            raise WorkspaceError(
                f"stages: unknown stage {stage!r}; "
                + (skill_form if stage.startswith(SKILL) else f"known are {known}, and skill:NAME@DIGEST")
            )
    missing = [kind.name for kind in KINDS if kind.name in MANDATORY and kind.name not in stages]
    if missing:
        raise WorkspaceError(f"stages: {missing[0]!r} is missing")
    twice = [stage for number, stage in enumerate(stages) if stage in stages[:number]]
    if twice or places_of(stages) is None:
        # Every kind by the first place it may stand in; those that may change places are named together
        from evolve.agent.workflow.stages import PLACES

        order: list[str] = []
        for place in PLACES:
            here = [kind.name for kind in KINDS if kind.places[0] == place]
            order += ["(" + " | ".join(here) + ")"] if place == "deliberate" and here else here
        known = ", ".join(order)
        raise WorkspaceError(f"stages: the order must be {known}, each at most once")
    for stage, targets in routes.items():
        _check_route(stages, stage, targets)


def _check_route(stages: tuple[str, ...], stage: str, targets: Mapping[str, str]) -> None:
    kind = stage_kind(stage)
    if kind is None or not kind.conditions:
        routed = ", ".join(sorted(kind.name for kind in KINDS if kind.conditions))
        raise WorkspaceError(f"routes.{stage}: only {routed}, and skill stages, can be routed")
    if stage not in stages:
        raise WorkspaceError(f"routes.{stage}: {stage!r} is not one of the stages")
    back, on = kind.conditions
    if set(targets) != {back, on}:
        raise WorkspaceError(f"routes.{stage}: needs exactly the keys {back!r} and {on!r}")
    for condition, target in targets.items():
        if target not in stages:
            raise WorkspaceError(f"routes.{stage}.{condition}: {target!r} is not one of the stages")
    position = {name: number for number, name in enumerate(stages)}
    # A new cycle starts where an action is chosen: a way back to a later stage would repeat one for nothing.
    turns_back = position[targets[back]] <= position["act"]
    if not turns_back and (back == "again" or position[targets[back]] <= position[stage]):
        raise WorkspaceError(f"routes.{stage}.{back}: must lead back to 'act' or an earlier stage")
    if position[targets[on]] <= position[stage]:
        raise WorkspaceError(f"routes.{stage}.{on}: must lead forward")
    for condition, target in targets.items():
        passed = [name for name in stages[position[stage] + 1 : position[target]] if name in MANDATORY]
        if passed:
            raise WorkspaceError(f"routes.{stage}.{condition}: must not lead past {passed[0]!r}")


def check_reachable(stages: tuple[str, ...], edges: Sequence[tuple[str, str]]) -> None:
    """Raises :class:`WorkspaceError` for a stage to which no way leads; an edge is its source and its target."""
    reached = {stages[0]}
    for stage in stages:  # forward edges only lead to later stages, so one pass is enough
        if stage in reached:
            reached.update(target for source, target in edges if source == stage)
    lost = [stage for stage in stages if stage not in reached]
    if lost:
        raise WorkspaceError(f"stages: {lost[0]!r} is never reached")


def check_knobs(knobs: Knobs, stages: tuple[str, ...]) -> None:
    """Raises :class:`WorkspaceError` for a knob of another kind, out of its bounds, or used by none of the stages."""
    used = used_knobs(stages)
    for item in fields(knobs):
        value, (low, high) = getattr(knobs, item.name), KNOB_BOUNDS[item.name]
        whole = isinstance(low, int)
        if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
            raise WorkspaceError(
                f"knobs.{item.name}: expected {'a whole number' if whole else 'a number'}, got {value!r}"
            )
        if not low <= value <= high:
            raise WorkspaceError(f"knobs.{item.name}: {value!r} is not between {low} and {high}")
        if item.name not in (*used, *BY_HAND) and value != item.default:
            # Else two workflows that do the same would have different digests.
            raise WorkspaceError(f"knobs.{item.name}: none of the stages uses it")
