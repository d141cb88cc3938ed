"""What do functions from elsewhere cost? Reading 2,000 operations, choosing those of a prompt, and a call of each kind.

Seconds are CPU seconds of this process, and of programs the wall seconds besides: the sandbox is another process.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.agent.offered_functions import chosen_functions
from evolve.functions.mcp import Approval, Pin, Server, ServerFunctions
from evolve.workspace.shelves.servers import start_server

_FIELDS = 8
_SCHEMAS = 200
_TASK = "change what is known of thing 7, and tell its state"


def api(count: int) -> dict[str, Any]:
    """A file of so many operations, whose bodies refer to schemas that refer to others."""
    fields = {f"field{at}": {"type": "string", "description": "What is known of it."} for at in range(_FIELDS)}
    schemas = {
        f"S{at}": {"type": "object", "properties": {**fields, "next": {"$ref": f"#/components/schemas/S{at // 2}"}}}
        for at in range(_SCHEMAS)
    }
    one = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    paths = {}
    for at in range(count // 2):
        body = {"content": {"application/json": {"schema": {"$ref": f"#/components/schemas/S{at % _SCHEMAS}"}}}}
        limit = {"name": "limit", "in": "query", "schema": {"type": "integer"}}
        paths[f"/things{at}/{{id}}"] = {
            "parameters": [one],
            "get": {"operationId": f"state{at}", "summary": f"Tells the state of thing {at}.", "parameters": [limit]},
            "put": {"operationId": f"change{at}", "summary": f"Changes thing {at}.", "requestBody": body},
        }
    return {"openapi": "3.1.0", "components": {"schemas": schemas}, "paths": paths}


def offered(folder: Path, count: int) -> Iterator[Mapping[str, Any]]:
    """A row for reading a file and one for choosing what a prompt shows."""
    file = folder / "api.json"
    file.write_text(json.dumps(api(count)), "utf-8")
    approval = _allowed(Server(name="things", kind="openapi", file=str(file), url="http://127.0.0.1:9"))
    functions = ServerFunctions([approval], start_server)
    began = time.process_time()
    offers = functions.offers("things")  # as before the first call of one of them
    yield {"part": "read", "operations": len(offers), "cpu s": time.process_time() - began}
    found = functions.functions()
    functions.close()
    chosen_functions(found[:20], _TASK)  # loads what is loaded once
    began = time.process_time()
    chosen_functions(found, _TASK)
    yield {"part": "choose", "operations": len(found), "cpu s": time.process_time() - began}


def called(folder: Path, count: int) -> Iterator[Mapping[str, Any]]:
    """A row for calls of a program and one for calls of a service on this machine."""
    file = folder / "one.json"
    file.write_text(json.dumps({"openapi": "3.1.0", "paths": {"/x": {"get": {}}}}), "utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), _Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}"
        yield _calls("program", Server(name="one", kind="program", command=("/bin/true",)), count)
        yield _calls("service", Server(name="one", kind="openapi", file=str(file), url=url), count)
        server.shutdown()


def _calls(kind: str, server: Server, count: int) -> Mapping[str, Any]:
    functions = ServerFunctions([_allowed(server)], start_server)
    (made,) = functions.functions()

    def call() -> None:
        functions.call(made.name, {}, seconds=60.0)

    call()
    wall, cpu = _timed(call, count)
    functions.close()
    return {"part": kind, "calls": count, "cpu s": cpu, "wall s": wall}


def _timed(call: Callable[[], None], count: int) -> tuple[float, float]:
    wall, cpu = time.monotonic(), time.process_time()
    for _ in range(count):
        call()
    return time.monotonic() - wall, time.process_time() - cpu


class _Answers(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one packet

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", "1")
        self.end_headers()
        self.wfile.write(b"1")

    def log_message(self, *_: object) -> None:
        """Says nothing."""


def _allowed(server: Server) -> Approval:
    """All of a server as it is now."""
    functions = ServerFunctions([Approval(server=server)], start_server)
    made = {offer.tool: offer.function for offer in functions.offers(server.name) if offer.function}
    functions.close()
    return Approval(
        server=server,
        tools={tool: Pin.of(one) for tool, one in made.items()},
    )


def targets(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """The figures against what they should be."""
    spent = {row["part"]: row["cpu s"] for row in rows}
    return [
        Target(name="CPU s to read 2,000 operations", op="<=", target=1.0, value=spent["read"]),
        Target(name="CPU s to choose 12 of 2,000", op="<=", target=0.05, value=spent["choose"]),
    ]


def table(outcome: Outcome) -> str:
    """A line for each part, and the targets."""
    lines = [" ".join(f"{name}: {value}" for name, value in row.items()) for row in outcome.rows]
    return "\n".join([*lines, *(f"{one.name} {one.op} {one.target:g}: {one.value}" for one in outcome.targets)])


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sources", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory(prefix="sources-") as name:
        progress("reading and choosing")
        rows = list(offered(Path(name), 2_000))
        progress("calling")
        rows += called(Path(name), 10 if options.quick else 100)
    outcome = Outcome(benchmark="sources", seeds=1, quick=options.quick, rows=rows, targets=targets(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
