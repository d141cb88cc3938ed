"""Searches that the optimiser is compared with, and the runs they are compared on."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from benchmarks.landscapes import Kind, Landscape, is_optimal
from benchmarks.tpe import TpeEngine
from evolve.agent.workflow import Workflow
from evolve.core.episodes import Cost, Limits, TaskView
from evolve.core.events import NoEvents
from evolve.core.ledger import Budget, Ledger
from evolve.core.paths import WorkspacePaths
from evolve.core.settings import load_settings
from evolve.improve.optimization import optimize
from evolve.improve.optimizer.engine import (
    Candidate,
    CandidateJudgement,
    CandidateTrial,
    Engine,
    EngineSettings,
    EngineTrials,
    RemainingBudget,
    SearchEnded,
)
from evolve.improve.optimizer.linked import LOOKS, LinkedEngine
from evolve.improve.optimizer.workflow_drafts import SearchScope
from evolve.improve.optimizer.workflow_parts import parts_of, resample_part
from evolve.improve.session import LoopPlan, Session, split_budget
from evolve.tasks import Suite, Task
from evolve.testing import TrustingSandbox
from evolve.trials.gate import comparable_costs, is_verified, one_per_group
from evolve.trials.jobs import WorkerSetup
from evolve.trials.learned_state import LearnedState, agent_for
from evolve.trials.learner import Learner
from evolve.trials.workers import LocalWorkers
from evolve.workspace.learners import SearchLearner
from evolve.workspace.locating import ensure_workspace
from evolve.workspace.opening import open_stores

LIMITS = Limits(candidates=2_000, seconds=None)
"""What one episode may spend, whatever the knobs say."""

POOR = Workflow().with_knobs(candidates=100, steps=1, recall_k=0)
"""Where the searches begin: an episode that gives up after 100 candidates."""

HAND = "hand setting"
"""Somebody sets ``candidates`` to the limit and searches nothing."""

FARTHEST = 6
"""Most parts drawn anew between the start and a point that random search looks at."""


@dataclass(frozen=True, kw_only=True)
class PickBest:
    """Screens points it makes without looking at any result, and takes the best: random search.

    Where nothing new is left within reach, the better half of what it has is screened on further tasks, and half of
    that again, so that what is left of the budget serves the choice.

    Attributes:
        farthest: Most parts drawn anew between the start and a point.
    """

    settings: EngineSettings
    scope: SearchScope
    farthest: int
    name: str
    screened: dict[str, tuple[Candidate, list[CandidateTrial]]] = field(default_factory=dict)

    def search(self, trials: EngineTrials, start: Candidate) -> str:
        """Goes on until the budget ends, or all is seen."""
        rng = random.Random(f"{self.name}:{self.settings.seed}")
        tasks = [view.id for view in trials.tasks]
        self._screen(trials, start, tasks[: LOOKS[-1]])
        barren = 0
        while barren < 400:
            workflow = start.workflow
            for _ in range(rng.randint(1, self.farthest)):
                part = rng.choice(parts_of(workflow, only=self.settings.only))
                workflow = resample_part(workflow, part, rng) or workflow
            workflow = self.scope.clamp_knobs(workflow)
            child = Candidate(workflow=workflow, parents=(start.digest,), operator=self.name)
            if child.digest in self.screened or not self.scope.can_distinguish(start.workflow, workflow):
                barren += 1
                continue
            barren = 0
            self._screen(trials, child, tasks[: LOOKS[-1]])
        for first in range(LOOKS[-1], len(tasks), LOOKS[-1]):
            kept = self.ranked()
            for candidate in kept[: max(1, len(kept) // 2)]:
                self._screen(trials, candidate, tasks[first : first + LOOKS[-1]])
        return "nothing new within reach"

    def ranked(self) -> list[Candidate]:
        """What was screened on the most tasks, the best first."""
        most = max(len(found) for _, found in self.screened.values())
        listed = [(candidate, found) for candidate, found in self.screened.values() if len(found) == most]
        listed.sort(key=lambda one: _place(one[1]))
        return [candidate for candidate, _ in listed]

    def _screen(self, trials: EngineTrials, candidate: Candidate, tasks: Sequence[str]) -> None:
        _, before = self.screened.get(candidate.digest, (candidate, []))
        self.screened[candidate.digest] = (candidate, [*before, *trials.screen(candidate, tasks)])


def _place(trials: Sequence[CandidateTrial]) -> tuple[float, float]:
    return -sum(trial.score for trial in trials), sum(comparable_costs([trial.cost for trial in trials]))


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search came to, and what it spent on the way."""

    workflow: Workflow
    candidates: int
    tried: int
    reason: str
    accepted: int = 0


def run_search(arm: str, suite: Suite, *, budget: int, seed: int) -> Found:
    """One search of knobs on real episodes within a budget of candidates; ``linked`` goes through the real gate.

    What a search found is what it would have judged: the last that it handed to the gate, and for those that pay for no
    judgement what they like best by its trials.
    """
    if arm == HAND:
        return Found(workflow=POOR.with_knobs(candidates=2_000), candidates=0, tried=0, reason="set by hand")
    engine = engine_of(arm, EngineSettings(seed=seed, only="knobs"), SearchScope(policy="search", limits=LIMITS))
    plan = LoopPlan(rounds=1, seed=seed, limits=LIMITS)
    with opened_session(suite, Budget(candidates=budget), plan) as session:
        report = optimize(split_budget(session), engine, {})
        if isinstance(engine, PickBest):
            best = engine.ranked()[0].workflow
        elif isinstance(engine, TpeEngine):
            best = engine.best.workflow if engine.best is not None else POOR
        else:
            judged = session.stores.decisions.list_verdicts(suite.digest)
            best = session.stores.state(judged[-1].variant, POOR).workflow if judged else POOR
        return Found(
            workflow=best,
            accepted=len(report.changes),
            candidates=session.ledger.spent.candidates,
            tried=report.tried,
            reason=report.finish_reason,
        )


def engine_of(arm: str, settings: EngineSettings, scope: SearchScope | None = None) -> Engine:
    """The engine of an arm, made anew."""
    scope = scope or SearchScope()
    if arm == "random search":
        return PickBest(settings=settings, scope=scope, farthest=FARTHEST, name=arm)
    if arm == "tpe":
        return TpeEngine(settings=settings, scope=scope)
    return LinkedEngine(settings=settings, scope=scope)


@contextmanager
def opened_session(
    suite: Suite, budget: Budget, plan: LoopPlan, *, learner: Learner | None = None, workflow: Workflow = POOR
) -> Iterator[Session]:
    """A session in a record of its own, of the embedded search by default. What it runs runs without a sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        paths = WorkspacePaths(Path(folder))
        ensure_workspace(paths.root)
        stores = open_stores(paths, load_settings(paths.root))
        run = stores.runs.begin("optimize", f"benchmark {plan.seed}", {}, started="")
        learner = learner or cast(Learner, SearchLearner())
        setup = WorkerSetup(learner=learner, sandbox=TrustingSandbox, run=run.id, suite=suite.name)
        try:
            yield Session(
                stores=stores,
                learner=learner,
                workers=LocalWorkers(setup),
                sandbox=TrustingSandbox,
                suite=suite,
                run=run.id,
                request={},
                plan=plan,
                ledger=Ledger(budget),
                events=NoEvents(),
                workflow=workflow,
            )
        finally:
            stores.memory.close()
            stores.db.close()


def held_out(workflow: Workflow, suite: Suite, *, seed: int, arm: str) -> list[dict[str, Any]]:
    """One row per held-out group: whether an episode of this workflow solved its task."""
    acting = LearnedState(workflow=workflow)
    agent = agent_for(acting, SearchLearner(), TrustingSandbox(), run=f"test {seed}", suite=suite.name)
    rows = []
    for task in one_per_group(suite.split("test")):
        rows.append({"measure": "held-out", "arm": arm, "seed": seed, **_tried(agent, task, acting)})
    return rows


def _tried(agent: Any, task: Task, arm: LearnedState) -> dict[str, Any]:
    limits = arm.limits(LIMITS, task.environment)
    record = agent.run_episode(task, variant="unlearned", split="test", seed=0, limits=limits)
    return {
        "task": task.id,
        "group": task.group,
        "solved": is_verified(record),
        "candidates": record.cost.candidates,
    }


class LandscapeTrials:
    """Scores workflows on a landscape and counts; implements :class:`evolve.improve.optimizer.engine.EngineTrials`."""

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        self.incumbent = Candidate(workflow=landscape.start)
        self.tasks = [
            TaskView(id=str(block), family="", instruction="", signature="", examples=())
            for block in range(landscape.blocks)
        ]
        self.best, self.found = 0.0, 0
        self._blocks = 0

    @property
    def scored(self) -> int:
        """Workflows that were scored; one of which only some blocks were asked for counts as that part."""
        return math.ceil(self._blocks / self.landscape.blocks)

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[CandidateTrial]:
        """The scores of the blocks; ends the search at the optimum, or when the budget is used up."""
        if self._blocks >= self.landscape.budget * self.landscape.blocks:
            raise SearchEnded("the budget is used up")
        self._blocks += len(tasks)
        scores = self.landscape.scores(candidate.workflow)
        self.best = max(self.best, sum(scores) / len(scores))
        if is_optimal(scores):
            self.found = self.scored
            raise SearchEnded("the optimum")
        return [
            CandidateTrial(
                task=name, group=name, score=scores[int(name)], solved=scores[int(name)] == 1.0, cost=Cost(work=1)
            )
            for name in tasks
        ]

    def judge(self, candidate: Candidate, parent: Candidate) -> CandidateJudgement:
        """A landscape has no chance in it, so the better one is better."""
        gain = self._total(candidate) - self._total(parent)
        if gain > 0:
            self.incumbent = candidate
        return CandidateJudgement(accepted=gain > 0)

    def remaining(self) -> RemainingBudget:
        """No bound but the number of candidates."""
        return RemainingBudget()

    def _total(self, candidate: Candidate) -> float:
        return sum(self.landscape.scores(candidate.workflow)) / self.landscape.blocks


def climb(kind: Kind, arm: str, seed: int) -> dict[str, Any]:
    """One search on one landscape, as a row."""
    landscape = Landscape(kind=kind, seed=seed)
    trials = LandscapeTrials(landscape)
    with suppress(SearchEnded):
        engine_of(arm, EngineSettings(seed=seed)).search(trials, trials.incumbent)
    return {
        "measure": kind,
        "arm": arm,
        "seed": seed,
        "best": round(trials.best, 6),
        "found": trials.found,
        "scored": trials.scored,
    }
