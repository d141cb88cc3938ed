"""A model that acts in the form that its prompt tells, and in none that it does not."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evolve.core.episodes.blocks import read_reply
from evolve.runtime.models import ExchangeFailure
from evolve.testing import Double, prompt_of

_BLOCKS = "then fenced blocks"
_JSON = ("one JSON object", "in thought", "in uses", "in blocks", '"kind"', '"path"', '"code"')
_NOTE = "Reply with one JSON value and nothing else"


class FormedDouble:
    """Says what another double says, in the form that the rules ask for; where they ask for none, in plain words.

    Args:
        double: It says what is done, in fenced blocks.
        takes: Ways to ask for structure that the endpoint takes; it refuses others.
    """

    def __init__(self, double: Double, takes: tuple[str, ...] = ("json_schema", "json_object")) -> None:
        self._double, self._takes = double, takes
        self.refused = 0

    def answer(self, body: Mapping[str, Any]) -> str | ExchangeFailure:
        """The reply to a prompt."""
        asked = body.get("response_format", {}).get("type")
        if asked and asked not in self._takes:
            self.refused += 1
            return ExchangeFailure(kind="request", status=400, text=f"response_format {asked} is not supported")
        rules = str(body["messages"][0]["content"])
        if _BLOCKS not in rules and "in thought" not in rules:
            return self._double.answer(body)
        said = self._double.answer(_without_schema(body))
        in_json, fenced = all(part in rules for part in _JSON), _BLOCKS in rules or "```" in rules
        if in_json == fenced:
            return "I was told no form, or two of them."
        return said if fenced else _as_json(said)


def _without_schema(body: Mapping[str, Any]) -> Mapping[str, Any]:
    messages = [{**one, "content": str(one["content"]).partition(_NOTE)[0]} for one in body["messages"]]
    return {**{key: value for key, value in body.items() if key != "response_format"}, "messages": messages}


def _as_json(said: str) -> str:
    written = read_reply(said)
    blocks = [{"kind": one.kind, "path": one.path, "code": one.text} for one in written.blocks]
    return json.dumps({"thought": written.thought, "blocks": blocks, "uses": list(written.uses)})


def told(body: Mapping[str, Any]) -> str:
    """All that a request says in words of the system and of the user."""
    return prompt_of({"messages": [one for one in body["messages"] if one["role"] != "assistant"]})
