"""Runs inside the sandbox, in the process of an answer and in that of the tests; sent as text, never imported.

The tests call a stand-in. Each call crosses to the answer's process as JSON, and its result comes back the same way, so
the tests compare data that holds no code of the answer. :mod:`~evolve.runtime.sandbox.guest.crossing` is loaded first,
into the same namespace. Around the code under test everything is caught: whatever it raises is its result.
"""

from __future__ import annotations

import ast
import builtins
import decimal
import importlib
import json
import locale
import os
import queue
import sys
import threading
import time

from evolve.runtime.sandbox.guest.worker import caught, explain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from evolve.runtime.sandbox.guest.crossing import (
        CONTAINERS,
        RAISED,
        VIEWS,
        NotPlain,
        packed,
        refuse_shared,
        restored,
    )

# In the process of the answer.


class Answer:
    """The answer as the module ``solution``. What it prints is dropped: much of it is no reason to end."""

    def __init__(self, text: str) -> None:
        self.nothing = open(os.devnull, "w")  # noqa: SIM115  # as long as the process
        self.module = type(sys)("solution")
        self.module.__file__ = "solution.py"
        self.watched: list[tuple[Any, int]] = []
        self.iterators: list[Any] = []
        self.process_state = process_state()
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
        self.watch([arguments, keywords])
        return self.replied(name, lambda: function(*arguments, **keywords))

    def next_item(self, number: int) -> str:
        """The next item of an iterator that was given."""
        return self.replied("an iterator", lambda: next(self.iterators[number]), ends=True)

    def replied(self, name: str, function: Any, ends: bool = False) -> str:
        """What a call gave, or raised, or why it cannot be told in another process."""
        results: list[Any] = []
        error = self.quietly(lambda: results.append(function()))
        replies: list[str] = []
        if error is None:
            reason = self.quietly(lambda: replies.append(json.dumps({"value": packed(results[0], self.keep)})))
            self.quietly(lambda: self.watch(results[0]))
        elif ends and type(error) is StopIteration:
            return json.dumps({"end": True})
        else:
            reason = self.quietly(lambda: replies.append(json.dumps(packed_error(error))))
        if not replies:
            return json.dumps({"whole": f"{name} gave or raised no plain value but {reason}"})
        # only the latest: looking at all of them after each call would take ever longer
        return json.dumps({"whole": CHANGED}) if changed(self.watched[-4:]) else replies[0]

    def keep(self, iterator: Any) -> int:
        self.iterators.append(iterator)
        return len(self.iterators) - 1

    def watch(self, value: Any) -> None:
        """Keeps what both sides have now, to see later whether it is still the same."""
        if isinstance(value, (*CONTAINERS, *VIEWS.values())):
            self.watched.append((value, fingerprint_of(value)))

    def moved(self) -> str:
        """What the answer did that the tests would have seen in one process with it, or ""."""
        if changed(self.watched):
            return CHANGED
        return "" if self.process_state == process_state() else "the answer changes what all of a process shares"


CHANGED = "the answer changes what it is given, or what it gave"


def changed(watched: list[tuple[Any, int]]) -> bool:
    """Whether one of these values is no longer what it was."""
    return any(fingerprint_of(value) != before for value, before in watched)


def fingerprint_of(value: Any) -> int:
    """A number that changes when the value does; -1 for what became more than data."""
    prints = [-1]
    caught(lambda: prints.append(hash(json.dumps(packed(value, lambda iterator: 0)))))
    return prints[-1]


def process_state() -> Any:
    """The state that all code of a process shares, as far as tests of plain values can see it."""
    # an answer could turn a failing comparison into a passing one by any of these
    context = decimal.getcontext()
    numbers = (context.prec, context.rounding, context.Emin, context.Emax, context.capitals, context.clamp)
    raised = sorted(kind.__name__ for kind, is_trapped in context.traps.items() if is_trapped)
    places = (locale.setlocale(locale.LC_ALL), time.tzname, sys.get_int_max_str_digits())
    return numbers, raised, places, {name: id(value) for name, value in vars(builtins).items() if name != "_"}


def packed_error(error: BaseException) -> dict[str, Any]:
    """What was raised: the nearest class that the tests know, what it was made of, and its words."""
    if isinstance(error, BaseExceptionGroup):
        raise NotPlain(type(error).__name__)
    module, name = next(filter(None, map(importable_name, type(error).__mro__)))
    arguments = error.args
    # OSError takes the names of files apart, and args alone would lose them
    if isinstance(error, OSError) and error.filename is not None:
        arguments = (error.errno, error.strerror, error.filename, None, error.filename2)
    try:
        made_of = packed(arguments)
    except NotPlain:
        made_of = packed(())  # no test of plain values can ask for them, and the words are told
    # joined to a plain str: __str__ may give one of a class of its own
    return {"raised": [module, name], "made_of": made_of, "text": "".join(str(error))}


def importable_name(kind: type) -> tuple[str, str] | None:
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


def test_functions(body: list[ast.stmt]) -> list[ast.FunctionDef]:
    """The functions of a module in order, also those under a condition."""
    functions: list[ast.FunctionDef] = []
    for node in body:
        if isinstance(node, ast.FunctionDef):
            functions.append(node)
        for part in ("body", "orelse") if isinstance(node, ast.If | ast.Try) else ():
            functions += test_functions(getattr(node, part))
    return functions


def unconditional_assertions(body: list[ast.stmt]) -> list[tuple[int, int]]:
    """Places of the assertions that stand under no condition but that of a loop."""
    places = []
    for node in body:
        if isinstance(node, ast.Assert):
            places.append((node.lineno, node.col_offset))
        elif isinstance(node, ast.For):
            places += unconditional_assertions(node.body)
    return places


class Tests:
    """Tests that run in a thread of their own, and whoever brings them what they ask for."""

    def __init__(self, text: str) -> None:
        self.requests: Any = queue.SimpleQueue()
        self.replies: Any = queue.SimpleQueue()
        self.failures: list[str] = []
        self.unusable: list[str] = []
        self.reached: dict[tuple[int, int], int] = {}
        # a test asks in the middle of its code, so it waits in a thread while the reply is fetched
        threading.Thread(target=self.run, args=(text,), daemon=True).start()

    def next_request(self, reply: str | None) -> Any:
        """Hands over a reply, where there is one, and waits for what the tests want next."""
        if reply is not None:
            self.replies.put(reply)
        return self.requests.get()

    def run(self, text: str) -> None:
        """Runs every test; tells what came of each."""
        solution = type(sys)("solution")
        solution.__dict__["__getattr__"] = self.stand_in
        sys.modules["solution"] = solution
        names: dict[str, Any] = {"__name__": "tests_under_sandbox", REACHED: self.count}
        tree = ast.parse(text)
        tests = {node.name: node for node in test_functions(tree.body) if node.name.startswith("test_")}
        counting = ast.fix_missing_locations(Counting().visit(tree))
        failure = caught(exec, compile(counting, "test_solution.py", "exec", dont_inherit=True), names)
        if failure is not None:
            self.requests.put(["done", [["", explain(failure)]], 0, ""])
            return
        outcomes = []
        for name, function in list(names.items()):
            if name in tests and callable(function) and hasattr(function, "__code__"):
                self.failures.clear()
                failure = caught(function)
                if failure is not None:
                    self.failures.append(explain(failure))
                if type(failure) is Failed:
                    self.unusable.append(str(failure))
                outcomes.append([name, "; ".join(self.failures)])
        certain = {place for name, _ in outcomes for place in unconditional_assertions(tests[name].body)}
        # an answer that jumps over assertions would pass with none of them asked
        reached = 0 if certain - set(self.reached) else sum(self.reached.values())
        self.requests.put(["done", outcomes, reached, self.unusable[0] if self.unusable else ""])

    def count(self, *place: int) -> None:
        self.reached[place[0], place[1]] = self.reached.get((place[0], place[1]), 0) + 1

    def stand_in(self, name: str) -> Any:
        """A function that has its result brought from the other process."""

        def call(*arguments: Any, **keywords: Any) -> Any:
            try:
                refuse_shared([arguments, keywords], set())
                sent = json.dumps(packed([list(arguments), keywords]))
            except NotPlain as error:
                self.requests.put(["whole", f"an argument is no plain value but {error}"])
                raise Failed("") from error
            self.requests.put(["call", name, sent])
            return self.received(self.replies.get())

        return call

    def remote(self, number: int) -> Any:
        """An iterator whose items stay with the answer until they are asked for."""

        def item() -> Any:
            self.requests.put(["next", number])
            return self.received(self.replies.get())

        return iter(item, END)

    def received(self, text: str) -> Any:
        """What a reply says: the result, an error to raise, or why the test has failed."""
        parsed: list[Any] = []
        failure = caught(lambda: parsed.extend(read_reply(text, self.remote)))
        if failure is not None:
            return self.fail(f"a reply that cannot be read: {type(failure).__name__}")
        what, value = parsed
        if what == "whole":
            self.requests.put(["whole", value])
            raise Failed("")
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
        self.unusable.append(reason)
        raise Failed(reason)


END = object()
"""What ends an iterator; no value that crosses is it."""


def read_reply(text: str, remote: Any) -> tuple[str, Any]:
    """A reply as ``value``, ``raised`` or ``failed`` with what belongs to it.

    Whatever wrote it, it can name no more here than an exception of Python's own.
    """
    reply = json.loads(text)
    for what in ("failed", "whole"):
        if what in reply:
            return what, str(reply[what])
    if "end" in reply:
        return "value", END
    if "raised" not in reply:
        return "value", restored(reply["value"], remote)
    module, name = reply["raised"]
    # by name from a list: importing what a reply names would run code
    if module != "builtins" and name not in RAISED[module]:
        raise ValueError("not an exception of Python's own")
    kind = getattr(importlib.import_module(module), name)
    if not (isinstance(kind, type) and issubclass(kind, BaseException)):
        raise TypeError("not an exception")
    return "raised", rebuild_error(kind, tuple(restored(reply["made_of"])), str(reply["text"]))


def rebuild_error(kind: type[BaseException], made_of: tuple[Any, ...], text: str) -> BaseException:
    """An exception of this class with these arguments and these words."""
    instances: list[BaseException] = []
    if caught(lambda: instances.append(kind(*made_of))) is not None or type(instances[0]) is not kind:
        # some exceptions demand arguments that they do not keep
        instances[:] = [kind.__new__(kind)]
        instances[0].args = made_of
    if str(instances[0]) == text:
        return instances[0]
    worded: type[BaseException] = type(kind.__name__, (kind,), {"__str__": lambda self: text})
    error = worded.__new__(worded)
    error.args = made_of
    return error
