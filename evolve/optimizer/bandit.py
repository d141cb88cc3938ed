"""An engine that needs no model: typed mutations of workflows, chosen by how well each has paid lately.

Which operator to use is a bandit whose arms pay less as the easy gains are found, so old rewards count less than new
ones: discounted Thompson sampling (Raj and Kalyani, "Taming non-stationary bandits: a Bayesian approach", arXiv
1707.09727, 2017). Adaptive operator selection by such a bandit is that of Fialho et al., "Analyzing bandit-based
adaptive operator selection mechanisms", Annals of Mathematics and Artificial Intelligence 60 (2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from evolve.optimizer.engine import Candidate, EngineSettings, Trials
from evolve.optimizer.mutations import Operator, crossover, operators
from evolve.optimizer.population import Member, Population, compare
from evolve.optimizer.scope import Scope
from evolve.optimizer.targets import is_preferred, standing

CROSSOVER = "crossover"
KNOB_OPERATOR = "turn-knob"
TRIES = 400
"""Proposals in a row that are nothing new before the search gives up."""

FIRST, ALL = 8, 24
"""Tasks of the first look at a child, and of the whole screening."""

PER_JUDGEMENT = 8
"""Children between two judgements."""


CURIOSITY = 0.25
"""Share of choices that ask no statistics: a rare operator may be the only way to some place."""


class OperatorBandit:
    """Chooses among operators by discounted Thompson sampling over rewards of 0 and 1.

    Args:
        discount: What an old reward still counts after each play of any arm.
    """

    def __init__(self, names: Sequence[str], *, discount: float = 0.98) -> None:
        self._discount = discount
        self._paid = dict.fromkeys(names, 0.0)
        self._failed = dict.fromkeys(names, 0.0)

    def choose(self, random: Random) -> str:
        """The arm whose drawn rate of success is highest; now and then any arm."""
        if random.random() < CURIOSITY:
            return random.choice(list(self._paid))
        drawn = {name: random.betavariate(1 + self._paid[name], 1 + self._failed[name]) for name in self._paid}
        return max(drawn, key=lambda name: drawn[name])

    def reward(self, name: str, paid: float) -> None:
        """Notes how a play of an arm ended, from 0 to 1."""
        for arm in self._paid:
            self._paid[arm] *= self._discount
            self._failed[arm] *= self._discount
        self._paid[name] += paid
        self._failed[name] += 1.0 - paid


@dataclass(frozen=True, kw_only=True)
class BanditEngine:
    """Mutates workflows and keeps an archive of what it tried.

    Attributes:
        scope: What may be changed, and which changes no trial could show.
        skills: Skill stages that may be inserted.
        per_judgement: Children between two judgements.
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: Scope = field(default_factory=Scope)
    skills: tuple[str, ...] = ()
    per_judgement: int = PER_JUDGEMENT
    name: str = "bandit"

    def search(self, trials: Trials, start: Candidate) -> str:
        """Searches until the budget ends, nothing new is within reach, or all proposals were made."""
        return _Search(self, trials, start).run()


class _Search:
    def __init__(self, engine: BanditEngine, trials: Trials, start: Candidate) -> None:
        self._engine, self._trials = engine, trials
        self._random = Random(f"bandit:{engine.settings.seed}")
        self._operators = {one.name: one for one in usable(engine)}
        self._bandit = OperatorBandit([*self._operators, CROSSOVER])
        self._tasks = [view.id for view in trials.tasks][:ALL]
        self._population = Population()
        self._judged: set[str] = {start.digest}
        self._incumbent = self._population.add(start, trials.screen(start, self._tasks))
        self._rivals: list[tuple[tuple[float, ...], str]] = []

    def run(self) -> str:
        proposals, since, barren = 0, 0, 0
        most = self._engine.settings.proposals
        while most is None or proposals < most:
            parent = self._population.parent(self._random)
            name = self._bandit.choose(self._random)
            child = self._child(name, parent)
            if child is None:
                barren += 1
                self._bandit.reward(name, 0.0)
                if barren >= TRIES:
                    self._judge_best()
                    return f"none of the last {TRIES} changes gave anything new"
                continue
            barren = 0
            proposals += 1
            since += 1
            member = self._screened(child, parent)
            self._consider(member)
            self._bandit.reward(name, self._paid(member, parent))
            if since >= self._engine.per_judgement or self._is_late():
                since = 0
                if not self._judge_best() and self._is_late():
                    return "what is left of the budget covers no further judgement"
        self._judge_best()
        return f"all {most} proposals made"

    def _child(self, name: str, parent: Member) -> Candidate | None:
        before = parent.candidate
        if name == CROSSOVER:
            partner = self._population.partner(self._random, parent)
            if partner is None:
                return None
            made = crossover(before.workflow, partner.candidate.workflow, self._random)
            why = "takes parts of a candidate that is better on other tasks"
            parents: tuple[str, ...] = (before.digest, partner.candidate.digest)
        else:
            operator = self._operators[name]
            found = operator.apply(before.workflow, self._random)
            if found is None:
                return None
            made, why, parents = found, operator.why, (before.digest,)
        workflow = self._engine.scope.fitted(made)
        if not self._engine.scope.shows(before.workflow, workflow):
            return None
        child = Candidate(workflow=workflow, prompts=before.prompts, parents=parents, operator=name, why=why)
        return None if child.digest in self._population else child

    def _screened(self, child: Candidate, parent: Member) -> Member:
        """The child's trials: all of them only where the first do not already speak against it."""
        first = self._trials.screen(child, self._tasks[:FIRST])
        look = Member(candidate=child, trials={one.task: one for one in first if one.informative})
        wins, losses = compare(look, parent)
        rest = self._tasks[FIRST:]
        if rest and losses <= wins + 1:
            first = [*first, *self._trials.screen(child, rest)]
        return self._population.add(child, first)

    def _paid(self, member: Member, parent: Member) -> float:
        """1 for a gain, a half for behaviour that nobody showed before, which later gains may start from.

        A quarter where at least something changed, nothing for what makes no difference.
        """
        wins, losses = compare(member, parent)
        if wins > losses or is_preferred(member, parent):
            return 1.0
        if self._population.is_novel(member):
            return 0.5
        return 0.25 if self._population.differs(member, parent) else 0.0

    def _is_late(self) -> bool:
        left = self._trials.left().judgements
        return left is not None and left <= 1

    def _judge_best(self) -> bool:
        """Has the gate judge the member that did best against the incumbent, where one did better at all."""
        if not self._rivals:
            return False
        best = self._population.members[min(self._rivals)[-1]]
        self._judged.add(best.candidate.digest)
        if self._trials.judge(best.candidate, self._incumbent.candidate).accepted:
            self._incumbent = best
        self._rivals = []
        for member in self._population.members.values():
            self._consider(member)
        return True

    def _consider(self, member: Member) -> None:
        """Notes a member that did better than the incumbent and was not judged yet."""
        place = standing(member, self._incumbent)
        if place is not None and member.candidate.digest not in self._judged:
            self._rivals.append((place, member.candidate.digest))


def usable(engine: BanditEngine) -> tuple[Operator, ...]:
    """The operators that may be used: all, or only that which turns knobs."""
    found = operators(engine.skills)
    return tuple(one for one in found if one.name == KNOB_OPERATOR) if engine.settings.only == "knobs" else found
