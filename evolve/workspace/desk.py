"""The open parts of a workspace as one value, for the code that drives runs and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evolve.events import Event, EventSink
from evolve.functions.mcp import ServerFunctions
from evolve.models import Recording
from evolve.paths import WorkspacePaths
from evolve.prompts import PromptLayers, load_prompt
from evolve.record.arms import Learner
from evolve.record.stores import Stores
from evolve.sandbox import UNSANDBOXED
from evolve.settings import Settings
from evolve.workflow import Workflow, parse_workflow
from evolve.workspace.kept_servers import KeptServers
from evolve.workspace.shelves.folders import Folders
from evolve.workspace.shelves.judges import Judges
from evolve.workspace.shelves.metrics import Metrics
from evolve.workspace.shelves.preferences import Preferences
from evolve.workspace.shelves.servers import approved_now, server_functions
from evolve.workspace.shelves.tools import Tools

if TYPE_CHECKING:
    from evolve.sandbox import Sandbox


@dataclass(frozen=True, kw_only=True)
class Desk:
    """The open parts of a workspace.

    Attributes:
        model: The model that was named when it was opened, or a recording of one; None for that of the settings.
        open_sandbox: Gives the sandbox of this process, opened once; raises ``SandboxUnavailable``.
        finish: Closes a run, by id and state, once its result is on record and shown.
        kept: Servers that outlast this opening, if whoever opened it keeps some.
        shows: Whether results have still to be shown, so that nothing is to be learned from them yet.
    """

    paths: WorkspacePaths
    settings: Settings
    learner: Learner
    model: str | Recording | None
    events: EventSink
    stores: Stores
    preferences: Preferences
    judges: Judges
    metrics: Metrics
    folders: Folders
    tools: Tools
    open_sandbox: Callable[[], Sandbox]
    finish: Callable[..., None]
    shows: Callable[[], bool]
    kept: KeptServers | None = None

    @cached_property
    def workflow(self) -> Workflow:
        """The workflow in force outside of variants: the workspace's file, else the seed."""
        return parse_workflow(load_prompt("workflow.toml", PromptLayers(workspace=self.paths.prompts)))

    def servers(self) -> ServerFunctions:
        """The functions of the servers that are approved by now; none is started before one of its own is called."""
        functions = self._own_servers if self.kept is None else self.kept.functions
        functions.renew(approved_now(self.paths))
        return functions

    def close_servers(self) -> None:
        """Ends the servers that were started here."""
        if "_own_servers" in vars(self):
            self._own_servers.close()

    @cached_property
    def _own_servers(self) -> ServerFunctions:
        return server_functions(self.paths, self._warn)

    def _warn(self, text: str) -> None:
        self.events.emit(Event(kind="warning", data={"text": text}))

    @property
    def mark(self) -> dict[str, bool]:
        """What a run notes of itself when its code is not confined, else {}."""
        return {UNSANDBOXED: True} if self.settings.unsandboxed else {}

    @property
    def uses_model(self) -> bool:
        """Whether a language model decides."""
        # Only a learner of language models bounds episodes itself, by tokens and money.
        return hasattr(self.learner, "limits")
