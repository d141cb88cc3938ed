"""The protocol of a model's double, a wire to one without a network, and functions that read prompt and schema out of a
request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Protocol

from evolve.runtime.models import Deadlines, Exchange, ExchangeFailure, RawReply
from evolve.runtime.models.wire import OnBytes
from evolve.testing.endpoint_faults import chat_completion_body


class Double(Protocol):
    """Answers a request of the Chat Completions protocol by its prompt."""

    def answer(self, body: Mapping[str, Any]) -> str:
        """The text of the reply."""
        ...


def prompt_of(body: Mapping[str, Any]) -> str:
    """All that the model reads."""
    messages = body.get("messages") or body.get("input") or ()
    return "\n\n".join(str(message.get("content") or "") for message in messages)


def schema_of(body: Mapping[str, Any], prompt: str) -> Mapping[str, Any] | None:
    """The JSON Schema of the wanted reply, from the request or, where it is told in words, from the prompt."""
    form = body.get("response_format") or body.get("text", {}).get("format") or {}
    schema = form.get("json_schema", form).get("schema")
    return schema if isinstance(schema, dict) else next(_schemas_in(prompt), None)


def question_of(body: Mapping[str, Any]) -> str:
    """What a request wants, by the title of its schema; ``action`` where it wants words."""
    # A request for any JSON has its schema in words.
    schema = schema_of(body, prompt_of(body) if body.get("response_format") or body.get("text") else "")
    return "action" if schema is None else str(schema.get("title", ""))


def _schemas_in(prompt: str) -> Iterator[Mapping[str, Any]]:
    """Objects in the prompt that are schemas, the last first."""
    reader = json.JSONDecoder()
    for brace in reversed(list(re.finditer(r"\{", prompt))):
        try:
            value, _ = reader.raw_decode(prompt, brace.start())
        except ValueError:
            continue
        if (
            isinstance(value, dict)
            and value.get("type") == "object"
            and "properties" in value
            and not prompt[: brace.start()].rpartition("\n")[2].strip()  # else it is part of another one
        ):
            yield value


Handler = Callable[[Mapping[str, Any]], "str | Mapping[str, Any] | ExchangeFailure"]


class LocalWire:
    """Hands each body to a function or a double in this process.

    Args:
        handler: Gives a text, a whole body, or a failure.
    """

    def __init__(self, handler: Handler | Double) -> None:
        self._handler: Handler = handler if callable(handler) else handler.answer

    def send(
        self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None
    ) -> RawReply | ExchangeFailure:
        """One exchange, answered at once and in one piece."""
        if exchange.path == "models":  # nobody asked the handler anything
            return RawReply(content=b'{"data": []}')
        answer = self._handler(exchange.body)
        if isinstance(answer, ExchangeFailure):
            return answer
        return RawReply(
            content=json.dumps(chat_completion_body(answer) if isinstance(answer, str) else answer).encode()
        )

    def close(self) -> None:
        """Does nothing."""
