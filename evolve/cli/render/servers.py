"""How a server of functions and what it offers are shown: in full, as it is what a person approves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from evolve.cli.render.output import emit, escape_control_characters, print_note, shorten_line, table

if TYPE_CHECKING:
    from evolve.workspace import KnownServer, OfferedTool, Server

_MOST_COUNTED = 20


def show_server(server: Server) -> None:
    """Everything about a server, in full: it is what the person approves."""
    from evolve.workspace import server_kind

    yours = {name: f"{value} (yours)" if value.startswith("$") else value for name, value in server.variables.items()}
    sent = {name: f"{value} (yours)" if value.startswith("$") else value for name, value in server.headers.items()}
    rows = [("server", server.name), *(("program", program) for program in server.command[:1])]
    rows += [("argument", argument) for argument in server.command[1:]]
    told = server_kind(server.kind).approval_lines(server)
    rows += [*told, *((key, text) for key, text in server.settings.items() if text not in dict(told).values())]
    if server.url:
        rows += [("address", server.url), *(("sends", f"{name}: {value}") for name, value in sent.items())]
    elif server.command:
        rows += [("variable", f"{name}={value}") for name, value in yours.items()]
        rows += [("reads", path) for path in server.readable] + [("writes", path) for path in server.writable]
        rows += [] if server.writable else [("writes", "nothing")]
        rows += [("network", "everything that this machine reaches, itself included" if server.network else "none")]
    for label, text in rows:
        emit(f"{label:<9} {escape_control_characters(text, lines=False)}", whole=True)


def show_offers(offers: Sequence[OfferedTool]) -> None:
    """Tools beside what was allowed of them."""
    for offer in offers:
        if offer.function is None:
            emit(
                f"{escape_control_characters(offer.tool, lines=False)}  "
                f"({offer.state}{f': {offer.why}' if offer.why else ''})"
            )
            continue
        made, pin = offer.function, offer.pin
        says = ", ".join(kind if pin is None else f"{kind}: {pin.grant_for(kind)}" for kind in sorted(made.effects))
        emit(f"{made.name}({', '.join(made.parameter_names)})  {offer.state}; {says}", indent=4)
        if offer.difference:
            emit("    what you allowed (-) and what it lists now (+):")
            for line in offer.difference:
                emit(f"      {line}", indent=8)
        elif made.description:
            emit(f"    it says: {shorten_line(' '.join(made.description.split()), 400)}", indent=6)
        if hints := [hint for hint, value in offer.hints.items() if value]:
            emit(f"    it calls itself {', '.join(hints).replace('_', ' ')}", indent=6)


def show_counts(known: Sequence[KnownServer]) -> None:
    """The tools that tasks had to do with, those that helped most first."""
    used = [
        (one.server.name, escape_control_characters(tool, lines=False), count.offered, count.called, count.helpful)
        for one in known
        for tool, count in one.counts.items()
        if count.offered or count.called
    ]
    if used:
        used.sort(key=lambda row: (-row[4], -row[3], -row[2], row[:2]))
        emit()
        emit(table(("server", "tool", "offered", "called", "helpful"), used[:_MOST_COUNTED]))
        print_note("in how many tasks: shown in a prompt, called, and called where the answer held")
    if len(used) > _MOST_COUNTED:
        print_note(f"{len(used) - _MOST_COUNTED} more were offered: evolve tools list --json")


def known_data(known: KnownServer) -> dict[str, Any]:
    """A server as JSON, with what was allowed and how often that was of use."""
    counts = {tool: vars(count) for tool, count in known.counts.items()}
    return {"state": known.state, **server_data(known.server), "tools": sorted(known.tools), "counts": counts}


def server_data(server: Server) -> dict[str, Any]:
    """A server as JSON."""
    return {"name": server.name, **server.to_json(), "digest": server.digest}


def offer_data(offer: OfferedTool) -> dict[str, Any]:
    """A tool as JSON."""
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
        shown["grants"] = {} if pin is None else {kind: pin.grant_for(kind) for kind in sorted(made.effects)}
    return shown
