"""What stands behind the functions of a server, by its kind; a kind is built in or comes from a package."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.core.extensions import extension_names, find, install_hint
from evolve.runtime.functions.servers.offers import ListedTool
from evolve.runtime.functions.servers.server import Server, ServerDescription

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal


class Process(Protocol):
    """A local program that runs; its pipes are descriptors that do not block."""

    @property
    def stdin(self) -> int: ...

    @property
    def stdout(self) -> int: ...

    @property
    def stderr(self) -> int: ...

    def end_input(self) -> None:
        """It is sent nothing, or nothing more."""
        ...

    def status(self, seconds: float) -> int | None:
        """What it ended with; None where it runs on after so many seconds."""
        ...

    def close(self) -> None:
        """Ends it with all it started; closing twice is no error."""
        ...


class ProcessStart(Protocol):
    """Starts a local program, confined to what was approved."""

    def __call__(self, server: Server, variables: Mapping[str, str], *, argv: Sequence[str] = ()) -> Process:
        """Starts it with these variables.

        Args:
            argv: Its command where that is not as it was approved word for word, as with values in its places.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class ServerCall:
    """One call.

    Attributes:
        tool: As the server calls it.
        name: As code calls it, for the sentence where it fails.
    """

    tool: str
    name: str
    arguments: Mapping[str, Json]


class Provider(Protocol):
    """What stands behind the functions of one server."""

    @property
    def server(self) -> Server: ...

    @property
    def is_stale(self) -> bool:
        """Whether it said that it lists other tools now, and was not asked since."""
        ...

    @property
    def is_running(self) -> bool:
        """Whether it can be called without being started, or is nothing that is."""
        ...

    def tools(self, seconds: float) -> Sequence[ListedTool]:
        """What it lists now; the same value as long as that has not changed.

        Raises:
            CallFailed: It cannot be started, reached or read.
        """
        ...

    def call(self, asked: ServerCall, listed: Sequence[ListedTool], seconds: float) -> Json:
        """Calls a tool of what :meth:`tools` gave.

        Raises:
            CallFailed: It did not do it, or nobody knows.
        """
        ...

    def close(self) -> None:
        """Ends what it started; closing twice is no error."""
        ...


@runtime_checkable
class ServerKind(ServerDescription, Protocol):
    """One kind of server, as one value.

    What a person approves, allows and is asked for, how calls are bounded, kept and cleaned of secrets is the same for
    all kinds, and none of it is up to a kind.
    """

    def approval_lines(self, server: Server) -> Sequence[tuple[str, str]]:
        """What a person is shown before they approve it: labels of up to nine letters, and texts.

        A setting that is left out here is shown by its name.
        """
        ...

    def open(self, server: Server, start: ProcessStart, portal: Callable[[], BlockingPortal]) -> Provider:
        """What stands behind its functions; nothing is started or reached before that is asked for something.

        Args:
            start: Starts a program in the sandbox.
            portal: Gives the thread for what is asynchronous.
        """
        ...


def server_kind(name: str) -> ServerKind:
    """The kind with this name.

    Raises:
        UsageError: Nobody offers it.
    """
    kind: ServerKind | None = find("functions", name, ServerKind)
    if kind is None:
        hint = (
            install_hint(f"kind {name}")
            or f"one of {', '.join(extension_names('functions'))}, or install the package that has it"
        )
        raise UsageError(f"there are no tools of the kind {name[:80]!r}", hint=hint)
    return kind


def missing_kind_reason(name: str) -> str:
    """Why there are no tools of a kind, and what helps, in one phrase; "" where there are."""
    try:
        server_kind(name)
    except UsageError as error:
        return f"{error} ({error.hint})"
    return ""
