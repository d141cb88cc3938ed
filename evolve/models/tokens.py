"""Upper bounds of token counts, without any tokenizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

PER_MESSAGE = 16
"""What the markers around one message cost at most in the chat templates known to us."""

PER_REQUEST = 64


def most_tokens(text: str) -> int:
    """An upper bound: a tokenizer that works on bytes makes at most one token of each."""
    return len(text.encode("utf-8", "replace"))


def most_prompt_tokens(body: Mapping[str, Any]) -> int:
    """An upper bound for the prompt of a request body: its messages, and its schema where it has one."""
    messages = body.get("messages") or body.get("input") or ()
    texts = sum(most_tokens(str(message["content"])) + PER_MESSAGE for message in messages)
    form = body.get("response_format") or body.get("text")
    return PER_REQUEST + texts + (most_tokens(json.dumps(form)) if form else 0)
