"""Bounds of token counts, without any tokenizer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from math import ceil
from typing import Any

PER_MESSAGE = 16
"""What the markers around one message cost at most in the chat templates known to us."""

PER_REQUEST = 64

_MARGIN = 1.25  # of two texts of one kind, such as prose and code, one is that much denser
_LEAST_REPLY = 1_024  # verdicts and names are short, and say nothing of the code that is asked for next
_REPLY_MARGIN = 2  # replies differ more than texts do: the next file may be twice as long as any before


def most_tokens(text: str) -> int:
    """An upper bound: a tokenizer that works on bytes makes at most one token of each."""
    return len(text.encode("utf-8", "replace"))


def expected_tokens(most: int, share: float | None) -> int:
    """An estimate for a text of at most ``most`` tokens; all of them where no share is known."""
    return most if share is None else min(most, ceil(most * share))


def likely_tokens(most: int, share: float | None) -> int:
    """What to set aside for a text of at most ``most`` tokens, by the share of it that others turned out to have.

    Args:
        share: See :class:`evolve.runtime.models.Abilities`; None where nothing is known, and then all of it is set
            aside.
    """
    return most if share is None else ceil(most * share * _MARGIN) + PER_REQUEST


def likely_reply(most: int, longest: int) -> int:
    """What to set aside for a reply of at most ``most`` tokens where the longest ones lately had ``longest``."""
    return min(most, max(_LEAST_REPLY, longest * _REPLY_MARGIN))


def _most_of(message: Mapping[str, Any]) -> int:
    rest = {name: value for name, value in message.items() if name not in ("role", "content")}
    return most_tokens(str(message["content"])) + (most_tokens(json.dumps(rest)) if rest else 0)


def most_prompt_tokens(body: Mapping[str, Any]) -> int:
    """An upper bound for the prompt of a request body: its messages, and its schema where it has one."""
    messages = body.get("messages") or body.get("input") or ()
    texts = sum(_most_of(message) + PER_MESSAGE for message in messages)
    form = body.get("response_format") or body.get("text")
    return PER_REQUEST + texts + (most_tokens(json.dumps(form)) if form else 0)
