"""Decides which candidate the gate judges against the incumbent, and when.

A judgement costs many episodes, of which only so many are set aside, and makes the next one stricter. To have every
small step judged would waste them; to wait too long would leave the search nothing to build on. So the best rival is
judged when the search has spent as much without finding a better one as the judgement will cost, which is never more
than twice what whoever knew the future would spend (the rule of ski rental: Karlin et al., "Competitive snoopy
caching", Algorithmica 3, 1988), or when the search can pay for little more.
"""

from __future__ import annotations

from evolve.optimizer.engine import Left
from evolve.optimizer.population import Member, Niche, Population, compare
from evolve.optimizer.targets import standing

SCREENING, FEWEST = 24, 8
"""Trials that the next child may cost, and that it takes at least to tell one that is better."""

PROSPECTS, LAST_PROSPECTS = 4.0, 1.0
"""Square of wins minus losses over their number, from which a rival is worth a judgement: while there is time for more
of them, and when waiting longer would leave too little for one."""


class Rivals:
    """Members that did better than the incumbent and were not judged against it.

    Attributes:
        incumbent: What a rival would replace.
    """

    def __init__(self, population: Population, incumbent: Member) -> None:
        self._population = population
        self.incumbent = incumbent
        self._judged: list[Niche] = [population.niche(incumbent)]
        self._ranked: dict[str, tuple[float, ...]] = {}
        self._spent = 0.0

    @property
    def best(self) -> Member | None:
        """The rival with the best prospects, or None."""
        if not self._ranked:
            return None
        name = min(self._ranked, key=lambda name: (self._ranked[name], name))
        return self._population.members[name]

    def consider(self, member: Member, *, spent: float = 0.0) -> None:
        """Takes a new member in, if it did better than the incumbent and nobody who behaves like it was judged.

        Args:
            spent: What its trials cost.
        """
        self._spent += spent
        place = standing(member, self.incumbent)
        if place is None or self.was_judged(member):
            return
        self._ranked[member.candidate.digest] = place
        if self.best is member:
            self._spent = 0.0

    def was_judged(self, member: Member) -> bool:
        """Whether it, or one that behaves like it, was judged against this incumbent, or is the incumbent."""
        return self._population.niche(member) in self._judged

    def is_time(self, left: Left) -> bool:
        """Whether to have the best one judged now; see the module's text."""
        rival = self.best
        if rival is None:
            return False
        wins, losses = compare(rival, self.incumbent)
        prospects = (wins - losses) * abs(wins - losses) / max(1, wins + losses)
        if not self.has_means_for(rival, left):
            return prospects >= LAST_PROSPECTS or (left.cost or 0.0) < SCREENING * rival.cost
        return self._spent >= self._price(rival, left) and prospects >= PROSPECTS

    def has_means_for(self, rival: Member, left: Left, *, trials: int = SCREENING, margin: float = 1.5) -> bool:
        """Whether so many more trials at the rival's cost can be paid for.

        Args:
            margin: Times what they are expected to cost.
        """
        return left.cost is None or left.cost >= margin * trials * rival.cost

    def _price(self, rival: Member, left: Left) -> float:
        """What a judgement of the rival will cost, going by its trials."""
        wins, losses = compare(rival, self.incumbent)
        net = wins - losses
        pairs = min(left.pairs, left.wins * len(rival.trials) / net) if net > 0 else left.pairs
        return pairs * (rival.cost + self.incumbent.cost)

    def is_over(self, left: Left) -> bool:
        """Whether nothing can be judged any more, or there is no rival and no means to find one."""
        spent = left.cost is not None and left.cost < FEWEST * self.incumbent.cost
        return left.judgements == 0 or (spent and not self._ranked)

    def judged(self, rival: Member, *, accepted: bool) -> None:
        """Notes a verdict on a rival; an accepted one is the incumbent from then on."""
        self._judged.append(self._population.niche(rival))
        if accepted:
            self.incumbent = rival
            # Verdicts against the old incumbent say nothing of the new one.
            self._judged = [self._population.niche(rival)]
        self._ranked = {}
        for member in self._population.members.values():
            self.consider(member)
        self._spent = 0.0
