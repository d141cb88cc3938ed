"""Learns which parts of a workflow the outcome of each task depends on, from changes of one part at a time.

Two parts that the same task hangs on belong together: to change one alone may only make things worse. Linkage found by
perturbation is that of Munetomo and Goldberg, "Linkage identification by non-monotonicity detection for overlapping
functions", Evolutionary Computation 7 (1999).
"""

from __future__ import annotations

from collections.abc import Iterable

from evolve.optimizer.parts import parts_between
from evolve.workflow import Workflow

OFTEN = 0.15
"""Share of the changes of a part that must have changed how a task ended, for the task to hang on it."""

_MOST_PARTS = 3
"""Parts changed at once from which something can still be learned."""


class Linkage:
    """What was seen of tasks and parts so far. Deterministic given the order of calls."""

    def __init__(self) -> None:
        self._changed: dict[str, float] = {}
        self._mattered: dict[str, dict[str, float]] = {}

    def note(self, before: Workflow, after: Workflow, tasks: Iterable[str]) -> None:
        """Takes in that these tasks, and no others, ended otherwise after the change.

        Several parts that changed at once share the blame; after a change of more than three nobody could tell.
        """
        parts = parts_between(before, after)
        if len(parts) > _MOST_PARTS:
            return
        for part in parts:
            self._changed[part] = self._changed.get(part, 0.0) + 1.0 / len(parts)
        for task in tasks:
            mattered = self._mattered.setdefault(task, {})
            for part in parts:
                mattered[part] = mattered.get(part, 0.0) + 1.0 / len(parts)

    def parts(self, task: str) -> tuple[str, ...]:
        """Parts whose change often changed how the task ended."""
        counts = self._mattered.get(task, {})
        return tuple(part for part, number in counts.items() if number >= OFTEN * self._changed[part])
