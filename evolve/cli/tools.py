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
from evolve.cli.asking import ask_yes, is_attended
from evolve.cli.render.output import (
    count_of,
    emit,
    emit_json,
    escape_control_characters,
    print_note,
    shorten_home_path,
    table,
)
from evolve.cli.render.servers import known_data, offer_data, server_data, show_counts, show_offers, show_server
from evolve.core.errors import UsageError

if TYPE_CHECKING:
    from evolve.workspace import CallApprovalRequest, Consent, OfferedTool, Server

app = pages.App(
    "Approve tools for the code of evolve: MCP servers, and what packages add. You approve each before it starts.",
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
Network = Annotated[bool, typer.Option("--network", help="Let the program reach the network.")]
Url = Annotated[str, typer.Option("--url", metavar="URL", help="Its address, instead of a program.")]
Kind = Annotated[
    str, typer.Option("--kind", metavar="KIND", help="mcp, or a kind that a package adds; evolve status lists them.")
]
Set = Annotated[list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="A setting of its --kind.")]


@app.page(
    "add",
    "evolve tools add notes --read ~/notes -- ~/.venvs/notes/bin/notes-server ~/notes",
    "evolve tools add weather --url https://example.org/mcp --header 'Authorization=$WEATHER_TOKEN'",
)
def add_command(
    name: Name,
    command: Program = None,
    url: Url = "",
    variables: Variables = None,
    headers: Headers = None,
    readable: Readable = None,
    writable: Writable = None,
    network: Network = False,
    kind: Kind = "mcp",
    set_: Set = None,
    yes: Yes = False,
    workspace: options.Workspace = None,
    as_json: options.AsJson = False,
) -> None:
    """Approve a server. evolve shows it whole, asks you, then lists its tools.

    The program runs in the sandbox. It sees the programs of the system and the paths that you name, and reaches the
    network only with --network. evolve asks you before each call, unless you change that with evolve tools allow.
    """
    from evolve.workspace import Server, server_kind, servers

    if command or url or kind != "mcp":
        known = server_kind(kind).settings
        said = _pairs(set_, "--set")
        server = Server(
            name=name,
            kind=kind,
            command=_program(command or []),
            url=url,
            variables=_pairs(variables, "--env"),
            headers=_pairs(headers, "--header"),
            readable=_paths(readable),
            writable=_paths(writable),
            network=network,
            settings={
                key: _paths([text])[0] if key in known and known[key].is_path else text for key, text in said.items()
            },
        )
    elif variables or headers or readable or writable or network or set_:
        raise UsageError("nothing says which server", hint=f"evolve tools add {name} ... -- PROGRAM, or --url URL")
    else:
        server = servers(workspace).proposed_server(name)
    _approve(server, yes, workspace, as_json=as_json)


def _approve(server: Server, yes: bool, workspace: options.Workspace, *, as_json: bool) -> None:
    from evolve.workspace import servers

    if not as_json:
        show_server(server)
    instead = f"evolve tools add {server.name} ... --yes"
    if not _agreed(f"approve {server.name} for this workspace?", instead, yes, as_json=as_json):
        emit("nothing was approved")
        raise typer.Exit(1)
    offers = servers(workspace).add(server)
    if as_json:
        emit_json({"server": server_data(server), "tools": [offer_data(offer) for offer in offers]})
    else:
        show_offers(offers)
        print_note("each call is asked for; evolve tools allow says otherwise")


@app.page("list", "evolve tools list", "evolve tools list --json")
def list_command(workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """List the approved servers, and those that the settings propose. This starts none of them."""
    from evolve.workspace import servers

    known = servers(workspace).list()
    if as_json:
        return emit_json([known_data(one) for one in known])
    rows = [
        (
            one.server.name,
            one.state,
            len(one.tools),
            one.server.url or shlex.join(one.server.command) or one.server.kind,
        )
        for one in known
    ]
    emit(table(("server", "state", "tools", "program or address"), rows) or "no servers; evolve tools add adds one")
    show_counts(known)
    for one in known:
        if one.state != "approved":
            print_note(f"{one.server.name} is not started before you approve it: evolve tools add {one.server.name}")


@app.page("check", "evolve tools check notes", "evolve tools check notes --json")
def check_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Start an approved server and compare its tools with those that you allowed, line by line.

    The exit code is 0 if all are as you allowed them, and 1 if one is new, changed, gone or not usable.
    """
    from evolve.workspace import servers

    offers = servers(workspace).check(name)
    if as_json:
        emit_json([offer_data(offer) for offer in offers])
    else:
        show_offers(offers)
        if any(offer.state in ("new", "changed") for offer in offers):
            print_note(f"what is new or changed is not called before you allow it: evolve tools allow {name}")
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
    """Allow the tools that a server lists now. You say what they do, and whether evolve asks before a call."""
    from evolve.workspace import servers

    def agreed(offers: Sequence[OfferedTool]) -> bool:
        if not as_json:
            show_offers(offers)
        return _agreed("allow this?", f"evolve tools allow {name} ... --yes", yes, as_json=as_json)

    kinds = None if effects is None else [part.strip() for part in effects.split(",") if part.strip()]
    allowed = servers(workspace).allow(
        name, tool or [], effects=kinds, repeatable=repeatable, grants=_grants(grants), agreed=agreed
    )
    if as_json:
        emit_json([offer_data(offer) for offer in allowed])
    else:
        emit(f"allowed {count_of(len(allowed), 'tool')}" if allowed else "nothing was allowed")
        if not (allowed or tool):
            print_note(
                f"unnamed are meant those that are new or changed; name others: evolve tools allow {name} TOOL ..."
            )


@app.page("call", "evolve tools call notes_search words=tea most=5", "evolve tools call notes_search words=tea --json")
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
    """Call one function of an approved server, as the code of evolve would."""
    from evolve.workspace import servers

    def ask(question: CallApprovalRequest) -> Consent:
        agreed = _agreed(
            f"call {question.function.name}, which {question.effects_text}?",
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


@app.page("remove", "evolve tools remove notes", "evolve tools remove notes --json")
def remove_command(name: Name, workspace: options.Workspace = None, as_json: options.AsJson = False) -> None:
    """Withdraw your approval of a server. A proposal in the settings stays, and does not start."""
    from evolve.workspace import servers

    if not servers(workspace).remove(name):
        raise UsageError(f"no server {name!r} was approved here", hint="evolve tools list")
    emit_json({"removed": name}) if as_json else emit(f"{name} is not approved any more")


def _agreed(question: str, instead: str, yes: bool, *, as_json: bool) -> bool:
    """Whether the person says yes; where nobody can be asked only ``--yes`` does.

    Raises:
        UsageError: Nobody is there.
    """
    if yes:
        return True
    if not is_attended(as_json=as_json):
        raise UsageError("this needs your leave, and there is nobody to ask", hint=instead)
    return bool(ask_yes(escape_control_characters(question)))


def _program(command: Sequence[str]) -> tuple[str, ...]:
    """The program by its whole path, as the person's shell finds it."""
    if not command:
        return ()
    found = shutil.which(os.path.expanduser(command[0]))
    if found is None:
        raise UsageError(f"there is no program {command[0]!r}", hint=f"which {shlex.quote(command[0])}")
    return (os.path.abspath(found), *command[1:])


def _paths(named: Sequence[str] | None) -> tuple[str, ...]:
    """Whole paths without links: what is approved is what is shown."""
    found = []
    for name in named or ():
        path = os.path.realpath(os.path.expanduser(name))
        if not os.path.exists(path):
            raise UsageError(f"{shorten_home_path(path)}: there is no such file or folder", hint="make it first")
        found.append(path)
    return tuple(found)


def _pairs(texts: Sequence[str] | None, option: str) -> dict[str, str]:
    pairs = {}
    for text in texts or ():
        name, equals, value = text.partition("=")
        if not (equals and name):
            raise UsageError(f"{option} {text}: it is NAME=VALUE", hint=f"NAME=VALUE after {option}")
        pairs[name] = value
    return pairs


def _arguments(texts: Sequence[str]) -> dict[str, Any]:
    """The arguments of a call, as they were typed."""
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
