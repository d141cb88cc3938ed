"""``evolve tools``: servers of tools, what they may do here, and a call by hand."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evolve.cli import options, pages
from evolve.cli.asking import TYPED_AHEAD, drop_typed_ahead, is_attended
from evolve.cli.output import at_home, counted, emit, emit_json, flush, note, shorten, table, visible

if TYPE_CHECKING:
    from evolve.workspace import CallQuestion, Consent, OfferedTool, Server

app = pages.App(
    "See and approve servers of tools (MCP), and say what their tools may do. None starts before you approved it.",
    "evolve tools list",
    "evolve tools add notes --read ~/notes -- ~/.venvs/notes/bin/notes-server ~/notes",
)

Name = Annotated[str, typer.Argument(metavar="SERVER", help="Name of a server: up to 20 lowercase letters and digits.")]
Yes = Annotated[bool, typer.Option("--yes", help="Approve what is shown, without a question.")]
Program = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="PROGRAM",
        help="After --, the program and its arguments. Without it and --url: as the settings propose it.",
        show_default=False,
    ),
]
Variables = Annotated[
    list[str] | None,
    typer.Option("--env", metavar="NAME=VALUE", help="A variable for the program; $NAME stands for one of yours."),
]
Headers = Annotated[
    list[str] | None,
    typer.Option("--header", metavar="NAME=VALUE", help="Sent to the address; $NAME stands for a variable."),
]
Readable = Annotated[list[str] | None, typer.Option("--read", metavar="PATH", help="What the program may read.")]
Writable = Annotated[list[str] | None, typer.Option("--write", metavar="PATH", help="What the program may write.")]


@app.page(
    "add",
    "evolve tools add notes --read ~/notes -- ~/.venvs/notes/bin/notes-server ~/notes",
    "evolve tools add weather --url https://example.org/mcp --header 'Authorization=$WEATHER_TOKEN'",
    "evolve tools add notes",
)
def add_command(
    name: Name,
    command: Program = None,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="Its address, instead of a program.")] = "",
    variables: Variables = None,
    headers: Headers = None,
    readable: Readable = None,
    writable: Writable = None,
    network: Annotated[bool, typer.Option("--network", help="Let the program reach the network.")] = False,
    yes: Yes = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Approve a server for this workspace: everything about it is shown first. Then its tools are listed and allowed.

    A program runs in the sandbox and sees the system's programs, the paths that you name, and no network without
    --network. Every call of a tool is asked for until evolve tools allow says otherwise.
    """
    from evolve.errors import UsageError
    from evolve.workspace import Server, servers

    shelf = servers(workspace)
    if command or url:
        server = Server(
            name=name,
            command=_program(command or []),
            url=url,
            variables=_pairs(variables, "--env"),
            headers=_pairs(headers, "--header"),
            readable=_paths(readable),
            writable=_paths(writable),
            network=network,
        )
    elif variables or headers or readable or writable or network:
        raise UsageError("nothing says which server", hint=f"evolve tools add {name} ... -- PROGRAM, or --url URL")
    else:
        server = shelf.proposed(name)
    if not as_json:
        _show_server(server)
    if not _agreed(f"approve {name} for this workspace?", f"evolve tools add {name} ... --yes", yes, as_json=as_json):
        emit("nothing was approved")
        raise typer.Exit(1)
    offers = shelf.add(server)
    if as_json:
        emit_json({"server": _server(server), "tools": [_offer(offer) for offer in offers]})
    else:
        _show_offers(offers)
        note("each call is asked for; evolve tools allow says otherwise")


@app.page("list", "evolve tools list")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List servers that were approved here, and those that the settings propose. None is started."""
    from evolve.workspace import servers

    known = servers(workspace).list()
    if as_json:
        emit_json([{"state": one.state, **_server(one.server), "tools": sorted(one.tools)} for one in known])
        return
    rows = [
        (one.server.name, one.state, len(one.tools), one.server.url or shlex.join(one.server.command)) for one in known
    ]
    emit(table(("server", "state", "tools", "program or address"), rows) or "no servers; evolve tools add adds one")
    for one in known:
        if one.state != "approved":
            note(f"{one.server.name} is not started before you approve it: evolve tools add {one.server.name}")


@app.page("check", "evolve tools check notes")
def check_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Start an approved server, and show its tools and, line by line, what differs from what you allowed.

    Exit codes: 0 all is as it was allowed, 1 something is new, changed, gone or cannot be called.
    """
    from evolve.workspace import servers

    offers = servers(workspace).check(name)
    if as_json:
        emit_json([_offer(offer) for offer in offers])
    else:
        _show_offers(offers)
        if any(offer.state in ("new", "changed") for offer in offers):
            note(f"what is new or changed is not called before you allow it: evolve tools allow {name}")
    raise typer.Exit(0 if all(offer.state == "allowed" for offer in offers) else 1)


@app.page("allow", "evolve tools allow notes", "evolve tools allow notes search --effects reads --grant allow")
def allow_command(
    name: Name,
    tool: Annotated[
        list[str] | None,
        typer.Argument(metavar="TOOL", help="Which ones; by default all that are new or changed.", show_default=False),
    ] = None,
    effects: Annotated[
        str | None,
        typer.Option(
            "--effects",
            metavar="LIST",
            help="What a call does, with commas: reads, changes, sends, spends, irreversible. At first: changes,sends.",
        ),
    ] = None,
    repeatable: Annotated[
        bool | None,
        typer.Option("--repeatable/--not-repeatable", help="A second call does no more than the first."),
    ] = None,
    grants: Annotated[
        list[str] | None,
        typer.Option(
            "--grant", metavar="GRANT", help="ask, allow, trust or deny; for one effect: sends=ask. At first: ask."
        ),
    ] = None,
    yes: Yes = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Allow tools as their server lists them now, say what they do, and whether calls are asked for."""
    from evolve.workspace import servers

    def agreed(offers: Sequence[OfferedTool]) -> bool:
        if not as_json:
            _show_offers(offers)
        return _agreed("allow this?", f"evolve tools allow {name} ... --yes", yes, as_json=as_json)

    kinds = None if effects is None else [part.strip() for part in effects.split(",") if part.strip()]
    allowed = servers(workspace).allow(
        name, tool or [], effects=kinds, repeatable=repeatable, grants=_grants(grants), agreed=agreed
    )
    if as_json:
        emit_json([_offer(offer) for offer in allowed])
    else:
        emit(f"allowed {counted(len(allowed), 'tool')}" if allowed else "nothing was allowed")


@app.page("call", "evolve tools call notes_search words=tea most=5")
def call_command(
    function: Annotated[str, typer.Argument(metavar="FUNCTION", help="As code calls it: SERVER_TOOL.")],
    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="NAME=VALUE",
            help="Its arguments; a value is JSON, else a text. Or all of them as one object in JSON.",
            show_default=False,
        ),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", metavar="N", min=0.1, help="Longest wait.")] = 60.0,
    yes: Annotated[bool, typer.Option("--yes", help="Make the call without a question, unless it is denied.")] = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Call one function of an approved server, as code would."""
    from evolve.workspace import servers

    def ask(question: CallQuestion) -> Consent:
        agreed = _agreed(
            f"call {question.function.name}, which {question.does}?",
            f"evolve tools call {function} ... --yes",
            yes,
            as_json=as_json,
        )
        return "once" if agreed else "no"

    value = servers(workspace).call(function, _arguments(arguments or []), ask=ask, seconds=seconds)
    if as_json:
        emit_json({"function": function, "value": value})
    else:
        emit(value if isinstance(value, str) else json.dumps(value, indent=2, ensure_ascii=False), exact=True)


@app.page("remove", "evolve tools remove notes")
def remove_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Take back what you approved of a server. What the settings propose stays, and is not started."""
    from evolve.errors import UsageError
    from evolve.workspace import servers

    if not servers(workspace).remove(name):
        raise UsageError(f"no server {name!r} was approved here", hint="evolve tools list")
    if as_json:
        emit_json({"removed": name})
    else:
        emit(f"{name} is not approved any more")


def _agreed(question: str, instead: str, yes: bool, *, as_json: bool) -> bool:
    """Whether the person says yes; where nobody can be asked only ``--yes`` does.

    Raises:
        UsageError: Nobody is there.
    """
    from evolve.errors import UsageError

    if yes:
        return True
    if not is_attended(as_json=as_json):
        raise UsageError("this needs your leave, and there is nobody to ask", hint=instead)
    flush()  # the question comes after what it is about
    if drop_typed_ahead():
        note(TYPED_AHEAD)
    return typer.confirm(visible(question), err=True)


def _show_server(server: Server) -> None:
    """Everything about a server, in full: it is what the person approves."""
    yours = {name: f"{value} (yours)" if value.startswith("$") else value for name, value in server.variables.items()}
    sent = {name: f"{value} (yours)" if value.startswith("$") else value for name, value in server.headers.items()}
    rows = [("server", server.name)]
    if server.url:
        rows += [("address", server.url), *(("sends", f"{name}: {value}") for name, value in sent.items())]
    else:
        rows += [("program", server.command[0])]
        rows += [("argument", argument) for argument in server.command[1:]]
        rows += [("variable", f"{name}={value}") for name, value in yours.items()]
        rows += [("reads", path) for path in server.readable] + [("writes", path) for path in server.writable]
        rows += [] if server.writable else [("writes", "nothing")]
        rows += [("network", "everything that this machine reaches, itself included" if server.network else "none")]
    for label, text in rows:
        emit(f"{label:<9} {visible(text, lines=False)}", whole=True)


def _show_offers(offers: Sequence[OfferedTool]) -> None:
    for offer in offers:
        if offer.function is None:
            emit(f"{visible(offer.tool, lines=False)}  ({offer.state}{f': {offer.why}' if offer.why else ''})")
            continue
        made, pin = offer.function, offer.pin
        says = ", ".join(kind if pin is None else f"{kind}: {pin.grant(kind)}" for kind in sorted(made.effects))
        emit(f"{made.name}({', '.join(made.names)})  {offer.state}; {says}", indent=4)
        if offer.difference:
            emit("    what you allowed (-) and what it lists now (+):")
            for line in offer.difference:
                emit(f"      {line}", indent=8)
        elif made.description:
            emit(f"    it says: {shorten(' '.join(made.description.split()), 400)}", indent=6)
        if hints := [hint for hint, value in offer.hints.items() if value]:
            emit(f"    it calls itself {', '.join(hints).replace('_', ' ')}", indent=6)


def _server(server: Server) -> dict[str, Any]:
    return {"name": server.name, **server.to_json(), "digest": server.digest}


def _offer(offer: OfferedTool) -> dict[str, Any]:
    made, pin = offer.function, offer.pin
    shown: dict[str, Any] = {"tool": offer.tool, "state": offer.state, "why": offer.why, "hints": dict(offer.hints)}
    if made is not None:
        shown |= {
            "function": made.name,
            "description": made.description,
            "parameters": made.parameters,
            "effects": sorted(made.effects),
            "repeatable": made.repeatable,
            "digest": made.digest,
        }
        if offer.difference:
            shown["difference"] = list(offer.difference)
        shown["grants"] = {} if pin is None else {kind: pin.grant(kind) for kind in sorted(made.effects)}
    return shown


def _program(command: Sequence[str]) -> tuple[str, ...]:
    """The program by its whole path, as the person's shell finds it."""
    from evolve.errors import UsageError

    if not command:
        return ()
    found = shutil.which(os.path.expanduser(command[0]))
    if found is None:
        raise UsageError(f"there is no program {command[0]!r}", hint=f"which {shlex.quote(command[0])}")
    return (os.path.abspath(found), *command[1:])


def _paths(named: Sequence[str] | None) -> tuple[str, ...]:
    """Whole paths without links: what is approved is what is shown."""
    from evolve.errors import UsageError

    found = []
    for name in named or ():
        path = os.path.realpath(os.path.expanduser(name))
        if not os.path.exists(path):
            raise UsageError(f"{at_home(path)}: there is no such file or folder", hint="make it first")
        found.append(path)
    return tuple(found)


def _pairs(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    from evolve.errors import UsageError

    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (equals and name):
            raise UsageError(f"{option} {text}: it is NAME=VALUE", hint=f"NAME=VALUE after {option}")
        pairs[name] = value
    return pairs


def _arguments(texts: Sequence[str]) -> dict[str, Any]:
    """The arguments of a call, as they were typed."""
    from evolve.errors import UsageError

    if len(texts) == 1 and texts[0].lstrip().startswith("{"):
        try:
            whole: dict[str, Any] = json.loads(texts[0])
        except (ValueError, RecursionError) as error:
            raise UsageError(f"the arguments are not JSON: {error}", hint="NAME=VALUE for each argument") from error
        return whole
    given: dict[str, Any] = {}
    for name, text in _pairs(texts, "argument").items():
        try:
            given[name] = json.loads(text)
        except (ValueError, RecursionError):
            given[name] = text
    return given


def _grants(texts: Sequence[str] | None) -> dict[str, str]:
    """By effect; a word alone stands for all effects."""
    split = (text.rpartition("=") for text in texts or ())
    return {effect or "*": grant for effect, _, grant in split}
