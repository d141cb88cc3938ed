"""Bodies that nobody thought of are read as a reply or as unusable, and never as a fault of evolve."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evolve.runtime.models.overflow import PromptOverflow, parse_overflow
from evolve.runtime.models.replies import DeltaReader, ReplyParts, UnusableReply, read_reply
from evolve.runtime.models.structure import extract
from evolve.runtime.models.wire import ExchangeFailure, failure_of_status, retry_after
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import SUM

FEW = settings(max_examples=50)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PLACES = [
    (),
    ("choices",),
    ("choices", 0),
    ("choices", 0, "message"),
    ("choices", 0, "message", "content"),
    ("choices", 0, "message", "refusal"),
    ("choices", 0, "message", "tool_calls"),
    ("choices", 0, "finish_reason"),
    ("usage",),
    ("usage", "prompt_tokens"),
    ("usage", "prompt_tokens_details"),
    ("model",),
    ("error",),
    ("output",),
]
STREAM_PLACES = [(), ("choices",), ("choices", 0), ("choices", 0, "delta"), ("choices", 0, "delta", "content")]
STREAM_PLACES += [("choices", 0, "delta", "refusal"), ("choices", 0, "finish_reason"), ("usage",), ("error",)]


def put(whole, place, value):
    if not place:
        return value
    inner = whole
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    return whole


def check_sound(said):
    if isinstance(said, UnusableReply):
        assert said.why or said.cut
        return
    assert isinstance(said, ReplyParts)
    said.text.encode("utf-8")
    assert "\0" not in said.text
    assert said.text.strip() or said.finish in ("filter", "refusal")
    assert said.prompt is None or said.prompt >= said.cached >= 0


@pytest.mark.slow
@FEW
@given(place=st.sampled_from(PLACES), value=VALUES, path=st.sampled_from(["chat/completions", "responses"]))
def test_any_value_anywhere_in_a_body(place, value, path):
    body = json.dumps(put(chat_completion_body("fine"), place, value)).encode()
    check_sound(read_reply(body, streamed=False, path=path))


@pytest.mark.slow
@FEW
@given(place=st.sampled_from(STREAM_PLACES), value=VALUES, cut=st.integers(0, 400))
def test_any_value_anywhere_in_a_stream(place, value, cut):
    events = [{"choices": [{"delta": {"content": "fi"}}]}, {"choices": [{"delta": {"content": "ne"}}]}]
    events.append(put({"choices": [{"delta": {}, "finish_reason": "stop"}], "usage": {}}, place, value))
    body = b"".join(b"data: " + json.dumps(event).encode() + b"\n\n" for event in events) + b"data: [DONE]\n\n"
    check_sound(read_reply(body, streamed=True))
    half = read_reply(body[:cut], streamed=True)
    if isinstance(half, ReplyParts) and half.finish == "stop":
        assert b"finish_reason" in body[:cut] or b"[DONE]" in body[:cut]
    reader = DeltaReader()
    assert "".join(reader.read_piece(body[at : at + 7]) for at in range(0, len(body), 7)).startswith("fine"[:2])


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x1c", "\r", "\n"])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_every_sign_of_a_streamed_text_arrives(sign, ascii_only):
    events = [{"choices": [{"delta": {"content": f"a{sign}b"}, "finish_reason": "stop"}]}]
    lines = [json.dumps(event, ensure_ascii=ascii_only) for event in events]
    body = "".join(f"data: {line}\r\n\r\n" for line in lines).encode()
    assert read_reply(body, streamed=True).text == f"a{sign}b"
    assert DeltaReader().read_piece(body) == f"a{sign}b"


@FEW
@given(st.binary(max_size=60), st.booleans())
def test_any_bytes(content, streamed):
    check_sound(read_reply(content, streamed=streamed))


@pytest.mark.slow
@FEW
@given(st.text(max_size=60) | VALUES.map(json.dumps) | VALUES.map(lambda value: f"```json\n{json.dumps(value)}\n```"))
def test_any_text_where_json_was_wanted(text):
    found = extract(text, SUM)
    assert bool(found.why) != (isinstance(found.value, dict) and isinstance(found.value["sum"], int | float))


@pytest.mark.slow
@FEW
@given(
    status=st.integers(300, 599), content=st.binary(max_size=40) | VALUES.map(lambda value: json.dumps(value).encode())
)
def test_any_error_body(status, content):
    failure = failure_of_status(status, {}, content)
    assert isinstance(failure, ExchangeFailure)
    assert failure.text.startswith(f"HTTP {status}")
    assert failure.is_retryable == (failure.kind in ("server", "limit") and not failure.final)


@pytest.mark.parametrize(
    ("text", "allowed", "prompt", "asked"),
    [
        ("maximum context length is 4,096 tokens. However, you requested 9,000 tokens", 4096, None, 9000),
        (
            "maximum context length is 16384 tokens. However, you requested 122946 tokens "
            "(112946 in the messages, 10000 in the completion)",
            16384,
            112946,
            122946,
        ),
        (
            "context length is 4097 tokens, however you requested 4116 tokens (3860 in your prompt; 256",
            4097,
            3860,
            4116,
        ),
        (
            "context length is 2048 tokens. However, your request has 8 input tokens plus 2045 'max_tokens'",
            2048,
            8,
            None,
        ),
        ("request (5000 tokens) exceeds the available context size (4096 tokens), try", 4096, None, 5000),
        ("Requested tokens (5000) exceed context window of 512", 512, None, 5000),
        ("prompt is too long: 210000 tokens > 200000 maximum", 200000, 210000, None),
        ("HTTP 400: the prompt is too long", None, None, None),
    ],
)
def test_how_much_fits_in_the_words_of_several_hosts(text, allowed, prompt, asked):
    assert parse_overflow(text) == PromptOverflow(allowed=allowed, prompt=prompt, asked=asked)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "1.5"}, 1.5),
        ({"retry-after-ms": "250", "Retry-After": "9"}, 0.25),
        ({"Retry-After": "-3"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT", "Date": "Wed, 21 Oct 2026 07:27:30 GMT"}, 30.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:27:00 GMT", "Date": "Wed, 21 Oct 2026 07:27:30 GMT"}, 0.0),
        ({"Retry-After": "Wed, 21 Oct 2026 07:27:00", "Date": "Wed, 21 Oct 2026 07:27:30 GMT"}, None),
    ],
)
def test_how_long_to_wait(headers, seconds):
    assert retry_after(headers) == seconds
