"""What a call costs: dollars for tokens, what is set aside before it, and the usage that is booked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import parse_toml, read_text
from evolve.runtime.models.abilities import FEW_REPLIES, Abilities
from evolve.runtime.models.addressing import Endpoint
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

    def call_cost(self, prompt: int, completion: int, cached: int = 0) -> float:
        """Dollars for a call; ``cached`` are those of ``prompt`` that were in the cache."""
        higher = [price for start, price in self.beyond if prompt > start]
        if higher:
            return higher[-1].call_cost(prompt, completion, cached)
        lower = self.input if self.cached is None else self.cached
        return ((prompt - cached) * self.input + cached * lower + completion * self.output) / 1e6


FREE = Price(input=0.0, output=0.0)


def _usage_of(
    price: Price | None, prompt: int, completion: int, *, cached: int = 0, reasoning: int = 0, estimated: bool = False
) -> Usage:
    """The usage of one call, with its price where that is known."""
    return Usage(
        prompt=prompt,
        completion=completion,
        cached=cached,
        reasoning=reasoning,
        money=price.call_cost(prompt, completion, cached) if price is not None else 0.0,
        calls=1,
        estimated=estimated,
        priced=price is not None,
    )


@dataclass(frozen=True, kw_only=True)
class ExpectedCost:
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
    def most_usage(self) -> Usage:
        """What is booked where nobody can say any more: the longest reply that was allowed."""
        return self._usage(self.room)

    def _usage(self, completion: int) -> Usage:
        prompt = likely_tokens(most_prompt_tokens(self.body), self.abilities.share)
        return replace(_usage_of(self.price, prompt, completion, estimated=True), seconds=self.seconds)

    def until_stopped(self, heard: int) -> Usage:
        """What a call cost that a person ended after so many bytes were heard of its reply."""
        share = self.abilities.share
        prompt = expected_tokens(most_prompt_tokens(self.body), share)
        return _usage_of(self.price, prompt, min(self.room, expected_tokens(heard, share)), estimated=True)

    def usage_of(self, reply: ReplyParts) -> Usage:
        """What the call cost whose reply this is."""
        # An upper bound, so that a budget is never passed because an endpoint does not count.
        completion = min(self.room, most_tokens(reply.text)) if reply.completion is None else reply.completion
        prompt = self.most_usage.prompt if reply.prompt is None else reply.prompt
        unsure = reply.completion is None or reply.prompt is None
        return _usage_of(self.price, prompt, completion, cached=reply.cached, reasoning=reply.thought, estimated=unsure)


@dataclass(frozen=True, kw_only=True)
class ListedModel:
    """A model in the list.

    Attributes:
        price: None where the list has no price for text in both directions.
        window: Most tokens that fit, or None.
    """

    price: Price | None = None
    window: int | None = None


def listed_model(endpoint: Endpoint) -> ListedModel:
    """What is listed of an endpoint's model; nothing where the host or the model is not in the list.

    The host is recognised by its address alone: another one may sell a model of the same name at another price.
    """
    if endpoint.on_this_machine:
        return ListedModel()
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, model = get_snapshot().find_provider_model(endpoint.model, None, None, endpoint.base_url)
    except LookupError:
        return ListedModel()
    prices = model.get_prices(datetime.now(tz=UTC))
    return ListedModel(price=_listed_price(prices), window=model.context_window)


def _listed_price(prices: Any) -> Price | None:
    rows = [getattr(prices, name, None) for name in ("input_mtok", "output_mtok", "cache_read_mtok")]
    if rows[0] is None or rows[1] is None:
        return None

    def price(start: int, beyond: tuple[tuple[int, Price], ...] = ()) -> Price:
        cached = None if rows[2] is None else _at(rows[2], start)
        return Price(input=_at(rows[0], start), output=_at(rows[1], start), cached=cached, beyond=beyond)

    starts = sorted({tier.start for row in rows for tier in getattr(row, "tiers", ())})
    return price(0, tuple((start, price(start)) for start in starts))


def _at(price: Any, start: int) -> float:
    """Dollars of a price with or without steps, for prompts that begin to be longer than ``start``."""
    steps = [tier.price for tier in getattr(price, "tiers", ()) if start > 0 and tier.start <= start]
    return float(steps[-1] if steps else getattr(price, "base", price))


_KEYS = {"input", "output", "cached"}


class Prices:
    """A workspace's own prices, which go before those that are listed.

    Args:
        own: The workspace's ``prices.toml``, or None. Under ``[models]`` it has a line for each model, in dollars for a
            million tokens: ``"https://host/v1#name" = { input = 1.25, output = 10.0, cached = 0.125 }``. A model of
            OpenAI's own endpoint goes by its bare name.

    Raises:
        WorkspaceError: When the file is malformed; names the model and the key.
    """

    def __init__(self, own: Path | None = None) -> None:
        self._table: dict[str, Price] = {}
        if own is not None and own.is_file():
            try:
                rows = parse_toml(read_text(own), str(own)).get("models", {})
            except UsageError as error:
                raise WorkspaceError(str(error), hint=error.hint) from error
            if not isinstance(rows, dict):
                raise WorkspaceError(f"{own}: models: expected a table")
            self._table = {name: _price(row, f"{own}: {name}") for name, row in rows.items()}

    def price_of(self, endpoint: Endpoint) -> Price | None:
        """The price of a model at an endpoint; None where it is unknown. What runs on this machine is free."""
        # The exact name first: a dated release can have a price of its own.
        price = self._table.get(endpoint.name) or self._table.get(_undated(endpoint.name))
        if price is not None:
            return price
        return FREE if endpoint.on_this_machine else listed_model(endpoint).price


def _undated(name: str) -> str:
    """``gpt-5-mini-2025-08-07`` is priced like ``gpt-5-mini``."""
    parts = name.rsplit("-", 3)
    dated = len(parts) == 4 and [len(part) for part in parts[1:]] == [4, 2, 2] and "".join(parts[1:]).isdigit()
    return parts[0] if dated else name


def _price(row: Any, place: str) -> Price:
    if not isinstance(row, dict) or not {"input", "output"} <= row.keys() <= _KEYS:
        raise WorkspaceError(f"{place}: expected input, output and at most cached, in dollars for a million tokens")
    for key, value in row.items():
        # True is a number in Python, and a price above a million is a slip of units.
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise WorkspaceError(f"{place}: {key}: not a price: {value!r}")
    return Price(**row)
