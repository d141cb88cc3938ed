"""Runs inside the sandbox, in the process of an answer and in that of the tests; sent as text, never imported.

The tests call a stand-in. Each call crosses to the answer's process as JSON, and its result comes back the same way, so
the tests compare data that holds no code of the answer. Around the code under test everything is caught: whatever it
raises is its result.
"""

from __future__ import annotations

import ast
import builtins
import collections
import datetime
import importlib
import json
import os
import queue
import sys
import threading

from evolve.sandbox.worker import caught, explain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEEPEST = 100
MOST_ITEMS = 1000
SCALARS = (int, float, str, bytes, bytearray)
SEQUENCES = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
MAPPINGS = {"OrderedDict": collections.OrderedDict, "Counter": collections.Counter, "dict": dict}
VIEWS = {"dict_keys": type({}.keys()), "dict_values": type({}.values()), "dict_items": type({}.items())}
FACTORIES = (None, bool, dict, float, int, list, set, str, tuple)
PATHS = ("Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath", "WindowsPath")
FIELDS = {
    "builtins.complex": ("real", "imag"),
    "builtins.range": ("start", "stop", "step"),
    "fractions.Fraction": ("numerator", "denominator"),
    "datetime.timedelta": ("days", "seconds", "microseconds"),
    "datetime.date": ("year", "month", "day"),
    "datetime.time": ("hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "datetime.datetime": ("year", "month", "day", "hour", "minute", "second", "microsecond", "tzinfo", "fold"),
    "zoneinfo.ZoneInfo": ("key",),
}
RAISED = {
    "copy": ("Error",),
    "decimal": (
        *("Clamped", "ConversionSyntax", "DecimalException", "DivisionByZero", "DivisionImpossible"),
        *("DivisionUndefined", "FloatOperation", "Inexact", "InvalidContext", "InvalidOperation", "Overflow"),
        *("Rounded", "Subnormal", "Underflow"),
    ),
    "json": ("JSONDecodeError",),
    "re": ("error",),
    "statistics": ("StatisticsError",),
    "zoneinfo": ("ZoneInfoNotFoundError",),
}
"""Exceptions of modules that tests may import, besides those of ``builtins``."""


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
            return [name, [packed(item, exact, depth + 1) for item in base.__iter__(value)]]
    if kind is collections.defaultdict and value.default_factory in FACTORIES:
        plain = packed(dict(value), exact, depth)
        return ["defaultdict", [FACTORIES.index(value.default_factory), plain]]
    for name, mapping in MAPPINGS.items():
        if kind is mapping or (not exact and issubclass(kind, mapping)):
            pairs = mapping.items(value)
            return [name, [[packed(key, exact, depth + 1), packed(item, exact, depth + 1)] for key, item in pairs]]
    return packed_scalar(value, exact) if isinstance(value, SCALARS) else packed_other(value, exact, depth)


def packed_scalar(value: Any, exact: bool) -> Any:
    """Numbers and text: what is in them, whatever methods a subclass has."""
    kind = next(
        (base for base in SCALARS if type(value) is base or (not exact and issubclass(type(value), base))), None
    )
    if kind is int:
        number = int.__pos__(value)
        return number if abs(number) < 1 << 63 else ["int", hex(number)]
    if kind is float:
        return float.__pos__(value)
    if kind is str:
        return str.__getitem__(value, slice(None))
    if kind is None:
        raise NotPlain(type(value).__name__)
    return [kind.__name__, bytes(memoryview(value)).hex()]


def packed_other(value: Any, exact: bool, depth: int) -> Any:
    """Values of a few more types, and what an iterator gives."""
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if name == "decimal.Decimal":
        return [name, [str(value)]]
    if name in FIELDS:
        return [name, [packed(getattr(value, field), exact, depth + 1) for field in FIELDS[name]]]
    if kind is datetime.timezone:
        parts = (value.utcoffset(None), value.tzname(None))
        return ["timezone", [packed(one, exact, depth + 1) for one in parts]]
    if kind.__module__.partition(".")[0] == "pathlib" and kind.__qualname__ in PATHS:
        return ["path", [kind.__qualname__, str(value)]]
    if kind is collections.deque:
        return ["deque", [[packed(item, exact, depth + 1) for item in value], value.maxlen]]
    for view, base in VIEWS.items():
        if issubclass(kind, base):
            return [view, [packed(item, exact, depth + 1) for item in value]]
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
    if name in MAPPINGS:
        return MAPPINGS[name]({restored(key): restored(item) for key, item in content})
    if name == "int":
        return int(content, 16)
    if name in ("bytes", "bytearray"):
        return getattr(builtins, name).fromhex(content)
    if name == "iterator":
        return limited([restored(item) for item in content])
    return restored_other(name, content)


def restored_other(name: str, content: Any) -> Any:
    """The same for types that are no builtin names."""
    if name == "defaultdict":
        return collections.defaultdict(FACTORIES[content[0]], restored(content[1]))
    if name == "path":
        return getattr(importlib.import_module("pathlib"), PATHS[PATHS.index(content[0])])(content[1])
    if name == "deque":
        return collections.deque(map(restored, content[0]), content[1])
    if name == "timezone":
        offset, said = map(restored, content)
        return datetime.timezone(offset) if str(datetime.timezone(offset)) == said else datetime.timezone(offset, said)
    if name in VIEWS:
        items = [restored(item) for item in content]
        if name == "dict_values":
            return dict(enumerate(items)).values()
        return dict(items).items() if name == "dict_items" else dict.fromkeys(items).keys()
    if name == "decimal.Decimal" or name in FIELDS:
        module, _, attribute = name.partition(".")
        values = [restored(item) for item in content]
        more = {"fold": values.pop()} if FIELDS.get(name, ())[-1:] == ("fold",) else {}
        return getattr(importlib.import_module(module), attribute)(*values, **more)
    raise ValueError("not a value")


def limited(items: list[Any]) -> Any:
    """An iterator over the items; what was cut off is not taken for the end."""
    yield from items
    if len(items) == MOST_ITEMS:
        raise Failed(f"the answer gave an iterator of more than {MOST_ITEMS} items")


# In the process of the answer.


class Answer:
    """The answer as the module ``solution``. What it prints is dropped: much of it is no reason to end."""

    def __init__(self, text: str) -> None:
        self.nothing = open(os.devnull, "w")  # noqa: SIM115  # as long as the process
        self.module = type(sys)("solution")
        sys.modules["solution"] = self.module
        failure = self.quietly(exec, compile(text, "solution.py", "exec", dont_inherit=True), self.module.__dict__)
        if failure is not None:
            raise failure

    def quietly(self, function: Any, *arguments: Any) -> BaseException | None:
        """Calls the function without its output; gives back whatever it raised."""
        streams = sys.stdout, sys.stderr
        sys.stdout = sys.stderr = self.nothing
        failure = caught(function, *arguments)
        sys.stdout, sys.stderr = streams
        return failure

    def call(self, name: str, sent: str) -> str:
        """Calls a function of the answer: what it gave, or raised."""
        function = getattr(self.module, name, None)
        if not callable(function):
            return json.dumps({"failed": f"there is no function {name}"})
        arguments, keywords = restored(json.loads(sent))
        given: list[Any] = []
        error = self.quietly(lambda: given.append(packed(function(*arguments, **keywords), False)))
        if error is None:
            return json.dumps({"value": given[0]})
        if type(error) is NotPlain:
            return json.dumps({"failed": f"{name} gave no plain value but {error}"})
        told: list[str] = []
        self.quietly(lambda: told.append(json.dumps(packed_error(error))))
        return told[0] if told else json.dumps({"failed": f"{name} raised {type(error).__name__} without words"})


def packed_error(error: BaseException) -> dict[str, Any]:
    """What was raised: the nearest class that the tests know, what it was made of, and its words."""
    if isinstance(error, BaseExceptionGroup):
        return {"failed": f"the answer raised {type(error).__name__}"}
    module, name = next(filter(None, map(known_name, type(error).__mro__)))
    arguments = error.args
    if isinstance(error, OSError) and error.filename is not None:
        arguments = (error.errno, error.strerror, error.filename, None, error.filename2)
    try:
        made_of = packed(arguments, False)
    except NotPlain:
        made_of = packed((), False)
    return {"raised": [module, name], "made_of": made_of, "text": packed_scalar(str(error), False)}


def known_name(kind: type) -> tuple[str, str] | None:
    """Where tests find this very exception, and by which name; None where they do not."""
    if getattr(builtins, kind.__name__, None) is kind:
        return "builtins", kind.__name__
    for module, names in RAISED.items():
        for name in names if module in sys.modules else ():
            if getattr(sys.modules[module], name, None) is kind:
                return module, name
    return None


# In the process of the tests.


class Failed(BaseException):
    """Ends a test for good: no ``except Exception`` of it makes up for an answer that gave no value."""


REACHED = "reached an assertion"
"""Name of the counter in the tests; no text can spell it."""


class Counting(ast.NodeTransformer):
    """Makes every assertion tell when it has passed."""

    def visit_Assert(self, node: ast.Assert) -> list[ast.stmt]:
        place: list[ast.expr] = [ast.Constant(node.lineno), ast.Constant(node.col_offset)]
        tells = ast.Expr(ast.Call(func=ast.Name(REACHED, ast.Load()), args=place, keywords=[]))
        return [node, ast.copy_location(tells, node)]


def sure(body: list[ast.stmt]) -> list[tuple[int, int]]:
    """Places of the assertions that stand under no condition but that of a loop."""
    found = []
    for node in body:
        if isinstance(node, ast.Assert):
            found.append((node.lineno, node.col_offset))
        elif isinstance(node, ast.For):
            found += sure(node.body)
    return found


class Tests:
    """Tests that run in a thread of their own, and whoever brings them what they ask for."""

    def __init__(self, text: str) -> None:
        self.asked: Any = queue.SimpleQueue()
        self.told: Any = queue.SimpleQueue()
        self.failures: list[str] = []
        self.untold: list[str] = []
        self.reached: dict[tuple[int, int], int] = {}
        threading.Thread(target=self.run, args=(text,), daemon=True).start()

    def next_request(self, reply: str | None) -> Any:
        """Hands over a reply, where there is one, and waits for what the tests want next."""
        if reply is not None:
            self.told.put(reply)
        return self.asked.get()

    def run(self, text: str) -> None:
        """Runs every test; tells what came of each."""
        solution = type(sys)("solution")
        solution.__dict__["__getattr__"] = self.stand_in
        sys.modules["solution"] = solution
        names: dict[str, Any] = {"__name__": "tests_under_sandbox", REACHED: self.count}
        tree = ast.parse(text)
        tests = [one for one in tree.body if isinstance(one, ast.FunctionDef) and one.name.startswith("test_")]
        wanted = {place for one in tests for place in sure(one.body)}
        counting = ast.fix_missing_locations(Counting().visit(tree))
        failure = caught(exec, compile(counting, "test_solution.py", "exec", dont_inherit=True), names)
        if failure is not None:
            self.asked.put(["done", [["", explain(failure)]], 0, ""])
            return
        outcomes = []
        for name, function in list(names.items()):
            if name.startswith("test_") and callable(function):
                self.failures.clear()
                failure = caught(function)
                if failure is not None:
                    self.failures.append(explain(failure))
                if type(failure) is Failed:
                    self.untold.append(str(failure))
                outcomes.append([name, "; ".join(self.failures)])
        reached = 0 if wanted - set(self.reached) else sum(self.reached.values())
        self.asked.put(["done", outcomes, reached, self.untold[0] if self.untold else ""])

    def count(self, *place: int) -> None:
        self.reached[place[0], place[1]] = self.reached.get((place[0], place[1]), 0) + 1

    def stand_in(self, name: str) -> Any:
        """A function that has its result brought from the other process."""

        def call(*arguments: Any, **keywords: Any) -> Any:
            try:
                sent = json.dumps(packed([list(arguments), keywords], True))
            except NotPlain as error:
                self.asked.put(["whole", f"an argument is no plain value but {error}"])
                raise Failed("") from error
            self.asked.put(["call", name, sent])
            return self.received(self.told.get())

        return call

    def received(self, text: str) -> Any:
        """What a reply says: the result, an error to raise, or why the test has failed."""
        read: list[Any] = []
        failure = caught(lambda: read.extend(read_reply(text)))
        if failure is not None:
            return self.fail(f"a reply that cannot be read: {type(failure).__name__}")
        what, value = read
        if what == "failed":
            return self.fail(value)
        if what == "raised":
            if not isinstance(value, Exception) or isinstance(value, StopIteration | StopAsyncIteration):
                # In the tests it would end a loop, or a thread of theirs, that never failed.
                return self.fail(f"the answer raised {type(value).__name__}")
            raise value
        return value

    def fail(self, reason: str) -> None:
        self.failures.append(reason)
        self.untold.append(reason)
        raise Failed(reason)


def read_reply(text: str) -> tuple[str, Any]:
    """A reply as ``value``, ``raised`` or ``failed`` with what belongs to it.

    Whatever wrote it, it can name no more here than an exception of Python's own.
    """
    reply = json.loads(text)
    if "failed" in reply:
        return "failed", str(reply["failed"])
    if "raised" not in reply:
        return "value", restored(reply["value"])
    module, name = reply["raised"]
    if module != "builtins" and name not in RAISED[module]:
        raise ValueError("not an exception of Python's own")
    kind = getattr(importlib.import_module(module), name)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise TypeError("not an exception")
    return "raised", remade(kind, tuple(restored(reply["made_of"])), str(reply["text"]))


def remade(kind: type[BaseException], made_of: tuple[Any, ...], text: str) -> BaseException:
    """An exception of this class with these arguments and these words."""
    made: list[BaseException] = []
    if caught(lambda: made.append(kind(*made_of))) is not None or type(made[0]) is not kind:
        made[:] = [kind.__new__(kind)]
        made[0].args = made_of
    if str(made[0]) == text:
        return made[0]
    worded: type[BaseException] = type(kind.__name__, (kind,), {"__str__": lambda self: text})
    error = worded.__new__(worded)
    error.args = made_of
    return error
