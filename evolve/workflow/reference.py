"""Tells in words which stages and numbers a workflow may have, from the registry that the check itself reads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from evolve.workflow.knobs import KNOB_BOUNDS, Knobs
from evolve.workflow.stages import KINDS, PLACES, kind_of


def stage_reference(names: Iterable[str]) -> str:
    """One line for each of these stages, in the order in which they may stand: where, what it decides, what it does."""
    known = {name: kind for name in dict.fromkeys(names) if (kind := kind_of(name)) is not None}
    lines = []
    for name, kind in sorted(known.items(), key=lambda item: PLACES.index(item[1].places[0])):
        told = ["always there" if kind.mandatory else " or ".join(_between(place) for place in kind.places)]
        if kind.conditions:
            told.append("decides " + " or ".join(kind.conditions))
        if kind.knobs:
            told.append("has " + ", ".join(kind.knobs))
        lines.append(f"- {name} ({'; '.join(told)}): {kind.does}")
    return "\n".join(lines)


def knob_reference(names: Iterable[str]) -> str:
    """One line for each of these knobs: its bounds, the value it has where it is left out, and what it means."""
    wanted = set(names)
    lines = []
    for item in fields(Knobs):
        if item.name in wanted:
            low, high = KNOB_BOUNDS[item.name]
            kind = "whole number" if isinstance(low, int) else "number"
            lines.append(
                f"- {item.name} ({kind}, {low} to {high}; {item.default} if left out): {item.metadata['does']}"
            )
    return "\n".join(lines)


def _between(place: str) -> str:
    """Where a place lies among the stages that are always there."""
    always = [(PLACES.index(kind.places[0]), kind.name) for kind in KINDS if kind.mandatory]
    here = PLACES.index(place)
    before = [name for rank, name in always if rank < here]
    after = [name for rank, name in always if rank > here]
    if not before:
        return f"before {after[0]}"
    return f"between {before[-1]} and {after[0]}" if after else f"after {before[-1]}"
