"""An endpoint between an arm and a real model: it passes every request on, and keeps the books and the exchanges."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

from benchmarks.agent.endpoint import Call, MeteredEndpoint

_LONGEST_S = 900.0


class Relay(MeteredEndpoint):
    """Passes requests on to an OpenAI-compatible server; tokens are those that the server counts.

    Args:
        endpoint: ``http://host/v1#model``.
        log: A file to which every exchange is added as a line of JSON.

    Attributes:
        most_tokens: Once so many are in the books, no further request is passed on; None for no bound.
        replies: What the model said, beside :attr:`calls`.
    """

    def __init__(self, endpoint: str, log: Path | None = None) -> None:
        super().__init__()
        self._base_url, _, self._name = endpoint.partition("#")
        self._log = log
        self.most_tokens: int | None = None
        self.replies: list[str] = []

    def take_step(self, body: dict[str, Any], key: str) -> Any:
        """Asks the server behind, without streaming, and gives what it said."""
        spent = sum(call.prompt_tokens + call.completion_tokens for call in self.calls)
        if self.most_tokens is not None and spent > self.most_tokens:
            return {"status": 400, "message": "the tokens of this task are spent"}
        sent = {name: value for name, value in body.items() if name not in ("stream", "stream_options")}
        sent["model"] = self._name
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
        call = Call(
            prompt_tokens=usage["prompt_tokens"],
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
            completion_tokens=usage["completion_tokens"],
            version="",
        )
        with self._guard:
            self.calls.append(call)
            self.replies.append(text)
            if self._log is not None:
                with self._log.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"request": sent, "reply": text, "usage": usage}, ensure_ascii=False) + "\n")
        return {"text": text, "usage": usage, "finish": choice.get("finish_reason") or "stop"}

    def forget(self) -> None:
        """Begins the books anew."""
        with self._guard:
            self.calls.clear()
            self.replies.clear()
