"""Upper bounds and estimates of token counts, without any tokenizer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

PER_MESSAGE = 16
"""What the markers around one message cost at most in the chat templates known to us."""

PER_REQUEST = 64


def most_tokens(text: str) -> int:
    """An upper bound: a tokenizer that works on bytes makes at most one token of each."""
    return len(text.encode("utf-8", "replace"))


def likely_tokens(text: str) -> int:
    """About what tokenizers make of a text, rather more than fewer.

    English has some four bytes to a token, code and scripts of three bytes a letter some three.
    """
    return -(-most_tokens(text) // 3)


def most_prompt_tokens(body: Mapping[str, Any]) -> int:
    """An upper bound for the prompt of a request body: its messages, and its schema where it has one."""
    return _prompt_tokens(body, most_tokens)


def likely_prompt_tokens(body: Mapping[str, Any]) -> int:
    """The same as an estimate."""
    return _prompt_tokens(body, likely_tokens)


def _prompt_tokens(body: Mapping[str, Any], count: Callable[[str], int]) -> int:
    messages = body.get("messages") or body.get("input") or ()
    texts = sum(count(str(message["content"])) + PER_MESSAGE for message in messages)
    form = body.get("response_format") or body.get("text")
    return PER_REQUEST + texts + (count(json.dumps(form)) if form else 0)
