"""Both kinds keep what every kind of server promises."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evolve.runtime.functions.servers import Server
from service_doubles import service, serving
from tests.functions.running import INTERPRETER
from tests.functions.test_kinds import *  # noqa: F403
from tests.functions.test_kinds import Case

ECHO = "import sys; print(sys.argv[1], end='')"
FIND = {"name": "q", "in": "query", "required": True, "schema": {"type": "string"}}
WEB = {"openapi": "3.1.0", "paths": {"/find": {"get": {"operationId": "find", "parameters": [FIND]}}}}


@pytest.fixture(params=["program", "openapi"])
def case(request, tmp_path):
    with serving(kind="text/plain", body=b"found") as (url, _):
        yield program() if request.param == "program" else web(tmp_path, url)


def program() -> Case:
    line = (INTERPRETER, "-I", "-c", ECHO, "{text}")
    server = Server(name="prog", kind="program", command=line, settings={"about": "Says it again."})
    return Case(
        server=server,
        function=f"prog_{INTERPRETER.rpartition('/')[2].replace('.', '_')}",
        arguments={"text": "hi"},
        value="hi",
        wrong={"text": 5},
        other=replace(server, settings={"output": "json"}),
    )


def web(folder, url) -> Case:
    server = service(folder, WEB, url)
    return Case(
        server=server,
        function="pets_find",
        arguments={"q": "tea"},
        value="found",
        wrong={"q": 5},
        other=replace(server, headers={"X-Key": "other"}),
    )
