"""Parses the bytes of a reply into typed parts, or into one phrase that says why it cannot be used."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from evolve.core.files import clean_text
from evolve.runtime.models.protocol import Finish
from evolve.runtime.models.thoughts import joined_reasoning, reasoning_of

_FINISHES: Mapping[str, Finish] = {
    "stop": "stop",
    "stop_sequence": "stop",
    "end_turn": "stop",
    "eos": "stop",
    "completed": "stop",
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "content_filter": "filter",
    "refusal": "refusal",
}
NO_ROOM = "all the room for a reply went into thinking"
"""Why there is no answer in a reply that was cut off before one began."""
_EMPTY = "it is empty"
ONLY_THOUGHTS = f"{_EMPTY}: there are only thoughts"
MOST_BYTES = 4 * 1024 * 1024
"""A reply that is longer is refused; no model writes as much in one go."""
_OF_A_STREAM = 16  # each token comes in a piece of its own, with hundreds of bytes around it

# A count beyond it is nonsense, and booking it would end any budget at once.
_MOST_COUNTED = 10**9

# Where OpenAI, Moonshot, DeepSeek, and hosts that pass Anthropic's counts on tell of the cache.
_CACHED = ("cached_tokens", "prompt_cache_hit_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, kw_only=True)
class ReplyParts:
    """What a reply says.

    Attributes:
        prompt: Tokens as the endpoint counted them; None where it did not, or not in numbers.
        completion: The same for the reply.
        cached: Those of the prompt that the endpoint had in its cache.
        thought: Those of the completion that were thinking.
        reasoning: The fields of the message that belong to the next request, by their names on the wire.
    """

    text: str
    finish: Finish
    model: str = ""
    prompt: int | None = None
    completion: int | None = None
    cached: int = 0
    thought: int = 0
    reasoning: Mapping[str, Any] = field(default_factory=dict)

    @property
    def refused(self) -> bool:
        """Whether there is no answer, because the model or its host would not give one."""
        return self.finish in ("refusal", "filter")

    @property
    def cut_short(self) -> bool:
        """Whether it ended because it was as long as it might be."""
        return self.finish == "length"


@dataclass(frozen=True, kw_only=True)
class UnusableReply:
    """A reply that cannot be used.

    Attributes:
        why: In words that the model is shown when it is asked again.
        cut: The stream ended before the reply did: a failed call, not a reply.
        failed: The body is an error that came with HTTP 200.
        cut_short: All tokens that were allowed went before the answer began; with more of them there may be one.
        counted: What the endpoint says that it cost, without any text; None where it does not say.
    """

    why: str
    cut: bool = False
    failed: bool = False
    cut_short: bool = False
    counted: ReplyParts | None = None


def most_bytes(*, streamed: bool) -> int:
    """The longest body that is read."""
    return MOST_BYTES * _OF_A_STREAM if streamed else MOST_BYTES


def read_reply(content: bytes, *, streamed: bool, path: str = "chat/completions") -> ReplyParts | UnusableReply:
    """The parts of a whole body.

    A streamed request may be answered in one piece, and some endpoints do so.
    """
    if len(content) > most_bytes(streamed=streamed):
        return UnusableReply(why=f"it is longer than {most_bytes(streamed=streamed):,} bytes")
    try:
        # -sig, because some servers begin with a byte order mark.
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return UnusableReply(why="the reply is not UTF-8")
    if streamed and not text.lstrip().startswith("{"):
        return _parse_stream(text, path)
    whole = _json(text)
    if not isinstance(whole, dict):
        return UnusableReply(why="the body is not a JSON object")
    return _parse_object(whole, path)


class DeltaReader:
    """Hands on the text of a streamed reply while its bytes come; says nothing of whether it is sound."""

    def __init__(self, path: str = "chat/completions") -> None:
        self._path = path
        self._rest = b""
        self.size = 0
        """Bytes of text and thinking so far."""

    def read_piece(self, piece: bytes) -> str:
        """The text in what is complete by now."""
        *lines, self._rest = (self._rest + piece).split(b"\n")
        texts = []
        for line in lines:
            event = _json(line.removeprefix(b"data:").decode("utf-8", "replace")) if line.startswith(b"data:") else None
            if isinstance(event, dict):
                text, thoughts = _delta(event, self._path)
                texts.append(text)
                self.size += len((text + thoughts).encode("utf-8", "replace"))
        return clean_text("".join(texts))


def _json(text: str) -> Any:
    """The value, or None for what is not JSON; NaN and infinities are not."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return None


def _refuse(name: str) -> Any:
    raise ValueError(name)


def _parse_object(whole: Mapping[str, Any], path: str) -> ReplyParts | UnusableReply:
    # Some proxies pass an error on with status 200.
    if whole.get("error"):
        inner = whole["error"]
        message = inner.get("message", "") if isinstance(inner, dict) else inner
        return UnusableReply(why=f"an error came instead of a reply: {str(message)[:200]}", failed=True)
    read = _parse_response(whole) if path == "responses" else _parse_chat(whole)
    return _with_counts(read, whole) if isinstance(read, UnusableReply) else read


def _with_counts(unusable: UnusableReply, whole: Mapping[str, Any]) -> UnusableReply:
    counts = _make_parts("unread", "stop", whole)
    return unusable if counts.completion is None else replace(unusable, counted=replace(counts, text=""))


def _parse_chat(whole: Mapping[str, Any]) -> ReplyParts | UnusableReply:
    choices = whole.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return UnusableReply(why="there is no choice in the reply")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        return UnusableReply(why="the choice has no message")
    if message.get("role", "assistant") != "assistant":
        return UnusableReply(why="the message is not the assistant's")
    # A call of a tool has no text, and would look like an empty answer.
    if message.get("tool_calls") or message.get("function_call"):
        return UnusableReply(why="it calls a tool, and no tool was offered")
    content, refusal = _text(message.get("content")), message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return _make_parts(refusal, "refusal", whole)
    if content is None:
        return UnusableReply(why="the content is not text")
    parts = _by_finish(content, choices[0].get("finish_reason"), whole)
    reasoning = reasoning_of(message)
    if isinstance(parts, ReplyParts):
        return replace(parts, reasoning=reasoning)
    return replace(parts, why=ONLY_THOUGHTS) if reasoning and parts.why == _EMPTY else parts


def _parse_response(whole: Mapping[str, Any]) -> ReplyParts | UnusableReply:
    """A body of the Responses API."""
    output = whole.get("output")
    if not isinstance(output, list):
        return UnusableReply(why="there is no output in the reply")
    content, refusal = [], []
    for item in output:
        if not isinstance(item, dict):
            return UnusableReply(why="an item of the output is not an object")
        if str(item.get("type", "")).endswith("_call"):
            return UnusableReply(why="it calls a tool, and no tool was offered")
        pieces = item.get("content") if item.get("type") == "message" else []
        for piece in pieces if isinstance(pieces, list) else []:
            if isinstance(piece, dict):
                content.append(str(piece.get("text") or ""))
                refusal.append(str(piece.get("refusal") or ""))
    if any(refusal):
        return _make_parts("".join(refusal), "refusal", whole)
    cut = whole.get("incomplete_details")
    reason = cut.get("reason") if isinstance(cut, dict) else whole.get("status")
    return _by_finish("".join(content), reason, whole)


def _text(content: Any) -> str | None:
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        texts = [part.get("text", "") for part in content if part.get("type", "text") in ("text", "output_text")]
        return "".join(texts) if all(isinstance(text, str) for text in texts) else None
    return None


def _by_finish(content: str, reason: Any, whole: Mapping[str, Any]) -> ReplyParts | UnusableReply:
    """The parts of a reply, unless the reason for which it ended makes it unusable."""
    finish = _FINISHES.get(reason or "stop") if isinstance(reason, str | None) else None
    if reason in ("tool_calls", "function_call"):
        return UnusableReply(why="it calls a tool, and no tool was offered")
    if finish is None:
        return UnusableReply(why=f"it ended for an unknown reason: {str(reason)[:40]!r}")
    if not content.strip() and finish in ("stop", "length"):
        short = finish == "length"
        return UnusableReply(why=NO_ROOM if short else _EMPTY, cut_short=short)
    return _make_parts(content, finish, whole)


def _make_parts(text: str, finish: Finish, whole: Mapping[str, Any]) -> ReplyParts:
    usage = whole.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    # Nought is what hosts say that do not count: nothing can be asked, nor a text be written, without a token.
    prompt = _count(usage.get("prompt_tokens", usage.get("input_tokens"))) or None
    completion = _count(usage.get("completion_tokens", usage.get("output_tokens"))) or (None if text.strip() else 0)
    cached = _first_count((details, usage), _CACHED)
    written = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    thought = _first_count((written,), ("reasoning_tokens",))
    model = whole.get("model")
    return ReplyParts(
        text=clean_text(text),
        finish=finish,
        model=clean_text(model)[:200] if isinstance(model, str) else "",
        prompt=prompt,
        completion=completion,
        cached=min(cached, prompt or 0),
        thought=min(thought, completion or 0),
    )


def _first_count(places: Sequence[Any], names: Sequence[str]) -> int:
    """The first count above zero under one of some names, in one of some objects; else 0."""
    counts = (_count(place.get(name)) for place in places if isinstance(place, dict) for name in names)
    return next(filter(None, counts), 0)


def _count(value: Any) -> int | None:
    # True is a number in Python.
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MOST_COUNTED else None


def _parse_stream(text: str, path: str) -> ReplyParts | UnusableReply:
    """Server-sent events. Without the last piece it is a broken call, however good the text looks."""
    events, done = [], False
    for data in _events(text):
        if data == "[DONE]":
            done = True
            break
        event = _json(data)
        if not isinstance(event, dict):
            # The last line of a stream that was cut off looks like this too; only more after it is the model's fault.
            return UnusableReply(why="a piece of the stream is not a JSON object", cut=True)
        if event.get("error"):
            return _parse_object(event, path)
        events.append(event)
    if path == "responses":
        last = events[-1].get("response") if events else None
        return (
            _parse_object(last, path)
            if isinstance(last, dict) and last.get("output")
            else UnusableReply(why="", cut=True)
        )
    return _join_events(events, done=done)


def _events(text: str) -> Iterator[str]:
    for line in text.split("\n"):  # JSON may hold other signs that Python takes for the end of a line
        if line.startswith("data:"):
            yield line.removeprefix("data:").strip()


def _join_events(events: list[dict[str, Any]], *, done: bool) -> ReplyParts | UnusableReply:
    """The pieces of a stream as the one body that they stand for."""
    texts, refusals, reason, usage, model = [], [], None, None, ""
    deltas: list[dict[str, Any]] = []
    fault: UnusableReply | None = None
    for event in events:
        usage, model = event.get("usage") or usage, event.get("model") or model
        choices = event.get("choices")
        if not isinstance(choices, list) or not choices:
            continue  # the piece that carries the usage has none
        first = choices[0]
        delta = first.get("delta") if isinstance(first, dict) else None
        fault = fault or _fault_of(delta)
        if fault is not None or not isinstance(delta, dict):
            continue  # what it cost is told in its last piece
        texts.append(_text(delta.get("content")) or "")
        refusals.append(str(delta.get("refusal") or ""))
        deltas.append(delta)
        reason = first.get("finish_reason") or reason
    # Either ending will do: not every server sends [DONE].
    if not done and reason is None and fault is None:
        return UnusableReply(why="the stream ended before the reply did", cut=True)
    if fault is not None:
        return _with_counts(fault, {"usage": usage})
    message = {"content": "".join(texts), "refusal": "".join(refusals), **joined_reasoning(deltas)}
    whole = {"choices": [{"message": message, "finish_reason": reason}], "usage": usage, "model": model}
    return _parse_object(whole, "chat/completions")


def _fault_of(delta: Any) -> UnusableReply | None:
    if not isinstance(delta, dict):
        return UnusableReply(why="a piece of the stream has no delta")
    if delta.get("tool_calls"):
        return UnusableReply(why="it calls a tool, and no tool was offered")
    return UnusableReply(why="the content is not text") if _text(delta.get("content")) is None else None


def _delta(event: Mapping[str, Any], path: str) -> tuple[str, str]:
    if path == "responses":
        piece = event.get("delta") if event.get("type") == "response.output_text.delta" else ""
        return (piece, "") if isinstance(piece, str) else ("", "")
    choices = event.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else None
    delta = first.get("delta") if isinstance(first, dict) else None
    if not isinstance(delta, dict):
        return "", ""
    thoughts = reasoning_of(delta)
    return _text(delta.get("content")) or "", str(thoughts.get("reasoning_content") or thoughts.get("reasoning") or "")
