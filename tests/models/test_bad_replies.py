"""Whatever comes back is a reply of a type, or is refused after at most two repairs."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from evolve.core.errors import EndpointProblem, ModelMistake
from evolve.testing import Scenario
from evolve.testing.endpoint_faults import bad_bodies, bad_contents, odd_bodies, odd_contents
from tests.models.conftest import SUM, Bench, ask


@pytest.fixture(scope="module")
def shared():
    with ExitStack() as stack:
        yield Bench(stack, Scenario())


def test_there_are_more_than_thirty_kinds():
    assert len(bad_bodies()) > 30


@pytest.mark.parametrize("kind", bad_bodies())
def test_a_body_without_a_reply_is_asked_for_twice_more_and_then_refused(shared, kind):
    tries = 2 if kind == "cut before it began" else 3  # who thought through twice the room is not asked once more
    shared.endpoint.add("fine", *[{"bad": kind}] * tries)
    assert shared.complete().text == "fine"
    before = len(shared.bodies)
    with pytest.raises(ModelMistake, match=f"no usable reply in {tries} tries: .+"):
        shared.complete()
    assert len(shared.bodies) - before == tries


@pytest.mark.parametrize("kind", ["null content", "an unknown tool", "empty choices", "cut before it began"])
def test_an_endpoint_that_never_gave_an_answer_is_what_has_to_be_mended(bench, kind):
    one = bench(*[{"bad": kind}] * 3)
    with pytest.raises(EndpointProblem) as raised:
        one.complete()
    assert (raised.value.exit_code, raised.value.retryable) == (4, False)


def test_one_bad_body_costs_one_more_call(bench):
    reply = (one := bench({"bad": "null choices"}, "fine")).complete()
    assert (reply.text, reply.calls, len(one.bodies)) == ("fine", 2, 2)


@pytest.mark.parametrize("kind", odd_bodies())
def test_an_odd_body_still_gives_its_reply(shared, kind):
    shared.endpoint.add({"odd": kind})
    reply = shared.complete()
    assert (reply.text, reply.finish) == ("fine", "stop")
    assert reply.usage.prompt > 0
    assert reply.usage.completion > 0


@pytest.mark.parametrize("kind", bad_contents())
def test_content_that_does_not_fit_the_schema_is_repaired_twice_and_then_refused(shared, kind):
    shared.endpoint.add(*[bad_contents()[kind]] * 3)
    before = len(shared.bodies)
    with pytest.raises(ModelMistake, match="3 tries"):
        shared.complete(ask(schema=SUM))
    assert len(shared.bodies) - before == 3


@pytest.mark.parametrize("kind", odd_contents())
def test_json_is_found_in_its_wrapping(shared, kind):
    shared.endpoint.add(odd_contents()[kind])
    assert shared.complete(ask(schema=SUM)).data == {"sum": 42}


def test_a_repair_shows_the_reply_what_is_wrong_and_the_schema(bench):
    one = bench('{"sum": "many"}', {"data": {"sum": 42}})
    assert one.complete(ask(schema=SUM)).data == {"sum": 42}
    *_, said, told = one.bodies[1]["messages"]
    assert said == {"role": "assistant", "content": '{"sum": "many"}'}
    assert "sum: 'many' is not of type 'integer'" in told["content"]
    assert '"required": ["sum"]' in told["content"]


def test_what_files_and_databases_refuse_does_not_get_in(bench):
    one = bench("a\ud800b\0c", '{"sum": "\\ud800\\u0000"}')
    text_schema = {"type": "object", "properties": {"sum": {"type": "string"}}, "required": ["sum"]}
    assert one.complete().text == "a\ufffdb\ufffdc"
    assert one.complete(ask(schema=text_schema)).data == {"sum": "\ufffd\ufffd"}


@pytest.mark.parametrize(
    ("step", "finish"),
    [({"refusal": "I will not."}, "refusal"), ({"text": "", "finish": "content_filter"}, "filter")],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_a_refusal_is_a_reply_and_is_not_asked_again(bench, step, finish, streamed):
    one = bench(step)
    reply = one.complete(ask(schema=SUM), (lambda text: None) if streamed else None)
    assert reply.refused
    assert (reply.finish, reply.data, len(one.bodies)) == (finish, None, 1)


def test_a_reply_cut_off_at_its_limit_says_so(bench):
    one = bench(*[{"text": '{"sum": 4', "finish": "length"}] * 3)
    with pytest.raises(ModelMistake, match="cut off at 800 tokens"):
        one.complete(ask(schema=SUM))


def test_an_error_with_status_200_is_trouble_of_the_endpoint_and_no_reply(bench):
    one = bench('{"x": 1}')
    one.endpoint.add({"text": "late"})
    assert one.complete().text == '{"x": 1}'
    assert one.complete().text == "late"
