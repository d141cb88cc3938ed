"""The open parts of a workspace as one value, for the code that drives runs and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evolve.core.events import Event, EventSink

if TYPE_CHECKING:
    from evolve.agent.workflow import Workflow
    from evolve.core.paths import WorkspacePaths
    from evolve.core.settings import Settings
    from evolve.core.store import WriterLock
    from evolve.runtime.functions.servers import ServerFunctions
    from evolve.runtime.models import Recording
    from evolve.runtime.sandbox import Sandbox
    from evolve.tasks import RubricVerifier, Task
    from evolve.trials.learner import Learner
    from evolve.trials.repositories import Repositories
    from evolve.workspace.judging import Judge
    from evolve.workspace.options import KeptServers
    from evolve.workspace.resources.evaluators import Criteria
    from evolve.workspace.resources.folders import Folders
    from evolve.workspace.resources.preferences import Comments, Preferences
    from evolve.workspace.resources.tools import Tools


@dataclass(frozen=True, kw_only=True)
class WorkspaceServices:
    """What a workspace was opened with, and the parts that runs and loops work with, made when they are asked for.

    Attributes:
        model: The model that was named when it was opened, or a recording of one; None for that of the settings.
        open_sandbox: Gives the sandbox of this process, opened once; raises ``SandboxUnavailable``.
        finish: Closes a run, by id and state, once its result is on record and shown.
        kept: Servers that outlast this opening, if whoever opened it keeps some.
        shows: Whether results have still to be shown, so that nothing is to be learned from them yet.
        lock: Held by the one process that goes on with a loop, or learns.
    """

    paths: WorkspacePaths
    settings: Settings
    learner: Learner
    model: str | Recording | None
    events: EventSink
    stores: Repositories
    open_sandbox: Callable[[], Sandbox]
    finish: Callable[..., None]
    shows: Callable[[], bool]
    lock: WriterLock
    kept: KeptServers | None = None

    @cached_property
    def workflow(self) -> Workflow:
        """The workflow in force outside of variants: the workspace's file, else the seed."""
        from evolve.agent.workflow import parse_workflow
        from evolve.core.prompts import PromptLayers, load_prompt

        return parse_workflow(load_prompt("workflow.toml", PromptLayers(workspace=self.paths.prompts)))

    @cached_property
    def preferences(self) -> Preferences:
        """What the person wants."""
        from evolve.workspace.resources.preferences import Preferences

        return Preferences(self.stores.memory.preferences, self.stores.runs, self.learner)

    @cached_property
    def rubric_judge(self) -> Judge:
        """The model that judges, and what it was found to be worth."""
        from evolve.workspace.judging import Judge

        return Judge(self.stores.decisions, self.learner, self.paths)

    @property
    def judge(self) -> Callable[[Task], RubricVerifier] | None:
        """Makes the verifier that judges by a task's rubric; None where no model can."""
        return self.rubric_judge.calibrated_verifier if hasattr(self.learner, "judge") else None

    @cached_property
    def comments(self) -> Comments:
        """What people say about runs."""
        from evolve.workspace.resources.preferences import Comments

        return Comments(self.stores.memory.preferences, self.stores.runs)

    @cached_property
    def criteria(self) -> Criteria:
        """What packages tell right answers apart by."""
        from evolve.workspace.resources.evaluators import Criteria

        return Criteria(self)

    @cached_property
    def folders(self) -> Folders:
        """What runs would change in folders."""
        from evolve.workspace.resources.folders import Folders

        return Folders(self.paths.runs, self.stores.runs, self.stores.objects)

    @cached_property
    def tools(self) -> Tools:
        """Functions that code actions may call."""
        from evolve.workspace.resources.tools import Tools

        return Tools(self.servers, self._warn, self.stores.db)

    def servers(self) -> ServerFunctions:
        """The functions of the servers that are approved by now; none is started before one of its own is called."""
        from evolve.workspace.resources.servers import approved_servers

        functions = self._own_servers if self.kept is None else self.kept.functions
        functions.use_approvals(approved_servers(self.paths))
        return functions

    def close_servers(self) -> None:
        """Ends the servers that were started here."""
        if "_own_servers" in vars(self):
            self._own_servers.close()

    @cached_property
    def _own_servers(self) -> ServerFunctions:
        from evolve.workspace.resources.servers import server_functions

        return server_functions(self.paths, self._warn)

    def _warn(self, text: str) -> None:
        self.events.emit(Event(kind="warning", data={"text": text}))

    @property
    def sandbox_mark(self) -> dict[str, bool]:
        """What a run notes of itself when its code is not confined, else {}."""
        from evolve.runtime.sandbox import UNSANDBOXED

        return {UNSANDBOXED: True} if self.settings.unsandboxed else {}

    @property
    def uses_model(self) -> bool:
        """Whether a language model decides."""
        # Only a learner of language models bounds episodes itself, by tokens and money.
        return hasattr(self.learner, "limits")
