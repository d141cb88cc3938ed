"""Thoughts between tags are no part of an answer, whole tags or not; what only speaks of such tags is."""

from __future__ import annotations

import json

import pytest

from evolve.core.ledger import Budget, Ledger
from evolve.runtime.models.replies import UnusableReply, read_reply
from evolve.runtime.models.thoughts import answer_in
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import SUM, ask
from tests.models.test_spending import local

BAD = "```python\nos.remove('x')\n```"
GOOD = "```python\nprint(1)\n```"


@pytest.mark.parametrize(
    "text",
    [
        f"<think>\n{BAD}\n</think>\n{GOOD}",
        f"I could run {BAD}\n</think>\n{GOOD}",
        f"{BAD}\n</think>\n\n{GOOD}",
        f"{BAD} so.</THINK>{GOOD}",
        f"<thinking effort='high'>\n{BAD}\n</thinking>\n{GOOD}",
        f"<Thought>{BAD}\n</Thought >\n{GOOD}",
        f"<reasoning>\n{BAD}\n</reasoning>\n{GOOD}",
        f"<thoughts>a</thoughts><think>\n{BAD}\n</think>\n{GOOD}",
        f"<think>I close with `</think>` below.\n{BAD}\n</think>\n{GOOD}",
        f"<think>\n```python\nos.remove('x')\n</think>\n{GOOD}",
        f"```python\nos.remove('x')\n</think>\n{GOOD}",
        f"<think>```sh\nrm x\n```</think>{GOOD}",
        f"first </think> second {BAD}\n</think>\n{GOOD}",
    ],
)
def test_only_what_stands_outside_of_thoughts_is_left(text):
    assert answer_in(text).text.strip() == GOOD
    assert not answer_in(text).unclosed


@pytest.mark.parametrize(
    "text",
    [
        "```python\nend = '</think>'\nprint(end)\n```",
        '```edit a.py\n<<<<<<< SEARCH\nx\n=======\ny = "<think>"\n>>>>>>> REPLACE\n```\n```done\n```',
        "````file README.md\n```text\n<think>\n```\nthen </think>\n````",
        "~~~\n</think>\n~~~",
        "The model writes `</think>` when it is done.",
        "The tag <think> stands in front.",
        json.dumps({"code": "print('</think>')", "thought": "<think> is a tag"}),
        "def solve(x):\n    return x.split('</think>')[-1]\n",
        "1 < think > 0",
        "<thinker>no</thinker> <think/>",
    ],
)
def test_a_text_that_speaks_of_the_tags_stays_as_it_is(text):
    assert answer_in(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (f"<think>\n{BAD}\nand so", ""),
        (f"<think>\n{BAD}", ""),
        (f"{GOOD}\n<think>\nIs it right? {BAD}", GOOD),
        ("<think>a</think>\n<thought>b", ""),
    ],
)
def test_what_follows_a_tag_that_is_never_closed_is_thought(text, left):
    answer = answer_in(text)
    assert (answer.text.strip(), answer.unclosed) == (left, True)


def test_a_long_reply_full_of_tags_is_read_in_time():
    """More of them than anybody writes are left, and none is looked at more than a few times."""
    answer_in("<think>" * 50_000)
    answer_in("`" * 100_000 + "</think>" + "```\n" * 50_000)
    assert answer_in("a</think>" * 10 + "b").text == "b"


@pytest.mark.parametrize("code", [False, True])
@pytest.mark.parametrize("listens", [None, lambda text: None], ids=["whole", "streamed"])
def test_a_reply_in_words_has_no_thoughts_however_it_comes(bench, code, listens):
    one = bench(f"hm {BAD}\n</think>\n{GOOD}")
    assert one.complete(ask(code=code), listens).text == GOOD


def test_a_structured_reply_has_no_thoughts_and_keeps_its_tags(bench):
    one = bench('I think {"sum": 41}</think>{"sum": 42}', json.dumps({"note": "</think>"}))
    assert one.complete(ask(schema=SUM)).data == {"sum": 42}
    schema = {"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"]}
    assert one.complete(ask(schema=schema)).data["note"] == "</think>"


UNUSABLE = {
    "no content": {"message": {"content": None}},
    "a call of a tool": {"message": {"content": None, "tool_calls": [{"function": {"name": "run", "arguments": ""}}]}},
    "only thinking": {"message": {"content": "", "reasoning": "hm"}, "choice": {"finish_reason": "length"}},
}
COUNTS = {"prompt_tokens": 70, "completion_tokens": 20, "total_tokens": 90}


def events(body):
    """The body as a stream, whose last piece has the counts."""
    choice = body["choices"][0]
    pieces = [{"delta": choice["message"]}, {"delta": {}, "finish_reason": choice["finish_reason"]}]
    chunks = [*({"choices": [piece]} for piece in pieces), {"choices": [], "usage": body["usage"]}]
    return "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks).encode()


@pytest.mark.parametrize("kind", UNUSABLE)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_reply_that_cannot_be_used_tells_what_it_cost(kind, streamed):
    for usage, counts in ((COUNTS, (70, 20)), (None, None), ({"prompt_tokens": None}, None)):
        body = chat_completion_body(None, usage=usage, **UNUSABLE[kind])
        read = read_reply(events(body) if streamed else json.dumps(body).encode(), streamed=streamed)
        assert isinstance(read, UnusableReply)
        assert counts == (None if read.counted is None else (read.counted.prompt, read.counted.completion))


@pytest.mark.parametrize("kind", UNUSABLE)
def test_it_is_booked_as_the_endpoint_counted_it_else_with_the_most_it_can_have_cost(kind):
    for usage, spent in ((COUNTS, 2 * 90), (None, 4_000)):
        ledger = Ledger(Budget())
        left = [chat_completion_body(None, usage=usage, **UNUSABLE[kind]), chat_completion_body("fine", usage=COUNTS)]
        reply = local(lambda body, left=left: left.pop(0), ledger).complete(ask(max_tokens=4_000))
        assert reply.text == "fine"
        assert ledger.spent.tokens == spent or (usage is None and ledger.spent.tokens > spent)
        assert reply.usage.estimated is (usage is None)
