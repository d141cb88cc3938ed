"""A proposer that reads what it is told of the gate's tasks, at the seam where engines sit, before the real gate.

Whether a behaviour solves a task is settled once and for all, and one task in two is solved by each, so over all tasks
that there could be none is better than another. A proposal routes tasks to behaviours by features that say nothing of
them. Told how single tasks came out, whoever proposes can route those tasks, and no others, to whatever solves them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from benchmarks.doubles.small import small_suite
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Action, Cost, EpisodeRecord, Judgement, Step, TaskView
from evolve.core.files import digest
from evolve.improve.optimizer.engine import Candidate, CandidateTrial, RemainingBudget
from evolve.improve.optimizer.engine import CandidateJudgement as Bit
from evolve.tasks import SplitName, Suite, Task
from evolve.trials.gate import ComparisonPlan, Gate, GateReport, Job, SequentialTest, VariantProposal

PARENT, EVERYWHERE = 0, "every task"
WON, LOST = 114 / 160, 15 / 160
"""Pairs that what was learned in the demo won and lost on ``everyday``, by candidates."""


class GateOnly(Suite):
    """A suite of gate tasks alone: nobody here practises or tests."""

    @cached_property
    def splits(self) -> Mapping[str, SplitName]:
        """All groups lie in one split."""
        return dict.fromkeys((task.group for task in self.tasks), "gate")


def gate_suite(count: int, *, seed: int, confirmed: bool = True) -> Suite:
    """So many gate tasks.

    Args:
        confirmed: Whether what is accepted may be confirmed on others; without, as small suites are.
    """
    return GateOnly(name="read", tasks=small_suite(count, seed=seed).tasks, draw=None if confirmed else lambda n, s: ())


def feature(task: str) -> str:
    """What a proposal can tell tasks apart by; it has nothing to do with how they come out."""
    return digest(f"feature:{task}")[:3]


@dataclass(frozen=True, kw_only=True)
class Told(Bit):
    """A judgement with what engines were never to see: how each task came out, seen from the candidate."""

    outcomes: Mapping[str, str] = field(default_factory=dict)


@dataclass(kw_only=True)
class GateTrials:
    """Implements :class:`evolve.improve.optimizer.engine.Trials` with the real gate over behaviours that are settled.

    Attributes:
        tallies: Whether judgements tell how each task came out.
        findings: What the gate found, in order.
    """

    gate: Gate
    suite: Suite
    seed: int
    tallies: bool = False
    incumbent: Candidate = field(default_factory=lambda: routed({}))
    findings: list[GateReport] = field(default_factory=list)

    @property
    def tasks(self) -> Sequence[TaskView]:
        """Nothing is screened here."""
        return ()

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """Nothing is screened here."""
        raise ValueError("there are no tasks for screening")

    def judge(self, candidate: Candidate, parent: Candidate) -> Bit:
        """The real gate's verdict, as an engine is told it or with the outcomes besides."""
        routes = {arm.digest: json.loads(arm.prompt_texts["routes"]) for arm in (parent, candidate)}

        def run(jobs: Sequence[Job[Task]]) -> list[EpisodeRecord]:
            return [self._episode(job, routes[job.variant]) for job in jobs]

        proposal = VariantProposal(
            run=f"r{len(self.findings)}", parent=parent.digest, variant=candidate.digest, suite=self.suite
        )
        finding = self.gate.judge(proposal, ComparisonPlan(run=run, seed=self.seed))
        self.gate.decisions.save_finding(finding)
        self.findings.append(finding)
        if self.tallies:
            outcomes = {pair.task: pair.outcome for pair in finding.pairs}
            return Told(accepted=finding.accepted, outcomes=outcomes)
        return Bit(accepted=finding.accepted)

    def remaining(self) -> RemainingBudget:
        """How many wins the next proposal needs; nothing else bounds the search."""
        _, level = self.gate.decisions.next_level(self.suite.digest)
        return RemainingBudget(wins=SequentialTest(alpha=level).wins_needed(0))

    def _episode(self, job: Job[Task], routes: Mapping[str, int]) -> EpisodeRecord:
        behaviour = routes.get(feature(job.task.id), routes.get(EVERYWHERE, PARENT))
        return settled(job, solves(self.seed, job.task.id, behaviour))


@dataclass(kw_only=True)
class DemoTrials(GateTrials):
    """The same with candidates that are as much better than their parent as what is learned in the demo."""

    def _episode(self, job: Job[Task], routes: Mapping[str, int]) -> EpisodeRecord:
        if not routes:
            return settled(job, True)
        draw = Random(f"{self.seed}:{job.task.id}").random()
        return settled(job, True, 50 if draw < WON else 200 if draw > 1 - LOST else 100)


def solves(seed: int, task: str, behaviour: int) -> bool:
    """Whether a behaviour solves a task: settled, half of the time."""
    return Random(f"{seed}:{task}:{behaviour}").random() < 0.5


def settled(job: Job[Task], solved: bool, candidates: int = 100) -> EpisodeRecord:
    """An episode that ends as it must."""
    judgement = Judgement(accepted=solved, verified=solved, rows=3)
    return EpisodeRecord(
        episode=f"{job.task.id}-{job.variant[:8]}-{job.seed}",
        run="read",
        task=job.task.id,
        suite="read",
        group=job.task.group,
        split="gate",
        variant=job.variant,
        seed=job.seed,
        status="solved" if solved else "refused",
        verified=solved,
        steps=(Step(number=1, action=Action(kind="code"), judgement=judgement),),
        cost=Cost(candidates=candidates),
    )


def routed(routes: Mapping[str, int]) -> Candidate:
    """A candidate that sends tasks to behaviours by their features."""
    return Candidate(workflow=Workflow(), prompts=(("routes", json.dumps(routes, sort_keys=True)),))


@dataclass(frozen=True, kw_only=True)
class Reader:
    """An engine that tries a behaviour, reads, and routes what it has read of; implements ``Engine``.

    Attributes:
        tasks: Ids of the gate's tasks, as whoever reads outcomes has them.
        proposals: Most candidates that it has judged.
    """

    tasks: Sequence[str]
    proposals: int
    seed: int
    name: str = "reader"

    def search(self, trials: GateTrials, start: Candidate) -> str:
        """Proposes until something is accepted, which can only be by chance."""
        random, known = Random(f"reader:{self.seed}"), dict[str, int]()
        for number in range(1, self.proposals + 1):
            won = sum(behaviour != PARENT for behaviour in known.values())
            guessed = {feature(task): random.randint(0, number) for task in self.tasks}
            if won >= trials.remaining().wins or number % 5 == 0:
                candidate = routed(known or guessed)
            else:  # what is known stays, and on the rest another behaviour is tried
                candidate = routed({**known, EVERYWHERE: number})
            told = trials.judge(candidate, start)
            if told.accepted:
                return f"accepted at proposal {number}"
            for task, outcome in getattr(told, "outcomes", {}).items():
                if outcome == "win":
                    known.setdefault(feature(task), number)
                elif outcome == "loss":
                    known[feature(task)] = PARENT
        return "nothing was accepted"
