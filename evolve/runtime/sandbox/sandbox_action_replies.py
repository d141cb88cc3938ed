"""Turns what an action reported into a result, believing none of it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast, get_args

from evolve.core.episodes import Json
from evolve.runtime.sandbox.actions import (
    UNPLACED,
    ActionFile,
    ActionState,
    DeniedKind,
    LimitKind,
    SandboxDenied,
    is_plain_name,
)
from evolve.runtime.sandbox.replies import JobReply, json_object, one_line

_KEYS = {"value", "has", "error", "limit", "denied"}
_REPORTED_LIMITS: tuple[LimitKind, ...] = ("memory", "disk", "result", "processes")
_DENIED_KINDS: tuple[str, ...] = get_args(DeniedKind)
# bounds what a hostile process can make us keep; honest code stays far below
_MOST_DENIED = 50
_LONGEST_TARGET = 200

_LIMIT_OF_STATE: dict[str, LimitKind] = {
    "time": "wall",
    "late": "wall",
    "cpu": "cpu",
    # SIGXCPU and SIGXFSZ: the soft limits of processor time and of a file's size
    "signal 24": "cpu",
    "signal 25": "disk",
    "size": "result",
    "disk": "disk",
}

_STATE_ERRORS = {
    "unplaced": f"{UNPLACED}: what the code left is in its way, or fills it",
    "unasked": "the session reported more than it was asked for",
}


@dataclass(frozen=True, kw_only=True)
class ActionReport:
    """What is known of an action besides its output.

    Attributes:
        orderly: Whether the process said one thing and in the agreed form; else it is not worth asking again.
    """

    state: ActionState
    limit: LimitKind = ""
    value: Json = None
    has_value: bool = False
    error: str = ""
    denied: tuple[SandboxDenied, ...] = ()
    orderly: bool = True


def _failed(error: str, *, orderly: bool = True) -> ActionReport:
    return ActionReport(state="error", error=error, orderly=orderly)


def read_report(block: JobReply) -> ActionReport:
    """The report of one action: exactly one line with exactly the known keys, or an error that says what was wrong."""
    if block.state in _LIMIT_OF_STATE:
        limit = _LIMIT_OF_STATE[block.state]
        return ActionReport(state="limit", limit=limit, error=f"{limit} limit reached")
    if block.state.startswith("signal "):
        return _failed(f"the code was ended by {one_line(block.state)}")
    if block.fault:
        return ActionReport(state="fault", error=block.fault)
    if block.state in _STATE_ERRORS:
        return _failed(_STATE_ERRORS[block.state])
    if not block.data:
        return _failed("the code ended its own process")
    # a process may write more than its report: one line, or nothing of it is believed
    lines = block.data.split(b"\n")
    if len(lines) != 2 or lines[1]:
        return _failed("more than one result" if len(lines) > 2 else "malformed result", orderly=False)
    return _read_line(json_object(lines[0]), whole=block.state == "ok")


def _read_line(fields: Mapping[str, Json], *, whole: bool) -> ActionReport:
    # the exact key set: whatever else a report holds, the agreed code did not write it
    if set(fields) != _KEYS or type(fields["has"]) is not bool or fields["limit"] not in ("", *_REPORTED_LIMITS):
        return _failed("malformed result", orderly=False)
    denied, error = _denials(fields["denied"]), fields["error"]
    limit = cast("LimitKind", fields["limit"])
    if not isinstance(error, str) or denied is None:
        return _failed("malformed result", orderly=False)
    if limit:
        return ActionReport(
            state="limit", limit=limit, error=one_line(error) or f"{limit} limit reached", denied=denied
        )
    if error or not whole:
        return ActionReport(state="error", error=one_line(error or "the code ended its own process"), denied=denied)
    return ActionReport(state="ok", value=fields["value"], has_value=fields["has"], denied=denied)


def _denials(pairs: Json) -> tuple[SandboxDenied, ...] | None:
    """The refused operations; None when they are not pairs of a known kind and a text."""
    if not isinstance(pairs, list) or len(pairs) > _MOST_DENIED:
        return None
    denials = []
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            return None
        kind, target = pair
        if kind not in _DENIED_KINDS or not isinstance(target, str):
            return None
        denials.append(SandboxDenied(kind=cast("DeniedKind", kind), target=one_line(target)[:_LONGEST_TARGET]))
    return tuple(dict.fromkeys(denials))


@dataclass(frozen=True, kw_only=True)
class Collected:
    """What was taken out of a scratch folder, what is there no more, and what could not be taken."""

    files: tuple[ActionFile, ...] = ()
    gone: tuple[str, ...] = ()
    refused: tuple[SandboxDenied, ...] = ()


def read_files(block: JobReply, most: int) -> Collected | None:
    """What was collected, at most so many files; None if the listing is damaged."""
    head, _, contents = block.data.partition(b"\n")
    try:
        listing = json.loads(head)
    except (ValueError, RecursionError):
        return None
    if not isinstance(listing, dict) or not isinstance(listing.get("files"), list) or len(listing["files"]) > most:
        return None
    files, refused, start = [], [*_strings(listing.get("refused"))], 0
    for pair in listing["files"]:
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str) or type(pair[1]) is not int:
            return None
        name, size = pair
        if size < 0 or start + size > len(contents):
            return None
        if is_plain_name(name):
            files.append(ActionFile(name=name, data=contents[start : start + size]))
        else:
            refused.append(name)
        start += size
    denied = [SandboxDenied(kind="file", target=one_line(name)[:_LONGEST_TARGET]) for name in refused]
    gone = filter(is_plain_name, _strings(listing.get("gone"), most))
    return Collected(files=tuple(files), gone=tuple(gone), refused=tuple(dict.fromkeys(denied)))


def _strings(value: Json, most: int = _MOST_DENIED) -> Sequence[str]:
    return [text for text in value if isinstance(text, str)][:most] if isinstance(value, list) else []
