"""A server that does not even speak HTTP well is trouble of the endpoint, whatever it sends."""

from __future__ import annotations

import gzip
import json
import random
import socket
import threading
from collections import Counter
from contextlib import suppress
from dataclasses import replace

import pytest

from evolve.core.errors import EndpointProblem, ModelMistake
from evolve.runtime.models import Deadlines, ModelSetup, RetryRules, open_models
from evolve.testing.endpoint_faults import chat_completion_body
from tests.models.conftest import ask

SOUND = json.dumps(chat_completion_body("fine")).encode()
STATUS = [b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK", b"HTTP/1.0 200 OK", b"HTTP/1.1 200"]
ODD_STATUS = [
    b"HTTP/2 200 OK",
    b"HTTP/1.1 99 X",
    b"HTTP/1.1 999 X",
    b"HTTP/1.1 101 Switch",
    b"HTTP/1.1 204 No",
    b"SSH-2",
]
ODD_STATUS += [
    b"HTTP/1.1 302 F\r\nLocation: http://[bad",
    b"HTTP/1.1 500 \xff\xfe",
    b"HTTP/1.1 429 x\r\nRetry-After: \xb2",
]
HEADERS = [b"Content-Length: -5", b"Content-Length: abc", b"Content-Length: 99999999999999999999", b"bad header"]
HEADERS += [b"Content-Encoding: " + name for name in (b"gzip", b"br", b"zstd", b"deflate", b"gzip, gzip", b"\xff")]
HEADERS += [b"Content-Type: text/html; charset=\xff", b"X" * 70_000 + b": 1", b": empty", b"Set-Cookie: a=\x00"]
HEADERS += [b"Connection: close", b"Date: nonsense", b"Retry-After: Fri, 99 Foo 9999", b"Transfer-Encoding: chunked"]
BODIES = [SOUND, gzip.compress(SOUND), b"", SOUND[:20], b"%x\r\n" % len(SOUND) + SOUND + b"\r\n0\r\n\r\n"]
BODIES += [b"zz\r\n" + SOUND, b"-1\r\n\r\n", b"ffffffffffffffff\r\n" + SOUND, b"data: [DONE]\n\n", b"\0" * 40]


def anything(rng):
    body = rng.choice(BODIES)
    odd = [rng.choice([*HEADERS, b"Content-Length: %d" % len(body)]) for _ in range(rng.choice([0, 0, 1, 1, 2, 3]))]
    return b"\r\n".join([rng.choice(STATUS if rng.random() < 0.7 else ODD_STATUS), *odd, b"", body])


@pytest.mark.slow
def test_any_bytes_on_the_line():
    rng, ends = random.Random(5), Counter()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with suppress(OSError):  # until the test closes the server
                while True:
                    client, _ = server.accept()
                    with client, suppress(OSError):
                        client.settimeout(2)
                        client.recv(65_536)
                        client.sendall(anything(rng))

        threading.Thread(target=serve, daemon=True).start()
        setup = ModelSetup(
            model=f"http://127.0.0.1:{server.getsockname()[1]}/v1#m",
            environ={},
            rules=RetryRules(attempts=1),
            deadlines=Deadlines(connect=1.0, idle=0.5, total=1.0),
        )
        with open_models(setup) as models:
            model = models.model_for("act")
            model.services = replace(model.services, repairs=0)
            for number in range(400):
                model.services.breaker.note(None)
                try:
                    reply = models.complete(ask(), (lambda text: None) if number % 3 == 0 else None)
                    assert reply.text == "fine"
                    ends["reply"] += 1
                except (EndpointProblem, ModelMistake) as error:
                    ends[type(error).__name__] += 1
    assert set(ends) == {"reply", "EndpointProblem", "ModelMistake"}
