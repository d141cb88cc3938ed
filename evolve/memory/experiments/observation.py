"""What episodes suggest before any experiment: which actions may matter. That makes experiments fewer.

Whatever leads to an action may lead to the effect as well, so none of this is evidence.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from evolve.memory.experiments.replays import Trace

RARE = 0.2
"""Up to this share of its episodes an effect is thought to have come, or been reported, by accident."""
LITTLE = 3
"""With more episodes than this one of them may be such an accident."""


@dataclass(kw_only=True)
class Seen:
    """Which actions stood before an effect in the episodes in which it came."""

    _actions: set[str] = field(default_factory=set)
    _before: dict[str, list[frozenset[str]]] = field(default_factory=lambda: defaultdict(list))

    def add(self, trace: Trace) -> None:
        """Takes in an episode that nobody planned to end in the effect."""
        self._actions |= set(trace.actions)
        if not trace.outcome.fault:
            for effect in trace.outcome.reached:
                self._before[effect].append(frozenset(trace.before(effect)))

    @property
    def actions(self) -> frozenset[str]:
        """Every action that was ever taken."""
        return frozenset(self._actions)

    def times(self, effect: str) -> int:
        """In how many episodes the effect came."""
        return len(self._before[effect])

    def always(self, effect: str) -> frozenset[str]:
        """Actions that stood before the effect nearly whenever it came."""
        ways = self._before[effect]
        return frozenset(one for one in self._actions if sum(one not in way for way in ways) <= _accidents(ways))

    def never(self, effect: str) -> frozenset[str]:
        """Actions that hardly ever stood before the effect when it came."""
        ways = self._before[effect]
        return frozenset(one for one in self._actions if sum(one in way for way in ways) <= _accidents(ways))

    def instead(self, effect: str, action: str) -> frozenset[str]:
        """Actions that stood before the effect whenever it came without another, which was twice at least."""
        without = [way for way in self._before[effect] if action not in way]
        return frozenset.intersection(*without) if len(without) > 1 else frozenset()


def _accidents(ways: Sequence[frozenset[str]]) -> float:
    return max(RARE * len(ways), float(len(ways) > LITTLE))
