"""What a person approved: servers, each for one workspace, and of each the tools as they were seen then.

It is kept in one file outside any workspace, in a folder that is left out wherever a folder is worked on. No server
gets leave to write there, and code in the sandbox does not see it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from evolve.core.episodes import Json
from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import replace_file, write_private_text
from evolve.runtime.functions.function import UNKNOWN, Effect, Function
from evolve.runtime.functions.permission import Grant
from evolve.runtime.functions.servers.server import Server, server_of

_STRICTEST: tuple[Grant, ...] = ("deny", "ask", "allow", "trust")


@dataclass(frozen=True, kw_only=True)
class ToolPin:
    """A tool as it was allowed, whole, so that what may be called is known before its server is started.

    Attributes:
        digest: Of the function that it was then; see :attr:`~evolve.runtime.functions.Function.digest`.
        effects: What a call may do, as the person says; where they did not, what is assumed of the unknown.
        repeatable: Whether the person says that a second call does no more than the first.
        grants: By effect; where there is none, the person is asked.
        name: As code calls it; "" where an earlier version kept the digest alone.
        description: What the server said of it then.
        parameters: JSON Schema of its arguments.
        returns: JSON Schema of what it gives; empty where the server stated none.
    """

    digest: str
    effects: frozenset[Effect] = UNKNOWN
    repeatable: bool = False
    grants: Mapping[Effect, Grant] = field(default_factory=dict)
    name: str = ""
    description: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict)
    returns: Mapping[str, Json] = field(default_factory=dict)

    @classmethod
    def from_function(cls, function: Function, grants: Mapping[Effect, Grant] | None = None) -> ToolPin:
        """A tool that is allowed as it is now."""
        return cls(
            digest=function.digest,
            effects=function.effects,
            repeatable=function.repeatable,
            grants=grants or {},
            name=function.name,
            description=function.description,
            parameters=function.parameters,
            returns=function.returns,
        )

    def approved_function(self, server: str) -> Function | None:
        """The function that was allowed; None where an earlier version kept its digest alone.

        Raises:
            UsageError: There can be no such function.
        """
        if not self.name:
            return None
        return Function(
            name=self.name,
            description=self.description,
            parameters=self.parameters,
            returns=self.returns,
            effects=self.effects,
            repeatable=self.repeatable,
            source=server,
        )

    def grant_for(self, effect: Effect) -> Grant:
        """What was said about an effect."""
        return self.grants.get(effect, "ask")

    @property
    def overall_grant(self) -> Grant:
        """What that comes to for a call, which needs leave for each of its effects."""
        return min(map(self.grant_for, self.effects), key=_STRICTEST.index, default="trust")


@dataclass(frozen=True, kw_only=True)
class ServerApproval:
    """One server that may be started for one workspace.

    Attributes:
        at: When it was approved.
        tools: By the name that the server gives them.
    """

    server: Server
    at: str = ""
    tools: Mapping[str, ToolPin] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ApprovalHome:
    """The workspace that an approval is for: both its path and what is written in it must be the same."""

    path: str
    id: str


class Approvals:
    """The file of approvals, as one workspace sees it.

    Args:
        folder: Where the file lies; made when something is approved.
        home: Whose approvals are seen and changed.

    Raises:
        WorkspaceError: The file cannot be understood, or somebody else could have written it.
    """

    def __init__(self, folder: Path, home: ApprovalHome) -> None:
        self._folder, self._home = folder, home

    @property
    def file(self) -> Path:
        return self._folder / "tools.json"

    def list_approvals(self) -> Sequence[ServerApproval]:
        """Those of this workspace, by name."""
        return [_approval(entry, str(self.file)) for entry in self._entries() if self._is_ours(entry)]

    def approval_of(self, name: str) -> ServerApproval | None:
        """That of a server; None where it was not approved."""
        return next((approval for approval in self.list_approvals() if approval.server.name == name), None)

    def save(self, approval: ServerApproval) -> None:
        """Approves a server in place of whatever had its name.

        Raises:
            UsageError: It could write where approvals are kept.
        """
        own = os.path.realpath(self._folder)
        for path in approval.server.writable:
            if os.path.commonpath([own, os.path.realpath(path)]) in (own, os.path.realpath(path)):
                raise UsageError(
                    f"{path} holds what you approve ({own}), so no server may write there",
                    hint="name a folder inside it",
                )
        with self._changing() as entries:
            entries[:] = [entry for entry in entries if not self._is_named(entry, approval.server.name)]
            entries.append({"workspace": asdict(self._home), **_entry(approval)})

    def remove(self, name: str) -> bool:
        """Takes an approval back; False where there was none."""
        with self._changing() as entries:
            before = len(entries)
            entries[:] = [entry for entry in entries if not self._is_named(entry, name)]
            return len(entries) < before

    def _is_ours(self, entry: Any) -> bool:
        return isinstance(entry, dict) and entry.get("workspace") == asdict(self._home)

    def _is_named(self, entry: Any, name: str) -> bool:
        return self._is_ours(entry) and entry.get("name") == name

    def _entries(self) -> list[Any]:
        try:
            text = write_private_text(self.file)
            entries = [] if text is None else json.loads(text)["approvals"]
            if not isinstance(entries, list):
                raise TypeError
        except (ValueError, TypeError, KeyError, RecursionError, UsageError) as error:
            raise WorkspaceError(
                f"{self.file} cannot be understood", hint="remove it, and approve your servers again"
            ) from error
        return entries

    @contextmanager
    def _changing(self) -> Iterator[list[Any]]:
        """The entries, to be changed by one process at a time; written when the block ends without an error."""
        import fcntl  # there is none on Windows

        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        lock = os.open(self._folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            entries = self._entries()
            yield entries
            with replace_file(self.file, mode=0o600) as stream:
                stream.write(json.dumps({"approvals": entries}, indent=1).encode("ascii"))
        finally:
            os.close(lock)


def with_pins(approval: ServerApproval, pins: Mapping[str, ToolPin]) -> ServerApproval:
    """The approval with these tools allowed besides, or instead of those of the same names."""
    # a name that code calls may have become that of another tool since
    taken = {pin.name for pin in pins.values() if pin.name}
    kept = {tool: pin for tool, pin in approval.tools.items() if pin.name not in taken}
    return replace(approval, tools={**kept, **pins})


def _entry(approval: ServerApproval) -> dict[str, Any]:
    tools = {
        name: {**asdict(pin), "effects": sorted(pin.effects), "grants": dict(pin.grants)}
        for name, pin in approval.tools.items()
    }
    server = approval.server
    identity = {"name": server.name, "digest": server.digest, "at": approval.at}
    return {**identity, "server": server.to_json(), "tools": tools}


def _approval(entry: Mapping[str, Any], place: str) -> ServerApproval:
    from pydantic import TypeAdapter, ValidationError

    server = server_of(str(entry.get("name")), entry.get("server"), place)
    try:
        tools = TypeAdapter(dict[str, ToolPin]).validate_python(entry.get("tools"))
        whole = [(pin.digest, made) for pin in tools.values() if (made := pin.approved_function(server.name))]
    except (ValidationError, UsageError) as error:
        why = f"{place}: the tools of {server.name} cannot be understood"
        raise WorkspaceError(why, hint=f"evolve tools remove {server.name}") from error
    if entry.get("digest") != server.digest or any(digest != made.digest for digest, made in whole):
        raise WorkspaceError(
            f"{place}: {server.name} is not what was approved", hint=f"evolve tools remove {server.name}"
        )
    return ServerApproval(server=server, at=str(entry.get("at", "")), tools=tools)
