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

from evolve.optimizer.engine import Candidate, Engine, EngineSettings, Left, Trial, Trials
from evolve.optimizer.engine_kind import EngineKind, EngineParts
from evolve.optimizer.linkage import Linkage, parts_between
from evolve.optimizer.mutations import Operator, crossover, knob_operators, mixed, single_operators
from evolve.optimizer.population import BAND, Member, Population, compare
from evolve.optimizer.rivals import Rivals
from evolve.optimizer.scope import Scope
from evolve.optimizer.targets import is_preferred
from evolve.workflow import Workflow, differences

CROSSOVER = "crossover"
TRANSPLANT = "transplant"
TOGETHER = "change-together"
LEAVE_OUT = "leave-out"
"""Names of changes that need more than one workflow or part; in records they stand beside those of operators."""

TRIES = 400
"""Proposals in a row that are nothing new before the search gives up."""

LOOKS = (3, 8, 24)
"""Tasks tried before each decision whether a child is worth more of them."""

ALL = LOOKS[-1]
"""Tasks of a whole screening."""

CURIOSITY = 0.25
"""Share of choices that ask no statistics: a rare operator may be the only way to some place."""


class OperatorBandit:
    """Chooses among operators by discounted Thompson sampling over rewards of 0 and 1.

    Args:
        discount: What an old reward still counts after each play of any arm.
    """

    def __init__(self, names: Sequence[str], *, discount: float = 0.99) -> None:
        self._discount = discount
        self._paid = dict.fromkeys(names, 0.0)
        self._failed = dict.fromkeys(names, 0.0)

    def choose(self, random: Random) -> str:
        """The arm whose drawn rate of success is highest; now and then any arm."""
        if random.random() < CURIOSITY:
            return random.choice(list(self._paid))
        rates = {name: random.betavariate(1 + self._paid[name], 1 + self._failed[name]) for name in self._paid}
        return max(rates, key=lambda name: rates[name])

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
    """

    settings: EngineSettings = field(default_factory=EngineSettings)
    scope: Scope = field(default_factory=Scope)
    skills: tuple[str, ...] = ()
    name: str = "bandit"

    def search(self, trials: Trials, start: Candidate) -> str:
        """Searches until the budget ends, nothing new is within reach, or all proposals were made."""
        return _BanditSearch(self, trials, start).run()


class _BanditSearch:
    def __init__(self, engine: BanditEngine, trials: Trials, start: Candidate) -> None:
        self._engine, self._trials = engine, trials
        self._random = Random(f"bandit:{engine.settings.seed}")
        self._operators = {operator.name: operator for operator in usable(engine)}
        self._bandit = OperatorBandit([*self._operators, CROSSOVER, TRANSPLANT, TOGETHER])
        self._tasks = [view.id for view in trials.tasks][:ALL]
        self._population = Population()
        self._linkage = Linkage()
        first = self._population.add(start, trials.screen(start, self._tasks))
        self._rivals = Rivals(self._population, first)

    def run(self) -> str:
        proposals, barren = 0, 0
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
            member = self._screened(child, parent)
            self._bandit.reward(name, self._reward(member, parent))
            if self._rivals.is_time(self._left):
                self._judge_best()
            if self._rivals.is_over(self._left):
                return "what is left of the budget covers no further judgement"
        self._judge_best()
        return f"all {most} proposals made"

    def _child(self, name: str, parent: Member) -> Candidate | None:
        before = parent.candidate
        change = self._draw_change(name, parent)
        if change is None:
            return None
        proposed, why, other = change
        parents = (before.digest, other) if other else (before.digest,)
        workflow = self._engine.scope.fitted(proposed)
        if not self._engine.scope.shows(before.workflow, workflow):
            return None
        changed = "; ".join(str(difference).removeprefix("~ ") for difference in differences(before.workflow, workflow))
        child = Candidate(
            workflow=workflow, prompts=before.prompts, parents=parents, operator=name, why=f"{why} ({changed})"
        )
        return None if child.digest in self._population else child

    def _draw_change(self, name: str, parent: Member) -> tuple[Workflow, str, str] | None:
        """A changed workflow, why it was changed, and the digest of a second parent or ""; None if nothing changed."""
        before, random = parent.candidate.workflow, self._random
        if name in self._operators:
            workflow = self._operators[name].apply(before, random)
            return None if workflow is None else (workflow, self._operators[name].why, "")
        if name == TOGETHER:
            weak = [task for task, trial in parent.trials.items() if trial.score < 1.0]
            workflow = self._linkage.changed(before, random.choice(weak), random) if weak else None
            return None if workflow is None else (workflow, "changes together what a task was seen to hang on", "")
        rival = self._population.partner(random, parent)
        if rival is None:
            return None
        partner, task = rival
        donor = partner.candidate
        if name == CROSSOVER:
            crossed = crossover(before, donor.workflow, random)
            return crossed, "takes parts of a candidate that is better on other tasks", donor.digest
        transplanted = self._linkage.taken(before, donor.workflow, task)
        return None if transplanted is None else (transplanted, "takes over what a task hangs on", donor.digest)

    def _screened(self, child: Candidate, parent: Member) -> Member:
        """The child's trials: only as many as it takes to see that it is like its parent, or worse."""
        trials: list[Trial] = []
        like, tasks = None, self._tasks_for(parent)
        for number, most in enumerate(LOOKS):
            if len(trials) == len(tasks):
                break
            trials += self._trials.screen(child, tasks[len(trials) : most])
            look = Member(candidate=child, trials={trial.task: trial for trial in trials if trial.informative})
            like = parent if _are_alike(look, parent, exactly=number == 0) else None
            wins, losses = compare(look, parent)
            if like is not None or (number > 0 and wins < losses):
                break
        member = self._population.add(child, trials, like=like)
        self._linkage.note(parent.candidate.workflow, child.workflow, _tasks_that_differ(member, parent))
        self._rivals.consider(member, spent=sum(trial.cost for trial in trials))
        return member

    def _tasks_for(self, parent: Member) -> list[str]:
        """The tasks, two that the parent fails on for every one that it solves: gains show on the former."""
        failed: list[str] = []
        solved: list[str] = []
        for name in self._tasks:
            (solved if name in parent.trials and parent.trials[name].score == 1.0 else failed).append(name)
        ordered: list[str] = []
        while failed or solved:
            ordered += [*failed[:2], *solved[:1]]
            del failed[:2], solved[:1]
        return ordered

    def _reward(self, member: Member, parent: Member) -> float:
        """1 for a gain, a half for behaviour that nobody showed before, which later gains may start from.

        A quarter where at least something changed, nothing for what makes no difference.
        """
        wins, losses = compare(member, parent)
        if wins > losses or is_preferred(member, parent):
            return 1.0
        if self._population.is_novel(member):
            return 0.5
        return 0.25 if self._population.niche(member) is not self._population.niche(parent) else 0.0

    def _judge_best(self) -> None:
        """Has the gate judge the best rival, where there is one, without what makes no difference to it."""
        best = self._rivals.best
        if best is not None:
            best = self._without_idle_changes(best)
            judgement = self._trials.judge(best.candidate, self._rivals.incumbent.candidate)
            self._rivals.judged(best, accepted=judgement.accepted)

    def _without_idle_changes(self, rival: Member) -> Member:
        """The rival with the incumbent's parts wherever that makes it no worse: what did not help is not proposed."""
        incumbent = self._rivals.incumbent.candidate.workflow
        changed = parts_between(incumbent, rival.candidate.workflow)
        # First what no task is known to hang on; and only while enough is left.
        for part in sorted(changed, key=self._linkage.matters):
            if not self._rivals.has_means_for(rival, self._left, trials=LOOKS[1], margin=1.2):
                break
            workflow = mixed(rival.candidate.workflow, incumbent, part.__eq__)
            if workflow is None or workflow in (incumbent, rival.candidate.workflow):
                continue
            before = rival.candidate
            child = Candidate(
                workflow=workflow,
                prompts=before.prompts,
                parents=(before.digest,),
                operator=LEAVE_OUT,
                why=f"leaves out a change that made no difference ({part.partition(':')[2]})",
            )
            known = self._population.members.get(child.digest)
            member = known if known is not None else self._screened(child, rival)
            wins, losses = compare(member, rival)
            # What was judged already must not come back as the leaner form of another rival.
            is_comparable = member.trials.keys() >= rival.trials.keys()
            if is_comparable and wins >= losses and not self._rivals.was_judged(member):
                rival = member
        return rival

    @property
    def _left(self) -> Left:
        return self._trials.left()


def _are_alike(look: Member, parent: Member, *, exactly: bool) -> bool:
    """Whether no task that both tried tells them apart, by score or by a fifth of the cost.

    Args:
        exactly: The costs must be the same, and measured: one that is equal on all tasks is a limit they ran into.
    """
    shared = [(trial, parent.trials[name]) for name, trial in look.trials.items() if name in parent.trials]
    if exactly and len({mine.cost for mine, _ in shared}) < 2:
        return False
    room = 1.0 if exactly else BAND
    return bool(shared) and all(
        (mine.score, mine.target) == (theirs.score, theirs.target)
        and mine.cost <= room * theirs.cost
        and theirs.cost <= room * mine.cost
        for mine, theirs in shared
    )


def _tasks_that_differ(member: Member, parent: Member) -> list[str]:
    """The tasks that ended with another score than the parent's."""
    both = [(name, trial, parent.trials[name]) for name, trial in member.trials.items() if name in parent.trials]
    return [name for name, mine, theirs in both if mine.score != theirs.score]


def usable(engine: BanditEngine) -> tuple[Operator, ...]:
    """The operators that may be used: all, or only those that turn knobs."""
    if engine.settings.only == "knobs":
        return knob_operators()
    return single_operators(engine.skills)


def _bandit(parts: EngineParts) -> Engine:
    return BanditEngine(settings=parts.settings, scope=parts.scope)


BANDIT = EngineKind(name="bandit", changes=frozenset({"workflow", "knobs"}), make=_bandit)
"""As it is registered."""
