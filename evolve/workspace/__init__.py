"""The composition root: one open workspace, with everything wired."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evolve.episodes import Ambiguity
    from evolve.events import EventSink
    from evolve.models import Recording
    from evolve.policies.protocol import Policy
    from evolve.record import Learner
    from evolve.workspace.facade import Options, Workspace
    from evolve.workspace.runs.person import Person
    from evolve.workspace.runs.result import Result

__all__ = ["Ambiguity", "Options", "Person", "Result", "Workspace", "open"]


def open(
    path: str | os.PathLike[str] | None = None,
    *,
    policy: Policy | Learner | None = None,
    model: str | Recording | None = None,
    events: EventSink | None = None,
    read_only: bool = False,
    sandbox: str | None = None,
) -> Workspace:
    """Opens a workspace.

    Args:
        path: Its folder; it is made when missing. None means ``EVOLVE_WORKSPACE``, else the nearest
            marked folder above this one, else the user's own workspace.
        policy: What decides, instead of program search.
        model: A language model to use instead: NAME, ``openai:NAME`` or ``http://host/v1#NAME``; "" for none; None
            for that of the settings, if they name one. Or an ``evolve.models.Recording`` of one, to record or replay.
        events: Told what happens while it happens.
        read_only: Looks only; may be used while another process writes.
        sandbox: A backend for this time only; ``none`` confines nothing, needs ``EVOLVE_UNSAFE=I_UNDERSTAND`` in the
            environment as well, and marks what is learned.

    Raises:
        WorkspaceBusy: Another process writes to it.
        WorkspaceError: It cannot be written, the disk is full, or a newer version made it.
    """
    from evolve.workspace.facade import Options, Workspace

    return Workspace(path, Options(policy=policy, model=model, events=events, read_only=read_only, sandbox=sandbox))


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in ("Options", "Workspace"):
        from evolve.workspace import facade

        return getattr(facade, name)
    if name == "Person":
        from evolve.workspace.runs.person import Person

        return Person
    if name == "Ambiguity":
        from evolve.episodes import Ambiguity

        return Ambiguity
    if name == "Result":
        from evolve.workspace.runs.result import Result

        return Result
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
