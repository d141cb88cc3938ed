"""Runs inside the sandbox, in the process of an answer and in that of the tests; sent as text, never imported.

The tests call a stand-in. Each call crosses to the answer's process as JSON, and its result comes back the same way, so
the tests compare data that holds no code of the answer. Around the code under test everything is caught: whatever it
raises is its result.
"""

from __future__ import annotations

import builtins
import importlib
import json
import os
import queue
import sys
import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 100
MOST_ITEMS = 1000
SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
FIELDS = {
    "builtins.complex": ("real", "imag"),
    "builtins.range": ("start", "stop", "step"),
    "fractions.Fraction": ("numerator", "denominator"),
    "datetime.timedelta": ("days", "seconds", "microseconds"),
    "datetime.date": ("year", "month", "day"),
    "datetime.time": ("hour", "minute", "second", "microsecond"),
    "datetime.datetime": ("year", "month", "day", "hour", "minute", "second", "microsecond"),
}


class NotPlain(Exception):
    """A value that is more than data."""


def packed(value: Any, exact: bool, depth: int = 0) -> Any:
    """The value as JSON; every container is a list of its kind and its content.

    Args:
        exact: Refuse subclasses; else they cross as what they are subclasses of.
    """
    kind = type(value)
    if value is None or kind in (bool, str, float):
        return value
    if depth > DEEPEST:
        raise NotPlain("nesting without end")
    for name, base in SEQUENCES.items():
        if kind is base or (not exact and issubclass(kind, base)):
            return [name, [packed(item, exact, depth + 1) for item in base.__iter__(value)]]  # type: ignore[attr-defined]
    if kind is dict or (not exact and issubclass(kind, dict)):
        pairs = dict.items(value)
        return ["dict", [[packed(key, exact, depth + 1), packed(item, exact, depth + 1)] for key, item in pairs]]
    for base in (int, float):
        if kind is base or (not exact and issubclass(kind, base)):
            number = base.__pos__(value)
            return number if base is float or abs(number) < 1 << 63 else ["int", hex(number)]
    for text in (str, bytes, bytearray):
        if kind is text or (not exact and issubclass(kind, text)):
            whole = text.__getitem__(value, slice(None))
            return whole if text is str else [text.__name__, whole.hex()]
    return packed_other(value, exact, depth)


def packed_other(value: Any, exact: bool, depth: int) -> Any:
    """Values of a few more types, and what an iterator gives."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name == "decimal.Decimal":
        return [name, [str(value)]]
    if name in FIELDS and getattr(value, "tzinfo", None) is None:
        return [name, [packed(getattr(value, field), exact, depth + 1) for field in FIELDS[name]]]
    if not exact and hasattr(kind, "__next__"):
        items = [packed(item, exact, depth + 1) for item, _ in zip(value, range(MOST_ITEMS), strict=False)]
        return ["iterator", items]
    raise NotPlain(kind.__name__)


def restored(data: Any) -> Any:
    """The value that :func:`packed` described, of builtin types alone; raises for what it cannot have written."""
    if data is None or type(data) in (bool, int, float, str):
        return data
    name, content = data
    if name in SEQUENCES:
        return SEQUENCES[name](map(restored, content))
    if name == "dict":
        return {restored(key): restored(item) for key, item in content}
    if name == "int":
        return int(content, 16)
    if name in ("bytes", "bytearray"):
        return getattr(builtins, name).fromhex(content)
    if name == "iterator":
        return limited([restored(item) for item in content])
    if name == "decimal.Decimal" or name in FIELDS:
        module, _, attribute = name.partition(".")
        return getattr(importlib.import_module(module), attribute)(*map(restored, content))
    raise ValueError("not a value")


def limited(items: list[Any]) -> Any:
    """An iterator over the items; what was cut off is not taken for the end."""
    yield from items
    if len(items) == MOST_ITEMS:
        raise Failed(f"more than {MOST_ITEMS} items")


# In the process of the answer.


def load(text: str) -> None:
    """Makes the answer the module ``solution``."""
    sys.stdout = sys.stderr = open(os.devnull, "w")  # much that is printed is no reason to end  # noqa: SIM115
    module = type(sys)("solution")
    sys.modules["solution"] = module
    exec(compile(text, "solution.py", "exec", dont_inherit=True), module.__dict__)


def answered(name: str, sent: str) -> str:
    """Calls a function of the answer: what it gave, or raised."""
    function = getattr(sys.modules["solution"], name, None)
    if not callable(function):
        return json.dumps({"failed": f"there is no function {name}"})
    arguments, keywords = restored(json.loads(sent))
    try:
        return json.dumps({"value": packed(function(*arguments, **keywords), False)})
    except NotPlain as error:
        return json.dumps({"failed": f"{name} gave no plain value but {error}"})
    except BaseException as error:
        known = next(kind for kind in type(error).__mro__ if getattr(builtins, kind.__name__, None) is kind)
        return json.dumps({"raised": known.__name__, "text": str(error)[:1000]})


# In the process of the tests.

asked: Any = queue.SimpleQueue()
told: Any = queue.SimpleQueue()
failures: list[str] = []


class Failed(BaseException):
    """Ends a test for good: no ``except Exception`` of it makes up for an answer that gave no value."""


def fail(reason: str) -> None:
    failures.append(reason)
    raise Failed(reason)


def stand_in(name: str) -> Any:
    """A function that has its result brought from the other process."""

    def call(*arguments: Any, **keywords: Any) -> Any:
        try:
            sent = json.dumps(packed([list(arguments), keywords], True))
        except NotPlain as error:
            asked.put(["whole", f"an argument is no plain value but {error}"])
            raise Failed("") from error
        asked.put(["call", name, sent])
        return received(told.get())

    return call


def received(text: str) -> Any:
    """What a reply says: the result, an error to raise, or why the test has failed.

    Whatever wrote the reply, it can name no more here than an exception of Python's own.
    """
    try:
        reply = json.loads(text)
        if "failed" in reply:
            return fail(reply["failed"])
        if "raised" not in reply:
            return restored(reply["value"])
        kind = getattr(builtins, reply["raised"])
        if not (isinstance(kind, type) and issubclass(kind, BaseException)):
            raise TypeError("not an exception")
        raised = kind(str(reply["text"]))
    except Exception as error:
        return fail(f"a reply that cannot be read: {type(error).__name__}")
    raise raised


def run_tests(text: str) -> None:
    """Runs every test; tells what came of each."""
    solution = type(sys)("solution")
    solution.__dict__["__getattr__"] = stand_in
    sys.modules["solution"] = solution
    names: dict[str, Any] = {"__name__": "tests_under_sandbox"}
    outcomes = []
    try:
        exec(compile(text, "test_solution.py", "exec", dont_inherit=True), names)
    except BaseException as error:
        asked.put(["done", [["", f"{type(error).__name__}: {error}"]]])
        return
    for name, function in list(names.items()):
        if name.startswith("test_") and callable(function):
            failures.clear()
            try:
                function()
            except BaseException as error:
                failures.append(f"{type(error).__name__}: {error}"[:300])
            outcomes.append([name, "; ".join(failures)])
    asked.put(["done", outcomes])


def begin(text: str) -> None:
    """Runs the tests beside whoever brings them the results."""
    threading.Thread(target=run_tests, args=(text,), daemon=True).start()


def next_request(reply: str | None) -> Any:
    """Hands over a reply, where there is one, and waits for what the tests want next."""
    if reply is not None:
        told.put(reply)
    return asked.get()
