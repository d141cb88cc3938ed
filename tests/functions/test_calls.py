"""The gate of calls: what is called, what is refused and why, and what the record answers when code runs again."""

from __future__ import annotations

import json
import time

import pytest

from evolve.core.errors import UsageError
from evolve.runtime.functions import (
    CallFailed,
    CallGate,
    CallLimits,
    CallsInMemory,
    Function,
    Permission,
    PythonFunctions,
)


class Shop:
    """A source that counts what was done."""

    def __init__(self, *made: Function) -> None:
        self.made = made or (function("buy"),)
        self.done: list[tuple[str, dict[str, object]]] = []
        self.gives: object = "done"

    def functions(self):
        return self.made

    def call(self, name, arguments, *, seconds):
        self.done.append((name, dict(arguments)))
        if isinstance(self.gives, Exception):
            raise self.gives
        return self.gives

    def close(self):
        pass


def function(name: str, **more) -> Function:
    schema = {"type": "object", "properties": {"item": {"type": "string"}}, "additionalProperties": False}
    return Function(**{"name": name, "description": "", "parameters": schema, **more})


def frame(name: str, **arguments) -> bytes:
    return json.dumps({"function": name, "arguments": arguments}).encode()


class Leave:
    """Gives leave by a function, and keeps what the code got answers of."""

    def __init__(self, allowed) -> None:
        self.allowed, self.seen = allowed, []

    def refusal_reason(self, function, arguments, left):
        return self.allowed(function, arguments)

    def note_data_from(self, place, by=""):
        self.seen.append(place)


def gate(shop, record=None, allowed=lambda function, arguments: "", limits=None):
    return CallGate([shop], record if record is not None else CallsInMemory(), Leave(allowed), limits)


def told(gate, asked: bytes):
    return json.loads(gate.answer_frame(asked))


def test_a_call_is_made_and_answered():
    shop, record = Shop(), CallsInMemory()
    assert told(gate(shop, record), frame("buy", item="tea")) == {"value": "done"}
    assert shop.done == [("buy", {"item": "tea"})]
    call, answer = record.calls[0, 1]
    assert (call.function, call.arguments, call.digest) == ("buy", {"item": "tea"}, shop.made[0].digest)
    assert answer is not None and (answer.state, answer.value) == ("answered", "done")


@pytest.mark.parametrize(
    "asked",
    [
        b"", b"[]", b"1", b"{", b"\xff", b'{"function": "buy"}', b'{"function": 1, "arguments": {}}',
        b'{"function": "buy", "arguments": []}', b'{"function": "buy", "arguments": {}, "by": "x"}',
        b'{"function": "buy", "arguments": {"item": NaN}}', b"[" * 100_000, frame("sell"), frame("BUY"),
        frame("__class__"), frame("buy", item=1), frame("buy", other="x"),
    ],
)  # fmt: skip
def test_what_is_no_call_of_a_function_calls_none(asked):
    shop, record = Shop(), CallsInMemory()
    assert set(told(gate(shop, record), asked)) == {"error"}
    assert (shop.done, record.calls) == ([], {})


def test_without_leave_nothing_is_called_and_the_code_is_told():
    shop = Shop()
    assert told(gate(shop, allowed=lambda made, arguments: f"{made.name} is not allowed here"), frame("buy")) == {
        "error": "buy is not allowed here"
    }
    assert shop.done == []


def test_limits_hold_for_all_calls_together():
    shop = Shop()
    small = gate(shop, limits=CallLimits(calls=2, arguments_kb=1))
    assert "larger than 1 KiB" in told(small, frame("buy", item="x" * 2000))["error"]
    assert [set(told(small, frame("buy"))) for _ in range(3)] == [{"value"}, {"value"}, {"error"}]
    assert len(shop.done) == 2


def test_time_of_calls_is_bounded_together():
    class Slow(Shop):
        def call(self, name, arguments, *, seconds):
            self.done.append((name, {"seconds": seconds}))
            time.sleep(0.02)

    slow = Slow()
    answers = [told(gated, frame("buy")) for gated in [gate(slow, limits=CallLimits(total_s=0.03))] for _ in range(4)]
    assert "value" in answers[0] and "0.03 s" in answers[3]["error"]
    assert all(seconds["seconds"] <= 0.03 for _, seconds in slow.done)


@pytest.mark.parametrize(
    ("gives", "why"),
    [
        (float("nan"), "no JSON value"), ({1, 2}, "no JSON value"), ("x" * 3000, "more than 1 KiB"),
        (CallFailed("the shop is closed"), "the shop is closed"),
    ],
)  # fmt: skip
def test_an_answer_that_cannot_be_used_is_a_failure(gives, why):
    shop, record = Shop(), CallsInMemory()
    shop.gives = gives
    assert why in told(gate(shop, record, limits=CallLimits(value_kb=1)), frame("buy"))["error"]
    assert record.calls[0, 1][1].state == "failed"


def test_code_that_runs_again_is_answered_from_the_record():
    shop, record = Shop(), CallsInMemory()
    before = gate(shop, record)
    first = [told(before, frame("buy", item=item)) for item in "ab"]
    again = gate(shop, record, allowed=lambda made, arguments: "nobody is asked twice")
    assert [told(again, frame("buy", item=item)) for item in "ab"] == first
    assert len(shop.done) == 2


def test_code_that_runs_otherwise_the_second_time_calls_nothing():
    shop, record = Shop(), CallsInMemory()
    told(gate(shop, record), frame("buy", item="a"))
    again = gate(shop, record)
    assert "another one" in told(again, frame("buy", item="b"))["error"]
    assert len(shop.done) == 1


@pytest.mark.parametrize(("repeatable", "times"), [(False, 1), (True, 2)])
def test_a_call_in_doubt_is_made_again_only_if_that_does_no_harm(repeatable, times):
    class Dies(CallsInMemory):
        def end(self, place, answer):
            raise KeyboardInterrupt

    shop, record = Shop(function("buy", repeatable=repeatable)), Dies()
    with pytest.raises(KeyboardInterrupt):
        gate(shop, record).answer_frame(frame("buy"))
    known = CallsInMemory()
    known.begin(record.calls[0, 1][0])
    said = told(gate(shop, known), frame("buy"))
    assert len(shop.done) == times
    assert said == {"value": "done"} if repeatable else "nobody knows" in said["error"]
    assert known.calls[0, 1][1].state == ("answered" if repeatable else "doubtful")


def test_of_two_functions_of_one_name_neither_is_offered():
    mine, theirs = Shop(function("buy"), function("look")), Shop(function("buy", source="theirs"))
    both = CallGate([mine, theirs], CallsInMemory(), Permission(lambda function: "allow"))
    assert [name for name, _, _ in both.offered_functions()] == ["look"]
    assert "no function" in told(both, frame("buy"))["error"]


@pytest.mark.parametrize("name", ["", "a b", "class", "_hidden", "а", "a" * 65, "FunctionError", "a.b", "1a"])
def test_names_that_code_could_not_import_or_would_mistake(name):
    with pytest.raises(UsageError):
        function(name)


def test_what_a_person_saw_makes_a_function():
    plain = function("buy")
    others = [function("buy", description="Buys."), function("buy", effects=frozenset({"reads"})),
              function("buy", repeatable=True), function("buy", source="x"),
              function("buy", parameters={"type": "object"})]  # fmt: skip
    assert len({one.digest for one in [plain, *others]}) == 6
    assert function("buy").digest == plain.digest


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {"item": {"$ref": "http://localhost:1/x"}}},
        {"properties": {"item": {"$ref": "#/properties/item"}}},
        {"properties": {"item": {"$ref": "#/d/0"}},
         "d": {str(n): {"allOf": [{"$ref": f"#/d/{n + 1}"}] * 2} for n in range(40)} | {"40": {}}},
        {"properties": {"item": {"pattern": "(a+)+$"}}},
        {"patternProperties": {"(i+t*)+$": False}, "additionalProperties": False},
        {"properties": {"item": {"type": "no such type"}}},
        {"properties": {"item": 5}},
    ],
)  # fmt: skip
def test_no_schema_of_a_stranger_keeps_the_gate_busy(schema):
    shop = Shop(function("buy", parameters={"type": "object", **schema}))
    began = time.process_time()
    told(gate(shop), frame("buy", item="a" * 40 + "!"))
    assert time.process_time() - began < 20


def test_python_functions_say_what_they_take():
    mine = PythonFunctions()

    def order(item: str, count: int = 1) -> dict[str, int]:
        """Order something."""
        return {item: count}

    made = mine.add(order, effects={"spends"})
    assert (made.name, made.description, list(made.parameter_names)) == ("order", "Order something.", ["item", "count"])
    asked = CallGate([mine], CallsInMemory(), Permission(lambda function: "allow"))
    assert told(asked, frame("order", item="tea", count=2)) == {"value": {"tea": 2}}
    assert "'item' is a required property" in told(asked, frame("order"))["error"]


def test_what_a_python_function_raises_is_told_in_one_line():
    mine = PythonFunctions()

    def fail() -> None:
        raise RuntimeError("no\npaper")

    mine.add(fail)
    asked = CallGate([mine], CallsInMemory(), Permission(lambda function: "allow"))
    assert told(asked, frame("fail")) == {"error": "fail: RuntimeError: no paper"}


def test_functions_that_cannot_be_called_by_json_are_refused():
    mine = PythonFunctions()
    mine.add(print_nothing)
    for wrong in (print_nothing, lambda: 1, takes_anything, takes_object):
        with pytest.raises(UsageError):
            mine.add(wrong)


def print_nothing() -> None:
    pass


def takes_anything(*items: str) -> None:
    pass


def takes_object(item: CallGate) -> None:
    pass


def test_calls_of_a_step_are_answered_as_they_were_whatever_came_before():
    """A session that ended is not rebuilt, so the code of its steps does not run again."""
    shop, record = Shop(), CallsInMemory()
    before = gate(shop, record)
    for step, item in ((1, "a"), (3, "b"), (4, "c")):
        before.start(step)
        told(before, frame("buy", item=item))
    again = gate(shop, record)
    again.start(3)
    assert told(again, frame("buy", item="b")) == {"value": "done"}
    again.start(5)
    told(again, frame("buy", item="d"))
    assert [arguments["item"] for _, arguments in shop.done] == ["a", "b", "c", "d"]
