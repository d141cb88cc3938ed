"""What models cost; a price that no list has is unknown, not free."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evolve.errors import UsageError, WorkspaceError
from evolve.files import parse_toml, read_text
from evolve.models.addressing import Endpoint
from evolve.models.catalog import listed
from evolve.models.costs import FREE, Price

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
                text = read_text(own)
            except UsageError as error:
                raise WorkspaceError(str(error), hint=error.hint) from error
            self._table = _read(text, str(own))

    def of(self, endpoint: Endpoint) -> Price | None:
        """The price of a model at an endpoint; None where it is unknown. What runs on this machine is free."""
        # The exact name first: a dated release can have a price of its own.
        price = self._table.get(endpoint.name) or self._table.get(_undated(endpoint.name))
        if price is not None:
            return price
        return FREE if endpoint.on_this_machine else listed(endpoint).price


def _undated(name: str) -> str:
    """``gpt-5-mini-2025-08-07`` is priced like ``gpt-5-mini``."""
    parts = name.rsplit("-", 3)
    dated = len(parts) == 4 and [len(part) for part in parts[1:]] == [4, 2, 2] and "".join(parts[1:]).isdigit()
    return parts[0] if dated else name


def _read(text: str, place: str) -> dict[str, Price]:
    try:
        whole = parse_toml(text, place)
    except UsageError as error:
        raise WorkspaceError(str(error), hint=error.hint) from error
    return {name: _price(row, f"{place}: {name}") for name, row in _rows(whole, place).items()}


def _rows(whole: Mapping[str, Any], place: str) -> Mapping[str, Any]:
    rows = whole.get("models", {})
    if not isinstance(rows, dict):
        raise WorkspaceError(f"{place}: models: expected a table")
    return rows


def _price(row: Any, place: str) -> Price:
    if not isinstance(row, dict) or not {"input", "output"} <= row.keys() <= _KEYS:
        raise WorkspaceError(f"{place}: expected input, output and at most cached, in dollars for a million tokens")
    for key, value in row.items():
        # True is a number in Python, and a price above a million is a slip of units.
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1e6:
            raise WorkspaceError(f"{place}: {key}: not a price: {value!r}")
    return Price(**row)
