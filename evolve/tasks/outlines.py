"""What rows look like, whatever stands in them."""

from __future__ import annotations

import re

from evolve.episodes import Json, Row
from evolve.files import canonical_json


def row_outline(row: Row) -> str:
    """A rough outline of a row: runs of letters, digits and blanks, sizes of lists, signs of numbers."""
    text = canonical_json([_outline(value) for value in (*row.input, row.output)])
    return re.sub(r"(.)\1+", r"\1", text)


def _outline(value: Json) -> Json:
    if isinstance(value, str):
        outline = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+", "0", re.sub(r"\s+", " ", value)))
        return outline[:40]
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        return "-" if value < 0 else "0" if value == 0 else "+"
    if isinstance(value, list):
        return [min(len(value), 3)]
    return {key: _outline(item) for key, item in value.items()}
