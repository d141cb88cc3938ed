"""The script of an endpoint, read from JSON, and its faults: bodies without a usable reply, broken connections."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from evolve.core.errors import TaskError
from evolve.core.files import read_text

FAULTS = (
    "reset",
    "close",
    "hang",
    "slow body",
    "slow headers",
    "stalled stream",
    "cut stream",
    "no last piece",
    "wrong length",
)
"""Ways to break a connection, as a scenario's ``fault`` names them."""


def chat_completion_body(content: Any, **more: Any) -> dict[str, Any]:
    """A sound body of the Chat Completions protocol, with fields of the choice or the body replaced by ``more``."""
    message = {"role": "assistant", "content": content, **more.pop("message", {})}
    choice = {"index": 0, "message": message, "finish_reason": "stop", **more.pop("choice", {})}
    return {
        "id": "scripted-1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
        **more,
    }


def _call(name: str, arguments: str) -> dict[str, Any]:
    return {"id": "call-1", "type": "function", "function": {"name": name, "arguments": arguments}}


def _bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def _calls(*calls: Mapping[str, Any]) -> bytes:
    return _bytes(
        chat_completion_body(None, message={"tool_calls": list(calls)}, choice={"finish_reason": "tool_calls"})
    )


def bad_bodies() -> dict[str, Callable[[], bytes]]:
    """Bodies that hold no usable reply, by name; they come with HTTP 200."""
    sound = _bytes(chat_completion_body("fine"))
    return {
        "empty body": lambda: b"",
        "not JSON": lambda: b"fine",
        "an HTML page": lambda: b"<!doctype html><html><body>Bad gateway</body></html>",
        "cut JSON": lambda: sound[: len(sound) // 2],
        "a list": lambda: b"[" + sound + b"]",
        "null": lambda: b"null",
        "a string": lambda: b'"fine"',
        "two objects": lambda: sound + sound,
        "NaN": lambda: sound.replace(b'"created": 0', b'"created": NaN'),
        "not UTF-8": lambda: sound.replace(b"fine", b"\xff\xfe"),
        "UTF-16": lambda: sound.decode().encode("utf-16"),
        "very deep": lambda: b"[" * 100_000,
        "five megabytes": lambda: _bytes(chat_completion_body("x" * 5_000_000)),
        "no choices": lambda: _bytes({"id": "1", "object": "chat.completion", "model": "scripted"}),
        "null choices": lambda: _bytes(chat_completion_body("fine", choices=None)),
        "empty choices": lambda: _bytes(chat_completion_body("fine", choices=[])),
        "choices as an object": lambda: _bytes(chat_completion_body("fine", choices={"0": {}})),
        "a null choice": lambda: _bytes(chat_completion_body("fine", choices=[None])),
        "no message": lambda: _bytes(chat_completion_body("fine", choices=[{"index": 0, "finish_reason": "stop"}])),
        "a null message": lambda: _bytes(chat_completion_body("fine", choice={"message": None})),
        "null content": lambda: _bytes(chat_completion_body(None)),
        "empty content": lambda: _bytes(chat_completion_body("")),
        "blank content": lambda: _bytes(chat_completion_body(" \n\t ")),
        "a number as content": lambda: _bytes(chat_completion_body(42)),
        "an object as content": lambda: _bytes(chat_completion_body({"text": "fine"})),
        "parts that are not objects": lambda: _bytes(chat_completion_body(["fine", 1])),
        "parts with numbers": lambda: _bytes(chat_completion_body([{"type": "text", "text": 5}])),
        "another role": lambda: _bytes(chat_completion_body("fine", message={"role": "user"})),
        "a tool call that is not JSON": lambda: _calls(_call("run", "{not json")),
        "an unknown tool": lambda: _calls(_call("launch", "{}")),
        "tool calls with one id": lambda: _calls(_call("run", "{}"), _call("run", "{}")),
        "an old function call": lambda: _bytes(
            chat_completion_body(None, message={"function_call": {"name": "run", "arguments": "{}"}})
        ),
        "an unknown finish": lambda: _bytes(chat_completion_body("fine", choice={"finish_reason": "exploded"})),
        "a finish that is a list": lambda: _bytes(chat_completion_body("fine", choice={"finish_reason": ["stop"]})),
        "cut before it began": lambda: _bytes(chat_completion_body("", choice={"finish_reason": "length"})),
    }


def odd_bodies() -> dict[str, bytes]:
    """Bodies that are strange and still hold the reply ``fine``."""
    sound = _bytes(chat_completion_body("fine"))
    return {
        "a byte-order mark": b"\xef\xbb\xbf" + sound,
        "content in parts": _bytes(
            chat_completion_body([{"type": "text", "text": "fi"}, {"type": "text", "text": "ne"}])
        ),
        "no usage": _bytes(chat_completion_body("fine", usage=None)),
        "usage in words": _bytes(chat_completion_body("fine", usage={"prompt_tokens": "ten", "completion_tokens": -5})),
        "usage as a list": _bytes(chat_completion_body("fine", usage=[1, 2])),
        "no finish": _bytes(chat_completion_body("fine", choice={"finish_reason": None})),
        "no role": _bytes({"choices": [{"message": {"content": "fine"}}]}),
        "null tool calls": _bytes(chat_completion_body("fine", message={"tool_calls": None, "refusal": None})),
        "two choices": _bytes(chat_completion_body("fine", choices=chat_completion_body("fine")["choices"] * 2)),
        "a model that is a number": _bytes(chat_completion_body("fine", model=7)),
        "unknown fields": _bytes(chat_completion_body("fine", extra={"a": [1]}, message={"thoughts": "long"})),
    }


def bad_contents() -> dict[str, str]:
    """Texts that do not hold an object with one integer ``sum``, as a schema asks for it."""
    return {
        "no JSON": "The sum is forty-two.",
        "cut": '{"sum": 4',
        "a fence around nothing": "```json\n\n```",
        "another key": '{"total": 42}',
        "another type": '{"sum": "42"}',
        "a fraction": '{"sum": 42.5}',
        "true": '{"sum": true}',
        "null": '{"sum": null}',
        "one key too many": '{"sum": 42, "why": "17 + 25"}',
        "a list of it": '[{"sum": "42"}]',
        "a Python literal": "{'sum': 42}",
        "NaN": '{"sum": NaN}',
        "the schema itself": '{"type": "object", "properties": {"sum": {"type": "integer"}}}',
    }


def odd_contents() -> dict[str, str]:
    """Texts that do hold ``{"sum": 42}``, in some wrapping."""
    return {
        "plain": '{"sum": 42}',
        "fenced": '```json\n{"sum": 42}\n```',
        "fenced without a name": '```\n{"sum": 42}\n```',
        "words around": 'Sure! Here it is: {"sum": 42} Hope this helps {friend}.',
        "a trailing comma": '{"sum": 42,}',
        "thoughts before": '<think>{"sum": 41}? no</think>{"sum": 42}',
        "a wrong one first": '```json\n{"total": 1}\n```\nI mean\n```json\n{"sum": 42}\n```',
        "spread out": '\n\n{\n  "sum"\n:\n42\n}\n',
    }


_STEP_KEYS = {"text", "data", "bad", "odd", "fault", "status", "retry_after", "code", "message", "every", "finish"}
_STEP_KEYS |= {"refusal", "usage"}


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """The script of an endpoint.

    Attributes:
        replies: One step for each request for a completion, in order. A step is a text, or an object with one of
            ``text``, ``data`` (sent as JSON text), ``refusal``, ``bad`` and ``odd`` (see
            :mod:`evolve.testing.endpoint_faults`), ``fault`` (one of ``FAULTS``; ``every`` seconds between bytes)
            or ``status`` (with ``retry_after``, ``code``, ``message``); ``finish`` and ``usage`` replace those of a
            sound reply.
        supports: Of ``json_schema``, ``json_object``, ``stream``, ``usage`` (in streams), ``chat``, ``responses``.
        refuses: Parameters that get HTTP 400.
        context: Most bytes of a prompt and tokens of its reply together; 0 for no bound.
        models: Names it lists.
        key: The only key it takes, or "" for any.
        cached: Tokens of each prompt that it says it had in its cache; 0 says nothing of a cache.
    """

    replies: Sequence[Any] = ()
    supports: Sequence[str] = ("json_schema", "json_object", "stream", "usage", "chat")
    refuses: Sequence[str] = ()
    context: int = 0
    models: Sequence[str] = ("scripted",)
    key: str = ""
    cached: int = 0


def load_scenario(path: Path) -> Scenario:
    """Reads a scenario file.

    Raises:
        TaskError: The file is not such a scenario; names the field.
    """
    try:
        whole = json.loads(read_text(path))
    except ValueError as error:
        raise TaskError(f"not valid JSON: {error}", file=str(path)) from error
    names = {item.name for item in fields(Scenario)}
    if not isinstance(whole, dict) or not whole.keys() <= names:
        raise TaskError(f"expected an object with some of {', '.join(sorted(names))}", file=str(path))
    for place, step in enumerate(whole.get("replies", ())):
        fault = _step_fault(step)
        if fault:
            raise TaskError(fault, file=str(path), field=f"replies[{place}]")
    return Scenario(**whole)


def _step_fault(step: Any) -> str:
    """What is wrong with a step of a script, or ""."""
    if isinstance(step, str):
        return ""
    if not isinstance(step, dict) or not step.keys() <= _STEP_KEYS:
        return f"expected a text, or an object with some of {', '.join(sorted(_STEP_KEYS))}"
    if "fault" in step and step["fault"] not in FAULTS:
        return f"no fault {step['fault']!r}; faults are {', '.join(FAULTS)}"
    if "bad" in step and step["bad"] not in bad_bodies():
        return f"no bad body {step['bad']!r}; known are {', '.join(bad_bodies())}"
    if "odd" in step and step["odd"] not in odd_bodies():
        return f"no odd body {step['odd']!r}; known are {', '.join(odd_bodies())}"
    return ""
