"""Draws which recalled items are withheld, so that their use can be measured; by seed, task and item alone.

Whatever the order of episodes, and whichever variant acts, the same item is drawn alike on the same task. So two
variants that share an item have it withheld together (common random numbers).
"""

from __future__ import annotations

from evolve.core.files import digest

_SCALE = 1 << 32  # of eight hexadecimal digits


def sampling_fraction(seed: int, task: str, item: str) -> float:
    """A number in [0, 1), uniform over items and tasks; an item is withheld where it is below the share wanted."""
    return int(digest(f"{seed}:{task}:{item}")[:8], 16) / _SCALE
