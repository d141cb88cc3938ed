"""What models cost: by a workspace's own prices, else by the package ``genai-prices``, which only this file knows.

A price that no list has is unknown, not free. The data of the package is part of it: nothing is asked over the network.
Loading it takes a third of a second, so that happens only for an endpoint that is not on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from evolve.core.errors import UsageError, WorkspaceError
from evolve.core.files import parse_toml, read_text
from evolve.runtime.models.addressing import Endpoint
from evolve.runtime.models.costs import FREE, Price


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

    def of(self, endpoint: Endpoint) -> Price | None:
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
