"""What every source of functions promises, tried on each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evolve.runtime.functions import CallFailed, CallGate, CallsInMemory, Permission, PythonFunctions
from evolve.runtime.functions.function import signature_of
from evolve.runtime.functions.servers import Server
from tests.functions.running import SERVERS, allowed, free_port, functions_of, shop


@contextmanager
def python() -> Iterator[PythonFunctions]:
    def shop_price(item: str, count: int = 1) -> dict[str, float]:
        """What an item costs."""
        return {"result": count * 2.5}

    def shop_fail(why: str) -> str:
        """Fails."""
        raise ValueError(why)

    functions = PythonFunctions()
    functions.add(shop_price)
    functions.add(shop_fail)
    yield functions
    functions.close()


@contextmanager
def over_pipes():
    with functions_of(allowed(shop())) as functions:
        yield functions


@contextmanager
def of_the_older_line():
    """A server of the SDK's 1.x line, which cannot be in one environment with 2.x, and lies in a folder beside it."""
    with tempfile.TemporaryDirectory() as folder:
        packages = ["mcp==1.*", "httpx-sse", "pydantic-settings", "python-dotenv"]  # the rest is here for 2.x
        install = ["install", "-q", "--no-deps", "--target", folder, *packages]
        subprocess.run([sys.executable, "-m", "pip", *install], check=True, timeout=300)
        with functions_of(allowed(shop(beside=os.path.realpath(folder)))) as functions:
            assert functions.call("shop_line", {}, seconds=20).startswith("1.")
            yield functions


@contextmanager
def over_http():
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": ""}
    server = subprocess.Popen(
        [sys.executable, str(SERVERS / "shop.py"), str(port)], env=environment, stderr=subprocess.DEVNULL
    )
    try:
        served = Server(name="shop", url=f"http://127.0.0.1:{port}/mcp")
        deadline = time.monotonic() + 60
        while True:
            try:
                approval = allowed(served)
                break
            except CallFailed:
                assert time.monotonic() < deadline
                time.sleep(0.2)
        with functions_of(approval) as functions:
            yield functions
    finally:
        server.kill()
        server.wait()


OLDER = pytest.param(of_the_older_line, marks=pytest.mark.index)


@pytest.fixture(params=[python, over_pipes, over_http, OLDER], ids=lambda made: made.__name__, scope="module")
def source(request):
    with request.param() as functions:
        yield functions


def test_names_are_unique_and_say_what_they_take(source):
    made = {function.name: function for function in source.functions()}
    assert len(made) == len(source.functions())
    assert list(made["shop_price"].parameter_names) == ["item", "count"]
    assert made["shop_price"].description == "What an item costs."
    gives = signature_of(made["shop_price"]).removeprefix("shop_price(item: str, count: int = 1) -> ")
    assert gives in ("dict[str, float]", '{"result": float}')
    assert {function.effects for function in made.values()} == {frozenset({"changes", "sends"})}


def test_a_function_is_the_same_each_time_it_is_asked_for(source):
    first, second = source.functions(), source.functions()
    assert [function.digest for function in first] == [function.digest for function in second]


def test_a_value_is_json(source):
    assert source.call("shop_price", {"item": "tea", "count": 2}, seconds=20) == {"result": 5.0}


@pytest.mark.parametrize(("name", "arguments"), [("shop_fail", {"why": "no"}), ("shop_price", {"count": "x"})])
def test_a_failure_is_a_sentence_and_not_in_doubt(source, name, arguments):
    with pytest.raises(CallFailed) as failed:
        source.call(name, arguments, seconds=20)
    assert name in str(failed.value) and "\n" not in str(failed.value)
    assert not failed.value.doubtful


def test_what_it_does_not_offer_cannot_be_called(source):
    with pytest.raises(CallFailed):
        source.call("shop_steal", {}, seconds=20)


def test_the_gate_checks_arguments_before_it_is_called(source):
    gate = CallGate([source], CallsInMemory(), Permission(lambda function: "trust"))
    frame = json.dumps({"function": "shop_price", "arguments": {"item": 1}}).encode()
    assert json.loads(gate.answer_frame(frame)) == {"error": "shop_price: item: 1 is not of type 'string'"}


@pytest.mark.slow
def test_closing_twice_is_no_error():
    for opened in (python, over_pipes):
        with opened() as functions:
            functions.functions()
            functions.close()
            functions.close()
            assert functions.functions()  # a server is started again
