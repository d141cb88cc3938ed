"""Builds the JSON body of a request, as Chat Completions or Responses want it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from string import Template
from typing import Any

from evolve.core.files import clean_text
from evolve.runtime.models.abilities import Abilities
from evolve.runtime.models.addressing import Endpoint
from evolve.runtime.models.overflow import most_reply
from evolve.runtime.models.protocol import ESSENTIAL, Message, ModelRequest, Rung
from evolve.runtime.models.structure import response_format
from evolve.runtime.models.thoughts import FIELDS as REASONING
from evolve.runtime.models.thoughts import fields_for
from evolve.runtime.models.wire import Exchange, ExchangeFailure

OPTIONAL = ("temperature", "seed", "stop", "stream_options")
_SHOWN_AGAIN = 4_000


@dataclass(frozen=True, kw_only=True)
class SchemaPrompts:
    """The texts put into a prompt to get structure; ``string.Template`` texts, from prompt files.

    Attributes:
        form: Asks for JSON by ``$schema``, and says in ``$place`` where it should stand.
        repair: Says ``$why`` the last reply could not be used, and shows ``$schema`` again.
        go_on: Asks for the rest of a reply that was cut off.
    """

    form: str
    repair: str
    go_on: str


def exchange_of(
    endpoint: Endpoint, request: ModelRequest, rung: Rung, abilities: Abilities, *, stream: bool, attempt: int = 0
) -> Exchange:
    """Builds the exchange that asks a request in one of the ways (rungs) to ask for structure."""
    # Messages carry the reasoning that this very model gave, as fields; that of other models is left out.
    messages = [
        replace(message, reasoning=fields_for(message.reasoning, endpoint.name)) if message.reasoning else message
        for message in request.messages
    ]
    request = replace(request, messages=tuple(messages))
    asked = _responses_body if abilities.api == "responses" else _chat_body
    body = asked(request, rung, abilities)
    body = {"model": endpoint.model, **body}
    if stream:
        body["stream"] = True
        if abilities.api == "chat":
            # Without it a stream says nothing of the tokens it cost.
            body["stream_options"] = {"include_usage": True}
    for name in abilities.without:
        body.pop(name, None)
    path = "responses" if abilities.api == "responses" else "chat/completions"
    return Exchange(base_url=endpoint.base_url, path=path, body=body, attempt=attempt)


def _chat_body(request: ModelRequest, rung: Rung, abilities: Abilities) -> dict[str, Any]:
    # What was not asked for is left out, as some models refuse a parameter even with its default.
    body: dict[str, Any] = {
        "messages": _messages(request, abilities),
        abilities.tokens_field: reply_room(request, abilities),
    }
    if request.temperature is not None:
        body["temperature"] = request.temperature
    if request.seed is not None:
        body["seed"] = request.seed
    if request.stop:
        body["stop"] = list(request.stop)
    form = response_format(rung, request.schema) if request.schema is not None else None
    if form is not None:
        body["response_format"] = form
    return body


def reply_room(request: ModelRequest, abilities: Abilities) -> int:
    """Most tokens of the reply, where the endpoint said that it takes fewer than were wanted."""
    return request.max_tokens if abilities.reply is None else min(request.max_tokens, abilities.reply)


def _responses_body(request: ModelRequest, rung: Rung, abilities: Abilities) -> dict[str, Any]:
    """The body for the Responses API, which knows no seeds or stop texts, and keeps what it is sent unless told."""
    # Its own form of reasoning is no field of a message, and is not carried.
    messages = _messages(request, replace(abilities, without=(*abilities.without, *REASONING)))
    body: dict[str, Any] = {"input": messages, "max_output_tokens": reply_room(request, abilities), "store": False}
    if request.temperature is not None:
        body["temperature"] = request.temperature
    form = response_format(rung, request.schema) if request.schema is not None else None
    if form is not None:
        # What Chat Completions nests under json_schema, Responses takes side by side with the type.
        inner = form.get("json_schema", {})
        body["text"] = {"format": {"type": form["type"], **inner}}
    return body


def _messages(request: ModelRequest, abilities: Abilities) -> list[dict[str, Any]]:
    return [
        {
            "role": message.role,
            "content": clean_text(message.text),
            **{name: part for name, part in (message.reasoning or {}).items() if name not in abilities.without},
        }
        for message in request.messages
    ]


def with_form(request: ModelRequest, rung: Rung, wording: SchemaPrompts) -> ModelRequest:
    """The request with its schema in words, for the rungs that do not carry it themselves."""
    if request.schema is None or rung in ("text", "json_schema"):
        return request
    # Sorted, so that the same request has the same digest in a recording.
    schema = json.dumps(request.schema, sort_keys=True, ensure_ascii=False)
    place = " in a fenced block that starts with ```json" if rung == "fenced" else ""
    return _with_note(request, Template(wording.form).safe_substitute(schema=schema, place=place))


def with_repair(request: ModelRequest, reply_text: str, why: str, wording: SchemaPrompts) -> ModelRequest:
    """The request with the unusable reply and what is wrong with it."""
    schema = json.dumps(request.schema, sort_keys=True, ensure_ascii=False)
    note = Template(wording.repair).safe_substitute(why=why, schema=schema)
    if not reply_text.strip():
        return _with_note(request, note)
    shown = reply_text if len(reply_text) <= _SHOWN_AGAIN else reply_text[:_SHOWN_AGAIN] + " [...]"
    return request.with_messages(
        Message(role="assistant", text=shown, kind="mistake"), Message(role="user", text=note, kind="repair")
    )


def with_rest_asked(request: ModelRequest, turn: Message, wording: SchemaPrompts) -> ModelRequest:
    """The request with the part of a reply that came, as the assistant's turn, and the question for its rest."""
    return request.with_messages(turn, Message(role="user", text=wording.go_on, priority=ESSENTIAL, kind="continue"))


def _with_note(request: ModelRequest, note: str) -> ModelRequest:
    """Adds to the last message, because some chat templates refuse two of one role in a row."""
    messages: Sequence[Message] = request.messages
    if not messages or messages[-1].role != "user":
        return request.with_messages(Message(role="user", text=note, kind="form"))
    last = replace(messages[-1], text=f"{messages[-1].text}\n\n{note}")
    return replace(request, messages=(*messages[:-1], last))


def adapt_to_refusal(abilities: Abilities, exchange: Exchange, failure: ExchangeFailure) -> Abilities | None:
    """What to ask with next, where the words of a refusal say what an endpoint does not take; else None."""
    # Endpoints have no common code for this, only words.
    complaint = failure.text.lower()
    other = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}[abilities.tokens_field]
    mentioned = [name for name in ("max_completion_tokens", "max_tokens") if re.search(rf"\b{name}\b", complaint)]
    unknown = re.search(r"unsupported|unknown|unrecognized|not supported|not permitted|extra", complaint) is not None
    if abilities.tokens_field in exchange.body and mentioned and unknown:
        return replace(abilities, tokens_field=other)
    most = most_reply(failure.text)
    if most and most < exchange.body.get(abilities.tokens_field, 0):
        return replace(abilities, reply=most)
    sent = {name for message in exchange.body.get("messages", ()) for name in message}
    for name in REASONING:
        if name in sent and re.search(rf"\b{name}\b", complaint):
            return replace(abilities, without=(*abilities.without, name))
    for name in OPTIONAL:
        if name in exchange.body and re.search(rf"\b{name}\b", complaint):
            return replace(abilities, without=(*abilities.without, name))
    if exchange.is_streamed and re.search(r"\bstream(ing)?\b", complaint):
        return replace(abilities, streams=False)
    if exchange.path == "chat/completions" and re.search(r"v1/responses|responses api|not a chat model", complaint):
        return replace(abilities, api="responses")
    return None
