"""How much fits a model: what is known of it, and what is assumed where nothing is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evolve.models.abilities import Abilities
from evolve.models.addressing import Endpoint
from evolve.models.protocol import OTHERWISE_REPLY, OTHERWISE_WINDOW, ModelLimits
from evolve.models.wire import Deadlines, Exchange, Failure, Wire

_LARGE = 128_000
_REPLY_OF_LARGE = 16_384
_PART = 4  # a reply that may fill more of the window leaves too little for what was asked
_LEAST, _MOST = 256, 10**8

# What a server runs with comes first, what the weights were trained for last.
_WINDOWS = (
    "n_ctx",  # llama.cpp
    "loaded_context_length",  # LM Studio
    "max_model_len",  # vLLM
    "context_length",  # OpenRouter, Together
    "context_window",  # Groq
    "max_context_length",  # LM Studio, Mistral
    "max_context_window_tokens",
)
_TRAINED = "n_ctx_train"


def limits_of(window: int | None, found: Abilities) -> ModelLimits:
    """The limits of a model.

    Args:
        window: What a list says, or None.
        found: What the endpoint said itself when something was too long; it goes first where it is less.
    """
    told = [tokens for tokens in (window, found.window) if tokens]
    tokens = min(told, default=OTHERWISE_WINDOW)
    reply = _REPLY_OF_LARGE if tokens >= _LARGE else OTHERWISE_REPLY
    reply = max(1, min(reply, tokens // _PART, found.reply or reply))
    return ModelLimits(window=tokens, reply=reply, known=bool(told))


def offered_window(endpoint: Endpoint, wire: Wire, deadlines: Deadlines | None = None) -> int | None:
    """The window of a model by the endpoint's list of models; None where it gives no list or does not say."""
    exchange = Exchange(base_url=endpoint.base_url, path="models")
    answer = wire.send(exchange, deadlines or Deadlines(connect=5.0, total=10.0))
    if isinstance(answer, Failure):
        return None
    try:
        rows = json.loads(answer.content)["data"]
        row = next(row for row in rows if row["id"] == endpoint.model)
    except (ValueError, LookupError, TypeError, RecursionError, StopIteration):
        return None
    return window_in(row) if isinstance(row, dict) else None


def window_in(row: Mapping[str, Any]) -> int | None:
    """The window in a row of such a list, wherever servers put it; None where it is not there."""
    places = [row, *(row.get(name) for name in ("meta", "top_provider", "capabilities", "limits"))]
    tables = [place for place in places if isinstance(place, Mapping)]
    for name in _WINDOWS:
        sizes = [size for table in tables if (size := _size(table.get(name)))]
        if sizes:
            return min(sizes)  # OpenRouter names the model's, and what its best host serves
    trained = [size for table in tables if (size := _size(table.get(_TRAINED)))]
    # A server seldom runs with all that was trained for, and memory sets the bound.
    return min([OTHERWISE_WINDOW, *trained]) if trained else None


def _size(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and _LEAST <= value <= _MOST else None
