"""A comparison within a run: the one change between two arms, its pairs, and what they say.

What is compared (a variant with its parent, an arm with itself without one item, learned with unlearned) is the
caller's. Pairs go through the gate's runner: both arms get the same tasks and seeds in turns.

A comparison of whole variants is decided by the gate's sequential test, which looks after every pair
(:class:`evolve.trials.gate.SequentialTest`). Single claims gather evidence pair by pair: by :func:`by_success` where
chance has a part in the outcome and a posterior counts the pairs, by :func:`by_cost` where the search repeats itself.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from evolve.core.episodes import Claim, EpisodeRecord, Evidence, Limits, Relation, Row
from evolve.memory import Insight
from evolve.policies.base import PromptEdit
from evolve.policies.language.prompt_items import parse_prompt, revise
from evolve.tasks import Task
from evolve.tasks.model import SplitName
from evolve.trials.bench import ARMS_KEPT
from evolve.trials.gate import BudgetRefused, Comparison, Job, Pair, PairedRunner, SequentialTest, is_fresh, is_verified
from evolve.trials.jobs import Attempt, EpisodeJob
from evolve.trials.learned_state import LearnedState
from evolve.trials.paid_run import BudgetedRun

if TYPE_CHECKING:
    from evolve.trials.replay import EpisodePrefix


@dataclass(frozen=True, kw_only=True)
class Change:
    """What an arm lacks, or has otherwise, beside one that is the same in all else; nothing by default.

    Attributes:
        items: Ids of insights, notes and preferences that are not recalled.
        skills: Digests of skills that are not offered.
        causes: Causes of insights that the policy does without.
        advice: Ids of lines of advice that are left out of prompts.
        texts: Prompts in place of the arm's, by file name.
        begun: What is repeated from a record before the policy is asked, so that the change acts after that; or None.
        guidance: Names of others' skills and notes that are not offered.
        row: A row that the task is not given, or None.
        times: How many times as much an episode may spend.
    """

    items: frozenset[str] = frozenset()
    skills: frozenset[str] = frozenset()
    causes: frozenset[str] = frozenset()
    advice: frozenset[str] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    guidance: frozenset[str] = frozenset()
    begun: EpisodePrefix | None = None
    row: Row | None = None
    times: int = 1

    @property
    def is_of_arm(self) -> bool:
        """Whether task, limits and beginning of an episode stay as they are."""
        return self.begun is None and self.row is None and self.times == 1

    def apply_to(self, whole: LearnedState) -> LearnedState:
        """The arm with the change."""
        prompts = {name: text_without(text, self.advice) for name, text in whole.prompts.items()}
        return replace(
            whole,
            skills=tuple(skill for skill in whole.skills if skill.digest not in self.skills),
            memory=whole.memory.without(self.items) if whole.memory is not None and self.items else whole.memory,
            prompts={**prompts, **self.texts},
            lacking=whole.lacking | self.causes,
            guidance=whole.guidance.without(self.guidance),
        )

    def task(self, task: Task) -> Task:
        """The task with the change; the row is left out wherever it stands."""
        if self.row is None:
            return task
        examples, verify, hidden = (
            tuple(row for row in rows if row != self.row) for rows in (task.examples, task.verify, task.hidden)
        )
        return replace(task, examples=examples, verify=verify, hidden=hidden)

    def limits(self, limits: Limits) -> Limits:
        """The limits with the change; what has no bound gets none."""
        kinds = ("candidates", "seconds", "tokens", "money", "calls")
        bounds: dict[str, Any] = {name: getattr(limits, name) for name in kinds}
        return replace(limits, **{name: bound and bound * self.times for name, bound in bounds.items()})


def text_without(text: str, gone: Collection[str]) -> str:
    """A prompt's text without the lines of advice that have these ids."""
    if not gone:
        return text
    prompt = parse_prompt(text)
    edits = [PromptEdit(op="remove", item=at) for at, item in enumerate(prompt.items, 1) if item.id in gone]
    return revise(prompt, edits).prompt.text


PAIRS_AT_ONCE = 4


def run_pairs(
    episodes: PairedEpisodes, tasks: Sequence[Task], whole: LearnedState, change: Change, *, names: tuple[str, str]
) -> Comparison:
    """The same tasks with everything and with a change, in turns; the pairs' variant is what has everything.

    Args:
        episodes: Runs them; its arms are replaced by these two.
        names: Of both arms, by which their episodes are found again.

    Raises:
        ValueError: The change is not of the arm alone, so both arms would not get the same tasks and limits.
    """
    if not change.is_of_arm:
        raise ValueError("a pair has one task and one limit for both arms")
    arms = {names[0]: whole, names[1]: change.apply_to(whole)}
    runner = replace(episodes, arms=arms.__getitem__).runner()
    return runner.compare(tasks, parent=names[1], variant=names[0])


@dataclass(frozen=True, kw_only=True)
class ArmTrials:
    """Runs one half of pairs, where the other half is on record or runs before. Nothing is committed yet.

    Attributes:
        seed: By default the run's.
        most: What an episode may spend; by default what any of the run's may.
    """

    run: BudgetedRun
    split: str
    seed: int | None = None
    most: Callable[[Task], Limits] | None = None

    def attempt(self, tasks: Sequence[Task], whole: LearnedState, change: Change, *, name: str) -> list[Attempt]:
        """The tasks under an arm with a change, in order; fewer where the budget ended.

        Args:
            name: Of the arm with the change, by which its episodes are found again.
        """
        if not tasks:
            return []
        run, arm = self.run, change.apply_to(whole)
        run.workers.announce(name, arm)
        jobs = [
            EpisodeJob(
                task=change.task(task),
                arm=name,
                variant=name,
                split=self.split,
                seed=run.plan.seed if self.seed is None else self.seed,
                # What the arm cannot spend need not be set aside, so a small rest pays for more episodes.
                limits=arm.limits(
                    change.limits(run.plan.limits if self.most is None else self.most(task)), task.environment
                ),
                begun=change.begun,
            )
            for task in tasks
        ]
        return run.attempt(jobs)


@dataclass(kw_only=True)
class PairedEpisodes:
    """Runs and commits the episodes of comparisons on a split where nothing is learned; the gate's runner's ``run``.

    Attributes:
        arms: The arm behind a name, where it is not the variant of that digest.
        seed: Of every episode and of the order of the tasks; by default the run's.
        may_go_on: Asked before every few pairs; False ends the comparison as the budget would.
        keep: Told of the attempts in place of committing them; then they wait, set aside, until the caller commits.
    """

    run: BudgetedRun
    split: str
    arms: Callable[[str], LearnedState] | None = None
    seed: int | None = None
    may_go_on: Callable[[], bool] = lambda: True
    keep: Callable[[Sequence[Attempt]], None] | None = None
    _announced: list[str] = field(default_factory=list)
    _arms: dict[str, LearnedState] = field(default_factory=dict)

    def __call__(self, jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
        """The records in the jobs' order; an episode of this run that is on record already is not run again.

        Raises:
            Unaffordable: The budget refused one of them; what had run is kept.
        """
        if not self.may_go_on():
            raise BudgetRefused
        for name in dict.fromkeys(job.variant for job in jobs):
            self._announce(name)
        return run_held_out(self.run, [self._episode(job) for job in jobs], keep=self.keep)

    def runner(self, test: SequentialTest | None = None, *, batch: int = PAIRS_AT_ONCE) -> PairedRunner[Task]:
        """The gate's runner over these episodes; without a test it makes an estimate over all tasks."""
        seed = self.run.plan.seed if self.seed is None else self.seed
        return PairedRunner(run=self, test=test, batch=batch, seed=seed)

    def _announce(self, name: str) -> None:
        if name in self._announced:
            return
        run = self.run
        arm = run.stores.state(name, run.workflow) if self.arms is None else self.arms(name)
        run.workers.announce(name, arm)
        self._arms[name] = arm
        # Workers hold only so many arms, and the oldest goes.
        self._announced = [*self._announced, name][-ARMS_KEPT:]

    def _episode(self, job: Job[Task]) -> EpisodeJob:
        return EpisodeJob(
            task=job.task,
            arm=job.variant,
            variant=job.variant,
            split=self.split,
            seed=job.seed,
            limits=self._arms[job.variant].limits(self.run.plan.limits, job.task.environment),
        )


def held_out_tasks(run: BudgetedRun, split: SplitName) -> list[Task]:
    """The tasks of a sealed split that count, without groups that something was learned from in a person's own runs."""
    tasks = run.suite.evidence(split)
    known = run.stores.spent_groups(tasks)
    return [task for task in tasks if task.group not in known]


def run_held_out(
    run: BudgetedRun, jobs: Sequence[EpisodeJob], *, keep: Callable[[Sequence[Attempt]], None] | None = None
) -> list[EpisodeRecord]:
    """Runs and commits episodes on which nothing is learned, all or none.

    Args:
        keep: As in :class:`PairedEpisodes`.

    Raises:
        Unaffordable: The budget refused one of them; what had run is kept.
    """
    attempts = run.attempt(jobs)
    if keep is not None:
        keep(attempts)
    else:
        run.commit_all(attempts)
    if len(attempts) < len(jobs):
        raise BudgetRefused
    return [attempt.record for attempt in attempts]


Direction = Literal[1, -1]
"""+1 speaks for the claim, -1 against it."""

DEARER, CHEAPER = 2.0, 0.5
"""Cost without a cause over cost with it, from which on it is needed, and down to which it stands in the way."""
_ENDED = frozenset({"solved", "unsolved", "budget"})
"""Ways to end that are the search's own doing."""


@dataclass(frozen=True, kw_only=True)
class PairEvidence:
    """What a pair is evidence on."""

    relation: Relation
    direction: Direction

    @property
    def needed(self) -> bool:
        """Whether the task needs the cause."""
        return self.relation == "necessary" and self.direction > 0


def by_success(pair: Pair) -> Direction | None:
    """Whether the variant's or the parent's episode alone was verified; None where both ended alike, or by a fault."""
    if pair.outcome in ("void", "withheld") or is_verified(pair.variant) == is_verified(pair.parent):
        return None
    if not (is_fresh(pair.parent) and is_fresh(pair.variant)):  # an answer played back tells of nothing that acted
        return None
    return 1 if is_verified(pair.variant) else -1


def by_cost(first: int, without: EpisodeRecord) -> PairEvidence | None:
    """Whether a task needs a cause, by the candidates that the search took.

    It does where nothing is found without the cause, or at :data:`DEARER` times the cost or more. It is in the way
    where :data:`CHEAPER` the cost or less suffices. None where a fault or the run's budget ended the episode.

    Args:
        first: Candidates of the search with the cause, which was verified.
        without: The episode without it.
    """
    if without.status not in _ENDED:
        return None
    cost = without.cost.candidates
    if without.verified and cost <= CHEAPER * first:
        return PairEvidence(relation="prevents", direction=1)
    needed = not without.verified or cost >= DEARER * first
    return PairEvidence(relation="necessary", direction=1 if needed else -1)


def claim_on(insight: Insight, seen: Evidence, *, relation: Relation | None = None, text: str = "") -> Claim:
    """The insight with one piece of evidence.

    Args:
        relation: What the evidence is on, if not the insight's own relation.
        text: The claim in those words.
    """
    return Claim(
        cause=insight.cause,
        relation=relation or insight.relation,
        effect=insight.effect,
        scope=insight.scope,
        evidence=(seen,),
        text=text or insight.text,
    )
