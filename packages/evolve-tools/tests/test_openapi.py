"""Services by their OpenAPI file, over real HTTP: what a request looks like, and what a file or a service cannot do."""

from __future__ import annotations

import json
import threading
from dataclasses import replace
from urllib.parse import parse_qsl, unquote, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolve.core.errors import UsageError
from evolve.core.redaction import MARK
from evolve.runtime.functions import CallFailed, CallGate, CallsInMemory, Permission
from evolve.runtime.functions.servers import Server
from evolve_tools.openapi.operations import Operation, Parameter
from evolve_tools.openapi.requests import request_of
from service_doubles import PETS, call, offers, service, serving
from tests.functions.running import allowed, free_port, functions_of


def test_operations_are_functions_with_one_schema_and_say_what_they_do(tmp_path):
    found = offers(service(tmp_path, PETS))
    assert [(name, offer.function.name) for name, offer in found.items()] == [
        ("getPet", "pets_getPet"),
        ("putPet", "pets_putPet"),
        ("delete_pets_petId", "pets_delete_pets_petId"),
    ]
    get, put = found["getPet"].function, found["putPet"].function
    assert (set(get.effects), set(put.effects)) == ({"reads", "sends"}, {"changes", "sends"})
    assert get.parameter_names == [
        "petId",
        "tags",
        "ids",
        "X_Trace",
    ]  # nothing sets the headers that are the client's own
    assert get.description == "GET /pets/{petId}\nOne pet."
    assert put.parameters["required"] == ["petId", "body"]
    assert put.parameters["$defs"]["Pet"]["properties"]["mother"] == {"$ref": "#/$defs/Pet"}


@pytest.mark.slow
def test_each_argument_goes_where_it_belongs(tmp_path, monkeypatch):
    monkeypatch.setenv("PET_TOKEN", "token")
    with serving() as (url, came):
        server = service(tmp_path, PETS, url, headers={"Authorization": "$PET_TOKEN"})
        got = call(server, "pets_getPet", petId="a/b ?#%2e", tags=["x", "y&z"], ids=[1, 2], X_Trace="t")
        put = call(server, "pets_putPet", petId="1", body={"name": "Rex\r\n"})
        assert call(server, "pets_delete_pets_petId", petId="1")["method"] == "DELETE"
    parts = urlsplit(got["path"])
    assert unquote(parts.path) == "/v1/pets/a/b ?#%2e" and parts.path.count("/") == 3
    assert parse_qsl(parts.query) == [("tags", "x"), ("tags", "y&z"), ("ids", "1,2")]
    assert (came[0]["headers"]["x-trace"], came[0]["headers"]["authorization"]) == ("t", "token")
    assert put["method"] == "PUT" and json.loads(put["body"]) == {"name": "Rex\r\n"}
    assert came[1]["headers"]["content-type"] == "application/json"


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize(
    "headers",
    [{"Authorization": "Bearer q7Zp-81kLmWx02"}, {"X-Api-Key": "q7Zp-81kLmWx02"}, {"X-Site": "q7Zp-81kLmWx02"}],
)
def test_a_credential_in_a_header_is_a_mark_in_what_a_call_gives(tmp_path, headers, status):
    told = b'{"you sent": "q7Zp-81kLmWx02", "as": "application/json"}'
    server = service(tmp_path, PETS, headers={**headers, "Accept": "application/json"})
    with serving(body=told, status=status) as (url, came):
        try:
            got = json.dumps(call(replace(server, url=url), "pets_getPet", petId="1"))
        except CallFailed as failure:
            got = str(failure)
    assert any("q7Zp-81kLmWx02" in value for value in came[0]["headers"].values())
    assert "q7Zp-81kLmWx02" not in got and MARK in got and "application/json" in got


@pytest.mark.slow
def test_arguments_are_checked_by_the_schemas_of_the_file(tmp_path):
    with serving() as (url, came), functions_of(allowed(service(tmp_path, PETS, url))) as functions:
        gate = CallGate([functions], CallsInMemory(), Permission(lambda one: "allow"))

        def ask(**arguments):
            frame = json.dumps({"function": "pets_putPet", "arguments": arguments}).encode()
            return json.loads(gate.answer_frame(frame))

        assert "value" in ask(petId="1", body={"mother": {"name": "Ada"}})
        assert "5 is not of type 'string'" in ask(petId="1", body={"mother": {"name": 5}})["error"]
        assert "'body' is a required property" in ask(petId="1")["error"]
        assert len(came) == 1


@pytest.mark.parametrize(
    "petId", ["..", ".", "", "../admin", "a/../../b", "..\\admin", "%2e%2e", "%2e%2e/admin", "%252e%252e/x", "a/.."]
)
def test_no_value_leads_to_another_path(tmp_path, petId):
    with serving() as (url, came):
        with pytest.raises(CallFailed, match="another path|is empty"):
            call(service(tmp_path, PETS, url), "pets_getPet", petId=petId)
        assert came == []


@pytest.mark.parametrize("value", ["a\r\nHost: evil", "a\nb", "\0", "ü", "\x7f"])
def test_no_value_makes_another_header(tmp_path, value):
    with serving() as (url, came):
        with pytest.raises(CallFailed, match="no header can hold"):
            call(service(tmp_path, PETS, url), "pets_getPet", petId="1", X_Trace=value)
        assert came == []


GETS = Operation(
    method="GET",
    path="/a/{x}/b",
    parameters=(
        Parameter(key="x", name="x", place="path", required=True, explode=False),
        Parameter(key="q", name="q", place="query", required=False, explode=True),
    ),
)


@given(x=st.text(), q=st.text())
def test_whatever_the_values_are_the_path_has_the_same_parts_and_the_query_the_same_names(x, q):
    try:
        request = request_of(GETS, "https://x.org:8443/v1", {"x": x, "q": q})
    except CallFailed:
        return
    except UnicodeEncodeError:
        assert any("\ud800" <= sign <= "\udfff" for sign in x + q)  # the gate lets no such text through
        return
    parts = urlsplit(request.url)
    assert (parts.scheme, parts.netloc, parts.fragment) == ("https", "x.org:8443", "")
    assert [unquote(part) for part in parts.path.split("/")] == ["", "v1", "a", x, "b"]
    assert parse_qsl(parts.query, keep_blank_values=True) == [("q", q)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("answer", "told", "doubtful"),
    [
        ({"status": 302, "Location": "http://127.0.0.1:9/x"}, "answers with a redirect, which is not followed", False),
        ({"status": 404, "body": b'{"why":\n"none"}'}, 'refused with HTTP status 404: {"why": "none"}', False),
        ({"status": 503, "body": b""}, "refused with HTTP status 503", True),
        ({"body": b"[1"}, "was done and gave what is no JSON", False),
        ({"body": b"[" * 100_000}, "was done and gave what is no JSON", False),
        ({"kind": "image/png"}, "gave image/png, of which code gets nothing", False),
        ({"body": b"1" * (3 << 20)}, "answers with more than 2 MiB", True),
        ({"body": b"1", "Content_Encoding": "gzip"}, "compresses its answers, which is not taken", True),
    ],
)
def test_an_answer_that_is_none_ends_in_one_sentence(tmp_path, answer, told, doubtful):
    with serving(**answer) as (url, came):
        with pytest.raises(CallFailed) as failed:
            call(service(tmp_path, PETS, url), "pets_getPet", petId="1")
        assert told in str(failed.value) and str(failed.value).count("\n") == 0
        assert failed.value.doubtful == doubtful and len(came) == 1


@pytest.mark.slow
def test_a_service_that_is_not_there_or_silent_is_told_and_the_next_call_goes_on(tmp_path):
    with pytest.raises(CallFailed, match="cannot be reached") as failed:
        call(service(tmp_path, PETS, f"http://127.0.0.1:{free_port()}"), "pets_getPet", petId="1")
    assert not failed.value.doubtful
    speaks = threading.Event()
    speaks.set()
    with (
        serving(status=204, body=b"", speaks=speaks) as (url, _),
        functions_of(allowed(service(tmp_path, PETS, url))) as functions,
    ):
        functions.functions()
        assert functions.call("pets_getPet", {"petId": "1"}, seconds=60) is None
        speaks.clear()
        with pytest.raises(CallFailed, match="no answer within 0.1 s"):
            functions.call("pets_getPet", {"petId": "1"}, seconds=0.1)
        speaks.set()
        assert functions.call("pets_getPet", {"petId": "2"}, seconds=60) is None


def test_an_edit_of_the_file_makes_another_function_that_nobody_allowed(tmp_path):
    approval = allowed(service(tmp_path, PETS))
    edited = json.loads(json.dumps(PETS))
    operations = edited["paths"]["/pets/{petId}"]
    operations["get"]["parameters"][1]["explode"] = True  # changes nothing that a person or a model is shown
    edited["paths"] = {"/pets/{petId}": operations}
    service(tmp_path, edited)
    with functions_of(approval) as functions:
        with pytest.raises(CallFailed, match="pets_getPet is not what was allowed any more"):
            functions.call("pets_getPet", {"petId": "1"}, seconds=9)
        assert "pets_getPet" not in [one.name for one in functions.functions()]
        assert {"pets_delete_pets_petId", "pets_putPet"} <= {one.name for one in functions.functions()}


def changed(**parts) -> dict:
    """The file with another operation."""
    return {**PETS, "paths": {"/x": {"get": {"operationId": "get", **parts}}}}


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (changed(parameters=[{"$ref": "https://evil.example.org/p.json"}]), "not in the file"),
        (changed(parameters=[{"$ref": "other.json#/x"}]), "not in the file"),
        (changed(parameters=[{"$ref": "#/components/nothing"}]), "not there"),
        (changed(parameters=[{"$ref": "#/paths/~1x/get/parameters/0"}]), "in a circle"),
        (
            changed(parameters=[{"name": "q", "in": "query", "schema": {"$ref": "file:///etc/passwd"}}]),
            "not in the file",
        ),
        (changed(parameters=[{"name": "q", "in": "query", "schema": 5}]), "described by no schema"),
        (changed(parameters=[{"name": "x", "in": "path", "schema": {}}]), "parameters of its path"),
        (changed(parameters=[{"name": "c", "in": "cookie", "required": True, "schema": {}}]), "not supported"),
        (changed(parameters=[{"name": "a\r\nb", "in": "header", "schema": {}}]), "cannot be the name"),
        (changed(parameters=5), "no list"),
        ({**PETS, "paths": {"/a/../b": {"get": {"operationId": "get"}}}}, "its path is none"),
        ({**PETS, "paths": {"@evil.org/": {"get": {"operationId": "get"}}}}, "its path is none"),
        ({**PETS, "paths": {"/a?x=1": {"get": {"operationId": "get"}}}}, "its path is none"),
        ({**PETS, "paths": {"/{x}": {"get": {"operationId": "get"}}}}, "parameters of its path"),
    ],
)
def test_an_operation_of_which_anything_is_not_understood_is_not_offered(tmp_path, document, why):
    (offer,) = offers(service(tmp_path, document)).values()
    assert offer.state == "unusable" and why in offer.why


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        "{}",
        '{"swagger": "2.0"}',
        "5",
        '{"openapi": "3.0.0", "openapi": ',
        "x" * ((32 << 20) + 1),
    ],
)
def test_a_file_that_is_none_is_told(tmp_path, text):
    with pytest.raises(CallFailed, match="api.json"):
        offers(service(tmp_path, text))


def test_schemas_that_go_round_or_deep_or_are_huge_do_no_harm(tmp_path):
    deep: dict = {}
    for _ in range(200):
        deep = {"items": deep}
    wide = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 9} for n in range(60)}
    wide["S60"] = {"enum": ["x" * 30_000]}
    query = {"name": "q", "in": "query"}
    document = {
        **PETS,
        "components": {"schemas": wide},
        "paths": {
            "/deep": {"get": {"parameters": [{**query, "schema": deep}]}},
            "/wide": {"get": {"parameters": [{**query, "schema": {"$ref": "#/components/schemas/S0"}}]}},
            "/self": {"get": {"parameters": [{**query, "schema": {"$ref": "#/paths/~1self/get/parameters/0/schema"}}]}},
        },
    }
    found = offers(service(tmp_path, document))
    assert found["get_deep"].state == "unusable"
    assert len(json.dumps(found["get_wide"].function.parameters)) < 1000
    with functions_of(allowed(service(tmp_path, document))) as functions:
        gate = CallGate([functions], CallsInMemory(), Permission(lambda one: "allow"))
        frame = json.dumps({"function": "pets_get_self", "arguments": {"q": "a"}}).encode()
        assert "cannot be followed" in json.loads(gate.answer_frame(frame))["error"]


@pytest.mark.slow
def test_a_small_file_that_describes_much_is_looked_at_for_a_while_only(tmp_path):
    many = {"name": "q", "in": "query", "schema": {"enum": ["x" * 100] * 10_000}}
    refers = {"parameters": [{"$ref": "#/components/parameters/Many"}]}
    paths = {f"/p{n}": {"get": refers, "put": refers} for n in range(1_000)}
    document = {"openapi": "3.1.0", "components": {"parameters": {"Many": many}}, "paths": {"/": {"get": {}}, **paths}}
    found = offers(service(tmp_path, document))
    assert found["get"].state == "new"
    assert "more than is looked at" in found["/p999"].why


def test_yaml_is_read(tmp_path):
    file = tmp_path / "api.yaml"
    lines = ("openapi: 3.1.0", "paths:", "  /x:", "    get:", "      responses: {200: {description: 2020-01-01}}")
    file.write_text("\n".join(lines))
    server = Server(name="pets", kind="openapi", settings={"file": str(file.resolve())}, url="https://x.org")
    assert list(offers(server)) == ["get_x"]


@pytest.mark.parametrize(
    "text",
    ["openapi: &a 3.1.0\npaths: *a", "[" * 100_000, "- " * 100_000, "{a: " * 50_000, "!!python/object:os.x y", "a: 1-"],
)
def test_yaml_that_harms_whoever_reads_it_is_refused(tmp_path, text):
    file = tmp_path / "api.yaml"
    file.write_text(text)
    with pytest.raises(CallFailed, match=r"neither JSON nor YAML|no OpenAPI file"):
        offers(Server(name="pets", kind="openapi", settings={"file": str(file.resolve())}, url="https://x.org"))


def test_two_operations_of_one_name_are_not_offered_and_names_of_parameters_stay_apart(tmp_path):
    both = [{"name": name, "in": "query", "schema": {}} for name in ("a-b", "a b", "class", "1", "é", "body")]
    twice = {"operationId": "same", "parameters": both, "requestBody": {"content": {"application/json": {}}}}
    document = {**PETS, "paths": {"/a": {"post": twice}, "/b": {"post": {**twice, "operationId": "other"}}}}
    names = offers(service(tmp_path, document))["other"].function.parameter_names
    assert names == ["a_b", "a_b_", "class_", "p_1", "p_", "body", "body_"]
    document["paths"]["/b"]["post"]["operationId"] = "same"
    assert offers(service(tmp_path, document))["same"].state == "unusable"


def test_a_query_in_the_address_or_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UsageError, match="has a query"):
        service(tmp_path, PETS, "https://x.org/v1?key=1")
    with pytest.raises(UsageError, match="a service has an OpenAPI file and a URL"):
        Server(name="pets", kind="openapi", url="https://x.org")


@pytest.mark.slow
def test_a_variable_that_is_not_set_is_told_and_nothing_is_sent(tmp_path, monkeypatch):
    monkeypatch.delenv("PET_TOKEN", raising=False)
    with serving() as (url, came):
        with pytest.raises(CallFailed, match="the variable PET_TOKEN is not set"):
            call(service(tmp_path, PETS, url, headers={"X-Key": "$PET_TOKEN"}), "pets_getPet", petId="1")
        assert came == []
