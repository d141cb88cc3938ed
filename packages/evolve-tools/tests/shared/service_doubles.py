"""Services over real HTTP that answer with what they were sent, and the files that describe them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from evolve.runtime.functions.servers import Server, ServerApproval
from tests.functions.running import allowed, functions_of

PET = {"type": "object", "properties": {"name": {"type": "string"}, "mother": {"$ref": "#/components/schemas/Pet"}}}
ID = {"name": "petId", "in": "path", "required": True, "schema": {"type": "string"}}
PETS = {
    "openapi": "3.0.3",
    "servers": [{"url": "https://elsewhere.example.org"}],
    "components": {"schemas": {"Pet": PET}, "parameters": {"Id": ID}},
    "paths": {
        "/pets/{petId}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getPet",
                "summary": "One pet.",
                "parameters": [
                    {"name": "tags", "in": "query", "schema": {"type": "array", "items": {"type": "string"}}},
                    {"name": "ids", "in": "query", "explode": False, "schema": {"type": "array"}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string", "nullable": True}},
                    {"name": "Authorization", "in": "header", "required": True, "schema": {"type": "string"}},
                ],
            },
            "put": {
                "operationId": "putPet",
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}},
                },
            },
            "delete": {},
        }
    },
}


@contextmanager
def serving(
    status: int = 200,
    kind: str = "application/json",
    body: bytes | None = None,
    speaks: threading.Event | None = None,
    **headers,
) -> Iterator[tuple]:
    """A service that answers each request with itself, or with what is said; with the requests that came.

    Until `speaks` is set, where one is given, it takes requests and answers none.
    """
    came = []

    class Echo(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do(self) -> None:
            length = int(self.headers.get("content-length") or 0)
            sent = {"method": self.command, "path": self.path, "body": self.rfile.read(length).decode()}
            came.append({**sent, "headers": {name.lower(): value for name, value in self.headers.items()}})
            if speaks is not None:
                speaks.wait()
            answer = json.dumps(sent).encode() if body is None else body
            self.send_response(status)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(answer)))
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(answer)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = do

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Echo) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1", came
        server.shutdown()


def service(folder, document, url="http://127.0.0.1:9", **more) -> Server:
    file = folder / "api.json"
    file.write_text(document if isinstance(document, str) else json.dumps(document))
    return Server(name="pets", kind="openapi", settings={"file": str(file.resolve())}, url=url, **more)


def call(server: Server, name: str, seconds: float = 20.0, **arguments):
    with functions_of(allowed(server)) as functions:
        functions.functions()
        return functions.call(name, arguments, seconds=seconds)


def offers(server: Server):
    with functions_of(ServerApproval(server=server)) as functions:
        return {offer.tool: offer for offer in functions.offered_tools("pets")}
