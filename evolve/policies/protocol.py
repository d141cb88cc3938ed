"""The seams between an episode and whatever decides in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from evolve.episodes import (
    Action,
    Claim,
    Json,
    Limits,
    Plan,
    Recalled,
    SkillDraft,
    Step,
    TaskView,
)

Probe = Callable[[Sequence[tuple[str, str]], Sequence[Sequence[Json]]], list[list[Json] | None]]
"""``probe(programs, inputs)`` runs each ``(source, entry)`` on every input in one sandbox
execution; gives a list per program of outputs, or None where that program failed to load.
A row that raised is the dict ``{"error": "..."}``."""


class Policy(Protocol):
    """Plans, acts, reflects and distils. Holds no state of an episode between calls."""

    name: str

    def features(self, view: TaskView) -> tuple[float, ...]:
        """The task's observable feature vector, used for recall; [] where a policy has none."""
        ...

    def plan(self, view: TaskView, recalled: Sequence[Recalled]) -> Plan:
        """Names the goal and, from what was recalled, how the work is priced."""
        ...

    def act(self, view: TaskView, plan: Plan, steps: Sequence[Step], limits: Limits) -> Action:
        """The next action. ``steps`` holds what was tried and refused; ``limits`` is what is left."""
        ...

    def reflect(self, view: TaskView, group: str, steps: Sequence[Step], probe: Probe) -> tuple[Claim, ...]:
        """Causal claims with evidence, from what happened and from re-runs through ``probe``."""
        ...

    def distill(self, view: TaskView, steps: Sequence[Step]) -> tuple[SkillDraft, ...]:
        """Skills worth admitting from a verified answer: the whole first, then parts of it; often none."""
        ...
