"""How a workspace is opened: settings that hold for one opening only, and the models that it uses."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, get_args

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import named_path, read_text, write_atomic
from evolve.core.ledger import Budget, Ledger
from evolve.core.prompts import PromptLayers
from evolve.core.settings import LIMITS, SandboxBackend, Settings, limit_of, setting_fields, setting_of
from evolve.workspace.arguments import check_arguments
from evolve.workspace.opening import cache_folder

if TYPE_CHECKING:
    from evolve.core.events import EventSink
    from evolve.core.ledger import LimitedLedger
    from evolve.core.paths import WorkspacePaths
    from evolve.policies.base import BasePolicy
    from evolve.runtime.functions.servers import ServerFunctions
    from evolve.runtime.models import ModelSetup, Recording
    from evolve.trials.learned_state import Learner


class Safety(TypedDict, total=False):
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


_MODEL_LINE = re.compile(r"^[ \t]*(?:#[ \t]*)?model[ \t]*=.*$", re.MULTILINE)


def model_setup(
    paths: WorkspacePaths,
    settings: Settings,
    *,
    model: str | None = None,
    recording: Recording | None = None,
) -> ModelSetup:
    """What :func:`evolve.runtime.models.open_models` needs in a workspace.

    Args:
        model: Instead of the common model of the settings; the roles of the settings then do not count.
        recording: Where exchanges are recorded or replayed from, or None.
    """
    from evolve.runtime.models import Deadlines, ModelSetup

    return ModelSetup(
        model=settings.model if model is None else model,
        roles=settings.role_models if model is None else {},
        base_url=settings.base_url,
        meter=within_spending_limits(paths, settings, Ledger(Budget())),
        prices=paths.prices,
        abilities=cache_folder() / "endpoints.json",
        layers=PromptLayers(workspace=paths.prompts),
        # A reply that streams may be as late as any other: a slow model thinks, or reads, before its first piece.
        deadlines=Deadlines(idle=settings.reply_seconds, total=settings.reply_seconds),
        seed=settings.seed,
        recording=recording,
        folders=(paths.root, Path.cwd()),
    )


def model_or_recording(model: str | None, record: str | None, replay: str | None) -> str | Recording | None:
    """The model, with the recording that the options ``--record`` and ``--replay`` name, where one of them is given.

    Raises:
        UsageError: Both are given, or there is nothing to replay.
    """
    if record and replay:
        raise UsageError("--record asks the endpoint and --replay does not", hint="leave one of them out")
    if not (record or replay):
        return model
    from evolve.runtime.models import Recording

    place = named_path(record or replay or "")
    recording = Recording(place=place, mode="reuse" if record else "only", model=model)
    recording.open()  # what is wrong with it is told before anything is made
    return recording


def within_spending_limits(paths: WorkspacePaths, settings: Settings, run: Ledger) -> Ledger | LimitedLedger:
    """The run's ledger inside the limits of the day and the workspace; just the ledger where there are none."""
    day, total = limit_of(settings.day_limit), limit_of(settings.total_limit)
    if day.unlimited and total.unlimited:
        return run
    from evolve.core.ledger import LimitedLedger, SpendingLimits

    return LimitedLedger(run, SpendingLimits(paths.spending, day=day, total=total))


def set_default_model(paths: WorkspacePaths, model: str) -> Path:
    """Writes ``model = ...`` into the workspace's ``evolve.toml``; everything else in it stays. "" unsets it.

    Raises:
        UsageError: The text names no model.
        WorkspaceError: The settings are in a pyproject.toml, which is not changed here, or cannot be written.
    """
    from evolve.runtime.models import parse_model

    for name in filter(str.strip, model.split(",")):
        parse_model(name, {})
    if not paths.marker.is_file():
        raise WorkspaceError(
            f"the settings of {paths.root} are not in {paths.marker.name}, so they are left alone",
            hint=f'write model = "{model}" under [tool.evolve] in {paths.root / "pyproject.toml"}',
        )
    try:
        text = read_text(paths.marker)
    except UsageError as error:
        raise WorkspaceError(str(error), hint=error.hint) from error
    # A JSON string is a TOML string too.
    line = f"model = {json.dumps(model, ensure_ascii=False)}" if model else '# model = ""'
    # By a function: in a text, re would read backslashes of the name as escapes.
    body, count = _MODEL_LINE.subn(lambda match: line, text, count=1)
    if not count:
        # A key before the first table belongs to the file; with [evolve] as the only table it belongs in there.
        body = re.sub(r"(?m)^(\[evolve\][^\n]*)$", lambda match: f"{match[1]}\n{line}", text, count=1)
        if body == text:
            body = f"{line}\n{text}"
    write_atomic(paths.marker, body.encode())
    return paths.marker
