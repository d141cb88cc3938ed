"""What episodes have taken so far in this process, from which is foretold what further ones will take."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from evolve.core.episodes import Cost
from evolve.core.ledger import Budget, Spent

KINDS: tuple[str, ...] = tuple(item.name for item in fields(Budget))


@dataclass
class EpisodePace:
    """Means over the episodes of this process, however many of them run side by side.

    Attributes:
        seconds: Wall time while any of them ran.
        latest: Wall seconds of one of them, as of the newest that ran together.
        fitting: Wall seconds that fitting a guide takes, as far as is known; 0 before one was fitted.
    """

    episodes: int = 0
    cost: Cost = field(default_factory=Cost)
    seconds: float = 0.0
    latest: float = 0.0
    fitting: float = 0.0

    def record_episodes(self, costs: list[Cost], seconds: float, at_once: int) -> None:
        """Takes in episodes that ran together, ``at_once`` of them at a time."""
        if costs:
            self.episodes += len(costs)
            self.cost = sum(costs, self.cost)
            self.seconds += seconds
            self.latest = seconds * min(at_once, len(costs)) / len(costs)

    def expected_spending(self, episodes: int, *, fits: int = 0) -> Spent:
        """What so many episodes will take, and fitting so many guides; nothing where nothing is known yet."""
        share = episodes / self.episodes if self.episodes else 0.0
        counts = {name: getattr(self.cost, name) * share for name in ("money", "candidates", "tokens", "calls")}
        whole: dict[str, Any] = {name: count if name == "money" else round(count) for name, count in counts.items()}
        return replace(Spent(**whole), seconds=self.seconds * share + fits * self.fitting)
