"""How a session works, and the workspace that it opens for that."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from evolve.workspace import Approve, ConversationOptions, LearnMode

if TYPE_CHECKING:
    from evolve.workspace import EventSink, KeptServers, Workspace


@dataclass(frozen=True, kw_only=True)
class ChatSetup:
    """How a session works; what the person changes on the way replaces it.

    Attributes:
        workspace: The folder of the workspace, or None for the one found from here.
        folder: The folder that is worked in, or "".
        check: The command that decides there.
        model: As for ``evolve run``.
        settings: Those of the workspace that other values hold for.
        plain: Plain lines were asked for.
        learn: What is learned from a turn; None leaves it to the settings.
        servers: Servers of tools, which go on from turn to turn.
    """

    workspace: str | None = None
    folder: str = ""
    check: str = ""
    python: str | None = None
    model: str | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    approve: Approve = "ask"
    plain: bool = False
    learn: LearnMode | None = None
    servers: KeptServers | None = None

    @property
    def is_unsandboxed(self) -> bool:
        """Whether code runs unconfined."""
        return self.settings.get("sandbox") == "none"

    @property
    def learn_command(self) -> str:
        """The command that learns from what a session left, with the model that was named here."""
        return f"evolve learn --model {shlex.quote(self.model)}" if self.model else "evolve learn"

    @property
    def conversation_options(self) -> ConversationOptions:
        """What a conversation keeps of it."""
        return ConversationOptions(check=self.check, python=self.python, model=self.model, learn=self.learn)


def open_workspace(setup: ChatSetup, events: EventSink | None = None, *, read_only: bool = False) -> Workspace:
    """The workspace of a session, which the caller closes."""
    from evolve.workspace import Options, Workspace

    options = Options(
        model=setup.model, events=events, read_only=read_only, settings=setup.settings, servers=setup.servers
    )
    return Workspace(setup.workspace, options)
