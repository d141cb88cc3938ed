"""A real HTTP server with the Chat Completions protocol that does what a scenario says.

    with ScriptedEndpoint(Scenario(replies=["hello"])) as endpoint:
        endpoint.base_url, endpoint.requests

``python -m evolve.testing.endpoint SCENARIO.json`` serves one until it is ended, and prints its address first.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import struct
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from evolve.testing.doubles import Double, question_of
from evolve.testing.endpoint_faults import Scenario, bad_bodies, chat_completion_body, load_scenario, odd_bodies

_PIECE = 12
"""Letters of a streamed piece; few, so that short replies come in several."""

_LONGEST = 60.0
"""Seconds until a fault that waits gives up, should neither the client nor the test end it."""


class ScriptedEndpoint:
    """Serves a scenario on a free port of this machine, from a thread; a context manager.

    Args:
        double: Answers when the script is at its end; without one, further requests get HTTP 400.

    Attributes:
        requests: The body of every request for a completion, in order.
        keys: The ``Authorization`` header of each.
        abandoned: Set when a client closed a connection on which nothing came.
        left: How many steps of the script were not used yet.
    """

    def __init__(self, scenario: Scenario | None = None, *, double: Double | None = None, port: int = 0) -> None:
        self.scenario = scenario or Scenario()
        self.double = double
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.stopping = threading.Event()
        self.abandoned = threading.Event()
        self._steps = list(self.scenario.replies)
        self._guard = threading.Lock()
        self._server = _Server(("127.0.0.1", port), _Handler)
        self._server.endpoint = self
        # 0.02 s between looks whether to stop; with the 0.5 s of the library each test would wait for that.
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    @property
    def model(self) -> str:
        """What ``--model`` is given."""
        return f"{self.base_url}#{self.scenario.models[0]}"

    @property
    def remaining_steps(self) -> int:
        with self._guard:
            return len(self._steps)

    def add(self, *steps: Any) -> None:
        """Appends steps to the script; one with ``to`` is for the next request with that question."""
        with self._guard:
            self._steps.extend(steps)

    def start(self) -> ScriptedEndpoint:
        """Begins to serve."""
        self._thread.start()
        return self

    def close(self) -> None:
        """Stops, and ends what is under way."""
        self.stopping.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> ScriptedEndpoint:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.close()

    def take_step(self, body: dict[str, Any], key: str) -> Any:
        """Notes a request and gives its step."""
        with self._guard:
            self.requests.append(body)
            self.keys.append(key)
            asked = question_of(body) if self._steps else ""
            for place, step in enumerate(self._steps):
                if not isinstance(step, Mapping) or step.get("to", asked) == asked:
                    return self._steps.pop(place)
        if self.double is not None:
            return {"text": self.double.answer(body)}
        return {"status": 400, "message": "the script has ended"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False  # a handler that plays a hanging endpoint would hold up ``close``
    endpoint: ScriptedEndpoint

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news here."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every reply waits for an acknowledgement
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        """``/v1/models``."""
        rows = [{"id": name, "object": "model"} for name in self.server.endpoint.scenario.models]
        if self.path == "/v1/models" and self._admitted():
            self._send_json({"object": "list", "data": rows})
        elif self.path != "/v1/models":
            self._refuse(404, "no such address")

    def do_POST(self) -> None:
        """A completion."""
        endpoint = self.server.endpoint
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        api = {"/v1/chat/completions": "chat", "/v1/responses": "responses"}.get(self.path, "")
        if api not in endpoint.scenario.supports:
            other = "This model is only supported in v1/responses and not in v1/chat/completions."
            self._refuse(404, other if "responses" in endpoint.scenario.supports else "no such address")
            return
        body = json.loads(raw)
        if not self._admitted():
            return
        refusal = _refusal(endpoint.scenario, body)
        if refusal:
            self._refuse(400, *refusal)
            return
        step = endpoint.take_step(body, self.headers.get("Authorization", ""))
        self._play({"text": step} if isinstance(step, str) else step, body)

    def _admitted(self) -> bool:
        key = self.server.endpoint.scenario.key
        sent = self.headers.get("Authorization", "")
        if key and sent != f"Bearer {key}":
            self._refuse(401, f"Incorrect API key provided: {sent.removeprefix('Bearer ')}", "invalid_api_key")
            return False
        return True

    def _play(self, step: Mapping[str, Any], body: Mapping[str, Any]) -> None:
        if "status" in step:
            waiting = {"Retry-After": str(step["retry_after"])} if "retry_after" in step else {}
            self._refuse(step["status"], step.get("message", "scripted"), step.get("code", ""), waiting)
        elif "bad" in step:
            self._send(bad_bodies()[step["bad"]]())
        elif "odd" in step:
            self._send(odd_bodies()[step["odd"]])
        elif "fault" in step:
            self._break(step["fault"], float(step.get("every", 5.0)), self._answer(step, body))
        elif body.get("stream"):
            self._stream(_pieces(self._answer(step, body), body, "usage" in self.server.endpoint.scenario.supports))
        else:
            answer = self._answer(step, body)
            self._send_json(answer if "messages" in body else _as_response(answer))

    def _answer(self, step: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
        answer, cached = _answer(step, body), self.server.endpoint.scenario.cached
        if cached and "usage" not in step:
            known = min(cached, answer["usage"]["prompt_tokens"])
            answer["usage"]["prompt_tokens_details"] = {"cached_tokens": known}
        return answer

    def _send_json(self, value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self._send(json.dumps(value).encode(), status, headers)

    def _send(self, content: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def _refuse(self, status: int, message: str, code: str = "", headers: Mapping[str, str] | None = None) -> None:
        self._send_json({"error": {"message": message, "type": "scripted", "code": code or None}}, status, headers)

    def _stream(self, pieces: list[bytes], *, whole: bool = True) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for piece in pieces:
            self._chunk(piece)
        if whole:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self._hang_up()

    def _chunk(self, piece: bytes) -> None:
        self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        self.wfile.flush()

    def _break(self, fault: str, every: float, answer: dict[str, Any]) -> None:
        content, pieces = json.dumps(answer).encode(), _pieces(answer, {"messages": []}, True)
        if fault == "reset":
            # To linger for no time makes closing send a reset in place of a proper end.
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        elif fault == "hang":
            self._wait_for_farewell()
        elif fault == "slow headers":
            self._dribble(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + b"X-Wait: 1\r\n" * 100, every)
        elif fault == "slow body":
            self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(content)}\r\n\r\n".encode())
            self._dribble(content, every)
        elif fault == "wrong length":
            self.wfile.write(f"HTTP/1.1 200 OK\r\nContent-Length: {len(content) + 100}\r\n\r\n".encode() + content)
        elif fault == "cut stream":
            self._stream(pieces[: len(pieces) // 2], whole=False)
        elif fault == "no last piece":
            self._stream(pieces[: len(pieces) // 2])
            return
        elif fault == "stalled stream":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self._chunk(pieces[0])
            self.server.endpoint.stopping.wait(_LONGEST)
        self._hang_up()

    def _dribble(self, content: bytes, every: float) -> None:
        ends = time.monotonic() + _LONGEST
        for byte in content:
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            if self.server.endpoint.stopping.wait(every) or time.monotonic() > ends:
                return

    def _wait_for_farewell(self) -> None:
        """Until the client closes the connection, or the server is ended."""
        ends = time.monotonic() + _LONGEST
        while not self.server.endpoint.stopping.is_set() and time.monotonic() < ends:
            if select.select([self.connection], [], [], 0.02)[0] and not self.connection.recv(1, socket.MSG_PEEK):
                self.server.endpoint.abandoned.set()
                return

    def _hang_up(self) -> None:
        self.close_connection = True


def _refusal(scenario: Scenario, body: Mapping[str, Any]) -> tuple[str, str] | None:
    """Message and code of a 400, where the request is one the endpoint does not take."""
    for name in scenario.refuses:
        if name in body:
            return f"Unsupported parameter: '{name}' is not supported with this model.", "unsupported_parameter"
    form = body.get("response_format", {}).get("type", "") or body.get("text", {}).get("format", {}).get("type", "")
    if form and form not in scenario.supports:
        return f"response_format of type {form!r} is not supported", "invalid_request_error"
    if body.get("stream") and "stream" not in scenario.supports:
        return "Unsupported value: 'stream' does not support true", "unsupported_value"
    size, room = _size(body), body.get("max_tokens") or body.get("max_completion_tokens") or 0
    if scenario.context and size + room > scenario.context:
        parts = f"({size} in the messages, {room} in the completion)"
        text = (
            f"maximum context length is {scenario.context} tokens. However, you requested {size + room} tokens {parts}."
        )
        return f"This model's {text}", "context_length_exceeded"
    return None


def _size(body: Mapping[str, Any]) -> int:
    return sum(len(str(message["content"]).encode()) for message in body.get("messages") or body.get("input") or ())


def _answer(step: Mapping[str, Any], body: Mapping[str, Any]) -> dict[str, Any]:
    text = json.dumps(step["data"]) if "data" in step else step.get("text", "scripted")
    more: dict[str, Any] = {"model": body.get("model", "scripted")}
    if "refusal" in step:
        text, more["message"] = None, {"refusal": step["refusal"]}
    if "finish" in step:
        more["choice"] = {"finish_reason": step["finish"]}
    # About four bytes a token, as in English.
    prompt_tokens, reply_tokens = max(1, _size(body) // 4), max(1, len(text or "") // 4)
    more["usage"] = step.get("usage", {"prompt_tokens": prompt_tokens, "completion_tokens": reply_tokens})
    return chat_completion_body(text, **more)


def _as_response(answer: Mapping[str, Any]) -> dict[str, Any]:
    """The same answer as a body of the Responses API."""
    message, usage = answer["choices"][0]["message"], answer["usage"] or {}
    part = (
        {"type": "refusal", "refusal": message["refusal"]}
        if message.get("refusal")
        else {"type": "output_text", "text": message["content"]}
    )
    counts = {"input_tokens": usage.get("prompt_tokens"), "output_tokens": usage.get("completion_tokens")}
    output = [{"type": "message", "role": "assistant", "content": [part]}]
    return {"object": "response", "status": "completed", "model": answer["model"], "output": output, "usage": counts}


def _pieces(answer: Mapping[str, Any], body: Mapping[str, Any], counted: bool) -> list[bytes]:
    """Server-sent events of a streamed answer."""
    choice = answer["choices"][0]
    text = choice["message"]["content"] or ""
    if "messages" not in body:
        deltas: list[dict[str, Any]] = [{"type": "response.output_text.delta", "delta": part} for part in _split(text)]
        return [_event(event) for event in (*deltas, {"type": "response.completed", "response": _as_response(answer)})]
    refusal = choice["message"].get("refusal")
    events: list[dict[str, Any]] = [{"delta": {"role": "assistant", "content": ""}}]
    events += [{"delta": {"content": part}} for part in _split(text)]
    events += [{"delta": {"refusal": refusal}}] if refusal else []
    events.append({"delta": {}, "finish_reason": choice["finish_reason"]})
    sent = [_event({"model": answer["model"], "choices": [{"index": 0, **event}]}) for event in events]
    if counted:
        sent.append(_event({"choices": [], "usage": answer["usage"]}))
    return [*sent, b"data: [DONE]\n\n"]


def _split(text: str) -> list[str]:
    return [text[at : at + _PIECE] for at in range(0, len(text), _PIECE)]


def _event(value: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def main(argv: list[str] | None = None) -> None:
    """Serves a scenario file and prints the text for ``--model``; ends with its standard input, or by Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m evolve.testing.endpoint", description="Plays a scenario.")
    parser.add_argument("scenario", type=Path, help="a JSON file, see evolve.testing.Scenario")
    parser.add_argument("--port", type=int, default=0, help="on this machine only; default: a free one")
    parser.add_argument("--double", type=resolve_name, help="class that answers at the script's end, as MODULE:NAME")
    options = parser.parse_args(argv)
    double = options.double and options.double()
    with ScriptedEndpoint(load_scenario(options.scenario), double=double, port=options.port) as endpoint:
        print(endpoint.model, flush=True)
        with suppress(KeyboardInterrupt):
            sys.stdin.read()


if __name__ == "__main__":
    main()
