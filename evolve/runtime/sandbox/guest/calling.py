"""Calls that code in a session makes to the outside, and how the runner passes them on; sent as text.

What an action sees is the module ``functions``. A call leaves its process as one frame, eight bytes of length and JSON,
and its answer comes back the same way. Nothing here decides anything: whether there is such a function, and whether it
may be called, is decided outside. While a call is there everything of the session is stopped, so neither its clock nor
its threads go on.
"""

from __future__ import annotations

import _thread
import json
import os
import sys
import time

from evolve.runtime.sandbox.guest.worker import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

MODULE = "functions"
FINDS = "find_functions"
"""The function that finds others, where there are more than anybody was told of."""
LENGTH = 8  # bytes of the length in front of each frame
ENCODE = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


class FunctionError(Exception):
    """A call was refused, or failed; the message says why in one sentence."""


class Outside:
    """The end of the channel in the process of the session: one call at a time, whichever thread makes it.

    A forked process has no channel; one that was started as another program never got it.
    """

    def __init__(self, calls: int, answers: int) -> None:
        self.calls, self.answers = calls, answers
        self.lock, self.caller = _thread.allocate_lock(), 0
        self.closed = "functions can be called in the process of the action only"
        self.names: list[str] = []
        os.register_at_fork(after_in_child=self.close)

    def close(self) -> None:
        """Gives up the channel."""
        if self.calls >= 0:
            os.close(self.calls)
            os.close(self.answers)
        self.calls = self.answers = -1

    def give_up(self) -> None:
        """Makes no further call. The other end must not take it for the end of the process."""
        if self.calls >= 0:
            os.close(self.answers)
        self.calls = self.answers = -1
        self.closed = "a call was cut off before its answer came, and nothing can be called after it in this session"

    def call(self, name: str, arguments: Mapping[str, Any]) -> Any:
        """Has a function called outside; gives what it gave, or raises FunctionError."""
        frame = ENCODE({"function": name, "arguments": plain(arguments)}).encode("ascii")
        if self.caller == _thread.get_ident():
            raise FunctionError("nothing can be called within a call, as by a handler of a signal")
        if self.calls < 0:  # looked at before: in a forked process the lock may be held by a thread that is not there
            raise FunctionError(self.closed)
        with self.lock:
            if self.calls < 0:
                raise FunctionError(self.closed)
            reply, self.caller = None, _thread.get_ident()
            try:
                write(self.calls, len(frame).to_bytes(LENGTH, "big") + frame)
                reply = json.loads(self.read(int.from_bytes(self.read(LENGTH), "big")))
            finally:
                self.caller = 0
                if reply is None:  # as after what a handler of a signal raised: the next call would get this answer
                    self.give_up()
        if "error" in reply:
            raise FunctionError(reply["error"])
        return reply["value"]

    def read(self, size: int) -> bytes:
        parts = []
        while size:
            part = os.read(self.answers, min(size, 1 << 16))
            if not part:
                raise FunctionError("nobody answers calls any more")
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def offer(self, functions: Sequence[Sequence[Any]]) -> None:
        """Makes the module anew: of each function its name, its parameters in order, and what it does.

        What it lacks is looked for in a module of that name on the path, for a folder may have one.
        """
        module = type(sys)(MODULE, "Functions that act on something outside the sandbox.")
        module.__dict__["FunctionError"] = FunctionError
        found: list[Any] = []
        module.__dict__["__getattr__"] = lambda name: self.looked_up(name, found)
        self.names = [name for name, _, _ in functions]
        for name, parameters, text in functions:
            module.__dict__[name] = self.stand_in(name, parameters, text)
        sys.modules[MODULE] = module

    def looked_up(self, name: str, found: list[Any]) -> Any:
        """A name that is not offered; ``found`` keeps the other module, which is imported once it is asked for."""
        if name == "__path__" or not name.startswith("__"):
            if not found:
                from importlib.machinery import PathFinder

                spec = PathFinder.find_spec(MODULE)
                found.append(None if spec is None else type(sys)(MODULE))
                if spec is not None and spec.loader is not None:
                    vars(found[0]).update(__spec__=spec, __file__=spec.origin)
                    if spec.submodule_search_locations is not None:
                        found[0].__path__ = spec.submodule_search_locations
                    spec.loader.exec_module(found[0])
            if found[0] is not None and name in vars(found[0]):
                return vars(found[0])[name]
        why = f"there is no function {name} in the module {MODULE}{self.nearest(name)}"
        frame = sys._getframe(2)
        # Of an AttributeError an import would tell nothing but that the name could not be imported.
        from opcode import opmap

        if frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]:
            raise ImportError(why, name=name)
        raise AttributeError(why)

    def nearest(self, name: str) -> str:
        """The offered names that are like a name, and how more are found, as the end of a sentence."""
        from difflib import get_close_matches

        words = set(name.lower().split("_"))
        shared = [one for one in self.names if words & set(one.lower().split("_"))]
        like = [*get_close_matches(name, self.names, 3, 0.5), *shared]
        few = self.names if len(self.names) <= 5 else []
        named = [one for one in dict.fromkeys(like or few) if one not in (name, FINDS)][:5]
        told = f"; there is {', '.join(named)}" if named else ""
        return told + (f"; {FINDS}('words of what it does') finds others" if FINDS in self.names else "")

    def stand_in(self, name: str, parameters: Sequence[str], text: str) -> Any:
        def function(*positional: Any, **named: Any) -> Any:
            if len(positional) > len(parameters):
                raise TypeError(f"{name} takes {len(parameters)} arguments at most, not {len(positional)}")
            arguments = dict(zip(parameters, positional))  # noqa: B905  # some may be left out, or named
            for key in named:
                if key in arguments:
                    raise TypeError(f"{name} got {key} twice")
            return self.call(name, {**arguments, **named})

        function.__name__ = function.__qualname__ = name
        function.__doc__, function.__module__ = text, MODULE
        return function


def write(descriptor: int, data: bytes) -> None:
    """Writes everything."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


class CallTooLarge(Exception):
    """A call is longer than it may be."""


class Channel:
    """The runner's end: takes one frame at a time, as it arrives, and gives its answer as far as the process reads.

    With descriptors of -1 there is none. ``ask`` has a call answered outside.
    """

    def __init__(self, calls: int, answers: int) -> None:
        self.calls, self.answers = calls, answers
        if answers >= 0:
            os.set_blocking(answers, False)
        self.ask: Callable[[bytes], bytes] = lambda frame: b""
        self.frame = bytearray()
        self.unsent = memoryview(b"")

    def reading(self) -> list[int]:
        """What to wait for: the next frame comes after the answer before it was taken."""
        return [] if self.unsent or self.calls < 0 else [self.calls]

    def writing(self) -> list[int]:
        return [self.answers] if self.unsent else []

    def is_in_a_call(self) -> bool:
        """Whether a part of a call came, or a part of its answer was not taken by a process that could still do so."""
        if self.unsent:
            self.send()
        return bool(self.frame or self.unsent)

    def serve(self, ready: Sequence[Sequence[int]], most: int) -> float:
        """Passes a call on once it is whole, and an answer as far as it is taken; gives the seconds spent outside.

        Raises:
            TooLarge: The call is longer than ``most`` bytes.
        """
        if self.answers in ready[1]:
            self.send()
        if self.calls not in ready[0]:
            return 0.0
        frame = self.take(most)
        if frame is None:
            return 0.0
        began = time.monotonic()
        answer = self.ask(frame)
        self.unsent = memoryview(len(answer).to_bytes(LENGTH, "big") + answer)
        return time.monotonic() - began

    def take(self, most: int) -> bytes | None:
        """Reads what is there; the frame once it is whole, None before."""
        wanted = LENGTH
        if len(self.frame) >= LENGTH:
            wanted += int.from_bytes(self.frame[:LENGTH], "big")
        if wanted > LENGTH + most:
            raise CallTooLarge
        part = os.read(self.calls, min(wanted - len(self.frame), 1 << 16))
        if not part and wanted > len(self.frame):
            os.close(self.calls)
            self.calls = -1
        self.frame += part
        if len(self.frame) < LENGTH or len(self.frame) < LENGTH + int.from_bytes(self.frame[:LENGTH], "big"):
            return None
        frame, self.frame = bytes(self.frame[LENGTH:]), bytearray()
        return frame

    def send(self) -> None:
        """Writes as much of the answer as the process takes now."""
        try:
            self.unsent = self.unsent[os.write(self.answers, self.unsent[:4096]) :]
        except BlockingIOError:
            return
        except ConnectionError:
            self.unsent = self.unsent[:0]

    def close(self) -> None:
        for descriptor in (self.calls, self.answers):
            if descriptor >= 0:
                os.close(descriptor)
