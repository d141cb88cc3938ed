"""The endpoint all arms talk to, with the books of what they asked."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.agent.double import reply
from benchmarks.agent.prompt import messages_of
from benchmarks.agent.replies import Version
from evolve.testing import ScriptedEndpoint

CACHE_UNIT = 128
_LETTERS = 4
"""Letters of a token, about as in English."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request: tokens as the provider counts them, and which of its answers the double gave."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    version: Version


class MeteredEndpoint(ScriptedEndpoint):
    """Serves the double; counts tokens by letters, and as cached what an earlier request of the run began with.

    Args:
        draw: Which prompts the double slips on.

    Attributes:
        calls: The books, in the order of the requests.
    """

    def __init__(self, draw: int = 0) -> None:
        super().__init__()
        self._draw = draw
        self.calls: list[Call] = []
        self._earlier: list[str] = []

    def take_step(self, body: dict[str, Any], key: str) -> Any:
        """Answers a request and writes it down."""
        text, version = reply(body, self._draw)
        with self._guard:
            self.requests.append(body)
            self.keys.append(key)
            prompt = _as_read(body)
            shared = max((_shared(prompt, earlier) for earlier in self._earlier), default=0)
            self._earlier.append(prompt)
            call = Call(
                prompt_tokens=max(1, len(prompt) // _LETTERS),
                cached_tokens=shared // _LETTERS // CACHE_UNIT * CACHE_UNIT,
                completion_tokens=max(1, len(text) // _LETTERS),
                version=version,
            )
            self.calls.append(call)
        usage = {
            "prompt_tokens": call.prompt_tokens,
            "completion_tokens": call.completion_tokens,
            "total_tokens": call.prompt_tokens + call.completion_tokens,
            "prompt_tokens_details": {"cached_tokens": call.cached_tokens},
        }
        return {"text": text, "usage": usage}


def _as_read(body: Mapping[str, Any]) -> str:
    """All that a model would read: a schema or tools that come with the request stand first."""
    head = [json.dumps(body[name], sort_keys=True) for name in ("tools", "response_format", "text") if body.get(name)]
    return "\n".join([*head, *(f"{one.role}: {one.text}" for one in messages_of(body))])


def _shared(one: str, other: str) -> int:
    """Letters with which both begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[:middle] == other[:middle]:
            low = middle
        else:
            high = middle - 1
    return low
