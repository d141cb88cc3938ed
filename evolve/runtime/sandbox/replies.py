"""Turns what came out of the sandbox into values, believing none of it.

The reply is a sequence of header lines with blocks of JSON lines. The headers are ours (the runner's), the blocks were
written by processes under the control of untrusted code: wrong counts, forged lines, values that are not JSON
and endless nesting all become errors of that program, never an exception here and never another program's result.
"""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast, get_args

from evolve.core.episodes import Json
from evolve.core.files import clean_text
from evolve.runtime.sandbox.actions import (
    UNPLACED,
    ActionFile,
    ActionState,
    DeniedKind,
    LimitKind,
    SandboxDenied,
    is_plain_name,
)
from evolve.runtime.sandbox.protocol import NOT_RUN, Outcome, ProgramRun

_SHOWN_AS_IS = frozenset("\n\t")
# controls, formats and the like: they recolour a terminal, or reverse what a person reads
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def escape_control(text: str) -> str:
    """The text with control, formatting and bidirectional characters written as escapes.

    Line feeds and tabs stay. Lone surrogates and NUL become U+FFFD.
    """
    cleaned = clean_text(text)
    if cleaned.isascii() and cleaned.isprintable():
        return cleaned
    return "".join(
        c if c in _SHOWN_AS_IS or unicodedata.category(c) not in _HIDDEN else c.encode("unicode_escape").decode("ascii")
        for c in cleaned
    )


def decode_output(data: bytes, limit: int, total: int) -> str:
    """A captured stream as text; says how much was dropped when ``total`` bytes exceeded ``limit``."""
    text = escape_control(data[:limit].decode("utf-8", "replace"))
    return f"{text}\n[{total - limit} more bytes dropped]" if total > limit else text


# above the 100 levels that the runner's children allow a value, with the levels around it
_DEEPEST = 110
_LONGEST_ERROR = 500
_MOST_TESTS = 1000


@dataclass(frozen=True, kw_only=True)
class JobReply:
    """One job's part of a reply: how its process ended and what it wrote."""

    state: str
    data: bytes

    @property
    def fault(self) -> str:
        """Why the runner could not run the job, or "". Only the runner writes states."""
        if self.state == "fault":
            return escape_control(self.data.decode("utf-8", "replace"))[:_LONGEST_ERROR]
        return "the process for the code could not be set up" if self.state == "unbegun" else ""


@dataclass(kw_only=True)
class ReplyReader:
    """Splits the bytes of the result descriptor into blocks as they arrive.

    Attributes:
        jobs: How many blocks there must be.
        largest: Most bytes of one block; more means that the reply is not the runner's.
        ready: Whether the runner has said that it is; a new one says so before its first reply.
        alive: Whether the process of a session is there for another action.
        calls: Whether code may call functions outside; else a call means that the reply is not the runner's.
        call: The frame of a call that waits to be answered; nothing further is read before.
    """

    jobs: int
    largest: int
    ready: bool = True
    blocks: list[JobReply] = field(default_factory=list)
    ended: bool = False
    dirty: bool = True
    alive: bool = False
    damaged: bool = False
    calls: bool = False
    call: bytes | None = None
    _buffer: bytearray = field(default_factory=bytearray)

    @property
    def complete(self) -> bool:
        """Whether all blocks are there and in order; what is missing, if anything, is the runner's last word."""
        return len(self.blocks) == self.jobs and not self.damaged

    def add_bytes(self, data: bytes) -> None:
        """Takes more bytes; sets ``damaged`` when they do not follow the protocol."""
        self._buffer += data
        while not self.ended and not self.damaged and self.call is None and self._step():
            pass

    def take_call(self) -> bytes:
        """The frame that waits; reading goes on with the next bytes."""
        frame, self.call = self.call, None
        assert frame is not None
        return frame

    def _step(self) -> bool:
        """Takes one header, with its block where it has one, off the buffer; False when more bytes must come first."""
        end = self._buffer.find(b"\n")
        if end < 0:
            # no header is as long; without a bound, output without a line end would be kept whole
            self.damaged = len(self._buffer) > 1000
            return False
        header = json_object(bytes(self._buffer[:end]))
        if not self.ready:
            self.ready = header == {"ready": True}
            self.damaged = not self.ready
            del self._buffer[: end + 1]
            return self.ready
        if header.get("end") is True and len(self.blocks) == self.jobs:
            self.ended, self.dirty = True, header.get("dirty") is not False
            self.alive = header.get("alive") is True
            return False
        size, state = header.get("bytes"), header.get("state")
        # bool is a kind of int in Python, and true would count as a size of one byte
        if header.get("job") != len(self.blocks) or type(size) is not int or not isinstance(state, str):
            self.damaged = True
            return False
        if not 0 <= size <= self.largest:
            self.damaged = True
            return False
        if len(self._buffer) < end + 1 + size:
            return False
        with memoryview(self._buffer) as buffer:
            data = bytes(buffer[end + 1 : end + 1 + size])
        del self._buffer[: end + 1 + size]
        if state == "call":
            self.call, self.damaged = data, not self.calls
        else:
            self.blocks.append(JobReply(state=state, data=data))
        return True


def _refuse_constant(name: str) -> Json:
    raise ValueError(f"not a JSON value: {name}")


def json_object(line: bytes) -> Mapping[str, Json]:
    """The line as a JSON object; {} when it is anything else."""
    try:
        # NaN and Infinity are no JSON, though Python reads them
        value = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) and _acceptable(value) else {}


def _acceptable(value: Json) -> bool:
    """Whether the value is storable: bounded depth, finite numbers, no lone surrogates."""
    pending = [(value, 0)]
    while pending:
        item, depth = pending.pop()
        if depth > _DEEPEST or (isinstance(item, float) and not math.isfinite(item)):
            return False
        if isinstance(item, str) and not item.isascii() and not _encodable(item):
            return False
        if isinstance(item, dict):
            pending += [(part, depth + 1) for pair in item.items() for part in pair]
        elif isinstance(item, list):
            pending += [(part, depth + 1) for part in item]
    return True


def _encodable(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _one_line(value: Json) -> str:
    """Text from inside as one visible line of bounded length."""
    return (
        escape_control(value.replace("\n", " "))[:_LONGEST_ERROR]
        if isinstance(value, str)
        else "error without a message"
    )


def _reason(state: str) -> str:
    """Why a job's remaining outcomes are missing."""
    if state.startswith("signal "):
        return f"the program was ended by signal {state[7:]}"
    return {
        "time": "time limit: the program did not finish",
        "size": "result too large",
        "disk": "disk limit: the program filled the scratch folder",
        "cpu": "time limit: the program used up its processor time",
        "late": NOT_RUN,
        "died": "the program ended its own process",
        "ok": "the program ended its own process",
    }.get(state, "the sandbox ended early")


def _outcomes(lines: Iterator[Mapping[str, Json]]) -> Iterator[tuple[Outcome, str]]:
    for line in lines:
        name = line.get("name")
        label = _one_line(name) if name is not None else ""
        denied = line.get("denied")
        refused = _one_line(denied) if denied is not None else ""
        if set(line) - {"value", "error", "denied", "name"} or ("value" in line) == ("error" in line):
            yield Outcome(error="malformed result", name=label), refused
        elif "error" in line:
            yield Outcome(error=_one_line(line["error"]) or "error without a message", name=label), refused
        else:
            yield Outcome(value=line["value"], name=label), refused


def read_block(block: JobReply, expected: int | None) -> ProgramRun:
    """Turns one block into the run of its program.

    Args:
        block: What its process left.
        expected: How many outcomes there must be; None for tests, whose number the files decide.
    """
    timed_out = block.state in ("time", "late", "signal 24", "cpu")
    parts = block.data.split(b"\n")
    complete = parts[:-1]  # a line without its end was cut
    first = json_object(complete[0]) if complete else {}
    load = first.get("load")
    if load != "":
        why = _one_line(load) if load is not None else _reason(block.state)
        denied = (_one_line(first["denied"]),) if "denied" in first else ()
        outputs = tuple(Outcome(error=why) for _ in range(expected or 0))
        return ProgramRun(error=why, outputs=outputs, denied=denied, timed_out=timed_out)
    most = _MOST_TESTS if expected is None else expected
    read = list(_outcomes(json_object(line) for line in complete[1 : 1 + most]))
    outputs = tuple(outcome for outcome, _ in read)
    refused = tuple(dict.fromkeys(denied for _, denied in read if denied))
    if expected is not None and len(complete) - 1 > expected:
        outputs = tuple(Outcome(error="more results than inputs") for _ in range(expected))
    elif expected is not None:
        outputs += tuple(Outcome(error=_reason(block.state)) for _ in range(expected - len(outputs)))
    elif block.state != "ok":
        outputs += (Outcome(error=_reason(block.state), name="(unfinished)"),)
    return ProgramRun(outputs=outputs, denied=refused, timed_out=timed_out)


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
        return _failed(f"the code was ended by {_one_line(block.state)}")
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
            state="limit", limit=limit, error=_one_line(error) or f"{limit} limit reached", denied=denied
        )
    if error or not whole:
        return ActionReport(state="error", error=_one_line(error or "the code ended its own process"), denied=denied)
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
        denials.append(SandboxDenied(kind=cast("DeniedKind", kind), target=_one_line(target)[:_LONGEST_TARGET]))
    return tuple(dict.fromkeys(denials))


@dataclass(frozen=True, kw_only=True)
class CollectedFiles:
    """What was taken out of a scratch folder, what is there no more, and what could not be taken."""

    files: tuple[ActionFile, ...] = ()
    gone: tuple[str, ...] = ()
    refused: tuple[SandboxDenied, ...] = ()


def read_files(block: JobReply, most: int) -> CollectedFiles | None:
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
    denied = [SandboxDenied(kind="file", target=_one_line(name)[:_LONGEST_TARGET]) for name in refused]
    gone = filter(is_plain_name, _strings(listing.get("gone"), most))
    return CollectedFiles(files=tuple(files), gone=tuple(gone), refused=tuple(dict.fromkeys(denied)))


def _strings(value: Json, most: int = _MOST_DENIED) -> Sequence[str]:
    return [text for text in value if isinstance(text, str)][:most] if isinstance(value, list) else []
