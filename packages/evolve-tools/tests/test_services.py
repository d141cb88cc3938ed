"""Files of a stranger that describe a service, and what comes of values and answers there."""

from __future__ import annotations

import json
import os
import threading
import time

import pytest

from evolve.runtime.functions import CallFailed
from evolve.runtime.functions.servers import ServerApproval
from evolve_tools.openapi.operations import Operation, Parameter
from evolve_tools.openapi.requests import request_of
from service_doubles import call, service, serving
from tests.functions.running import functions_of


def listed(server):
    with functions_of(ServerApproval(server=server)) as functions:
        return functions.offered_tools(server.name)


def parameter(schema, name="x", place="query"):
    return {"/a": {"get": {"parameters": [{"name": name, "in": place, "schema": schema}]}}}


def body(media="application/json", **schema):
    return {"/a": {"post": {"requestBody": {"content": {media: {"schema": schema}}}}}}


FAR = "#/tags/" + "9" * 5000
PATHS = {
    "a path refers to a place of many digits": {"/a": {"$ref": FAR}},
    "a parameter refers to a place of many digits": {"/a": {"get": {"parameters": [{"$ref": FAR}]}}},
    "bodies are none": {"/a": {"get": {"requestBody": 3}, "post": {"requestBody": None}}},
    "a place is a list": parameter({}, place=["query"]),
    "half a sign in a path": {"/\ud800": {"get": {}}},
    "half a sign in words": {"/a": {"get": {"operationId": "\ud800", "summary": "half \ud800"}}},
    "half a sign in a schema": parameter({"enum": ["\ud800"]}),
    "half a sign in a name": parameter({}, name="\ud800"),
    "half a sign in a reference": body(**{"$ref": "#/paths/\ud800"}),
    "half a sign in a type of content": body("application/json; \ud800"),
    "a type is an object": parameter({"type": {"a": 1}}),
    "a bound is no number": parameter({"minimum": float("nan")}),
    "a bound is a list": parameter({"exclusiveMinimum": True, "minimum": [1]}),
    "a reference is a number": parameter({"$ref": 5}),
    "names that are needed are numbers": parameter({"required": [1, 2]}),
}


@pytest.mark.parametrize("what", PATHS)
def test_a_file_of_a_stranger_ends_nothing(tmp_path, what):
    for offer in listed(service(tmp_path, {"openapi": "3.0.0", "tags": [{}], "paths": PATHS[what]})):
        assert offer.function is None or offer.function.digest


@pytest.mark.parametrize("depth", [900, 3000, 20_000, 90_000])
@pytest.mark.parametrize("word", ["enum", "default", "items", "anyOf"])
def test_a_file_that_goes_deep_ends_nothing(tmp_path, depth, word):
    deep = "[" * depth + "]" * depth if word in ("enum", "default") else '{"items":' * depth + "1" + "}" * depth
    deep = f"[{deep}]" if word == "anyOf" else deep
    document = json.dumps({"openapi": "3.0.0", "paths": parameter({word: "DEEP"})})
    server = service(tmp_path, document.replace('"DEEP"', deep))
    try:
        offers = listed(server)
    except CallFailed:
        return
    assert offers[0].function is None or offers[0].function.digest


def test_a_pipe_in_the_place_of_the_file_keeps_nobody_waiting(tmp_path):
    server = service(tmp_path, {"openapi": "3.0.0", "paths": {}})
    os.unlink(server.settings["file"])
    os.mkfifo(server.settings["file"])
    done = []

    def look():
        try:
            listed(server)
        except CallFailed as failed:
            done.append(failed)

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(5)
    assert done


def test_no_header_that_a_service_may_take_for_another_is_set_by_an_argument(tmp_path, monkeypatch):
    """CGI and WSGI make one variable of X-Api-Key and X_Api_Key; some servers take their path from a header."""
    monkeypatch.setenv("PETS", "the-token")
    names = [
        "X_Api_Key",
        "x_http_method_override",
        "X-Original-URL",
        "X-Rewrite-URL",
        "Content_Length",
        "Proxy_X",
        "X-HTTP-Method",
        "X-Forwarded-Host",
        "X-Forwarded-Prefix",
    ]
    parameters = [{"name": name, "in": "header", "schema": {"type": "string"}} for name in names]
    document = {"openapi": "3.0.3", "paths": {"/a": {"get": {"operationId": "a", "parameters": parameters}}}}
    (offer,) = listed(service(tmp_path, document, headers={"X-Api-Key": "$PETS"}))
    assert offer.function.parameter_names == []


@pytest.mark.parametrize("value", ["..;", "..;a=b", ".;/..;", "..%00", "..%3b"])
def test_no_value_is_the_folder_above_to_a_server_that_takes_what_follows_a_semicolon_away(value):
    one = Parameter(key="x", name="x", place="path", required=True, explode=False)
    operation = Operation(method="GET", path="/users/{x}/things", parameters=(one,))
    with pytest.raises(CallFailed):
        request_of(operation, "https://pets.example.org/v1", {"x": value})


@pytest.mark.parametrize(
    "value",
    [
        "s3cret-value-long-enough\n",
        "s3cret-välue-long-enough",
        "s3cret-value-long\x7f\x01enough",
        "s3cret-value-long-enough ",
    ],
)
def test_no_error_shows_the_value_of_a_header(tmp_path, monkeypatch, value):
    monkeypatch.setenv("PETS", value)
    document = {"openapi": "3.0.3", "paths": {"/a": {"get": {"operationId": "a"}}}}
    with serving() as (url, came):
        try:
            call(service(tmp_path, document, url=url, headers={"Authorization": "$PETS"}), "pets_a")
        except CallFailed as failed:
            assert "s3cret" not in repr(failed) + str(failed)
        else:
            assert came


@pytest.mark.slow
@pytest.mark.parametrize("status", [301, 302, 303, 307])
def test_a_change_that_is_answered_with_a_redirect_may_have_been_done(tmp_path, status):
    document = {"openapi": "3.0.3", "paths": {"/a": {"post": {"operationId": "a"}}}}
    with serving(status=status, location="/elsewhere") as (url, came), pytest.raises(CallFailed) as failed:
        call(service(tmp_path, document, url=url), "pets_a")
    assert len(came) == 1 and failed.value.doubtful == (status in (302, 303))


@pytest.mark.slow
def test_an_answer_that_never_ends_or_is_huge_ends(tmp_path):
    document = {"openapi": "3.0.3", "paths": {"/a": {"get": {"operationId": "a"}}}}
    with serving(body=b"x" * (100 << 20), kind="text/plain") as (url, _):
        began = time.monotonic()
        with pytest.raises(CallFailed, match="more than"):
            call(service(tmp_path, document, url=url), "pets_a")
        assert time.monotonic() - began < 15
