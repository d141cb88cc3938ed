"""Frames, values and functions that mean harm, at the gate itself: nothing is called that was not meant to be, whatever
comes back can be kept, and no run ends by it."""

from __future__ import annotations

import json
import math
import time

import pytest

from evolve.core.redaction import MARK, Scanner
from evolve.core.redaction.known import KnownSecret
from evolve.runtime.functions import CallFailed, CallFile, CallGate, CallsInMemory, Permission, PythonFunctions
from tests.functions.hostile.victims import Shop, allowed_gate, frame, function, told

SECRET = "q7Zp-81kLmWx02"
SCANNER = Scanner([KnownSecret(source="the variable SHOP_TOKEN", value=SECRET, random=True)])


def raw(name: str, arguments: str) -> bytes:
    return f'{{"function": "{name}", "arguments": {arguments}}}'.encode()


FRAMES = {
    "not a number": raw("buy", '{"n": NaN}'),
    "infinity": raw("buy", '{"n": -Infinity}'),
    "a number too large for a float": raw("buy", '{"n": 1e999}'),
    "too large and nested": raw("buy", '{"n": [{"m": -1e400}]}'),
    "half a sign": raw("buy", '{"text": "\\ud800"}'),
    "half a sign as a name of an argument": raw("buy", '{"\\udfff": 1}'),
    "half a sign as a name": raw("\\ud800", "{}"),
    "deep": raw("buy", '{"n": ' + "[" * 900 + "]" * 900 + "}"),
    "deeper": raw("buy", '{"n": ' + "[" * 50_000 + "]" * 50_000 + "}"),
    "deep and not ended": raw("buy", '{"n": ' + '{"a":' * 100_000),
    "a number of a million digits": raw("buy", '{"n": ' + "9" * 200_000 + "}"),
    "no object": b"[]",
    "a list of arguments": raw("buy", "[1]"),
    "arguments twice": b'{"function": "buy", "arguments": {"a": 1}, "arguments": [1]}',
    "another key": b'{"function": "buy", "arguments": {}, "step": 0}',
    "a name that is no text": b'{"function": ["buy"], "arguments": {}}',
    "nothing": b"",
    "bytes": bytes(range(256)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_no_frame_ends_a_run_and_what_was_called_can_be_read_again(name, tmp_path):
    shop, path = Shop(), tmp_path / "calls.jsonl"
    record = CallFile(path)
    gate = allowed_gate(shop, record=record, clean=SCANNER.redact_value)
    answer = told(gate, FRAMES[name])
    assert set(answer) in ({"value"}, {"error"})
    assert len(shop.done) == ("value" in answer)
    assert CallFile(path).calls == record.calls
    assert told(gate, frame("buy")) == {"value": "done"}


def test_of_keys_that_stand_twice_what_was_checked_is_what_is_called():
    schema = {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}}
    shop, asked = Shop(made=function("buy", parameters=schema)), []
    gate = CallGate([shop], CallsInMemory(), Permission(lambda one: "ask", lambda one: asked.append(one) or "once"))
    told(gate, raw("buy", '{"n": 999, "n": 3}'))
    assert [dict(one.arguments) for one in asked] == shop.done == [{"n": 3}]
    assert "error" in told(gate, raw("buy", '{"n": 3, "n": 999}'))


LOOK_ALIKES = ["buу", "ｂuy", "buy\u200b", "buy\0", " buy", "buy ", "BUY", "b\u0075\u0301y", "__class__", "buy.call",
               "shop.buy", "shop/buy", "../buy", "FunctionError", "", "buy()"]  # fmt: skip


@pytest.mark.parametrize("name", LOOK_ALIKES)
def test_a_name_that_looks_alike_is_no_function(name):
    shop = Shop(made=function("buy", source="shop"))
    assert "no function" in told(allowed_gate(shop), frame(name))["error"]
    assert shop.done == []


def test_of_two_sources_with_one_name_neither_is_called_whatever_the_name():
    first, second = Shop("first", function("buy", source="a")), Shop("second", function("buy", source="b"))
    gate = allowed_gate(first, second)
    assert "error" in told(gate, frame("buy")) and gate.functions == []
    assert first.done == second.done == []


MARKED = [{"a": MARK}, {MARK: 1}, {"a": [{"b": f"x{MARK}y"}]}, {"a": SECRET}, {"a": {SECRET: 1}},
          {"a": SECRET.encode().hex()}, {"a": ["https://example.org/?" + SECRET]}]  # fmt: skip


@pytest.mark.parametrize("arguments", MARKED)
def test_neither_a_secret_nor_its_mark_leaves_in_arguments(arguments, tmp_path):
    shop, path = Shop(), tmp_path / "calls.jsonl"
    gate = allowed_gate(shop, record=CallFile(path), clean=SCANNER.redact_value)
    answer = told(gate, raw("buy", json.dumps(arguments)))
    assert shop.done == [] and SECRET not in answer["error"]
    assert not path.exists() or SECRET not in path.read_text()


class Odd(dict):
    def items(self):
        raise KeyError("no items")

    def __eq__(self, other):
        return True

    __hash__ = None


class Number(int):
    def __repr__(self):
        return "NaN"

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 0


def _cycle():
    value: list[object] = [1]
    value.append(value)
    return value


VALUES = {
    "a cycle": _cycle(),
    "keys of two kinds": {1: "a", "b": 2},
    "keys that become one": {1: "a", "1": 2},
    "a key that is none": {None: 1},
    "a tuple": (1, (2,)),
    "half a sign": "\ud800",
    "half a sign in a key": {"\udfff": [1]},
    "not a number": [math.nan],
    "infinity": math.inf,
    "bytes": b"x",
    "an object": object(),
    "a set": {1},
    "odd": Odd(a=1),
    "odd within": [Odd(a=1)],
    "equal to all": Number(7),
    "large": "x" * (8 << 20),
    "large number": 10**5000,
    "many": [0] * 3_000_000,
    "a generator": (n for n in range(3)),
    "a secret": {"a": SECRET},
    "a secret as a key": {SECRET: 1},
    "a secret coded": [SECRET.encode().hex()],
}


@pytest.mark.parametrize("name", VALUES)
def test_whatever_a_source_gives_can_be_kept_and_holds_no_secret(name, tmp_path):
    path = tmp_path / "calls.jsonl"
    record = CallFile(path)
    gate = allowed_gate(Shop(VALUES[name]), record=record, clean=SCANNER.redact_value)
    said = gate.answer_frame(frame("buy"))
    assert SECRET.encode() not in said and SECRET.encode().hex().encode() not in said
    again = allowed_gate(Shop("another"), record=CallFile(path), clean=SCANNER.redact_value)
    assert json.loads(again.answer_frame(frame("buy"))) == json.loads(said)
    assert len(said) < 2 << 20


def test_what_a_source_changes_of_its_value_later_is_no_part_of_the_answer():
    value = ["first"]
    gate = allowed_gate(Shop(value))
    told(gate, frame("buy"))
    value.append("later")
    assert gate.calls_of_step(0)[0][1].value == ["first"]


def test_a_function_that_changes_its_arguments_changes_no_record():
    shop = Shop(lambda arguments: arguments["items"].append("more") or arguments.clear() or 1)
    gate = allowed_gate(shop)
    told(gate, frame("buy", items=["tea"]))
    assert gate.calls_of_step(0)[0][0].arguments == {"items": ["tea"]}
    gate.start(0)
    assert told(gate, frame("buy", items=["tea"])) == {"value": 1}
    assert len(shop.done) == 1


class Quits(BaseException):
    pass


@pytest.mark.parametrize("raised", [SystemExit(2), Quits(), GeneratorExit(), MemoryError(), RecursionError("deep")])
def test_whatever_a_function_raises_is_what_its_call_came_to(raised):
    mine = PythonFunctions()

    def buy() -> None:
        raise raised

    mine.add(buy)
    assert type(raised).__name__ in told(allowed_gate(mine), frame("buy"))["error"]


def test_a_person_who_stops_a_function_stops_the_run_and_the_call_stays_in_doubt(tmp_path):
    mine = PythonFunctions()

    def buy() -> None:
        raise KeyboardInterrupt

    mine.add(buy)
    with pytest.raises(KeyboardInterrupt):
        allowed_gate(mine, record=CallFile(tmp_path / "calls.jsonl")).answer_frame(frame("buy"))
    again = allowed_gate(mine, record=CallFile(tmp_path / "calls.jsonl"))
    assert "nobody knows" in told(again, frame("buy"))["error"]


def test_growing_arguments_end_at_their_limit_and_leave_no_record(tmp_path):
    shop, path = Shop(), tmp_path / "calls.jsonl"
    gate = allowed_gate(shop, record=CallFile(path))
    for size in (1 << power for power in range(10, 24)):
        told(gate, frame("buy", body="x" * size))
    assert max(len(one["body"]) for one in shop.done) < 256 << 10
    assert path.stat().st_size < 2 << 20


@pytest.mark.slow
def test_refused_frames_without_end_cost_little():
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "integer"}}}}
    gate = allowed_gate(Shop(made=function("buy", parameters=schema)))
    asked = frame("buy", items=["x"] * 15_000)
    began = time.process_time()
    for _ in range(300):
        assert "error" in told(gate, asked)
    assert time.process_time() - began < 12


def test_a_failed_call_that_names_a_lone_half_sign_can_be_kept(tmp_path):
    path = tmp_path / "calls.jsonl"
    told(allowed_gate(Shop(CallFailed("no \ud800")), record=CallFile(path)), frame("buy"))
    assert len(CallFile(path).calls) == 1
