"""How an endpoint is asked, and what is remembered of it."""

from __future__ import annotations

import json

import pytest

from evolve.core.errors import EndpointProblem, UsageError
from evolve.runtime.models import (
    ESSENTIAL,
    EndpointModel,
    Message,
    ModelClientSetup,
    ModelRequest,
    load_wording,
    parse_model,
    probe_endpoint,
)
from evolve.runtime.models.addressing import OPENAI
from evolve.runtime.models.structure import RUNGS
from evolve.testing import LocalWire, prompt_of
from tests.models.conftest import SUM, ask, recorded


def test_a_request_says_what_was_wanted_and_nothing_else(bench):
    one = bench("fine")
    messages = [
        Message(role="system", text="rules", priority=ESSENTIAL),
        Message(role="user", text="hi", kind="task"),
    ]
    one.complete(ModelRequest(messages=messages, max_tokens=7, temperature=0.5, seed=3, stop=("END",)))
    assert one.bodies[0] == {
        "model": "scripted",
        "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "hi"}],
        "max_tokens": 7,
        "temperature": 0.5,
        "seed": 3,
        "stop": ["END"],
    }


@pytest.mark.parametrize(
    ("supports", "rung"),
    [
        (("chat", "json_schema", "json_object"), "json_schema"),
        (("chat", "json_object"), "json_object"),
        (("chat",), "fenced"),
    ],
)
def test_the_highest_rung_that_works_is_used_and_remembered(bench, tmp_path, supports, rung):
    kept = tmp_path / "abilities.json"
    one = bench(*[{"data": {"sum": 42}}] * 2, supports=supports, setup={"abilities": kept})
    reply = one.complete(ask(schema=SUM))
    assert (reply.rung, reply.data) == (rung, {"sum": 42})
    refused = [name for name in RUNGS[: RUNGS.index(rung)]]
    (known,) = json.loads(kept.read_text()).values()
    assert known["rungs"] == {**dict.fromkeys(refused, False), rung: True}
    assert one.complete(ask(schema=SUM)).calls == 1


def test_a_closed_schema_is_sent_as_a_strict_one(bench):
    one = bench(*[{"data": {"sum": 42}}] * 2)
    one.complete(ask(schema=SUM))
    one.complete(ask(schema={"type": "object", "properties": {"sum": {"type": "integer"}}}))
    forms = [body["response_format"]["json_schema"] for body in one.bodies]
    assert [form["strict"] for form in forms] == [True, False]
    assert [form["name"] for form in forms] == ["sum", "reply"]


def test_lower_rungs_carry_the_schema_in_words(bench):
    one = bench({"data": {"sum": 42}}, supports=("chat",))
    one.complete(ask(schema=SUM))
    (message,) = one.bodies[0]["messages"]
    assert "JSON Schema" in message["content"]
    assert '"sum": {"type": "integer"}' in message["content"]


TOLD = {
    "type": "object",
    "properties": {"relation": {"enum": ["prevents", "contributes"]}},
    "required": ["relation"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("role", ["act", "reflect"])
def test_an_endpoint_that_does_not_keep_to_a_schema_is_told_it_in_words_from_then_on(bench, tmp_path, role):
    kept = tmp_path / "abilities.json"
    right = '{"relation": "prevents"}'
    one = bench("It prevents it.", right, right, setup={"abilities": kept})
    assert one.complete(ask(schema=TOLD, role=role)).calls == 2
    assert one.complete(ask(schema=TOLD, role=role)).calls == 1
    assert "JSON Schema" not in one.bodies[0]["messages"][-1]["content"]
    for body in one.bodies[1:]:
        assert '"enum": ["prevents", "contributes"]' in body["messages"][-1]["content"]
    (known,) = json.loads(kept.read_text()).values()
    assert known["rungs"]["json_schema"] is False


def test_a_probe_finds_out_who_drops_the_schema():
    def answer(body):
        prompt = prompt_of(body)
        return '{"total_of_both": 42}' if "JSON Schema" in prompt else '{"sum": 42}'

    endpoint = parse_model("http://127.0.0.1:1/v1#m", {})
    services = ModelClientSetup(wire=LocalWire(answer), wording=load_wording(), sleep=lambda seconds: None)
    rungs = probe_endpoint(endpoint, services).abilities.rungs
    assert rungs == {"json_schema": False, "json_object": True, "fenced": True}


@pytest.mark.parametrize(
    ("changes", "varies", "draws"),
    [(False, True, 12), (False, False, 1), (True, True, 1)],
    ids=["copies", "greedy", "strong"],
)
def test_a_probe_finds_out_who_gives_a_wrong_answer_again_and_another_when_asked_anew(changes, varies, draws):
    def answer(body):
        told = any(message["role"] == "assistant" for message in body.get("messages", body.get("input")))
        warm = body.get("seed") if varies and body.get("temperature") else 0
        return f"answer {warm}{' better' if told and changes else ''}"

    endpoint = parse_model("http://127.0.0.1:1/v1#m", {})
    services = ModelClientSetup(wire=LocalWire(answer), wording=load_wording(), sleep=lambda seconds: None)
    assert probe_endpoint(endpoint, services).abilities.draws == draws
    assert EndpointModel(endpoint, services).limits("act").draws == draws


def test_a_reply_that_was_cut_off_says_nothing_of_whether_schemas_are_kept_to(bench):
    one = bench(
        {"text": '{"relation": "pre', "finish": "length"}, '{"relation": "prevents"}', '{"relation": "prevents"}'
    )
    assert one.complete(ask(schema=TOLD)).calls == 2
    assert one.complete(ask(schema=TOLD)).rung == "json_schema"


def test_a_server_that_breaks_on_a_schema_is_asked_another_way(bench):
    one = bench({"status": 500}, {"data": {"sum": 42}})
    reply = one.complete(ask(schema=SUM))
    assert (reply.rung, one.waits) == ("json_object", [])


def test_a_schema_that_is_refused_says_nothing_of_other_schemas(bench):
    told = {"status": 400, "message": "Invalid schema for response_format 'sum': 'minimum' is not permitted."}
    one = bench(told, {"data": {"sum": 42}}, {"data": {"sum": 42}})
    assert one.complete(ask(schema=SUM)).rung == "json_object"
    assert one.complete(ask(schema=SUM)).rung == "json_schema"


def test_nothing_is_asked_for_without_room_for_a_reply():
    with pytest.raises(ValueError, match="max_tokens"):
        ask(max_tokens=0)


@pytest.mark.parametrize("name", ["temperature", "seed", "stop", "max_tokens"])
def test_a_parameter_that_is_refused_is_left_out_from_then_on(bench, name):
    one = bench("fine", "fine", refuses=(name,))
    request = ask(temperature=0.0, seed=1, stop=("x",))
    assert one.complete(request).text == "fine"
    assert one.complete(request).calls == 1
    assert name not in one.bodies[-1]
    assert {"max_tokens", "max_completion_tokens"} & one.bodies[-1].keys()


def test_a_model_that_offers_only_responses(bench):
    one = bench({"data": {"sum": 42}}, "fine", supports=("responses", "json_schema", "stream"))
    assert one.complete(ask(schema=SUM)).data == {"sum": 42}
    heard = []
    assert one.complete(on_delta=heard.append).text == "".join(heard) == "fine"
    assert one.bodies[-1]["store"] is False


def test_text_is_heard_while_it_comes(bench):
    heard = []
    one = bench("a reply that takes some pieces to send")
    reply = one.complete(on_delta=heard.append)
    assert "".join(heard) == reply.text
    assert len(heard) > 2
    assert not reply.usage.estimated


def test_who_wants_pieces_of_an_endpoint_that_does_not_stream_gets_the_whole_at_once(bench):
    heard = []
    one = bench("fine", "fine", supports=("chat",))
    assert one.complete(on_delta=heard.append).text == "fine"
    assert one.complete(on_delta=heard.append).calls == 1
    assert [text for text in heard if text] == ["fine", "fine"]


def test_text_that_no_request_can_carry_is_cleaned_before(bench):
    one = bench("fine")
    one.complete(ask("a\ud800b\0c"))
    assert one.bodies[0]["messages"][0]["content"] == "a\ufffdb\ufffdc"


def test_a_stream_without_counts_is_estimated_upwards(bench):
    one = bench("twelve bytes", supports=("chat", "stream"))
    usage = one.complete(on_delta=lambda text: None).usage
    assert usage.estimated
    assert usage.completion == 12
    assert usage.prompt > len("What is 17 + 25?")


@pytest.mark.parametrize(
    ("text", "address", "model"),
    [
        ("gpt-5-mini", OPENAI, "gpt-5-mini"),
        ("openai:gpt-5", OPENAI, "gpt-5"),
        ("http://localhost:8080/v1#qwen3:8b", "http://localhost:8080/v1", "qwen3:8b"),
        ("https://host.example/api/v1/#org/name", "https://host.example/api/v1", "org/name"),
    ],
)
def test_models_as_people_name_them(text, address, model):
    endpoint = parse_model(text, {})
    assert (endpoint.base_url, endpoint.model) == (address, model)
    assert parse_model(endpoint.name, {}) == endpoint


def test_variables_and_settings_say_where_bare_names_live():
    environ = {"OPENAI_BASE_URL": "http://proxy.example/v1/", "OPENAI_API_KEY": "k"}
    assert parse_model("m", environ).base_url == "http://proxy.example/v1"
    assert parse_model("m", environ).key == "k"
    assert parse_model("m", environ, base_url="http://own.example/v1").base_url == "http://own.example/v1"


@pytest.mark.parametrize(
    "text",
    ["", " ", "http://host/v1", "http://#m", "ftp:x y", "http://host:0/v1#m", "http://[::1/v1#m", "http://a b/v1#m"],
)
def test_what_names_no_model_is_told(text):
    with pytest.raises(UsageError, match="--model"):
        parse_model(text, {})


def test_a_key_is_only_sent_where_it_belongs():
    environ = {"OPENAI_API_KEY": "for-openai"}
    assert parse_model("gpt-5", environ).key == "for-openai"
    assert parse_model("gpt-5", {**environ, "EVOLVE_API_KEY": "own"}).key == "for-openai"
    assert parse_model("http://elsewhere.example/v1#m", environ).key == ""
    assert parse_model("http://elsewhere.example/v1#m", {**environ, "EVOLVE_API_KEY": "own"}).key == "own"
    with pytest.raises(UsageError, match="OPENAI_API_KEY holds a character") as caught:
        parse_model("gpt-5", {"OPENAI_API_KEY": "sk-sécret"})
    assert "cret" not in str(caught.value)
    with pytest.raises(UsageError, match="password"):
        parse_model("http://user:secret@host/v1#m", {})
    for query in ("api-key=8f3Kq9ZpL2mX7vTnB4wR", "sig=8f3Kq9ZpL2mX7vTnB4wR", "token=sommer-berg"):
        with pytest.raises(UsageError, match="password or a key") as refused:
            parse_model(f"http://host/v1?{query}#m", {})
        assert query not in str(refused.value)
    assert parse_model("http://host/v1?api-version=2024-10-21&mode=fast#m", {}).model == "m"


def test_keys_stay_out_of_errors_records_and_views(bench, tmp_path):
    key = "sk-very-secret-1234"
    setup = {"environ": {"EVOLVE_API_KEY": key}, **recorded(tmp_path / "records")}
    one = bench("fine", key=key, setup=setup)
    assert one.complete().text == "fine"
    assert one.endpoint.keys == [f"Bearer {key}"]
    wrong = bench(key="another", setup=setup)
    with pytest.raises(EndpointProblem) as caught:  # this server repeats the key it was sent
        wrong.complete()
    seen = [str(caught.value), caught.value.hint, repr(one.models.model_for("act").endpoint)]
    seen += [path.read_text() for path in tmp_path.rglob("*.json")]
    assert len(seen) == 4
    assert [text for text in seen if key in text] == []
    assert "Incorrect API key provided: [secret]" in seen[0]
