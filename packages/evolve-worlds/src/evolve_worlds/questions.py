"""What a world asks back, where a move could mean one of several things."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from evolve_worlds.world import Move, is_tellable

_NUMBERED = re.compile(r"\s*(\d+)\s*[:.)]\s*(.+)")
_LONGEST = 200
"""Characters of what a number means."""


def choices(told: str, moves: Callable[[], Sequence[Move]]) -> dict[str, str]:
    """What each number means where the world asks which of several is meant; empty where it asks nothing.

    It asks where nothing but numbers is possible, all of them among those that it told.

    Args:
        told: What the world said last.
        moves: What is possible now; called only where lines with numbers were told, as a list may take the world long.
    """
    lines = [found for line in told.splitlines() if (found := _NUMBERED.match(line))]
    numbered = {found[1]: "".join(filter(is_tellable, found[2]))[:_LONGEST] for found in lines}
    offered = [move.text for move in moves()] if numbered else []
    return {number: numbered[number] for number in offered} if set(offered) <= set(numbered) else {}
