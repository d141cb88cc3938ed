"""Searches that the optimiser is compared with, and the runs they are compared on."""

from __future__ import annotations

import math
import random
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.landscapes import BLOCKS, Kind, Landscape, is_optimal
from evolve.episodes import Limits, TaskView
from evolve.events import NoEvents
from evolve.gate import is_verified, one_per_group
from evolve.improve.jobs import WorkerSetup
from evolve.improve.optimization import optimize
from evolve.improve.session import LoopPlan, Session
from evolve.improve.workers import LocalWorkers
from evolve.ledger import Budget, Ledger
from evolve.optimizer.bandit import ALL, BanditEngine
from evolve.optimizer.engine import (
    Candidate,
    Engine,
    EngineSettings,
    Judgement,
    Left,
    SearchEnded,
    Trial,
    Trials,
)
from evolve.optimizer.mutations import mutate, single_operators
from evolve.optimizer.scope import Scope
from evolve.paths import WorkspacePaths
from evolve.record.arms import Arm, agent_for
from evolve.settings import load_settings
from evolve.tasks import Suite, Task
from evolve.testing import TrustingSandbox
from evolve.workflow import Workflow
from evolve.workspace.learners import SearchLearner
from evolve.workspace.opening import ensure_workspace, open_stores

LIMITS = Limits(candidates=2_000, seconds=None)
"""What one episode may spend, whatever the knobs say."""

POOR = Workflow().with_knobs(candidates=100, steps=1, recall_k=0)
"""Where the searches begin: an episode that gives up after 100 candidates."""

FARTHEST = 6
"""Most mutations between the start and a point that random search looks at."""


@dataclass(frozen=True, kw_only=True)
class PickBest:
    """Screens points it makes without looking at any result, and takes the best: random search, or best of n.

    Where nothing new is left within reach, the better half of what it has is screened on further tasks, and half of
    that again, so that what is left of the budget serves the choice.

    Attributes:
        farthest: Most mutations of the start that a point is away; 1 for best of n. Each is drawn evenly from the
            operators that the optimiser has.
    """

    settings: EngineSettings
    scope: Scope
    farthest: int
    name: str
    screened: dict[str, tuple[Candidate, list[Trial]]] = field(default_factory=dict)

    def search(self, trials: Trials, start: Candidate) -> str:
        """Goes on until the budget ends, or all is seen."""
        rng, among = random.Random(f"{self.name}:{self.settings.seed}"), single_operators()
        tasks = [view.id for view in trials.tasks]
        self._screen(trials, start, tasks[:ALL])
        barren = 0
        while barren < 400:
            workflow = start.workflow
            for _ in range(rng.randint(1, self.farthest)):
                made = mutate(workflow, rng, among)
                workflow = made.workflow if made is not None else workflow
            workflow = self.scope.fitted(workflow)
            child = Candidate(workflow=workflow, parents=(start.digest,), operator=self.name)
            if child.digest in self.screened or not self.scope.shows(start.workflow, workflow):
                barren += 1
                continue
            barren = 0
            self._screen(trials, child, tasks[:ALL])
        for first in range(ALL, len(tasks), ALL):
            kept = self.ranked()
            for candidate in kept[: max(1, len(kept) // 2)]:
                self._screen(trials, candidate, tasks[first : first + ALL])
        return "nothing new within reach"

    def ranked(self) -> list[Candidate]:
        """What was screened on the most tasks, the best first."""
        most = max(len(found) for _, found in self.screened.values())
        listed = [(candidate, found) for candidate, found in self.screened.values() if len(found) == most]
        listed.sort(key=lambda one: (-sum(trial.score for trial in one[1]), sum(trial.cost for trial in one[1])))
        return [candidate for candidate, _ in listed]

    def _screen(self, trials: Trials, candidate: Candidate, tasks: Sequence[str]) -> None:
        _, before = self.screened.get(candidate.digest, (candidate, []))
        self.screened[candidate.digest] = (candidate, [*before, *trials.screen(candidate, tasks)])


@dataclass(frozen=True, kw_only=True)
class Found:
    """What a search came to, and what it spent on the way."""

    workflow: Workflow
    candidates: int
    tried: int
    reason: str


def run_search(arm: str, suite: Suite, *, budget: int, seed: int) -> Found:
    """One search on real episodes within a budget of candidates; the optimiser's goes through the real gate."""
    settings, scope = EngineSettings(seed=seed), Scope(policy="search", limits=LIMITS)
    rivals = {"random search": FARTHEST, "best of n": 1}
    rival = PickBest(settings=settings, scope=scope, farthest=rivals[arm], name=arm) if arm in rivals else None
    engine: Engine = rival or BanditEngine(settings=settings, scope=scope)
    with _session(suite, budget, seed) as session:
        report = optimize(session, engine, {})
        best = rival.ranked()[0].workflow if rival else session.stores.active_workflow(session.workflow)
        return Found(
            workflow=best,
            candidates=session.ledger.spent.candidates,
            tried=report.tried,
            reason=report.finish_reason,
        )


@contextmanager
def _session(suite: Suite, budget: int, seed: int) -> Iterator[Session]:
    """A session in a record of its own. Programs of the search's own operations run without a sandbox."""
    with tempfile.TemporaryDirectory() as folder:
        paths = WorkspacePaths(Path(folder))
        ensure_workspace(paths.root)
        stores = open_stores(paths, load_settings(paths.root))
        run = stores.runs.begin("optimize", f"benchmark {seed}", {}, started="")
        learner = SearchLearner()
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
                plan=LoopPlan(rounds=1, seed=seed, limits=LIMITS),
                ledger=Ledger(Budget(candidates=budget)),
                events=NoEvents(),
                workflow=POOR,
            )
        finally:
            stores.memory.close()
            stores.db.close()


def held_out(workflow: Workflow, suite: Suite, *, seed: int, arm: str) -> list[dict[str, Any]]:
    """One row per held-out group: whether an episode of this workflow solved its task."""
    acting = Arm(workflow=workflow)
    agent = agent_for(acting, SearchLearner(), TrustingSandbox(), run=f"test {seed}", suite=suite.name)
    rows = []
    for task in one_per_group(suite.split("test")):
        rows.append({"measure": "held-out", "arm": arm, "seed": seed, **_tried(agent, task, acting)})
    return rows


def _tried(agent: Any, task: Task, arm: Arm) -> dict[str, Any]:
    record = agent.run_episode(task, variant="unlearned", split="test", seed=0, limits=arm.limits(LIMITS))
    return {
        "task": task.id,
        "group": task.group,
        "solved": is_verified(record),
        "candidates": record.cost.candidates,
    }


class LandscapeTrials:
    """Scores workflows on a landscape and counts; implements :class:`evolve.optimizer.engine.Trials`."""

    def __init__(self, landscape: Landscape) -> None:
        self.landscape = landscape
        self.incumbent = Candidate(workflow=landscape.start)
        self.tasks = [
            TaskView(id=str(block), family="", instruction="", signature="", examples=()) for block in range(BLOCKS)
        ]
        self.best, self.found = 0.0, 0
        self._blocks = 0

    @property
    def scored(self) -> int:
        """Workflows that were scored; one of which only some blocks were asked for counts as that part."""
        return math.ceil(self._blocks / BLOCKS)

    def screen(self, candidate: Candidate, tasks: Sequence[str]) -> Sequence[Trial]:
        """The scores of the blocks; ends the search at the optimum, or when the budget is used up."""
        if self._blocks >= self.landscape.budget * BLOCKS:
            raise SearchEnded("the budget is used up")
        self._blocks += len(tasks)
        scores = self.landscape.scores(candidate.workflow)
        self.best = max(self.best, sum(scores) / BLOCKS)
        if is_optimal(scores):
            self.found = self.scored
            raise SearchEnded("the optimum")
        return [
            Trial(task=name, group=name, score=scores[int(name)], solved=scores[int(name)] == 1.0, cost=1)
            for name in tasks
        ]

    def judge(self, candidate: Candidate, parent: Candidate) -> Judgement:
        """A landscape has no chance in it, so the better one is better."""
        gain = self._total(candidate) - self._total(parent)
        if gain > 0:
            self.incumbent = candidate
        return Judgement(accepted=gain > 0)

    def left(self) -> Left:
        """No bound but the number of candidates."""
        return Left()

    def _total(self, candidate: Candidate) -> float:
        return sum(self.landscape.scores(candidate.workflow)) / BLOCKS


@dataclass(frozen=True, kw_only=True)
class Greedy:
    """Keeps one workflow, and replaces it by a mutation that is strictly better over all blocks."""

    seed: int
    name: str = "greedy"

    def search(self, trials: Trials, start: Candidate) -> str:
        """Goes on until the budget ends."""
        rng = random.Random(f"greedy:{self.seed}")
        names = [view.id for view in trials.tasks]
        kept, value = start, _mean(trials.screen(start, names))
        among = single_operators()
        while True:
            made = mutate(kept.workflow, rng, among)
            if made is None:
                continue
            child = Candidate(workflow=made.workflow)
            found = _mean(trials.screen(child, names))
            if found > value:
                kept, value = child, found


def climb(kind: Kind, arm: str, seed: int) -> dict[str, Any]:
    """One search on one landscape, as a row."""
    landscape = Landscape(kind=kind, seed=seed)
    trials = LandscapeTrials(landscape)
    engines: dict[str, Callable[[], Engine]] = {
        "archive": lambda: BanditEngine(settings=EngineSettings(seed=seed)),
        "greedy": lambda: Greedy(seed=seed),
    }
    with suppress(SearchEnded):
        engines[arm]().search(trials, trials.incumbent)
    return {
        "measure": kind,
        "arm": arm,
        "seed": seed,
        "best": round(trials.best, 6),
        "found": trials.found,
        "scored": trials.scored,
    }


def _mean(trials: Sequence[Trial]) -> float:
    return sum(one.score for one in trials) / len(trials)
