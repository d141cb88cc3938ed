"""How a workspace is opened: settings that hold for one opening only, and the models that it uses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, get_args

from evolve.core.errors import UsageError
from evolve.core.settings import LIMITS, SandboxBackend, Settings, setting_fields, setting_of
from evolve.workspace.arguments import check_arguments

if TYPE_CHECKING:
    from evolve.core.events import EventSink
    from evolve.core.paths import WorkspacePaths
    from evolve.policies.base import BasePolicy
    from evolve.runtime.functions.servers import ServerFunctions
    from evolve.runtime.models import Recording
    from evolve.trials.learner import Learner


class SafetyOptions(TypedDict, total=False):
    """What of :class:`Options` a person says for one time: about trust in code and workspaces, and settings."""

    sandbox: str | None
    settings: Mapping[str, str] | None
    trust: bool


@dataclass(frozen=True, kw_only=True)
class KeptServers:
    """Servers that outlast openings of their workspace, as turns of a conversation are; for ``Options(servers=...)``.

    A context manager. None runs before a tool of it was called.

    Attributes:
        root: Of the workspace that they were approved for.
    """

    root: Path
    functions: ServerFunctions

    def close(self) -> None:
        """Ends them; closing twice is no error."""
        self.functions.close()

    def __enter__(self) -> KeptServers:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()


@check_arguments()
@dataclass(frozen=True, kw_only=True)
class Options:
    """How a workspace is opened.

    Attributes:
        policy: A policy or learner to use instead of program search.
        model: A language model to use instead, or a recording of its exchanges; "" for none, None for that of the
            settings.
        events: Told what happens while it happens.
        read_only: Looks only, at the state of the moment in which it is opened.
        sandbox: A backend for this time only. ``none`` confines nothing and needs ``EVOLVE_UNSAFE=I_UNDERSTAND``.
        settings: Settings for this time only, each as text, such as ``{"learn": "off"}``.
        trust: Believe the workspace from now on, though somebody else may have made it.
        servers: Servers of tools that go on running when it is closed, from ``evolve.workspace.servers(PATH).kept()``.
    """

    policy: BasePolicy | Learner | None = None
    model: str | Recording | None = None
    events: EventSink | None = None
    read_only: bool = False
    sandbox: str | None = None
    settings: Mapping[str, str] | None = None
    trust: bool = False
    servers: KeptServers | None = None

    @property
    def overrides(self) -> Mapping[str, str]:
        """The settings for this time only, with the backend."""
        return {**(self.settings or {}), **({} if self.sandbox is None else {"sandbox": self.sandbox})}

    def check(self, paths: WorkspacePaths) -> None:
        """Raises :class:`UsageError` where the servers were approved for another workspace."""
        if self.servers is not None and self.servers.root != paths.root:
            raise UsageError(
                f"the servers are those of {self.servers.root}, not of {paths.root}",
                hint=f"evolve.workspace.servers({str(paths.root)!r}).kept()",
            )


def setting_names() -> tuple[str, ...]:
    """The settings that can be overridden; the model is no setting here, since it is named by itself."""
    return tuple(item.name for item in setting_fields() if item.name != "model")


def override_settings(settings: Settings, values: Mapping[str, str] | None) -> Settings:
    """The settings with others in place of some, each given as text.

    A limit on spending holds beside the one that is there. Only here can the sandbox be ``none``.

    Raises:
        UsageError: There is no such setting, or it has no such value.
    """
    for name, text in (values or {}).items():
        if name not in setting_names():
            raise UsageError(f"there is no setting {name!r}", hint=f"one of {', '.join(setting_names())}")
        settings = _overridden(settings, name, text)
    return settings


def _overridden(settings: Settings, name: str, text: str) -> Settings:
    sources = {**settings.sources, name: f"--set {name}"}
    if name == "sandbox":
        known = (*get_args(SandboxBackend), "none")
        if text not in known:
            raise UsageError(f"no sandbox backend {text!r}", hint=f"one of {', '.join(known)}")
        if text == "none":
            return replace(settings, unsandboxed=True, sources=sources)
    changed = setting_of(name, text, place=f"--set {name}")
    before = getattr(settings, name)
    if name in LIMITS and before:  # both hold, so nothing that is typed lifts what the workspace says
        changed = {name: f"{before} {text}"}
    return replace(settings, **changed, sources=sources)
