"""Combining several scorings of the same items into one ranking."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def fuse(rankings: Sequence[tuple[float, Mapping[str, float]]]) -> list[tuple[str, float]]:
    """Weighted sum of scores, each scoring first stretched to [0, 1] over the items it names.

    Scores are fused and not ranks: where one arm is much the stronger, adding ranks throws away
    how sure it is and costs ten points of recall (measured on conversations; equal arms do not care).

    Args:
        rankings: Pairs of weight and score by id. An item that a scoring does not name gets 0
            from it; a scoring that cannot tell its items apart gives each of them 1.

    Returns:
        Ids with fused scores, best first, equal scores by id.
    """
    total: dict[str, float] = {}
    for weight, scores in rankings:
        if not scores:
            continue
        low, high = min(scores.values()), max(scores.values())
        for name, score in scores.items():
            share = (score - low) / (high - low) if high > low else 1.0
            total[name] = total.get(name, 0.0) + weight * share
    return sorted(total.items(), key=lambda item: (-item[1], item[0]))
