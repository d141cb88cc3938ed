"""Replies that do not fit in one call, and what a model thought beside them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from evolve.core.errors import Cancelled, ModelMistake
from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models import Message
from evolve.runtime.models.replies import ReplyParts, UnusableReply, read_reply
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import SUM, ask, recorded
from tests.models.test_spending import local, replay


def cut(text):
    return {"text": text, "finish": "length"}


def test_a_text_that_was_cut_off_is_gone_on_with_where_it_stopped(bench):
    one = bench(cut("def solve(x):\n    return x"), " + 1\n")
    reply = one.complete()
    assert (reply.text, reply.finish, reply.calls) == ("def solve(x):\n    return x + 1\n", "stop", 2)
    *before, said, asked = one.bodies[1]["messages"]
    assert before == one.bodies[0]["messages"]
    assert said == {"role": "assistant", "content": "def solve(x):\n    return x"}
    assert asked["role"] == "user"
    assert "Go on exactly where it stopped" in asked["content"]
    assert reply.usage.calls == 2


def test_each_part_is_asked_for_with_all_that_came_before_it(bench):
    one = bench(cut("a "), cut("b "), "c")
    assert one.complete().text == "a b c"
    assert [message["content"] for message in one.bodies[2]["messages"] if message["role"] == "assistant"] == ["a b "]


def test_after_three_continuations_it_is_what_it_is(bench):
    one = bench(*[cut(f"{number} ") for number in range(5)])
    reply = one.complete()
    assert (reply.text, reply.finish, len(one.bodies)) == ("0 1 2 3 ", "length", 4)


def test_a_rest_that_the_budget_does_not_cover_is_not_asked_for(bench):
    one = bench(cut("the beginning"), "the end", setup={"meter": Ledger(Budget(calls=1))})
    reply = one.complete()
    assert (reply.text, reply.finish, len(one.bodies)) == ("the beginning", "length", 1)


def test_a_rest_that_does_not_come_leaves_what_there_is(bench):
    one = bench(cut("the beginning"), *[{"bad": "empty content"}] * 3)
    reply = one.complete()
    assert (reply.text, reply.finish, reply.calls) == ("the beginning", "length", 4)


def test_who_listens_hears_one_reply(bench):
    heard = []
    one = bench(cut("the beginning and "), {"fault": "cut stream", "text": "this half is lost"}, "the end")
    reply = one.complete(on_delta=heard.append)
    last = "".join(heard).rpartition("the beginning")
    since = len(heard) - heard[::-1].index("")
    assert reply.text == "the beginning and the end"
    assert "".join(heard[since:]) == reply.text  # after the last beginning that was told
    assert last[2] == " and the end"


def test_a_replay_gives_the_whole_again(bench, tmp_path):
    one = bench(cut("a "), "b", setup=recorded(tmp_path))
    assert one.complete().text == "a b"
    assert replay(one, tmp_path, "only").complete(ask()).text == "a b"


@pytest.mark.parametrize("beginning", ['{"sum": 4', ""])
def test_a_structured_reply_that_was_cut_off_is_asked_for_with_more_room(bench, beginning):
    one = bench(cut(beginning), {"data": {"sum": 42}})
    assert one.complete(ask(schema=SUM)).data == {"sum": 42}
    assert [body["max_tokens"] for body in one.bodies] == [50, 200 if beginning else 100]
    assert one.bodies[0]["messages"] == one.bodies[1]["messages"]


@pytest.mark.parametrize("thought", ["", "<think>let me see", "<THINKING mode='deep'>\n```sh\nrm x\n```\nor"])
def test_a_text_of_which_nothing_came_is_asked_for_with_twice_the_room_and_once(bench, thought):
    one = bench(cut(thought), "at last", *[cut(thought)] * 2)
    assert one.complete().text == "at last"
    assert [body["max_tokens"] for body in one.bodies] == [50, 100]
    assert one.bodies[0]["messages"] == one.bodies[1]["messages"]
    with pytest.raises(ModelMistake, match="in 2 tries: all the room for a reply went into thinking, 100 tokens"):
        one.complete()
    assert [body["max_tokens"] for body in one.bodies[2:]] == [50, 100]


def test_an_endpoint_says_how_long_its_replies_may_be(bench):
    told = "max_tokens is too large: 5000. This model supports at most 40 completion tokens, whereas you provided 5000."
    one = bench({"status": 400, "message": told}, "fine", "fine")
    assert one.complete(ask(max_tokens=5_000)).text == "fine"
    assert one.models.limits().reply == 40
    assert one.complete(ask(max_tokens=5_000)).calls == 1
    assert [body["max_tokens"] for body in one.bodies] == [5_000, 40, 40]


def test_a_text_is_given_as_it_is_and_thoughts_in_front_of_it_are_not_part_of_it(bench):
    text = '  ```python\nprint({"a": 1})\n```\n\n'
    one = bench(text, "<think>```sh\nrm -rf .\n```</think>\n\nfine", *["<think>only this</think>"] * 3)
    assert one.complete().text == text
    assert one.complete().text == "fine"
    with pytest.raises(ModelMistake, match="only thoughts"):
        one.complete()


def test_code_in_a_text_keeps_a_word_that_is_somebodys_password(bench):
    setup = {"environ": {"DB_PASSWORD": "summer", "API_TOKEN": "8f3Kq9ZpL2mX7vTnB4wR"}}
    said = "```python\nsummer = 1  # 8f3Kq9ZpL2mX7vTnB4wR\n```"
    one = bench(said, said, setup=setup)
    assert one.complete(ask(code=True)).text == "```python\nsummer = 1  # [secret]\n```"
    assert "summer" not in one.complete().text


THOUGHTS = [
    {"reasoning_content": "first this"},
    {"reasoning": "first this", "reasoning_details": [{"type": "reasoning.encrypted", "data": "abc=", "index": 0}]},
]


@pytest.mark.parametrize("fields", THOUGHTS)
def test_reasoning_goes_back_to_the_model_that_gave_it_and_to_no_other(fields):
    bodies = []

    def answer(body):
        bodies.append(body)
        return chat_completion_body("fine", message=fields)

    model = local(answer, Ledger(Budget()))
    reply = model.complete(ask())
    more = ask().with_messages(reply.as_message(), Message(role="user", text="and then?"))
    model.complete(more)
    assert bodies[1]["messages"][1] == {"role": "assistant", "content": "fine", **fields}
    other = replace(more.messages[1], reasoning={**more.messages[1].reasoning, "by": "another"})
    model.complete(replace(more, messages=(more.messages[0], other, more.messages[2])))
    assert bodies[2]["messages"][1] == {"role": "assistant", "content": "fine"}


def test_reasoning_of_a_stream_is_put_together():
    pieces = [
        {"reasoning_content": "first "},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": None}]},
        {"reasoning_content": "this", "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "fi"}]},
        {"reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "rst", "signature": "s"}]},
        {"content": "fine"},
    ]
    events = [{"choices": [{"delta": piece}]} for piece in pieces] + [
        {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    ]
    text = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
    parts = read_reply(text.encode(), streamed=True)
    assert parts.text == "fine"
    assert parts.reasoning == {
        "reasoning_content": "first this",
        "reasoning_details": [{"type": "reasoning.text", "index": 0, "text": "first", "signature": "s"}],
    }


@pytest.mark.slow
def test_a_stream_whose_pieces_have_hundreds_of_bytes_around_each_token_is_read():
    """A reply of 16,384 tokens, thinking included, as hosts stream it; in one piece it would be 100 kB."""
    around = {"id": "g" * 60, "provider": "p" * 20, "system_fingerprint": "f" * 60, "usage": None}
    events = [{**around, "choices": [{"index": 0, "delta": {"content": "word "}}]}] * 16_384
    events.append({"choices": [{"delta": {}, "finish_reason": "stop"}]})
    bodies = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    said = read_reply(bodies, streamed=True)
    assert isinstance(said, ReplyParts) and said.text == "word " * 16_384
    assert isinstance(read_reply(bodies, streamed=False), UnusableReply)


def test_an_endpoint_that_refuses_reasoning_gets_none(bench):
    refusal = {"status": 400, "message": "reasoning_content must not be set in an assistant message"}
    one = bench("fine", refusal, "fine", "fine")
    turn = Message(role="assistant", text="x", reasoning={"by": one.endpoint.model, "reasoning_content": "thought"})
    request = ask().with_messages(turn, Message(role="user", text="and then?"))
    one.complete()
    assert one.complete(request).text == "fine"
    one.complete(request)
    sent = ["reasoning_content" in body["messages"][1] for body in one.bodies[1:]]
    assert sent == [True, False, False]


def test_a_person_stops_between_two_parts(bench):
    from evolve.core.cancellation import Cancellation

    cancellation = Cancellation()
    one = bench(cut("the beginning"), "the end")
    with pytest.raises(Cancelled):
        one.models.complete(ask(), lambda text: cancellation.cancel() if text else None, cancellation)
    assert len(one.bodies) == 1
