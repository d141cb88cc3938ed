"""The parts of an open workspace, each loaded and made when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evolve.core.errors import UsageError
from evolve.core.extensions import find, install_hint
from evolve.core.store import closed_error
from evolve.workspace.resources.base import Resource, close_resource

if TYPE_CHECKING:
    from evolve.workspace.loops.insight_trials import TriedMemories
    from evolve.workspace.loops.variants import Variants
    from evolve.workspace.resources.evaluators import Criteria
    from evolve.workspace.resources.folders import Folders
    from evolve.workspace.resources.gate_log import GateLog
    from evolve.workspace.resources.models import Models
    from evolve.workspace.resources.preferences import Preferences
    from evolve.workspace.resources.tools import Tools
    from evolve.workspace.resources.workflow import Workflows
    from evolve.workspace.runs.conversations import Conversations
    from evolve.workspace.runs.past_runs import Runs
    from evolve.workspace.runs.skills import Skills
    from evolve.workspace.services import WorkspaceServices


class Resources:
    """What a person looks at and changes; once the workspace is closed nothing can be had from it, whoever kept it."""

    def __init__(self, services: WorkspaceServices, *, read_only: bool) -> None:
        self._services = services
        self._read_only = read_only
        self._closed = False

    @cached_property
    def runs(self) -> Runs:
        """What was done, and what waits for a person."""
        from evolve.workspace.runs.past_runs import Runs

        return Runs(self._opened(), self._need_writer, lambda name: self.skills.retire(name))

    @cached_property
    def conversations(self) -> Conversations:
        """What was asked turn by turn."""
        from evolve.workspace.runs.conversations import Conversations

        return Conversations(self._opened().paths.runs / "chats")

    @cached_property
    def memory(self) -> TriedMemories:
        """Notes and insights."""
        from evolve.workspace.loops.insight_trials import TriedMemories

        return TriedMemories(self._opened(), self._need_writer, on_empty=self._forgotten)

    @cached_property
    def skills(self) -> Skills:
        """Learned skills, and those of others."""
        from evolve.workspace.runs.skills import Skills

        return Skills(self._opened(), on_empty=self._forgotten, read_only=self._read_only)

    @cached_property
    def variants(self) -> Variants:
        """What was tried, and which of it acts."""
        from evolve.workspace.loops.variants import Variants

        return Variants(self._opened(), self._need_writer)

    @cached_property
    def gate(self) -> GateLog:
        """The verdicts on what was tried."""
        from evolve.workspace.resources.gate_log import GateLog

        return GateLog(self._opened().stores)

    @cached_property
    def models(self) -> Models:
        """Models that decide, and what their endpoints can do."""
        from evolve.workspace.resources.models import Models

        return Models(self._opened().paths.root)

    @cached_property
    def workflow(self) -> Workflows:
        """The order of an episode's stages."""
        from evolve.skills import ACTIVE
        from evolve.workspace.resources.workflow import Workflows

        paths = self._opened().paths
        return Workflows(lambda: paths.prompts, lambda: self.skills.list(ACTIVE))

    @property
    def preferences(self) -> Preferences:
        """What the person wants: instructions, never evidence."""
        return self._opened().preferences

    @property
    def criteria(self) -> Criteria:
        """What packages tell right answers apart by: targets of a search, never evidence."""
        return self._opened().criteria

    @property
    def folders(self) -> Folders:
        """What runs would change in folders: to apply and to undo."""
        return self._opened().folders

    @property
    def tools(self) -> Tools:
        """Functions that code actions may call."""
        return self._opened().tools

    @property
    def sandbox_mark(self) -> dict[str, bool]:
        """What a run notes of itself when its code is not confined, else {}."""
        return self._services.sandbox_mark

    @property
    def uses_model(self) -> bool:
        """Whether a language model decides."""
        return self._services.uses_model

    def refresh(self) -> None:
        """Opened for reading it shows from now on what was saved by then, not the moment in which it was opened.

        For a program that looks for hours: the record cannot be tidied up around a moment that somebody still reads.
        """
        self._opened().stores.db.refresh()

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """The part that an installed package offers under this name."""
            make = None if name.startswith("_") else find("workspace", name, Callable)
            if make is None:
                hint = "" if name.startswith("_") else install_hint(name)
                raise AttributeError(f"a workspace has no part {name!r}" + (f": {hint}" if hint else ""))
            part = self.__dict__[name] = make(self._opened(), self._need_writer)
            return part

    def _opened(self) -> WorkspaceServices:
        self._need_open()
        return self._services

    def _need_open(self) -> None:
        if self._closed:
            raise closed_error()

    def _need_writer(self) -> None:
        self._need_open()
        if self._read_only:
            raise UsageError("the workspace was opened for reading only")

    def _shut(self) -> None:
        """So that a part that somebody kept says it is closed, and fails nowhere inside SQLite."""
        self._closed = True
        for part in (*vars(self).values(), *vars(self._services).values()):
            if isinstance(part, Resource):
                close_resource(part)

    def _forgotten(self) -> None:
        """With every insight gone and no skill in use, what was judged together with them acts no longer."""
        stores = self._services.stores
        if not stores.memory.list_insights() and self.variants.taken_back() is not None:
            stores.variants.fall_back(grounds="what it rests on was forgotten")
