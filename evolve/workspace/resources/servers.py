"""``evolve.workspace.servers``: the tool servers of a workspace, what a person approved of them, and a call by hand."""

from __future__ import annotations

import builtins
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, cast, get_args

from evolve.agent import FunctionCounts
from evolve.core.errors import SetupProblem, UsageError
from evolve.core.paths import WorkspacePaths, approvals_folder
from evolve.core.redaction import Scanner
from evolve.core.settings import proposed_servers
from evolve.runtime.functions import (
    EFFECTS,
    AskConsent,
    CallFailed,
    CallGate,
    CallLimits,
    CallsInMemory,
    Effect,
    Function,
    Grant,
    Permission,
)
from evolve.runtime.functions.servers import (
    ApprovalHome,
    Approvals,
    OfferedTool,
    Process,
    Server,
    ServerApproval,
    ServerFunctions,
    ToolPin,
    server_environment,
    server_kind,
    server_of,
    with_pins,
)
from evolve.workspace.locating import choose_workspace, trusted_workspace, workspace_number
from evolve.workspace.opening import function_counts, utc_now
from evolve.workspace.options import KeptServers
from evolve.workspace.resources.base import Resource
from evolve.workspace.secrets import scanner_of

ServerState = Literal["proposed", "approved", "changed"]
"""The settings name it and nobody approved it; it is as it was approved; the settings say something else now, so it is
not started before that is approved too."""


@dataclass(frozen=True, kw_only=True)
class KnownServer:
    """A server that the settings propose, or that was approved.

    Attributes:
        server: As it is proposed where the settings name it, else as it was approved.
        tools: Those that were allowed.
        counts: In how many tasks each of them was shown, called and of help, as it is.
    """

    server: Server
    state: ServerState
    tools: Mapping[str, ToolPin]
    counts: Mapping[str, FunctionCounts] = field(default_factory=dict)


class Servers(Resource):
    """Tool servers of a workspace that is not open, and need not be there.

    Args:
        place: As for :func:`evolve.open`.
    """

    def __init__(self, place: str | os.PathLike[str] | None = None) -> None:
        self._place = place

    def list(self) -> builtins.list[KnownServer]:
        """All servers by name; none is started.

        Raises:
            WorkspaceError: A proposal, or the file of approvals, is malformed.
        """
        paths = self._paths()
        approved = {approval.server.name: approval for approval in _approvals(paths).list_approvals()}
        proposed = _proposed(paths)
        counts = function_counts(paths) if approved else {}
        known = []
        for name in sorted({*approved, *proposed}):
            server, approval = proposed.get(name), approved.get(name)
            if approval is None:
                known.append(KnownServer(server=cast(Server, server), state="proposed", tools={}))
            else:
                state: ServerState = "approved" if server in (None, approval.server) else "changed"
                used = {tool: counts.get(pin.digest, FunctionCounts()) for tool, pin in approval.tools.items()}
                server = server or approval.server
                known.append(KnownServer(server=server, state=state, tools=approval.tools, counts=used))
        return known

    def proposed_server(self, name: str) -> Server:
        """A server as the workspace's settings describe it.

        Raises:
            UsageError: They name none of that name.
        """
        found = _proposed(self._paths()).get(name)
        if found is None:
            raise UsageError(
                f"no settings here name a server {name!r}", hint=f"evolve tools add {name} -- PROGRAM ARGUMENT..."
            )
        return found

    def add(self, server: Server) -> Sequence[OfferedTool]:
        """Approves a server for this workspace, starts it, and allows the tools that it lists, each to be asked for.

        Whoever calls this has seen everything about the server. What had its name before is forgotten.

        Raises:
            UsageError: It could write where approvals are kept, or nobody offers its kind.
            EnvironmentProblem: It was approved and cannot be started.
        """
        server_kind(server.kind)
        paths = choose_workspace(self._place).paths
        approvals, approval = _approvals(paths), ServerApproval(server=server, at=utc_now())
        approvals.save(approval)
        offers = self.check(server.name)
        pins = {
            offer.tool: ToolPin.from_function(offer.function)
            for offer in offers
            if offer.function and offer.state == "new"
        }
        approvals.save(with_pins(approval, pins))
        return [
            replace(offer, state="allowed", pin=pins[offer.tool]) if offer.tool in pins else offer for offer in offers
        ]

    def check(self, name: str) -> Sequence[OfferedTool]:
        """Starts an approved server and tells what it lists, beside what was allowed.

        Of tools that an earlier version allowed, the description is kept from now on where it is what was allowed then.

        Raises:
            UsageError: It was not approved as it is.
            EnvironmentProblem: It cannot be started.
        """
        approval = self._approved(name)
        with self._functions([approval]) as functions:
            try:
                offers = functions.offered_tools(name)
            except CallFailed as failure:
                raise SetupProblem(str(failure), hint=f"evolve tools add {name}, with what it lacks") from failure
        whole = {
            offer.tool: ToolPin.from_function(offer.function, offer.pin.grants)
            for offer in offers
            if offer.function and offer.pin and offer.state == "allowed" and not offer.pin.name
        }
        if whole:
            _approvals(self._paths()).save(with_pins(approval, whole))
        return offers

    def allow(
        self,
        name: str,
        tools: Sequence[str] = (),
        *,
        effects: Sequence[str] | None = None,
        repeatable: bool | None = None,
        grants: Mapping[str, str] | None = None,
        agreed: Callable[[Sequence[OfferedTool]], bool] = lambda _: True,
    ) -> Sequence[OfferedTool]:
        """Allows tools of an approved server as it lists them now, and says what their calls may do.

        Args:
            tools: By either name; none means those that are new or changed.
            effects, repeatable: As the person says; None leaves what was said before, or is assumed of the unknown.
            grants: ``ask``, ``allow``, ``trust`` or ``deny`` by effect; ``"*"`` stands for all of a tool's.
            agreed: Shown what will be allowed before it is.

        Raises:
            UsageError: There is no such tool, effect or grant, or the tool cannot be called.
        """
        _refuse_unknown((*(effects or ()), *(set(grants or ()) - {"*"})), EFFECTS, "effect")
        _refuse_unknown(tuple((grants or {}).values()), get_args(Grant), "grant")
        approval = self._approved(name)
        chosen = _chosen(self.check(name), tools)
        said = [_said(approval.server, offer, effects, repeatable, grants or {}) for offer in chosen]
        if not said or not agreed(said):
            return []
        _approvals(self._paths()).save(with_pins(approval, {o.tool: o.pin for o in said if o.pin}))
        return said

    def call(
        self, name: str, arguments: Mapping[str, Any], *, ask: AskConsent | None = None, seconds: float = 60.0
    ) -> Any:
        """Calls one function of an approved server, through the gate that calls of code pass.

        Args:
            name: Of the function, such as ``shop_price``.
            ask: Asks the person where they neither allowed nor denied it; None means that they are not there.

        Raises:
            UsageError: There is no such function, or the call was refused.
            EnvironmentProblem: It was made and failed, or the server cannot be started.
        """
        server = name.partition("_")[0]
        approval, paths = self._approved(server), self._paths()
        known = Scanner((*scanner_of(paths).known, *server_environment(approval.server, os.environ)))
        with self._functions([approval]) as functions:
            record, leave = CallsInMemory(), Permission(functions.grant_of, ask)
            gate = CallGate([functions], record, leave, CallLimits(seconds=seconds), clean=known.redact_value)
            if why := functions.troubles.get(server):
                raise UsageError(f"{name} is not offered: {why}", hint=f"evolve tools check {server}")
            frame = json.dumps({"function": name, "arguments": dict(arguments)}).encode("ascii")
            answer = json.loads(gate.answer_frame(frame))
        if "error" not in answer:
            return answer["value"]
        ended = {known.state for _, known in record.calls.values() if known is not None}
        if ended <= {"refused"}:
            raise UsageError(answer["error"], hint=f"evolve tools check {server}")
        unsure = "; it may have been done all the same" if "doubtful" in ended else ""
        raise SetupProblem(f"{answer['error']}{unsure}", hint=f"evolve tools check {server}")

    def keep_running(self, tell: Callable[[str], None] = lambda text: None) -> KeptServers:
        """Servers that go on running while the workspace is closed and opened again; see :class:`KeptServers`.

        Args:
            tell: Told in a sentence of each tool that turns out to be another one than was allowed.
        """
        paths = self._paths()
        return KeptServers(root=paths.root, functions=server_functions(paths, tell))

    def remove(self, name: str) -> bool:
        """Takes back what was approved of a server; False where there was nothing."""
        return _approvals(self._paths()).remove(name)

    def _approved(self, name: str) -> ServerApproval:
        known = {one.server.name: one for one in self.list()}
        if name not in known:
            raise UsageError(f"there is no server {name!r}", hint="evolve tools list")
        if known[name].state != "approved":
            why = "was never approved" if known[name].state == "proposed" else "is not as it was approved"
            raise UsageError(f"server {name} {why}", hint=f"evolve tools add {name}")
        server_kind(known[name].server.kind)
        return cast(ServerApproval, _approvals(self._paths()).approval_of(name))

    @contextmanager
    def _functions(self, approved: Sequence[ServerApproval]) -> Iterator[ServerFunctions]:
        functions = ServerFunctions(approved, partial(start_server, paths=self._paths()))
        try:
            yield functions
        finally:
            functions.close()

    def _paths(self) -> WorkspacePaths:
        return trusted_workspace(self._place)


def servers(path: str | os.PathLike[str] | None = None) -> Servers:
    """The tool servers of a workspace, which need not be open.

    Args:
        path: As for :func:`evolve.open`.
    """
    return Servers(path)


def server_functions(paths: WorkspacePaths, tell: Callable[[str], None]) -> ServerFunctions:
    """The functions of a workspace's servers, none of which is approved before :func:`approved_servers` is taken
    over.
    """
    return ServerFunctions((), partial(start_server, paths=paths), tell)


def approved_servers(paths: WorkspacePaths) -> Sequence[ServerApproval]:
    """The servers that a person approved for this workspace and that its settings do not describe otherwise."""
    proposed = _proposed(paths)
    return [
        one for one in _approvals(paths).list_approvals() if proposed.get(one.server.name, one.server) == one.server
    ]


def start_server(
    server: Server, variables: Mapping[str, str], *, argv: Sequence[str] = (), paths: WorkspacePaths | None = None
) -> Process:
    """Starts a local server in the sandbox, with what was approved and no more.

    Args:
        argv: Its command where that is not as it was approved word for word.
        paths: The workspace, whose record and settings no server reads or changes, wherever they lie.
    """
    from evolve.runtime.sandbox import ServerNeeds, ServerProcess

    own = (approvals_folder(), *((paths.store, paths.marker) if paths is not None else ()))
    return ServerProcess(
        ServerNeeds(
            argv=argv or server.command,
            variables=variables,
            readable=server.readable,
            writable=server.writable,
            shielded=[os.path.realpath(path) for path in own],
            network=server.network,
        )
    )


def _proposed(paths: WorkspacePaths) -> dict[str, Server]:
    tables = proposed_servers(paths.root)
    return {name: server_of(name, table, str(paths.marker)) for name, table in tables.items()}


def _approvals(paths: WorkspacePaths) -> Approvals:
    """The approvals for this workspace, which is told by its path and by the number that it was let in with."""
    return Approvals(approvals_folder(), ApprovalHome(path=os.path.realpath(paths.root), id=workspace_number(paths)))


def _chosen(offers: Sequence[OfferedTool], names: Sequence[str]) -> builtins.list[OfferedTool]:
    if not names:
        return [offer for offer in offers if offer.state in ("new", "changed")]
    by_name = {offer.tool: offer for offer in offers}
    by_name |= {offer.function.name: offer for offer in offers if offer.function}
    for name in names:
        if name not in by_name:
            raise UsageError(f"it lists no tool {name[:80]!r}", hint="evolve tools check")
        if by_name[name].function is None:
            raise UsageError(f"{name} cannot be called: {by_name[name].why or 'it is gone'}")
    return list({by_name[name].tool: by_name[name] for name in names}.values())


def _said(
    server: Server,
    offer: OfferedTool,
    effects: Sequence[str] | None,
    repeatable: bool | None,
    grants: Mapping[str, str],
) -> OfferedTool:
    """The tool with what the person says of it now, and otherwise said before."""
    before = cast(Function, offer.function)  # by the pin where there is one, else by what is assumed
    kinds = server.effects | cast("frozenset[Effect]", before.effects if effects is None else frozenset(effects))
    again = before.repeatable if repeatable is None else repeatable
    function = replace(before, effects=kinds, repeatable=again)
    kept = offer.pin.grants if offer.pin and offer.state == "allowed" else {}  # another tool begins with nothing
    wanted = {effect: grants.get(effect, grants.get("*", kept.get(effect, "ask"))) for effect in kinds}
    pin = ToolPin.from_function(function, cast("dict[Effect, Grant]", wanted))
    return replace(offer, state="allowed", function=function, pin=pin)


def _refuse_unknown(said: Sequence[str], known: Sequence[str], what: str) -> None:
    if unknown := sorted(set(said) - set(known)):
        raise UsageError(f"{unknown[0]!r} is no {what}", hint=f"one of {', '.join(known)}")
