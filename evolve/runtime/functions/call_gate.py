"""The one gate that every call of a code action passes, outside the sandbox.

A frame comes from untrusted code. In this order its size is checked, it is read, its function looked up, its arguments
and number checked, leave asked for, and its intent put on record; only then is the function called, and what it gave is
put on record before the code sees it. Whatever stops a call on the way is told to the code in one sentence.
What an agent may call in its runs is one value, a :class:`Toolbox`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from evolve.core.episodes import CallState, Json
from evolve.core.files import canonical_json, clean_text, head_and_tail
from evolve.core.redaction import MARK
from evolve.runtime.functions.function import CallFailed, Function, FunctionSource, unique_names
from evolve.runtime.functions.json_values import NotJson, argument_problem, copy_json, plain_object
from evolve.runtime.functions.permission import AskConsent, Grant, Permission, PermissionCheck, place_of

_LONGEST_ERROR = 2_000
"""Characters of what a function says went wrong."""

_REFUSING_S = 5.0
"""CPU seconds of one step that refusals may take: the clock of the code stands still meanwhile."""


@dataclass(frozen=True, kw_only=True)
class CallLimits:
    """What the calls of one episode may use together.

    Attributes:
        calls: How many may be made.
        seconds: Of one call.
        total_s: Of all of them.
        arguments_kb: Largest arguments of one, KiB of JSON.
        value_kb: Largest value, KiB of JSON.
        total_mb: Of the arguments and values of all, which are kept, in memory too; MiB of JSON.
    """

    calls: int = 500
    seconds: float = 60.0
    total_s: float = 600.0
    arguments_kb: int = 256
    value_kb: int = 1024
    total_mb: int = 64


Place = tuple[int, int]
"""A step, and the number of a call among those of the step."""


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """One call as it is on record.

    Attributes:
        step: The step whose code made it.
        number: Its place among the calls of that step, from 1.
        function: The digest of the function is kept beside its name, which another may get later.
    """

    step: int
    number: int
    function: str
    digest: str
    arguments: Mapping[str, Json]

    @property
    def place(self) -> Place:
        return self.step, self.number


@dataclass(frozen=True, kw_only=True)
class CallAnswer:
    """What a call came to.

    Attributes:
        value: Where it was answered.
        why: One sentence, where it was not.
        seconds: Wall seconds outside.
    """

    state: CallState
    value: Json = None
    why: str = ""
    seconds: float = 0.0


@runtime_checkable
class StatefulSource(FunctionSource, Protocol):
    """A source whose calls change what later ones find, in itself alone, such as a game."""

    def rebuild(self, calls: Sequence[tuple[RecordedCall, CallAnswer | None]]) -> None:
        """Told once, before any call, of all calls on record in their order, so that it stands as they left it."""
        ...


class CallRecord(Protocol):
    """Where intent and answer of every call are kept, each before anything follows from it."""

    def earlier_call(self, place: Place) -> tuple[RecordedCall, CallAnswer | None] | None:
        """The call at that place, with its answer if one came; None where it was not begun yet."""
        ...

    def spending(self) -> tuple[int, float, int]:
        """How many calls were begun, the seconds of those which ended, and the characters of all that they hold."""
        ...

    def of_step(self, step: int) -> Sequence[tuple[RecordedCall, CallAnswer | None]]:
        """The calls of a step in their order, with their answers so far."""
        ...

    def failures_text(self) -> Sequence[RecordedCall]:
        """The calls whose functions told something, by a value or by an error."""
        ...

    def begin(self, call: RecordedCall) -> None:
        """Keeps the intent, durably."""
        ...

    def end(self, place: Place, answer: CallAnswer) -> None:
        """Keeps the answer, durably."""
        ...


class CallsInMemory:
    """A record that lasts as long as the process; implements :class:`CallRecord`."""

    def __init__(self) -> None:
        self._steps: dict[int, dict[int, tuple[RecordedCall, CallAnswer | None]]] = {}
        self._count, self._seconds, self._size = 0, 0.0, 0

    @property
    def calls(self) -> Mapping[Place, tuple[RecordedCall, CallAnswer | None]]:
        """All calls, with their answers so far."""
        return {call.place: (call, answer) for step in self._steps.values() for call, answer in step.values()}

    def earlier_call(self, place: Place) -> tuple[RecordedCall, CallAnswer | None] | None:
        step, number = place
        return self._steps.get(step, {}).get(number)

    def spending(self) -> tuple[int, float, int]:
        return self._count, self._seconds, self._size

    def of_step(self, step: int) -> Sequence[tuple[RecordedCall, CallAnswer | None]]:
        return [one for _, one in sorted(self._steps.get(step, {}).items())]

    def failures_text(self) -> Sequence[RecordedCall]:
        return [call for call, answer in self.calls.values() if answer is not None and answer.state != "refused"]

    def begin(self, call: RecordedCall) -> None:
        if self.earlier_call(call.place) is None:
            self._count, self._size = self._count + 1, self._size + len(canonical_json(call.arguments))
        self._steps.setdefault(call.step, {})[call.number] = call, None

    def end(self, place: Place, answer: CallAnswer) -> None:
        step, number = place
        call, _ = self._steps[step][number]
        self._steps[step][number] = call, answer
        self._seconds, self._size = self._seconds + answer.seconds, self._size + len(canonical_json(answer.value))


class CallGate:
    """Answers the calls of one episode; implements :class:`evolve.runtime.sandbox.actions.Calls`.

    A session that is rebuilt runs the code of its steps again, with :meth:`start` before each. Every call of theirs is
    answered from the record; where another one stands there nothing is called, and one that was begun and never
    answered is made again only if it is repeatable.

    Args:
        sources: Where two offer the same name, neither is offered: code could not tell them apart.
        own: Functions of evolve itself, whose names nobody else can take.
        leave: Asked for each call that is made, and not for one that the record answers.
        clean: Puts a mark in the place of secrets in a value or an error, before it is kept and before the code sees
            it. Arguments with secrets go nowhere.
    """

    def __init__(
        self,
        sources: Sequence[FunctionSource],
        record: CallRecord,
        leave: PermissionCheck,
        limits: CallLimits | None = None,
        *,
        own: Sequence[FunctionSource] = (),
        clean: Callable[[Json], Json] = lambda value: value,
    ) -> None:
        self._sources, self._record, self._leave, self._limits = sources, record, leave, limits or CallLimits()
        self._own, self._clean = own, clean
        self._offers, _ = unique_names(sources)
        self._offers |= {made.name: (made, source) for source in own for made in source.functions()}
        self._misfits: dict[str, Callable[[Mapping[str, Json]], str]] = {}
        self._step, self._number, self._refusing_s = 0, 0, 0.0
        # What was told before a crash counts as read, also where its code does not run again.
        known = {made.digest: made for made, _ in self._offers.values()}
        for call in self._record.failures_text():
            made = known.get(call.digest)
            if made is None or made.effects:
                self._leave.note_data_from(call.function if made is None else place_of(made), call.digest)

    @property
    def functions(self) -> Sequence[Function]:
        """What code can import."""
        return [made for made, _ in self._offers.values()]

    def note_data_from(self, place: str) -> None:
        """The run may hold data of a place that no function offers, such as a person's folder."""
        self._leave.note_data_from(place)

    def of_record(self) -> CallGate:
        """A gate that answers what this one did and makes no call, for code that runs once more to check something."""
        return _GateOfRecord(self._sources, self._record, self._leave, self._limits, own=self._own, clean=self._clean)

    def calls_of_step(self, step: int) -> Sequence[tuple[RecordedCall, CallAnswer | None]]:
        """The calls of a step so far."""
        return self._record.of_step(step)

    def offered_functions(self) -> Sequence[tuple[str, Sequence[str], str]]:
        return [(name, made.parameter_names, made.description) for name, (made, _) in self._offers.items()]

    def start(self, step: int) -> None:
        """The code of a step begins, for the first time or again."""
        self._step, self._number, self._refusing_s = step, 0, 0.0

    def answer_frame(self, frame: bytes) -> bytes:
        """Answers one call; see the protocol."""
        answer = self._answered(frame)
        said = {"value": answer.value} if answer.state == "answered" else {"error": answer.why}
        return json.dumps(said, separators=(",", ":")).encode("ascii")

    def _answered(self, frame: bytes) -> CallAnswer:
        if self._refusing_s > _REFUSING_S:
            return _refused("too many calls of this code were refused")
        began, number = time.thread_time(), self._number
        answer = self._looked_at(frame)
        if self._number == number:  # neither made nor on record, so nothing else bounds how often it may be tried
            self._refusing_s += time.thread_time() - began
        return answer

    def _looked_at(self, frame: bytes) -> CallAnswer:
        if len(frame) > self._limits.arguments_kb << 10:
            return _refused(f"the arguments are larger than {self._limits.arguments_kb} KiB")
        asked = _read(frame)
        if asked is None:
            return _refused("this is no call of a function")
        name, arguments = asked
        if name not in self._offers:
            return _refused(f"there is no function {name[:80]!r}")
        made, source = self._offers[name]
        if name not in self._misfits:
            self._misfits[name] = argument_problem(made.parameters)
        if wrong := self._misfits[name](arguments):
            return _refused(f"{name}: {wrong}")
        if MARK in canonical_json(arguments):
            return _refused(f"the arguments of {name} have {MARK} in the place of a value that is not shown")
        if self._clean(arguments) != arguments:
            return _refused(f"the arguments of {name} hold a secret of the person's, which no call may carry")
        call = RecordedCall(
            step=self._step, number=self._number + 1, function=name, digest=made.digest, arguments=arguments
        )
        answer = self._on_record(call, made) or self._called(call, made, source)
        self._number += self._record.earlier_call(call.place) is not None
        if answer.state != "refused" and made.effects:
            self._leave.note_data_from(place_of(made), made.digest)  # an error tells something too
        return answer

    def _used_up(self) -> str:
        """Why no further call is made; "" where one may be."""
        (calls, seconds, size), limits = self._record.spending(), self._limits
        if calls >= limits.calls:
            return f"all {limits.calls} calls of this task are used up"
        if size >= limits.total_mb << 20:
            return f"the calls of this task hold {limits.total_mb} MiB already"
        return f"the calls of this task have taken their {limits.total_s:g} s" if seconds >= limits.total_s else ""

    def _on_record(self, call: RecordedCall, made: Function) -> CallAnswer | None:
        """What is known of this call from before the episode was rebuilt; None where it has to be made."""
        known = self._record.earlier_call(call.place)
        if known is None:
            return None
        before, answer = known
        if before != call:
            return _refused(f"call {call.number} was another one when this code ran before, so nothing was called")
        if answer is not None:
            return answer
        if made.repeatable:
            return None
        told = f"{call.function} may have been done, and nobody knows: it was under way when evolve was ended"
        return self._ended(call, CallAnswer(state="doubtful", why=told))

    def _called(self, call: RecordedCall, made: Function, source: FunctionSource) -> CallAnswer:
        again = self._record.earlier_call(call.place) is not None
        if not again and (why := self._used_up()):
            return _refused(why)
        left = self._limits.calls - self._record.spending()[0] - 1
        # asked again where it is made again: what stands on record may have been refused
        why = self._leave.refusal_reason(made, call.arguments, max(left, 0))
        self._record.begin(call)
        if why:
            return self._ended(call, _refused(why))
        began, limits = time.monotonic(), self._limits
        seconds = min(limits.seconds, limits.total_s - self._record.spending()[1])
        given = plain_object(call.arguments, limits.arguments_kb << 10)  # what it does with them changes no record
        try:
            answer = self._valued(call.function, source.call(call.function, given, seconds=seconds))
        except CallFailed as failure:
            answer = CallAnswer(state="doubtful" if failure.doubtful else "failed", why=self._told(failure))
        took = time.monotonic() - began
        return self._ended(call, CallAnswer(state=answer.state, value=answer.value, why=answer.why, seconds=took))

    def _valued(self, name: str, value: Json) -> CallAnswer:
        most = self._limits.value_kb << 10
        try:
            value = copy_json(value, most)
        except NotJson as no:
            return CallAnswer(state="failed", why=f"{name} gave {no}")
        if len(json.dumps(value)) > most:
            return CallAnswer(state="failed", why=f"{name} gave more than {self._limits.value_kb} KiB")
        return CallAnswer(state="answered", value=self._clean(value))

    def _told(self, failure: CallFailed) -> str:
        # shortened before as well: it may be of any length, and is looked through for every secret
        text = clean_text(head_and_tail(str(failure), 10 * _LONGEST_ERROR))
        return head_and_tail(str(self._clean(text)), _LONGEST_ERROR)

    def _ended(self, call: RecordedCall, answer: CallAnswer) -> CallAnswer:
        self._record.end(call.place, answer)
        return answer


class _GateOfRecord(CallGate):
    """Answers what another gate did, and makes no call."""

    def _called(self, call: RecordedCall, made: Function, source: FunctionSource) -> CallAnswer:
        return _refused("a check has no functions to call")


def _read(frame: bytes) -> tuple[str, Mapping[str, Json]] | None:
    """The name and the arguments that a frame holds; None where it holds anything else."""
    try:
        value = json.loads(frame.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != {"function", "arguments"}:
        return None
    name, arguments = value["function"], value["arguments"]
    if not isinstance(name, str) or not isinstance(arguments, dict):
        return None
    try:
        return clean_text(name), plain_object(arguments, len(frame))
    except NotJson:
        return None


def _refuse(name: str) -> Json:
    raise ValueError(name)


def _refused(why: str) -> CallAnswer:
    return CallAnswer(state="refused", why=why)


@dataclass(frozen=True, kw_only=True)
class Toolbox:
    """The functions that code actions may call, and under which conditions.

    Attributes:
        grant_of: What a person said of a function beforehand.
        ask: Puts a question to the person; None where nobody is there.
        limits: Of the calls of one episode.
    """

    sources: Sequence[FunctionSource] = ()
    grant_of: Callable[[Function], Grant] = lambda _: "ask"
    ask: AskConsent | None = None
    limits: CallLimits = field(default_factory=CallLimits)

    def open_gate(
        self, record: CallRecord, *, clean: Callable[[Json], Json], more: Sequence[FunctionSource] = ()
    ) -> CallGate:
        """The gate of one episode.

        Args:
            clean: See :class:`CallGate`.
            more: What the episode itself offers besides.
        """
        leave = Permission(self.grant_of, self.ask)
        return CallGate(self.sources, record, leave, self.limits, own=more, clean=clean)
