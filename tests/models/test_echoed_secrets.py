"""An endpoint that repeats what it was sent, or was never sent, gets no secret into replies, pieces or recordings."""

from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest

from evolve.core.errors import EndpointProblem, ModelMistake
from evolve.runtime.models.wire import RawReply, failure_of_status
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import SUM, ask, recorded

KEY = "Zk9-wQ4tLm2xV7pRb3Ns8Yd/1cFh6Gj=="
OTHER = "hunter2"
PIN = "8462917305"
ENVIRON = {
    "EVOLVE_API_KEY": KEY,
    "DB_PASS": OTHER,
    "BANK_PIN": PIN,
    "LANG": "en_US.UTF-8",
    "MODE": "production",
    "PORT": "8080",
}
WRITTEN = {
    "raw": KEY,
    "header": f"Authorization: Bearer {KEY}",
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 of the header": base64.b64encode(f"Bearer {KEY} of you".encode()).decode(),
    "base64, shifted": base64.b64encode(f"x:{KEY}".encode()).decode(),
    "urlsafe": base64.urlsafe_b64encode(f"xy:{KEY}".encode()).decode(),
    "url": quote(KEY, safe=""),
    "hex": KEY.encode().hex(),
    "hex capitals": KEY.encode().hex().upper(),
    "hex with colons": KEY.encode().hex(":"),
    "escapes of bytes": "".join(f"\\x{byte:02x}" for byte in KEY.encode()),
    "base32": base64.b32encode(KEY.encode()).decode(),
    "html": "".join(f"&#{ord(sign)};" for sign in KEY),
    "html in hex": "".join(f"&#x{ord(sign):X};" for sign in KEY),
    "backwards": KEY[::-1],
    "capitals": KEY.upper(),
    "json": json.dumps({"headers": {"authorization": KEY}}),
    "low entropy": f"the password is {OTHER}, is it not",
    "low entropy in base64": base64.b64encode(OTHER.encode()).decode(),
}


def leaks(told, how):
    if how == "low entropy":
        return OTHER in told
    secret = KEY if how in ("header", "json") else WRITTEN[how][-30:-4]  # Base64 may keep what was no part of it
    return secret.lower() in told.lower() or KEY.lower() in told.lower()


@pytest.fixture
def spoken(bench, tmp_path):
    """What a reply comes to: in the reply, to who listens, and in the recording."""

    def make(reply, *, request=None, streamed=False, **scenario):
        setup = {"environ": ENVIRON, **recorded(tmp_path / "recorded.jsonl")}
        made, heard = bench(reply, setup=setup, **scenario), []
        answer = made.complete(request, heard.append if streamed else None)
        return answer, "".join(heard), (tmp_path / "recorded.jsonl").read_text()

    return make


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
@pytest.mark.parametrize("how", WRITTEN)
def test_a_repeated_key_is_in_no_reply_no_piece_and_no_recording(spoken, how, streamed):
    reply, heard, kept = spoken(f"You sent {WRITTEN[how]} to me.", streamed=streamed)
    assert reply.text.startswith("You sent ") and reply.text.endswith(" to me.")
    assert "[secret]" in reply.text and not leaks(reply.text, how)
    assert "[secret]" in kept and not leaks(kept, how)
    if streamed:
        assert heard == reply.text


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
def test_a_repeated_key_is_in_no_field_even_escaped(spoken, streamed):
    escaped = "".join(f"\\u{ord(sign):04x}" for sign in KEY)
    form = '{"sum": 42, "note": "K", "more": ["K", {"k": "E"}]}'.replace("K", KEY).replace("E", escaped)
    schema = {**SUM, "additionalProperties": True}
    reply, heard, kept = spoken(form, request=ask(schema=schema), streamed=streamed)
    assert reply.data == {"sum": 42, "note": "[secret]", "more": ["[secret]", {"k": "[secret]"}]}
    assert not any(leaks(told, "raw") or escaped in told for told in (reply.text, heard, kept))


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
def test_both_ways_of_asking_are_cleaned(spoken, api, streamed):
    reply, heard, kept = spoken(f"It is {KEY}.", streamed=streamed, supports=(api, "stream", "usage"))
    assert reply.text == "It is [secret]."
    assert heard in ("", "It is [secret].")
    assert not leaks(heard + kept, "raw")


def test_a_refusal_and_a_model_name_are_cleaned(spoken):
    reply, _, kept = spoken({"refusal": f"not with {KEY}"})
    assert reply.text == "not with [secret]" and not leaks(kept, "raw")


@pytest.mark.parametrize("message", [f"wrong key {KEY}", "x" * 280 + KEY, WRITTEN["base64 of the header"]])
def test_failures_are_cleaned_also_where_they_were_cut(bench, tmp_path, message):
    made = bench({"status": 400, "message": message}, setup={"environ": ENVIRON, **recorded(tmp_path / "r.jsonl")})
    with pytest.raises(EndpointProblem) as caught:
        made.complete()
    kept = (tmp_path / "r.jsonl").read_text() if (tmp_path / "r.jsonl").exists() else ""
    for told in (str(caught.value), kept):
        assert KEY[:8] not in told and message[9:40] not in told.replace("x" * 9, "")
    assert "[secret]" in str(caught.value)


def test_what_an_action_printed_is_told_to_no_endpoint(bench):
    made = bench("fine", setup={"environ": ENVIRON})
    made.complete(ask(f"the output was {KEY} and {OTHER}"))
    sent = json.dumps(made.bodies)
    assert "the output was [secret] and [secret]" in sent and KEY not in sent


def test_ordinary_values_of_the_environment_stay_in_replies(spoken):
    text = "en_US.UTF-8 on port 8080 in production, hunter22 and shunter2"
    reply, heard, kept = spoken(text, streamed=True)
    assert reply.text == heard == text and "[secret]" not in kept


def test_a_reply_without_a_secret_is_recorded_as_it_came(spoken):
    _, _, kept = spoken("fine")
    assert json.loads(json.loads(kept)["reply"])["choices"][0]["message"]["content"] == "fine"


def test_the_pieces_of_a_stream_are_shown_as_soon_as_they_can_be_no_secret(bench):
    made, heard = bench("a long and harmless sentence", setup={"environ": ENVIRON}), []
    made.complete(ask(), heard.append)
    assert len([piece for piece in heard if piece]) > 1


class Telling:
    """A wire that answers with given bytes and keeps what it was sent."""

    def __init__(self, *bodies):
        self.bodies, self.sent = [*bodies], []

    def send(self, exchange, deadlines, on_bytes=None):
        self.sent.append(json.dumps(exchange.body))
        body = self.bodies.pop(0)
        if on_bytes is not None:
            on_bytes(body)
        return RawReply(content=body)

    def close(self):
        """Nothing is open."""


@pytest.fixture
def told_by(bench, tmp_path):
    """What bodies of a wire come to: in the reply, in what is sent, to who listens, and in the recording."""

    def make(*bodies, request=None, streamed=False):
        wire, heard = Telling(*bodies), []
        setup = {"environ": ENVIRON, "wire": lambda endpoint: wire, **recorded(tmp_path / "recorded.jsonl")}
        answer = bench("", setup=setup).complete(request, heard.append if streamed else None)
        return answer, "".join([*wire.sent, *heard, (tmp_path / "recorded.jsonl").read_text()])

    return make


class Failing(Telling):
    """One that refuses with that body."""

    def send(self, exchange, deadlines, on_bytes=None):
        return failure_of_status(400, {}, self.bodies[0])


def parts(text, at=9):
    """A text as parts that share the key."""
    cut = text.index(KEY) + at
    return [{"type": "text", "text": piece} for piece in (text[:cut], text[cut:])]


def events(*contents):
    said = [{"delta": {"content": one}} for one in contents] + [{"delta": {}, "finish_reason": "stop"}]
    return b"".join(b"data: " + json.dumps({"choices": [one]}).encode() + b"\n\n" for one in said) + b"data: [DONE]\n\n"


def test_a_key_that_parts_of_a_reply_share_is_in_no_reply_and_no_repair(told_by):
    wrong, right = chat_completion_body("x"), chat_completion_body('{"sum": 42}')
    wrong["choices"][0]["message"]["content"] = parts(f"no JSON but {KEY}")
    reply, told = told_by(json.dumps(wrong).encode(), json.dumps(right).encode(), request=ask(schema=SUM))
    assert reply.data == {"sum": 42}
    assert "no JSON but [secret]" in told and KEY not in told
    assert KEY[:9] not in told and KEY[9:] not in told
    last = chat_completion_body("x")
    last["choices"][0]["message"]["content"] = parts(f"it is {KEY}.")
    reply, told = told_by(json.dumps(last).encode())
    assert reply.text == "it is [secret]."
    assert KEY[:9] not in told and KEY[9:] not in told


def test_a_key_that_parts_of_an_output_share_is_in_no_recording(told_by):
    body = chat_completion_body("fine")
    body["output"] = [{"type": "message", "content": parts(f"it is {KEY}.")}, ["it is ", KEY[:5], KEY[5:]]]
    reply, told = told_by(json.dumps(body).encode())
    assert reply.text == "fine" and "[secret]" in told
    assert not any(piece in told for piece in (KEY[:5], KEY[5:], KEY[9:]))


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
def test_a_number_that_is_a_secret_is_in_no_reply_and_no_recording(told_by, streamed):
    said = f"{PIN} and 8462917306"
    body = {**chat_completion_body(said), "debug": [int(PIN), float(PIN)], "created": 1700000000}
    sent = events(said) + b"data: " + json.dumps(body).encode() + b"\n\n"
    reply, told = told_by(sent if streamed else json.dumps(body).encode(), streamed=streamed)
    assert "[secret] and 8462917306" in reply.text
    assert PIN not in told and "1700000000" in told


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le"])
def test_a_body_in_another_encoding_is_cleaned(bench, tmp_path, encoding):
    said = json.dumps({"error": {"message": f"wrong key {KEY} indeed"}})
    wires = [
        Telling(*[said.encode(encoding)] * 9),
        Failing(said.encode(encoding)),
        Failing(f"no {KEY}".encode(encoding)),
    ]
    for number, wire in enumerate(wires):
        place = tmp_path / f"{number}.jsonl"
        with pytest.raises((EndpointProblem, ModelMistake)) as caught:
            bench("", setup={"environ": ENVIRON, "wire": lambda _, one=wire: one, **recorded(place)}).complete()
        kept = json.loads(place.read_text().splitlines()[0]) if place.exists() else {}
        whole = str(caught.value) + json.dumps(kept)
        if kept.get("encoding") == "base64":
            whole += base64.b64decode(kept["reply"]).decode(encoding)
        whole = whole.replace("\\u0000", "")
        assert KEY not in whole
        assert "[secret]" in whole or not kept


def test_a_key_that_pieces_of_different_kinds_share_is_in_no_reply(told_by):
    first, second = parts(KEY)
    reply, told = told_by(events("it is ", first["text"], [second], "."), streamed=True)
    assert reply.text == "it is [secret]." and KEY not in told


def test_a_stream_that_begins_with_a_byte_order_mark_is_cleaned(told_by):
    reply, told = told_by(b"\xef\xbb\xbf" + events(f"{KEY[:9]}", f"{KEY[9:]} it is"), streamed=True)
    assert reply.text == "[secret] it is" and KEY not in told and KEY[:9] not in told


@pytest.mark.parametrize("written", [KEY, f"\\u{ord(KEY[0]):04x}{KEY[1:]}"], ids=["raw", "escaped"])
@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
def test_the_first_of_two_equal_names_is_cleaned(told_by, written, streamed):
    body = events("fine").decode() if streamed else json.dumps(chat_completion_body("fine"))
    reply, told = told_by(body.replace("{", f'{{"note": "{written}", "note": "x", ', 1).encode(), streamed=streamed)
    assert reply.text == "fine"
    assert KEY[1:] not in told


def test_the_reason_why_a_reply_is_of_no_use_quotes_no_key(told_by):
    escaped = f"\\u{ord(KEY[0]):04x}{KEY[1:]}"
    wrong = chat_completion_body(f'{{"sum": 42, "{escaped}": 1}}')
    with pytest.raises(ModelMistake) as caught:
        told_by(*[json.dumps(wrong).encode()] * 3, request=ask(schema={**SUM, "additionalProperties": False}))
    assert KEY not in str(caught.value) and "[secret]" in str(caught.value)


CODE_FORM = {
    "type": "object",
    "properties": {"code": {"type": "string"}, "note": {"type": "string"}},
    "required": ["code", "note"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("streamed", [False, True], ids=["whole", "in pieces"])
def test_code_keeps_a_guessable_word_and_every_other_field_loses_it(told_by, streamed):
    said = json.dumps({"code": f"x = '{OTHER}' + '{KEY}'", "note": f"{OTHER} and {KEY}"})
    sent = events(said[:15], said[15:30], said[30:]) if streamed else json.dumps(chat_completion_body(said)).encode()
    reply, told = told_by(sent, request=ask(schema=CODE_FORM), streamed=streamed)
    assert reply.data == {"code": f"x = '{OTHER}' + '[secret]'", "note": "[secret] and [secret]"}
    assert OTHER not in reply.text and KEY not in told and f"{OTHER} and" not in told
