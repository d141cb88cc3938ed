"""``ws.workflow``: the order of an episode's stages, looked at, checked, compared and drawn."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from evolve.agent.workflow import (
    Workflow,
    WorkflowDifference,
    inapplicable_stages,
    mermaid,
    parse_workflow,
    skill_of,
    stage_kind,
    svg,
    visit_bounds,
    workflow_differences,
)
from evolve.core.files import SVG, is_replaced, read_text, write_atomic
from evolve.core.prompts import PromptLayers, load_prompt
from evolve.workspace.resources.base import Resource

if TYPE_CHECKING:
    from evolve.skills import Skill

FILE = "workflow.toml"
SEED = "seed"

Which = str | os.PathLike[str] | None
"""A workflow file, ``seed`` for the one that ships with evolve, or None for the one in force outside of variants."""


@dataclass(frozen=True, kw_only=True)
class StageRow:
    """One stage of a workflow.

    Attributes:
        bound: How often an episode comes to it at most.
        routes: Conditions, with the stage that each leads to.
        does: What it does, in a few words.
    """

    name: str
    bound: int
    routes: Mapping[str, str]
    does: str


class Workflows(Resource):
    """The workflows of a workspace.

    Args:
        prompts: Gives the folder of its prompts.
        skills: Gives the skills that its stages may call.
    """

    def __init__(self, prompts: Callable[[], Path], skills: Callable[[], Sequence[Skill]]) -> None:
        self._prompts = prompts
        self._skills = skills

    def show(self, which: Which = None) -> Workflow:
        """A workflow.

        Raises:
            UsageError: The file cannot be read, or a workflow like that would not work.
        """
        if which == SEED:
            return parse_workflow(load_prompt(FILE, PromptLayers()), file=SEED)
        if which is not None:
            return parse_workflow(read_text(Path(which)), file=os.fspath(which))
        return parse_workflow(load_prompt(FILE, PromptLayers(workspace=self._prompts())))

    def stages(self, which: Which = None) -> list[StageRow]:
        """The stages of a workflow in order, with what each does and how often at most."""
        workflow = self.show(which)
        bounds = visit_bounds(workflow)
        return [
            StageRow(
                name=stage,
                bound=bounds[stage],
                routes=dict(workflow.routes.get(stage, {})),
                does=kind.does if (kind := stage_kind(stage)) is not None else "",
            )
            for stage in workflow.stages
        ]

    def validate(self, which: Which = None) -> Mapping[str, Mapping[str, str]]:
        """Checks that a workflow compiles, ends, commits once, and calls only skills that are admitted here.

        Returns:
            For each policy and environment the stages that do nothing there, with the reason.

        Raises:
            UsageError: It does not, and the message says where.
            WorkspaceError: A skill that it calls is not admitted.
        """
        from evolve.agent.stages.optional.skill import stage_skills
        from evolve.environments import environment_kind as kind_of_environment

        workflow = self.show(which)
        if any(skill_of(stage) is not None for stage in workflow.stages):
            stage_skills(workflow, self._skills(), file=FILE if which is None else os.fspath(which))
        places = [("search", "programs"), ("language", "programs"), ("language", "files")]
        return {
            f"{policy} in {place}": inapplicable_stages(
                workflow, policy=policy, environment=place, one_file=kind_of_environment(place).one_file
            )
            for policy, place in places
        }

    def diff(self, before: Which, after: Which = None) -> Sequence[WorkflowDifference]:
        """What tells two workflows apart: stages, routes and numbers; layout and comments do not count."""
        return workflow_differences(self.show(before), self.show(after))

    def draw(self, which: Which = None, *, out: str | os.PathLike[str] | None = None) -> str:
        """A workflow as Mermaid text.

        Args:
            out: An SVG file to write as well.

        Raises:
            UsageError: Another kind of file is there.
            WorkspaceError: It cannot be written.
        """
        workflow = self.show(which)
        if out is not None:
            is_replaced(out, SVG)
            write_atomic(out, svg(workflow, title=FILE if which is None else Path(which).name).encode())
        return mermaid(workflow)


def workflow(path: str | os.PathLike[str] | None = None) -> Workflows:
    """The workflows of a workspace that is not open; it is looked for once one of its own is asked for.

    Args:
        path: As for :func:`evolve.open`.
    """
    return Workflows(lambda: _prompts_at(path), lambda: _skills_at(path))


def _prompts_at(path: str | os.PathLike[str] | None) -> Path:
    from evolve.workspace.locating import choose_workspace

    return choose_workspace(path, looking=True).paths.prompts


def _skills_at(path: str | os.PathLike[str] | None) -> Sequence[Skill]:
    from evolve.skills import ACTIVE
    from evolve.workspace.locating import choose_workspace, trusted_settings
    from evolve.workspace.opening import open_stores, upgrade_workspace

    paths = choose_workspace(path, looking=True).paths
    upgrade_workspace(paths)
    with closing(open_stores(paths, trusted_settings(paths), read_only=True)) as stores:
        return stores.skills.list(ACTIVE)


def is_stage(name: str) -> bool:
    """Whether a word names a stage of episodes, as the kinds of events do that a stage tells of."""
    return stage_kind(name) is not None
