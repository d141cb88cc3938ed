"""An endpoint between an arm and a real model: it passes every request on, and keeps the books and the exchanges."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evolve.testing import Scenario, ScriptedEndpoint

_LONGEST_S = 900.0


@dataclass(frozen=True, kw_only=True)
class Call:
    """One request as the server counted it, with the reply."""

    prompt_tokens: int
    cached_tokens: int
    completion_tokens: int
    reply: str


class Relay(ScriptedEndpoint):
    """Passes requests on to an OpenAI-compatible server; a context manager.

    Args:
        endpoint: ``http://host/v1#model``.
        log: A file to which every exchange is added as a line of JSON.

    Attributes:
        calls: The books, in the order of the requests.
    """

    def __init__(self, endpoint: str, log: Path | None = None) -> None:
        self._base_url, _, name = endpoint.partition("#")
        super().__init__(Scenario(models=[name]))
        self._log = log
        self.calls: list[Call] = []

    def take_step(self, body: dict[str, Any], key: str) -> Any:
        """Asks the server behind, without streaming, and gives what it said."""
        sent = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
        request = urllib.request.Request(
            f"{self._base_url}/chat/completions", json.dumps(sent).encode(), {"Content-Type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=_LONGEST_S) as answer:
                said = json.load(answer)
        except urllib.error.HTTPError as error:
            return {"status": error.code, "message": error.read().decode("utf-8", "replace")}
        choice, usage = said["choices"][0], said["usage"]
        text = choice["message"]["content"] or ""
        with self._guard:
            self.calls.append(_counted(usage, text))
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"request": sent, "reply": text, "usage": usage}, ensure_ascii=False) + "\n")
        return {"text": text, "usage": usage, "finish": choice.get("finish_reason") or "stop"}


def _counted(usage: Mapping[str, Any], text: str) -> Call:
    return Call(
        prompt_tokens=usage["prompt_tokens"],
        cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
        completion_tokens=usage["completion_tokens"],
        reply=text,
    )
