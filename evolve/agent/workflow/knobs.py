"""The numbers of a workflow that a search may turn, with their bounds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from evolve.agent.workflow.stages import KINDS, stage_kind


def _knob(default: Any, does: str) -> Any:
    """A knob with what it means, which people and models are told."""
    return field(default=default, metadata={"does": does})


@dataclass(frozen=True, kw_only=True)
class Knobs:
    """Numbers that a workflow proposal may turn; each has bounds in :data:`KNOB_BOUNDS`."""

    steps: int = _knob(6, "Most action cycles of one episode.")
    submissions: int = _knob(
        3,
        "Most answers put to the verifier on train tasks and, where a model decides, on a person's own; there "
        "the search may go on for as long as rows are left, and elsewhere it is always one.",
    )
    candidates: int = _knob(50_000, "Most expressions of one episode.")
    seconds: float = _knob(20.0, "Most CPU seconds the policy may use in one episode.")
    samples: int = _knob(
        1,
        "Answers that a model gives to one question: one at a time until one fits the rows; else the commonest counts.",
    )
    tokens: int = _knob(100_000, "Most tokens of language models in one episode.")
    recall_k: int = _knob(24, "Items recalled at the start.")
    branches: int = _knob(
        1,
        "Most actions tried from one state of a folder or world before the search takes another; 1 never goes back.",
    )
    exploring: float = _knob(
        0.0,
        "How much going back tries states that were tried little (UCT); 0 goes on from the best one.",
    )
    withhold: float = _knob(
        0.1,
        "Share of recalled items left out at random, so that their use can be measured; and of trials with a control.",
    )
    rivals: int = _knob(2, "Most other answers that stages ask for to compare one with.")
    quorum: float = _knob(
        0.6,
        "Share of the answers that must agree on what is near the examples, else a vote leaves doubt.",
    )
    plan_first: int = _knob(
        0,
        "1 asks a model for a plan before its first action; 0 lets the first action carry one.",
    )
    differing: int = _knob(
        0,
        "1 tells a model what an action gave as its difference to an earlier one, where it is long and mostly alike.",
    )
    replayed: int = _knob(
        1,
        "0 leaves out of prompts what replays showed of a world's moves.",
    )
    share: float = _knob(
        0.25,
        "Share of what an action may spend that is kept for another search, or for the parts of a split task.",
    )


KNOB_BOUNDS: Mapping[str, tuple[float, float]] = {
    "steps": (1, 200),
    "submissions": (1, 3),
    "candidates": (1, 100_000_000),
    "seconds": (0.1, 86_400.0),
    "samples": (1, 16),
    "tokens": (1_000, 100_000_000),
    "recall_k": (0, 100),
    "branches": (1, 16),
    "exploring": (0.0, 4.0),
    "withhold": (0.0, 0.5),
    "rivals": (1, 8),
    "quorum": (0.0, 1.0),
    "plan_first": (0, 1),
    "differing": (0, 1),
    "replayed": (0, 1),
    "share": (0.05, 0.6),
}
"""Lowest and highest value of each knob; whole numbers where the lowest is one."""


BY_HAND = ("exploring", "plan_first", "differing", "replayed")
"""Knobs that people set and no search turns. At its default one is left out of a workflow's JSON."""


def used_knobs(stages: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the knobs that count in a workflow of these stages, in order of definition."""
    bound = {name for kind in KINDS for name in kind.knobs}
    here = {name for stage in stages if (kind := stage_kind(stage)) is not None for name in kind.knobs}
    bound |= set(BY_HAND)
    return tuple(item.name for item in fields(Knobs) if item.name not in bound or item.name in here)
