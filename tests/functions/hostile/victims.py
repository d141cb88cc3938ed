"""What is attacked: functions that keep what was done, behind a real gate, and a person who keeps what was asked."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from typing import Any

from evolve.runtime.functions import CallFailed, CallGate, CallsInMemory, Function, Permission, PythonFunctions
from evolve.runtime.sandbox import SandboxLimits

SHORT = SandboxLimits(wall_s=1.5, processes=4, result_kb=256)

OUTER = "import gc, os\nouter = [one for one in gc.get_objects() if type(one).__name__ == 'Outside'][0]\n"
"""Finds the channel as hostile code would."""


class Done:
    """Functions of the running program that keep what was done."""

    def __init__(self) -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.source = PythonFunctions()

        def add(left: int, right: int) -> int:
            self.calls.append((left, right))
            return left + right

        def wait(seconds: float) -> str:
            time.sleep(seconds)
            return "waited"

        def text(length: int) -> str:
            self.calls.append((length,))
            return "x" * length

        for function in (add, wait, text):
            self.source.add(function, effects=["reads"], repeatable=False)

    def gate(self) -> CallGate:
        return CallGate([self.source], CallsInMemory(), Permission(lambda function: "allow"))


class Shop:
    """A source of a stranger, which gives or raises what it is told to."""

    def __init__(self, gives: Any = "done", made: Function | None = None) -> None:
        self.gives, self.made = gives, made or function("buy")
        self.done: list[Mapping[str, Any]] = []

    def functions(self):
        return [self.made]

    def call(self, name, arguments, *, seconds):
        self.done.append(json.loads(json.dumps(arguments)))
        gives = self.gives(arguments) if callable(self.gives) else self.gives
        if isinstance(gives, BaseException):
            raise gives
        return gives

    def close(self):
        pass


def function(name: str, *effects: str, source: str = "", **more: Any) -> Function:
    made = {"name": name, "description": "", "parameters": {"type": "object"}, "source": source, **more}
    return Function(**made, **({"effects": frozenset(effects)} if effects else {}))


def frame(name: str, **arguments: Any) -> bytes:
    return json.dumps({"function": name, "arguments": arguments}).encode()


def told(gate: CallGate, asked: bytes) -> dict[str, Any]:
    return json.loads(gate.answer_frame(asked))


def allowed_gate(*sources: Any, record=None, **more: Any) -> CallGate:
    kept = CallsInMemory() if record is None else record
    return CallGate(sources, kept, Permission(lambda one: "allow", lambda question: "once"), **more)


class Person:
    """Says the same to every question, and keeps them."""

    def __init__(self, says: str = "no") -> None:
        self.says, self.asked = says, []

    def __call__(self, question):
        self.asked.append(question)
        return self.says


__all__ = ["OUTER", "SHORT", "CallFailed", "Done", "Person", "Shop", "allowed_gate", "frame", "function", "told"]
