"""What a world asks back, where a move could mean one of several things."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evolve.worlds.world import Move

_NUMBERED = re.compile(r"\s*(\d+)\s*[:.)]\s*(.+)")


def choices(told: str, moves: Sequence[Move]) -> dict[str, str]:
    """What each number means where the world asks which of several is meant; empty where it asks nothing.

    Args:
        told: What the world said last.
        moves: What is possible now: a number that only stands in a text is none.
    """
    lines = [found for line in told.splitlines() if (found := _NUMBERED.match(line))]
    numbered: dict[str, str] = {found[1]: found[2] for found in lines}
    offered = {move.text for move in moves} if numbered else set[str]()
    return {number: text for number, text in numbered.items() if number in offered}
