"""A wire without a network, for properties that need a thousand runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from evolve.models import Deadlines, Exchange, Failure, Received
from evolve.models.wire import OnBytes
from evolve.testing.doubles import Double
from evolve.testing.endpoint_faults import completion

Handler = Callable[[Mapping[str, Any]], "str | Mapping[str, Any] | Failure"]


class LocalWire:
    """Hands each body to a function or a double in this process.

    Args:
        handler: Gives a text, a whole body, or a failure.
    """

    def __init__(self, handler: Handler | Double) -> None:
        self._handler: Handler = handler if callable(handler) else handler.answer

    def send(self, exchange: Exchange, deadlines: Deadlines, on_bytes: OnBytes | None = None) -> Received | Failure:
        """One exchange, answered at once and in one piece."""
        if exchange.path == "models":  # nobody asked the handler anything
            return Received(content=b'{"data": []}')
        answer = self._handler(exchange.body)
        if isinstance(answer, Failure):
            return answer
        return Received(content=json.dumps(completion(answer) if isinstance(answer, str) else answer).encode())

    def close(self) -> None:
        """Does nothing."""
