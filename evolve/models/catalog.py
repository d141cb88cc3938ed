"""What the package ``genai-prices`` says of models of known hosts; the only file that knows it.

Its data is part of the package: nothing is asked over the network. Loading it takes a third of a second, so that
happens only for an endpoint that is not on this machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from evolve.models.addressing import Endpoint
from evolve.models.costs import Price


@dataclass(frozen=True, kw_only=True)
class Listed:
    """A model in the list.

    Attributes:
        price: None where the list has no price for text in both directions.
        window: Most tokens that fit, or None.
    """

    price: Price | None = None
    window: int | None = None


def listed(endpoint: Endpoint) -> Listed:
    """What is listed of an endpoint's model; nothing where the host or the model is not in the list.

    The host is recognised by its address alone: another one may sell a model of the same name at another price.
    """
    if endpoint.on_this_machine:
        return Listed()
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, model = get_snapshot().find_provider_model(endpoint.model, None, None, endpoint.base_url)
    except LookupError:
        return Listed()
    prices = model.get_prices(datetime.now(tz=UTC))
    return Listed(price=_price(prices), window=model.context_window)


def _price(prices: Any) -> Price | None:
    rows = [getattr(prices, name, None) for name in ("input_mtok", "output_mtok", "cache_read_mtok")]
    if rows[0] is None or rows[1] is None:
        return None
    starts = sorted({tier.start for row in rows for tier in getattr(row, "tiers", ())})
    return Price(
        input=_at(rows[0], 0),
        output=_at(rows[1], 0),
        cached=None if rows[2] is None else _at(rows[2], 0),
        beyond=tuple(
            (
                start,
                Price(
                    input=_at(rows[0], start),
                    output=_at(rows[1], start),
                    cached=None if rows[2] is None else _at(rows[2], start),
                ),
            )
            for start in starts
        ),
    )


def _at(price: Any, start: int) -> float:
    """Dollars of a price with or without steps, for prompts that begin to be longer than ``start``."""
    steps = [tier.price for tier in getattr(price, "tiers", ()) if start > 0 and tier.start <= start]
    return float(steps[-1] if steps else getattr(price, "base", price))
