"""A model that writes workflows from what its prompt says of trials, and knows nothing else."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from evolve.agent.workflow import Workflow, parse_workflow, stage_kind
from evolve.core.errors import WorkspaceError
from evolve.testing.doubles import prompt_of

_BLOCK = re.compile(r"<data \w+ kind=(workflow|trials)[^>]*>\n(.*?)\n</data", re.DOTALL)
_OFFERED = re.compile(r"^- ([a-z_]+) \(", re.MULTILINE)
_TRIED = re.compile(r"\+ ([a-z_]+), after")
_FURTHER = 8
"""How many times as much of a number that was used up is given."""


class DesigningDouble:
    """Changes what the prompt says that failed trials ended by.

    Where candidates were used up, more of them; where all actions were, more of these, with a way back; else the first
    stage that is offered, is not there, and is not among what was tried. Where the prompt tells nothing of this it
    writes the workflow that it was shown.
    """

    def answer(self, body: Mapping[str, Any]) -> str:
        """The reply to a question for a workflow."""
        prompt = prompt_of(body)
        blocks = dict(_BLOCK.findall(prompt))
        before = parse_workflow(blocks["workflow"])
        design, why = next(_ideas(before, blocks.get("trials", ""), prompt), (before, "nothing seems to be missing"))
        return json.dumps({"why": why, "workflow": design.render()})


def _ideas(before: Workflow, trials: str, prompt: str) -> Iterator[tuple[Workflow, str]]:
    failed = [line for line in trials.splitlines() if ": solved" not in line]
    knobs = before.knobs
    if any(f"nothing found within {knobs.candidates} candidates" in line for line in failed):
        yield before.with_knobs(candidates=_FURTHER * knobs.candidates), "The search ended before it found anything."
    if any(f"actions {knobs.steps} of {knobs.steps}" in line for line in failed) and "judge" in before.routes:
        yield before.with_knobs(steps=_FURTHER * knobs.steps), "A second action could mend the first."
    offered = _OFFERED.findall(prompt)
    for stage in offered:
        if stage not in before.stages and stage not in _TRIED.findall(prompt) and stage_kind(stage) is not None:
            yield with_stage(before, stage), f"The stage {stage} has not been tried."


def with_stage(before: Workflow, stage: str) -> Workflow:
    """The workflow with a stage before the action, right after it, or at the next place where it may stand."""
    kind = stage_kind(stage)
    assert kind is not None
    wanted = before.stages.index("act") + ("deliberate" in kind.places)
    for place in sorted(range(len(before.stages) + 1), key=lambda place: abs(place - wanted)):
        stages = ", ".join(f'"{name}"' for name in (*before.stages[:place], stage, *before.stages[place:]))
        with suppress(WorkspaceError):
            return parse_workflow(re.sub(r"^stages = .*", f"stages = [{stages}]", before.render()))
    return before
