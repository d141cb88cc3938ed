"""What a call costs: dollars for tokens, what is set aside before it, and the usage that is booked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from evolve.runtime.models.abilities import FEW_REPLIES, Abilities
from evolve.runtime.models.protocol import Usage
from evolve.runtime.models.replies import ReplyParts
from evolve.runtime.models.tokens import expected_tokens, likely_reply, likely_tokens, most_prompt_tokens, most_tokens


@dataclass(frozen=True, kw_only=True)
class Price:
    """US dollars for a million tokens.

    Attributes:
        cached: For prompt tokens the endpoint had in its cache; None where they cost like others.
        beyond: What all of a call costs instead where its prompt has more than so many tokens, ascending.
    """

    input: float
    output: float
    cached: float | None = None
    beyond: tuple[tuple[int, Price], ...] = ()

    def of(self, prompt: int, completion: int, cached: int = 0) -> float:
        """Dollars for a call; ``cached`` are those of ``prompt`` that were in the cache."""
        higher = [price for start, price in self.beyond if prompt > start]
        if higher:
            return higher[-1].of(prompt, completion, cached)
        lower = self.input if self.cached is None else self.cached
        return ((prompt - cached) * self.input + cached * lower + completion * self.output) / 1e6


FREE = Price(input=0.0, output=0.0)


def usage_of(
    price: Price | None, prompt: int, completion: int, *, cached: int = 0, reasoning: int = 0, estimated: bool = False
) -> Usage:
    """The usage of one call, with its price where that is known."""
    return Usage(
        prompt=prompt,
        completion=completion,
        cached=cached,
        reasoning=reasoning,
        money=price.of(prompt, completion, cached) if price is not None else 0.0,
        calls=1,
        estimated=estimated,
        priced=price is not None,
    )


@dataclass(frozen=True, kw_only=True)
class Expected:
    """What one call may cost, by what its endpoint reported of others.

    Attributes:
        body: What is sent.
        room: Most tokens of the reply.
        seconds: The most that it may take.
    """

    price: Price | None
    abilities: Abilities
    body: Mapping[str, Any]
    room: int
    seconds: float

    @property
    def set_aside(self) -> Usage:
        """What is reserved: a bound that most calls keep to. A reply as long as it may be would end budgets early."""
        known = self.abilities.replies >= FEW_REPLIES
        return self._usage(likely_reply(self.room, self.abilities.longest) if known else self.room)

    @property
    def most(self) -> Usage:
        """What is booked where nobody can say any more: the longest reply that was allowed."""
        return self._usage(self.room)

    def _usage(self, completion: int) -> Usage:
        prompt = likely_tokens(most_prompt_tokens(self.body), self.abilities.share)
        return replace(usage_of(self.price, prompt, completion, estimated=True), seconds=self.seconds)

    def until_stopped(self, heard: int) -> Usage:
        """What a call cost that a person ended after so many bytes were heard of its reply."""
        share = self.abilities.share
        prompt = expected_tokens(most_prompt_tokens(self.body), share)
        return usage_of(self.price, prompt, min(self.room, expected_tokens(heard, share)), estimated=True)

    def of(self, reply: ReplyParts) -> Usage:
        """What the call cost whose reply this is."""
        # An upper bound, so that a budget is never passed because an endpoint does not count.
        completion = min(self.room, most_tokens(reply.text)) if reply.completion is None else reply.completion
        prompt = self.most.prompt if reply.prompt is None else reply.prompt
        unsure = reply.completion is None or reply.prompt is None
        return usage_of(self.price, prompt, completion, cached=reply.cached, reasoning=reply.thought, estimated=unsure)
