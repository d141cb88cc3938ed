"""Calls the functions of this package. What is wrong with a call comes back as a text; a call that hangs is ended."""

from __future__ import annotations

import importlib.util
import json
import signal
import subprocess
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

SECONDS = 10.0
"""How long a function may take that could run on without end."""

_HERE = Path(__file__).resolve().parent
_KINDS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list, tuple),
    "object": (dict,),
}


class Problem(str):
    """Says why a call gave no value. It begins with "Error:" and stands where the value would."""

    __slots__ = ()


@cache
def tools() -> dict[str, dict[str, Any]]:
    """Every tool by its name: description, input schema, what its arguments have to be, and whether it may hang."""
    listed = json.loads((_HERE / "tools.json").read_text(encoding="utf-8"))
    return {tool["name"]: tool for tool in listed}


def call(name: str, arguments: dict[str, Any]) -> Any:
    """The value of a function, or a :class:`Problem`. It raises nothing that arguments could cause."""
    tool = tools()[name]
    wrong = _wrong(arguments, tool["inputSchema"], "arguments")
    if wrong:
        return Problem(f"Error: {name}: {wrong}")
    names = list(tool["inputSchema"]["properties"])
    values = [arguments[each] for each in names]
    outside = _loaded("_contract.py", "contract_violation")(tool["needs"], values, names)
    if outside:
        return Problem(f"Error: {name}: this call is outside of what was verified: {outside}")
    if tool["mayHang"] and sys.executable:
        return _WORKER.call(name, values)
    return _called(name, values)


def _called(name: str, values: list[Any]) -> Any:
    try:
        # A copy as JSON has it: a function may change what it is given, and the caller's values are the caller's.
        value = _loaded(f"learned/{name}.py", name)(*json.loads(json.dumps(values)))
        json.dumps(value, allow_nan=False)
    except Exception as error:
        return Problem(f"Error: {name} has no value for these arguments ({type(error).__name__}: {error})"[:500])
    return value


@cache
def _loaded(path: str, name: str) -> Any:
    spec = importlib.util.spec_from_file_location(f"learned_{name}", _HERE / path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def _wrong(value: Any, schema: dict[str, Any], where: str) -> str:
    """What does not fit the schema, in words; "" where all does."""
    if "anyOf" in schema:
        found = [_wrong(value, each, where) for each in schema["anyOf"]]
        return "" if "" in found else found[0]
    kind = schema.get("type")
    if kind is None:
        return ""
    fits = isinstance(value, _KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool))
    if not fits:
        return f"{where} must be {_named(kind)}, not {_named(type(value).__name__)}"
    if kind == "array":
        parts = ((item, schema.get("items", {}), f"{where}[{place}]") for place, item in enumerate(value))
        return next((wrong for part in parts if (wrong := _wrong(*part))), "")
    if kind != "object":
        return ""
    known, other = schema.get("properties", {}), schema.get("additionalProperties", {})
    missing = [each for each in schema.get("required", ()) if each not in value]
    if missing:
        return f"{where} lack {missing[0]!r}"
    unknown = [key for key in value if not isinstance(key, str) or (other is False and key not in known)]
    if unknown:
        return f"{where} have {unknown[0]!r}, which nothing asks for"
    inner = (
        (item, known.get(key, other or {}), key if where == "arguments" else f"{where}[{key!r}]")
        for key, item in value.items()
    )
    return next((wrong for part in inner if (wrong := _wrong(*part))), "")


def _named(kind: str) -> str:
    words = {"string": "a text", "str": "a text", "integer": "a whole number", "int": "a whole number"}
    words |= {
        "number": "a number",
        "float": "a number with a fraction",
        "boolean": "true or false",
        "bool": "true or false",
    }
    words |= {"array": "a list", "list": "a list", "tuple": "a list", "object": "an object", "dict": "an object"}
    return words.get(kind, "null" if kind in ("null", "NoneType") else kind)


class _Worker:
    """One process for calls that may hang. It is ended where one takes too long, and the next call starts another."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, name: str, values: list[Any]) -> Any:
        try:
            sent = json.dumps([name, values]).encode() + b"\n"
        except (TypeError, ValueError, RecursionError) as error:
            return Problem(f"Error: {name}: the arguments are no JSON ({error})")
        with self._lock:
            answer = self._answer(sent)
        if answer is None:
            return Problem(f"Error: {name} gave no value within {SECONDS:g} seconds and was ended")
        return Problem(answer["problem"]) if "problem" in answer else answer["value"]

    def _answer(self, sent: bytes) -> Any:
        process = self._process
        if process is None or process.poll() is not None:
            command = [sys.executable, "-I", str(_HERE / "_calls.py")]
            process = self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None and process.stdout is not None
        timer, line = threading.Timer(SECONDS, process.kill), b""
        try:
            timer.start()
            process.stdin.write(sent)
            process.stdin.flush()
            line = process.stdout.readline()
        except OSError:
            line = b""
        finally:
            timer.cancel()
            if not line.endswith(b"\n"):  # also where the caller was interrupted: the next call must not get its value
                self._process = None
                process.kill()
                process.wait()
                process.stdin.close()
                process.stdout.close()
        return json.loads(line) if line.endswith(b"\n") else None


_WORKER = _Worker()


def _serve() -> None:
    """Answers calls, a line of JSON for each, until the input ends."""
    for line in sys.stdin.buffer:
        if hasattr(signal, "alarm"):
            signal.alarm(int(SECONDS) + 2)  # also where whoever asked is gone
        value = _called(*json.loads(line))
        answer = {"problem": value} if isinstance(value, Problem) else {"value": value}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()
        if hasattr(signal, "alarm"):
            signal.alarm(0)


if __name__ == "__main__":
    _serve()
