"""Of a prompt that is too long: how much fits by an endpoint's complaint, and what matters least and is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evolve.runtime.models.protocol import ESSENTIAL, Message
from evolve.runtime.models.tokens import PER_MESSAGE, most_tokens

TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|maximum context|exceed_context|too many tokens|prompt is too long"
    r"|(input|prompt|message)s? (is|are) too long|reduce the length of|token limit"
    r"|maximum (number of )?tokens? allowed",
    re.IGNORECASE,
)
"""The wordings of OpenAI, vLLM, llama.cpp, llama-cpp-python and others that relay to different hosts."""

_NUMBER = r"(\d[\d,]*)"
_ALLOWED = re.compile(
    rf"(?:context (?:length|window|size))(?: is| of|:)? \(?{_NUMBER}|{_NUMBER} (?:tokens )?maximum", re.IGNORECASE
)
_PROMPT = re.compile(
    rf"{_NUMBER} (?:tokens )?in (?:the|your) (?:messages|prompt|input)|{_NUMBER} input tokens|too long: {_NUMBER}",
    re.IGNORECASE,
)
_ASKED = re.compile(rf"(?:requested|sent|resulted in|request|requested tokens) \(?{_NUMBER}", re.IGNORECASE)
_MOST_REPLY = re.compile(
    rf"at most {_NUMBER} completion tokens|max_(?:completion_)?tokens is \[\d+, ?{_NUMBER}\]"
    rf"|> {_NUMBER}, which is the maximum allowed number of output tokens"
    rf"|max_(?:completion_)?tokens`? must be less than or equal to `?{_NUMBER}",
    re.IGNORECASE,
)
_LEAST_WINDOW, _LEAST_MOST_REPLY = 256, 16
"""Less is no figure of a model. It would be remembered, and no later prompt would get through."""
_LEAST_SHARE = 0.05
_LEAST_REPLY = 64


@dataclass(frozen=True, kw_only=True)
class PromptOverflow:
    """The figures of a complaint, in tokens; None for what was not said.

    Attributes:
        allowed: What prompt and reply may be together.
        prompt: What the prompt was.
        asked: What was asked for in all; with some hosts the prompt alone.
    """

    allowed: int | None = None
    prompt: int | None = None
    asked: int | None = None

    def reply(self, max_tokens: int) -> int | None:
        """Tokens that are left for the reply, where giving it less is enough; None where the prompt has to shrink."""
        if self.allowed is None or self.prompt is None:
            return None
        room = self.allowed - self.prompt
        # The prompt shrinks instead where so little room is left that the reply would be cut off.
        return room if max(_LEAST_REPLY, max_tokens // 4) <= room < max_tokens else None

    def fitting_share(self, max_tokens: int) -> float | None:
        """The part of the prompt that fits beside a reply; None where the figures do not say."""
        size = self.prompt or self.asked
        if self.allowed is None or not size:
            return None
        return min(1.0, max(_LEAST_SHARE, (self.allowed - max_tokens) / size))


def parse_overflow(text: str) -> PromptOverflow:
    """The figures in a complaint."""
    return PromptOverflow(
        allowed=_least(_first(_ALLOWED, text), _LEAST_WINDOW), prompt=_first(_PROMPT, text), asked=_first(_ASKED, text)
    )


def most_reply(text: str) -> int | None:
    """The most tokens of a reply by a complaint of OpenAI, DeepSeek, Anthropic or Groq; None by another."""
    return _least(_first(_MOST_REPLY, text), _LEAST_MOST_REPLY)


def _least(tokens: int | None, least: int) -> int | None:
    return tokens if tokens is not None and tokens >= least else None


def _first(pattern: re.Pattern[str], text: str) -> int | None:
    match = pattern.search(text)
    if match is None:
        return None
    return int(next(group for group in match.groups() if group).replace(",", ""))


ASSUMED_SHARE = 0.6
"""How much is kept where the endpoint does not say how much fits."""

# Sizes here are bytes and the endpoint's figures are tokens, so a share fits only about.
_MARGIN = 0.95


def trim(messages: Sequence[Message], share: float | None) -> tuple[list[Message], tuple[str, ...]] | None:
    """The messages that are left, and the kinds of those that are not; None where too much is golden.

    Lowest priority goes first, among equals the oldest. The same prompt always loses the same messages. Messages
    from :data:`evolve.runtime.models.protocol.ESSENTIAL` on stay, and so does the last one, which is what is
    being asked. An
    assistant's turn and the message after it go together or stay together, so that roles still take turns.

    Args:
        share: The part of the prompt that fits, from 0 to 1; None where that is not known.
    """
    sizes = [most_tokens(message.text) + PER_MESSAGE for message in messages]
    target = sum(sizes) * (ASSUMED_SHARE if share is None else min(share, 1.0) * _MARGIN)
    dropped: set[int] = set()
    for _, places in sorted(_free_units(messages)):
        if sum(size for other, size in enumerate(sizes) if other not in dropped) <= target:
            break
        dropped.update(places)
    size_left = sum(size for place, size in enumerate(sizes) if place not in dropped)
    # Where the endpoint named no figure the aim is a guess, and whatever could go may do.
    if not dropped or (share is not None and size_left > target / _MARGIN):
        return None
    kinds = tuple(messages[place].kind or messages[place].role for place in sorted(dropped))
    return [message for place, message in enumerate(messages) if place not in dropped], kinds


def _free_units(messages: Sequence[Message]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """What may go, each with its priority and the places of its messages."""
    last = len(messages) - 1
    first_turn = next((place for place, message in enumerate(messages) if message.role == "assistant"), None)
    # An assistant's turn has to answer somebody.
    opening = max((place for place in range(first_turn or 0) if messages[place].role == "user"), default=last)
    place = 0
    while place < last:
        answered = messages[place].role == "assistant" and messages[place + 1].role != "assistant"
        places = (place, place + 1) if answered else (place,)
        place += len(places)
        priority = max(messages[one].priority for one in places)
        if priority < ESSENTIAL and last not in places and opening not in places:
            yield priority, places
