"""Finds the differences between two workflows, as data and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal

from evolve.agent.workflow.spec import Workflow

DifferenceKind = Literal["added", "removed", "moved", "route", "knob"]


@dataclass(frozen=True, kw_only=True)
class WorkflowDifference:
    """One difference.

    Attributes:
        kind: ``added``, ``removed`` or ``moved`` for a stage; ``route`` or ``knob``.
        item: The stage, ``STAGE.CONDITION`` of a route, or the knob.
        before, after: The stage it follows, the target, or the number; "" where there is none.
    """

    kind: DifferenceKind
    item: str
    before: str = ""
    after: str = ""

    def __str__(self) -> str:
        if self.kind == "added":
            return f"+ {self.item}, after {self.after}" if self.after else f"+ {self.item}, at the start"
        if self.kind == "removed":
            return f"- {self.item}"
        if self.kind == "moved":
            return f"~ {self.item}: after {self.after or 'the start'}, before that after {self.before or 'the start'}"
        return f"~ {self.item}: {self.before or 'no route'} -> {self.after or 'no route'}"


def workflow_differences(before: Workflow, after: Workflow) -> tuple[WorkflowDifference, ...]:
    """Every difference, stages first; () exactly when both have the same digest."""
    return (*_of_stages(before.stages, after.stages), *_of_routes(before, after), *_of_knobs(before, after))


def _of_stages(before: Sequence[str], after: Sequence[str]) -> Iterator[WorkflowDifference]:
    for stage in before:
        if stage not in after:
            yield WorkflowDifference(kind="removed", item=stage)
    common = [stage for stage in before if stage in after]
    now = [stage for stage in after if stage in before]
    still = set()
    for block in SequenceMatcher(None, common, now, autojunk=False).get_matching_blocks():
        still |= set(common[block.a : block.a + block.size])
    for stage in after:
        if stage not in before:
            yield WorkflowDifference(kind="added", item=stage, after=_predecessor(after, stage))
        elif stage not in still:
            yield WorkflowDifference(
                kind="moved", item=stage, before=_predecessor(before, stage), after=_predecessor(after, stage)
            )


def _predecessor(stages: Sequence[str], stage: str) -> str:
    position = stages.index(stage)
    return stages[position - 1] if position else ""


def _of_routes(before: Workflow, after: Workflow) -> Iterator[WorkflowDifference]:
    for stage in sorted({*before.routes, *after.routes}):
        was, now = before.routes.get(stage, {}), after.routes.get(stage, {})
        for condition in sorted({*was, *now}):
            old, new = was.get(condition, ""), now.get(condition, "")
            if old != new:
                yield WorkflowDifference(kind="route", item=f"{stage}.{condition}", before=old, after=new)


def _of_knobs(before: Workflow, after: Workflow) -> Iterator[WorkflowDifference]:
    """Knobs that count in both and differ; those that come or go with a stage are named if they are not as usual."""
    was, now = before.effective_knobs(), after.effective_knobs()
    for name in [*was, *(name for name in now if name not in was)]:
        old, new = getattr(before.knobs, name), getattr(after.knobs, name)
        if old != new:
            yield WorkflowDifference(kind="knob", item=name, before=f"{old:g}", after=f"{new:g}")
