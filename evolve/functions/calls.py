"""The one gate that every call of a code action passes, outside the sandbox.

A frame comes from untrusted code. In this order it is read, its function looked up, its size, number and arguments
checked, leave asked for, and its intent put on record; only then is the function called, and what it gave is put on
record before the code sees it. Whatever stops a call on the way is told to the code in one sentence.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from evolve.episodes import CallState, Json
from evolve.files import canonical_json
from evolve.functions.function import CallFailed, Function, FunctionSource
from evolve.functions.permission import Leave, place_of
from evolve.functions.schema import fitting
from evolve.redaction import MARK


@dataclass(frozen=True, kw_only=True)
class CallLimits:
    """What the calls of one episode may use together.

    Attributes:
        calls: How many may be made.
        seconds: Of one call.
        total_s: Of all of them.
        arguments_kb: Largest arguments of one, KiB of JSON.
        value_kb: Largest value, KiB of JSON.
    """

    calls: int = 500
    seconds: float = 60.0
    total_s: float = 600.0
    arguments_kb: int = 256
    value_kb: int = 1024


Place = tuple[int, int]
"""A step, and the number of a call among those of the step."""


@dataclass(frozen=True, kw_only=True)
class Call:
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
class Answer:
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


class CallRecord(Protocol):
    """Where intent and answer of every call are kept, each before anything follows from it."""

    def begun(self, place: Place) -> tuple[Call, Answer | None] | None:
        """The call at that place, with its answer if one came; None where it was not begun yet."""
        ...

    def spent(self) -> tuple[int, float]:
        """How many calls were begun, and the seconds that those which ended took."""
        ...

    def of_step(self, step: int) -> Sequence[tuple[Call, Answer | None]]:
        """The calls of a step in their order, with their answers so far."""
        ...

    def begin(self, call: Call) -> None:
        """Keeps the intent, durably."""
        ...

    def end(self, place: Place, answer: Answer) -> None:
        """Keeps the answer, durably."""
        ...


class CallsInMemory:
    """A record that lasts as long as the process; implements :class:`CallRecord`."""

    def __init__(self) -> None:
        self._steps: dict[int, dict[int, tuple[Call, Answer | None]]] = {}
        self._count, self._seconds = 0, 0.0

    @property
    def calls(self) -> Mapping[Place, tuple[Call, Answer | None]]:
        """All calls, with their answers so far."""
        return {call.place: (call, answer) for step in self._steps.values() for call, answer in step.values()}

    def begun(self, place: Place) -> tuple[Call, Answer | None] | None:
        step, number = place
        return self._steps.get(step, {}).get(number)

    def spent(self) -> tuple[int, float]:
        return self._count, self._seconds

    def of_step(self, step: int) -> Sequence[tuple[Call, Answer | None]]:
        return [one for _, one in sorted(self._steps.get(step, {}).items())]

    def begin(self, call: Call) -> None:
        self._count += self.begun(call.place) is None
        self._steps.setdefault(call.step, {})[call.number] = call, None

    def end(self, place: Place, answer: Answer) -> None:
        step, number = place
        call, _ = self._steps[step][number]
        self._steps[step][number] = call, answer
        self._seconds += answer.seconds


class CallGate:
    """Answers the calls of one episode; implements :class:`evolve.sandbox.actions.Calls`.

    A session that is rebuilt runs the code of its steps again, with :meth:`start` before each. Every call of theirs is
    answered from the record; where another one stands there nothing is called, and one that was begun and never
    answered is made again only if it is repeatable.

    Args:
        sources: Where two offer the same name, neither is offered: code could not tell them apart.
        leave: Asked for each call that is made, and not for one that the record answers.
        clean: Puts a mark in the place of secrets in a value, before it is kept and before the code sees it.
        makes: Whether calls are made; else the record alone answers, and what is not on it is refused.
    """

    def __init__(
        self,
        sources: Sequence[FunctionSource],
        record: CallRecord,
        leave: Leave,
        limits: CallLimits | None = None,
        *,
        clean: Callable[[Json], Json] = lambda value: value,
        makes: bool = True,
    ) -> None:
        self._sources, self._record, self._leave, self._limits = sources, record, leave, limits or CallLimits()
        self._clean, self._makes = clean, makes
        offers = [(function, source) for source in sources for function in source.functions()]
        names = [function.name for function, _ in offers]
        self._offers = {made.name: (made, source) for made, source in offers if names.count(made.name) == 1}
        self._misfits: dict[str, Callable[[Mapping[str, Json]], str]] = {}
        self._step, self._number = 0, 0

    @property
    def functions(self) -> Sequence[Function]:
        """What code can import."""
        return [made for made, _ in self._offers.values()]

    def saw(self, place: str) -> None:
        """The run may hold data of a place that no function offers, such as a person's folder."""
        self._leave.saw(place)

    def of_record(self) -> CallGate:
        """A gate that answers what this one did and makes no call, for code that runs once more to check something."""
        return CallGate(self._sources, self._record, self._leave, self._limits, makes=False)

    def made(self, step: int) -> Sequence[tuple[Call, Answer | None]]:
        """The calls of a step so far."""
        return self._record.of_step(step)

    def offered(self) -> Sequence[tuple[str, Sequence[str], str]]:
        return [(name, made.names, made.description) for name, (made, _) in self._offers.items()]

    def start(self, step: int) -> None:
        """The code of a step begins, for the first time or again."""
        self._step, self._number = step, 0

    def answer(self, frame: bytes) -> bytes:
        """Answers one call; see the protocol."""
        answer = self._answered(frame)
        said = {"value": answer.value} if answer.state == "answered" else {"error": answer.why}
        return json.dumps(said, separators=(",", ":")).encode("ascii")

    def _answered(self, frame: bytes) -> Answer:
        asked = _read(frame)
        if asked is None:
            return _refused("this is no call of a function")
        name, arguments = asked
        if name not in self._offers:
            return _refused(f"there is no function {name[:80]!r}")
        made, source = self._offers[name]
        if len(frame) > self._limits.arguments_kb << 10:
            return _refused(f"the arguments of {name} are larger than {self._limits.arguments_kb} KiB")
        if name not in self._misfits:
            self._misfits[name] = fitting(made.parameters)
        if wrong := self._misfits[name](arguments):
            return _refused(f"{name}: {wrong}")
        if MARK in canonical_json(arguments):
            return _refused(f"the arguments of {name} have {MARK} in the place of a value that is not shown")
        call = Call(step=self._step, number=self._number + 1, function=name, digest=made.digest, arguments=arguments)
        answer = self._on_record(call, made) or self._called(call, made, source)
        self._number += self._record.begun(call.place) is not None
        if answer.state == "answered" and made.effects:
            self._leave.saw(place_of(made))
        return answer

    def _used_up(self) -> str:
        """Why no further call is made; "" where one may be."""
        (calls, seconds), limits = self._record.spent(), self._limits
        if calls >= limits.calls:
            return f"all {limits.calls} calls of this task are used up"
        return f"the calls of this task have taken their {limits.total_s:g} s" if seconds >= limits.total_s else ""

    def _on_record(self, call: Call, made: Function) -> Answer | None:
        """What is known of this call from before the episode was rebuilt; None where it has to be made."""
        known = self._record.begun(call.place)
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
        return self._ended(call, Answer(state="doubtful", why=told))

    def _called(self, call: Call, made: Function, source: FunctionSource) -> Answer:
        if not self._makes:
            return _refused("a check has no functions to call")
        again = self._record.begun(call.place) is not None
        if not again and (why := self._used_up()):
            return _refused(why)
        left = self._limits.calls - self._record.spent()[0] - 1
        why = "" if again else self._leave.refusal(made, call.arguments, left)
        self._record.begin(call)
        if why:
            return self._ended(call, _refused(why))
        began, limits = time.monotonic(), self._limits
        seconds = min(limits.seconds, limits.total_s - self._record.spent()[1])
        try:
            answer = self._valued(call.function, source.call(call.function, call.arguments, seconds=seconds))
        except CallFailed as failure:
            answer = Answer(state="doubtful" if failure.doubtful else "failed", why=str(failure))
        took = time.monotonic() - began
        return self._ended(call, Answer(state=answer.state, value=answer.value, why=answer.why, seconds=took))

    def _valued(self, name: str, value: Json) -> Answer:
        try:
            size = len(json.dumps(value, allow_nan=False).encode("ascii"))
        except (TypeError, ValueError, RecursionError):
            return Answer(state="failed", why=f"{name} gave something that is no JSON value")
        if size > self._limits.value_kb << 10:
            return Answer(state="failed", why=f"{name} gave more than {self._limits.value_kb} KiB")
        return Answer(state="answered", value=self._clean(value))

    def _ended(self, call: Call, answer: Answer) -> Answer:
        self._record.end(call.place, answer)
        return answer


def _read(frame: bytes) -> tuple[str, Mapping[str, Json]] | None:
    """The name and the arguments that a frame holds; None where it holds anything else."""
    try:
        value = json.loads(frame.decode("ascii"), parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict) or set(value) != {"function", "arguments"}:
        return None
    name, arguments = value["function"], value["arguments"]
    return (name, arguments) if isinstance(name, str) and isinstance(arguments, dict) else None


def _refuse(name: str) -> Json:
    raise ValueError(name)


def _refused(why: str) -> Answer:
    return Answer(state="refused", why=why)
