"""Rows and values in the words of a sentence; what is long is cut short, since the record has all of it."""

from __future__ import annotations

import json

from evolve.core.episodes.actions import OutlierRow
from evolve.core.episodes.views import Json, Row

_LONGEST_VALUE = 200
"""Characters of a value that a sentence about it shows."""


def value_text(value: Json) -> str:
    """A value, or the error in its place."""
    if isinstance(value, dict) and set(value) == {"error"}:
        return f"the error {str(value['error'])[:_LONGEST_VALUE]}"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"


def call_text(entry: str, row: Row | OutlierRow) -> str:
    """The call that a row is about."""
    return f"{entry}({', '.join(map(value_text, row.input))})"


def outlier_text(entry: str, misfit: OutlierRow) -> str:
    """A row that a function does not reproduce."""
    says, gives = value_text(misfit.given), value_text(misfit.expected)
    return f"for {call_text(entry, misfit)} it says {says}, the function gives {gives}"
