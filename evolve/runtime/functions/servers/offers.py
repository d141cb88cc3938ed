"""What a server offers, as functions: named, bounded, and held against what a person allowed."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evolve.core.episodes import Json
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.runtime.functions.function import UNKNOWN, Effect, Function, is_name
from evolve.runtime.functions.servers.approvals import ToolPin
from evolve.runtime.functions.servers.server import Server

OfferState = Literal["allowed", "new", "changed", "gone", "unusable"]
"""It is as a person allowed it; they have not seen it; they saw another; it is not offered any more; it cannot be
called, whoever allows it."""

_LONGEST_TEXT = 4000
_LARGEST_SCHEMA = 64 << 10
_LONGEST_NAME = 64
_CUT = " [...]"
_SENTENCE_ENDS = re.compile(r"(?<=[.!?]) |\n")
_OTHER_SIGNS = re.compile(r"[^A-Za-z0-9_]+")


@dataclass(frozen=True, kw_only=True)
class ListedTool:
    """A tool as a server lists it. All of it is the server's word.

    Attributes:
        hints: What it says of itself, such as ``readOnlyHint``: shown to the person, and nothing follows from it.
        returns: The schema of its structured content; empty where it states none.
        effects, repeatable: What is certain of calls whatever the server says, or what to assume until a person says
            otherwise.
        why: Where it cannot be called, in a phrase.
    """

    name: str
    description: str
    parameters: Mapping[str, Json]
    hints: Mapping[str, bool] = field(default_factory=dict)
    returns: Mapping[str, Json] = field(default_factory=dict)
    effects: frozenset[Effect] = UNKNOWN
    repeatable: bool = False
    why: str = ""

    @property
    def pin(self) -> ToolPin:
        """What holds of it where nobody said anything."""
        return ToolPin(digest="", effects=self.effects, repeatable=self.repeatable)


@dataclass(frozen=True, kw_only=True)
class OfferedTool:
    """A tool beside what a person said of it.

    Attributes:
        tool: As the server calls it.
        function: What code would call; None where it is gone or cannot be called.
        pin: What the person allowed; None where they did not.
        why: Where it cannot be called, in a phrase.
    """

    tool: str
    state: OfferState
    function: Function | None = None
    pin: ToolPin | None = None
    why: str = ""
    hints: Mapping[str, bool]

    @property
    def difference(self) -> Sequence[str]:
        """Of a tool that changed, what was allowed (``- ``) and what is listed now (``+ ``), in lines.

        A description is compared by sentences, parameters and value by lines of their JSON with sorted keys. Empty
        where nothing differs, and where an earlier version allowed the tool and kept no description.
        """
        if self.state != "changed" or self.function is None or self.pin is None or not self.pin.name:
            return []
        before, now = self.pin, self.function
        parts = [
            ([before.name], [now.name]),
            _sentences(before.description, now.description),
            (_lines(before.parameters), _lines(now.parameters)),
            (_lines(before.returns), _lines(now.returns)),
        ]
        return [line for one, other in parts if one != other for line in _differing(one, other)]


def offered_tools(server: Server, listed: Sequence[ListedTool], pins: Mapping[str, ToolPin]) -> Sequence[OfferedTool]:
    """Every tool that is listed or was allowed, in the order of the list, those that are gone last.

    A name is the server's, ``_`` and the tool's. Signs that no name has become ``_``; where that makes two alike, the
    changed ones get a digest of the name that the server gave, so the same list always has the same names. A tool that
    is listed twice is not offered: nobody could tell which one is called. What is certain of the server's calls is
    among the effects whatever was said, so a tool that was allowed without them is another one.
    """
    counts = Counter(tool.name for tool in listed)
    plain = Counter(_plain_name(server.name, name) for name in counts)
    found = [
        _offer(server, tool, counts[tool.name], plain, pins.get(tool.name))
        for tool in {tool.name: tool for tool in listed}.values()
    ]
    gone = [OfferedTool(tool=name, state="gone", pin=pin, hints={}) for name, pin in pins.items() if name not in counts]
    return [*found, *gone]


def _offer(server: Server, tool: ListedTool, count: int, plain: Counter[str], pin: ToolPin | None) -> OfferedTool:
    why = "it is listed twice" if count > 1 else tool.why
    function = None
    if not why:
        try:
            function = _function(server, tool, plain, pin or tool.pin)
        except UsageError as error:
            why = str(error)
    if function is None:
        return OfferedTool(tool=tool.name, state="unusable", pin=pin, why=why, hints=tool.hints)
    state: OfferState = "new" if pin is None else "allowed" if pin.digest == function.digest else "changed"
    return OfferedTool(tool=tool.name, state=state, function=function, pin=pin, hints=tool.hints)


def _function(server: Server, tool: ListedTool, plain: Counter[str], pin: ToolPin) -> Function:
    name = _plain_name(server.name, tool.name)
    alike = plain[name] > 1 and name != f"{server.name}_{tool.name}"
    if alike or not is_name(name):
        mark = f"_{digest(tool.name)[:8]}"
        name = name[: _LONGEST_NAME - len(mark)] + mark
    text = tool.description
    try:
        size = max(len(canonical_json(schema)) for schema in (tool.parameters, tool.returns))
    except (ValueError, RecursionError) as error:
        raise UsageError("its parameters or its value are not described in JSON") from error
    if size > _LARGEST_SCHEMA:
        raise UsageError(f"the description of its parameters or its value is larger than {_LARGEST_SCHEMA >> 10} KiB")
    return Function(
        name=name,
        description=text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - len(_CUT)] + _CUT,
        parameters=tool.parameters,
        effects=pin.effects | server.effects,
        repeatable=pin.repeatable,
        source=server.name,
        returns=tool.returns,
    )


def _plain_name(server: str, tool: str) -> str:
    return f"{server}_{_OTHER_SIGNS.sub('_', tool)}"


def _sentences(before: str, now: str) -> tuple[Sequence[str], Sequence[str]]:
    """Two texts by sentences; whole and with what cannot be seen written out where they differ in that alone."""
    one, other = _SENTENCE_ENDS.split(before), _SENTENCE_ENDS.split(now)
    return ([repr(before)], [repr(now)]) if one == other and before != now else (one, other)


def _lines(parameters: Mapping[str, Json]) -> Sequence[str]:
    return json.dumps(parameters, indent=2, sort_keys=True, ensure_ascii=False).splitlines()


def _differing(before: Sequence[str], now: Sequence[str]) -> Sequence[str]:
    """The lines that differ, each with the one before and behind it."""
    _, _, *lines = difflib.unified_diff(before, now, n=1, lineterm="")
    return [f"{line[0]} {line[1:].rstrip()}" for line in lines if not line.startswith("@@")]
