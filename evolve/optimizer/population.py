"""The candidates that one search has tried, and the choice of which to build on next.

Two sources of parents. The *front* is a small Pareto set over tasks and cost: who does best on some task, at about the
least cost. *Stepping stones* are everybody else, in niches of the same behaviour: the better and the less often built
on, the likelier. Without them a search ends where every single change makes things worse: of 50 deceptive landscapes
(``benchmarks/landscapes``) a greedy search reaches the optimum in none, this one in 49. Sources: per-task fronts are
those of Agrawal et al., "GEPA", arXiv 2507.19457 (2025); niches with few visits first are those of Mouret and Clune,
"Illuminating search spaces by mapping elites", arXiv 1504.04909 (2015).
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from random import Random

from evolve.optimizer.engine import Candidate, Trial

BAND = 1.25
"""On a task, whoever costs at most this many times the least is as cheap as the cheapest."""

_PER_TASK = 4
"""Members of the front per task at most, so that an easy task does not fill it."""

_TEMPERATURE = 0.05
"""A niche whose score is lower by this much is built on 2.7 times less often."""

_FRONT_SHARE = 0.3
"""Share of the parents that come from the front; the others are stepping stones."""

_STONES = 128
"""Niches that stepping stones come from, the best ones."""

_PATIENCE = 40.0
"""Visits after which a niche is a quarter as likely: whatever is next to it has mostly been seen."""


@dataclass(kw_only=True)
class Member:
    """A candidate with what its trials said.

    Attributes:
        children: How often it was built on.
    """

    candidate: Candidate
    trials: dict[str, Trial]
    children: int = 0

    @property
    def score(self) -> float:
        """Mean score over informative trials; 0 without any."""
        return sum(trial.score for trial in self.trials.values()) / len(self.trials) if self.trials else 0.0

    @property
    def cost(self) -> float:
        """Mean cost of a trial."""
        return sum(trial.cost for trial in self.trials.values()) / len(self.trials) if self.trials else 0.0

    @property
    def target(self) -> float | None:
        """Mean target of the trials that have one; None where none has."""
        known = [trial.target for trial in self.trials.values() if trial.target is not None]
        return sum(known) / len(known) if known else None


@dataclass(eq=False)
class Niche:
    """Members of the same behaviour.

    Attributes:
        worth: How good it is to build on them, above 0.
        visits: How often they were built on.
    """

    members: list[Member] = field(default_factory=list)
    worth: float = 0.0
    visits: int = 0


class Population:
    """The members of one search. Deterministic given the order of calls and the generators passed in."""

    def __init__(self) -> None:
        self.members: dict[str, Member] = {}
        self._best: dict[str, list[Member]] = {}
        self._niches: dict[tuple[object, ...], Niche] = {}
        self._niche: dict[str, Niche] = {}
        self._ranked: list[tuple[float, int, Niche]] = []

    def __contains__(self, digest: str) -> bool:
        return digest in self.members

    def add(self, candidate: Candidate, trials: Sequence[Trial], *, like: Member | None = None) -> Member:
        """Takes a candidate in; trials that say nothing of it are left out.

        Args:
            like: A member that it cannot be told from so far: it shares that one's niche, and on tasks that it was
                not tried on it counts as that one does.
        """
        member = Member(candidate=candidate, trials={trial.task: trial for trial in trials if trial.informative})
        self.members[candidate.digest] = member
        for trial in member.trials.values():
            if trial.score > 0.0:  # to fail cheaply is no merit
                self._compete(trial.task, member)
        if like is not None:
            member.trials = {**like.trials, **member.trials}
        niche = self._niche[like.candidate.digest] if like is not None else self._fitting(member)
        niche.members.append(member)
        self._niche[candidate.digest] = niche
        return member

    def niche(self, member: Member) -> Niche:
        """The niche of a member of this population."""
        return self._niche[member.candidate.digest]

    def is_novel(self, member: Member) -> bool:
        """Whether nobody else behaves like it: the same scores at about the same cost."""
        return len(self.niche(member).members) == 1

    def front(self) -> list[tuple[Member, int]]:
        """Members of the Pareto set with the number of tasks on which they are among the best."""
        wins: dict[str, int] = {}
        for leaders in self._best.values():
            for member in leaders:
                name = member.candidate.digest
                wins[name] = wins.get(name, 0) + 1
        return [(self.members[name], number) for name, number in wins.items()]

    def parent(self, random: Random) -> Member:
        """Draws whom to build on, and counts it.

        Raises:
            IndexError: Nothing was taken in yet.
        """
        if random.random() < _FRONT_SHARE:
            front = self.front()
            weights = [number**2 / math.sqrt(1.0 + member.children) for member, number in front]
            chosen = random.choices([member for member, _ in front], weights)[0] if front else None
        else:
            chosen = None
        chosen = chosen or self._draw_stepping_stone(random)
        chosen.children += 1
        self.niche(chosen).visits += 1
        return chosen

    def partner(self, random: Random, of: Member) -> tuple[Member, str] | None:
        """Somebody who is among the best on a task where ``of`` is not, and the task; None where there is nobody."""
        weak = [task for task, leaders in self._best.items() if of not in leaders]
        if not weak:
            return None
        task = random.choice(weak)
        return random.choice(self._best[task]), task

    def best(self) -> list[Member]:
        """All members, the highest score first, among equals the cheapest."""
        return sorted(self.members.values(), key=lambda member: (-member.score, member.cost, member.candidate.digest))

    def _draw_stepping_stone(self, random: Random) -> Member:
        """Somebody of the better niches, those with few visits first; within a niche whoever has fewer children."""
        niches = [niche for _, _, niche in self._ranked[:_STONES]]
        weights = [niche.worth / (1.0 + niche.visits / _PATIENCE) ** 2 for niche in niches]
        same = random.choices(niches, weights)[0].members
        return min(random.sample(same, min(2, len(same))), key=lambda member: member.children)

    def _fitting(self, member: Member) -> Niche:
        """The niche of its behaviour, made where there is none."""
        key = behaviour(member.trials.values())
        if key not in self._niches:
            self._niches[key] = Niche(worth=math.exp((member.score - 1.0) / _TEMPERATURE))
            insort(self._ranked, (-member.score, len(self._niches), self._niches[key]))
        return self._niches[key]

    def _compete(self, task: str, member: Member) -> None:
        leaders = [*self._best.get(task, ()), member]
        top = max(rival.trials[task].score for rival in leaders)
        leaders = [rival for rival in leaders if rival.trials[task].score == top]
        least = min(rival.trials[task].cost for rival in leaders)
        leaders = [rival for rival in leaders if rival.trials[task].cost <= BAND * least]
        # A task that everybody solves would otherwise fill the front with everybody.
        leaders.sort(key=lambda rival: (-rival.score, -(rival.trials[task].target or 0.0), rival.cost))
        self._best[task] = leaders[:_PER_TASK]


def compare(child: Member, other: Member) -> tuple[int, int]:
    """On how many tasks the child did better and worse than another: by score, then by a fifth of the cost."""
    wins = losses = 0
    for task, mine in child.trials.items():
        theirs = other.trials.get(task)
        if theirs is None:
            continue
        if mine.score != theirs.score:
            wins += mine.score > theirs.score
            losses += mine.score < theirs.score
        elif mine.solved:
            wins += 5 * mine.cost <= 4 * theirs.cost and mine.cost < theirs.cost
            losses += 5 * theirs.cost <= 4 * mine.cost and theirs.cost < mine.cost
    return wins, losses


def behaviour(trials: Iterable[Trial]) -> tuple[object, ...]:
    """What tells a candidate from others by its trials: per task score and target, and the order of its mean cost."""
    ordered = sorted(trials, key=lambda trial: trial.task)
    cost = sum(trial.cost for trial in ordered) / max(1, len(ordered))
    return (tuple((trial.task, round(trial.score, 2), trial.target) for trial in ordered), int(math.log2(cost + 1.0)))
