"""Who is put to the gate against the incumbent, and when.

A judgement costs many trials and a part of the error budget. To have every small step judged would cost more than to
judge where the steps lead; to wait too long would leave too little to prove anything.
"""

from __future__ import annotations

from evolve.optimizer.engine import Left
from evolve.optimizer.population import Member, Niche, Population, compare
from evolve.optimizer.targets import standing

PATIENCE = 8
"""Children in a row without a better rival, before the best one is judged."""

PROSPECTS, LAST_PROSPECTS = 4.0, 1.0
"""Square of wins minus losses over their number, from which a rival is worth a judgement: while there is time for more
of them, and when waiting longer would leave too little for one."""


class Rivals:
    """Members that did better than the incumbent and were not judged against it.

    Args:
        patience: See :data:`PATIENCE`.

    Attributes:
        incumbent: What a rival would replace.
    """

    def __init__(self, population: Population, incumbent: Member, *, patience: int = PATIENCE) -> None:
        self._population, self._patience = population, patience
        self.incumbent = incumbent
        self._judged: list[Niche] = [population.niche(incumbent)]
        self._ranked: dict[str, tuple[float, ...]] = {}
        self._since = 0

    @property
    def best(self) -> Member | None:
        """The rival with the best prospects, or None."""
        if not self._ranked:
            return None
        name = min(self._ranked, key=lambda name: (self._ranked[name], name))
        return self._population.members[name]

    def consider(self, member: Member) -> None:
        """Takes a new member in, if it did better than the incumbent and nobody who behaves like it was judged."""
        self._since += 1
        place = standing(member, self.incumbent)
        if place is None or self._population.niche(member) in self._judged:
            return
        self._ranked[member.candidate.digest] = place
        if self.best is member:
            self._since = 0

    def is_time(self, left: Left) -> bool:
        """Whether to have the best one judged now: nothing better came in a while, or later would be too late."""
        rival = self.best
        if rival is None:
            return False
        wins, losses = compare(rival, self.incumbent)
        net, pair = wins - losses, rival.cost + self.incumbent.cost
        prospects = net * abs(net) / max(1, wins + losses)
        price = pair * (min(left.pairs, left.wins * len(rival.trials) / net) if net > 0 else left.pairs)
        if left.cost is not None and left.cost < 1.25 * price:
            return prospects >= LAST_PROSPECTS or left.cost < 1.5 * left.wins * pair
        has_time = left.cost is None or left.cost >= 3 * price
        return self._since >= self._patience and prospects >= PROSPECTS and has_time

    def is_over(self, left: Left) -> bool:
        """Whether there is no rival, and no means to have another one judged."""
        return left.cost is not None and not self._ranked and left.cost < left.wins * self.incumbent.cost

    def judged(self, rival: Member, *, accepted: bool) -> None:
        """Notes a verdict on a rival; an accepted one is the incumbent from then on."""
        self._judged.append(self._population.niche(rival))
        if accepted:
            self.incumbent = rival
            self._judged = [self._population.niche(rival)]
        self._ranked = {}
        for member in self._population.members.values():
            self.consider(member)
        self._since = 0
