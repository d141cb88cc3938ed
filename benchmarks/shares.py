"""Does it help a search to know in what share of the answers of a scope an operation occurs?

Practises on 12, 30 and all tasks of one half of a suite, one round without a guide, and prices held-out tasks of the
other half in five ways: by the guide alone; with recalled insights mixed in, as the product does; by the shares of
the task's scope alone; by guide and shares, log-odds averaged; and so with the shares of operations exchanged
(placebo). Told are, for the answers that the unlearned search finds, bits of surprise per operation in them; the
log-loss of a task in bits, over all names, in them or not, since bits of what is needed alone get fewer by calling
everything likely; and the work of searching, as the geometric mean of its ratio to the guide's over tasks that both
solve.

    python -m benchmarks.shares --suite strings --held-out 30
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.attempts import Attempt, Solver
from benchmarks.judging import HostJudge, Judge
from benchmarks.suites import suite_of
from evolve.episodes import Recalled, Scope
from evolve.memory import MIGRATIONS, Memory, MemorySnapshot
from evolve.policies.search import SearchPolicy, TrainingSettings, fit_guide
from evolve.policies.search.clues import Clues
from evolve.policies.search.dreams import names_in
from evolve.policies.search.features import coarse_relation
from evolve.policies.search.guide import FLOOR
from evolve.policies.search.planning import Looks
from evolve.policies.search.pricing import Pricing
from evolve.policies.search.problem import Problem
from evolve.programs.terms import from_json
from evolve.retrieval import HashingEmbedder
from evolve.store import Database
from evolve.tasks import Task
from evolve.vectors import MemoryIndex

SIZES = (12, 30, 0)
"""Tasks practised on; 0 for all."""
WAYS = ("guide", "recall", "shares", "pooled", "placebo")


@dataclass
class SharePolicy(SearchPolicy):
    """A search whose probabilities are those of the guide, pooled with shares.

    Attributes:
        memory: Whose evidence the shares are counted from.
        weight: Of the shares' log-odds, against those of the guide.
        exchanged: The cause whose share stands in for that of a name; by default its own.
    """

    memory: MemorySnapshot | None = None
    weight: float = 0.5
    exchanged: Mapping[str, str] = field(default_factory=dict)

    def probabilities(self, problem: Problem) -> dict[str, float]:
        """Probability by name, pooled."""
        assert self.guide is not None and self.memory is not None
        looks = Looks(problem)
        pairs = Clues(self.vocabulary).reader(problem).pairs()
        guided = dict(zip(self.guide.names, self.guide.likely(looks.features, pairs), strict=True))
        scope = Scope(environment="programs", family=problem.signature, preconditions=(coarse_relation(problem),))
        book = self.memory.book
        causes = {name: name if ":" in name else f"operation:{name}" for name in guided}
        pooled = {}
        for name, own in guided.items():
            need = book.need_in(self.exchanged.get(causes[name], causes[name]), "solved", scope)
            odds = (1 - self.weight) * _logit(own) + self.weight * _logit(need.occurs.mean)
            pooled[name] = 1.0 / (1.0 + math.exp(-odds))
        return pooled

    def _prices(self, looks: Looks, recalled: Sequence[Recalled]) -> dict[str, int]:
        likely = self.probabilities(looks.problem)
        return Pricing(self.vocabulary.static, tuple(likely)).prices(list(likely.values()), [])


def _logit(share: float) -> float:
    inside = min(max(share, FLOOR), 1 - FLOOR)
    return math.log(inside / (1 - inside))


def ways_of(memory: MemorySnapshot, tasks: Sequence[Task], judge: Judge, seed: int) -> dict[str, Solver]:
    """A solver for each way of pricing."""
    views = [task.view() for task in tasks]
    guide = fit_guide(memory.experience(), views, (), seed, TrainingSettings(dreams=1_200))
    causes = sorted({key.cause for key in memory.book.keys.values()})
    others = causes[:]
    random.Random(seed).shuffle(others)
    pooled = {
        "guide": SharePolicy(guide=guide, memory=memory, weight=0.0),
        "shares": SharePolicy(guide=guide, memory=memory, weight=1.0),
        "pooled": SharePolicy(guide=guide, memory=memory),
        "placebo": SharePolicy(guide=guide, memory=memory, exchanged=dict(zip(causes, others, strict=True))),
    }
    solvers = {way: Solver(policy=policy, judge=judge) for way, policy in pooled.items()}
    return {**solvers, "recall": Solver(policy=SearchPolicy(guide=guide), judge=judge, memory=memory)}


def measure(suite: str, *, held_out: int, budget: int, seed: int, sizes: Sequence[int] = SIZES) -> list[dict[str, Any]]:
    """A row of figures per number of practised tasks."""
    tasks = list(suite_of(suite).tasks)
    groups = sorted({task.group for task in tasks})
    random.Random(seed).shuffle(groups)
    train = [task for task in tasks if task.group in set(groups[::2])]
    test = [task for task in tasks if task.group in set(groups[1::2])]
    random.Random(seed).shuffle(train)
    random.Random(seed).shuffle(test)
    judge = HostJudge()
    plain = Solver(policy=SearchPolicy(), judge=judge)
    held = [attempt for task in test[:held_out] if (attempt := plain.attempt(task, budget)).verified]
    rows = []
    for size in sizes:
        practised = train[: size or len(train)]
        memory = practise(practised, plain, budget)
        ways = ways_of(memory, practised, judge, seed)
        where = {"suite": suite, "practised": len(practised), "held_out": len(held)}
        rows.append({**where, **compare(ways, held, budget)})
        print(json.dumps(rows[-1]), flush=True)
    return rows


def practise(tasks: Sequence[Task], plain: Solver, budget: int) -> MemorySnapshot:
    """What one round without a guide leaves in memory."""
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", MIGRATIONS) as db:
        memory = Memory(db, MemoryIndex, HashingEmbedder(), clock=lambda: 0.0)
        for task in tasks:
            attempt = plain.attempt(task, budget)
            claims, _ = plain.learned_from(attempt)
            memory.commit(attempt.record(seed=1, claims=claims), instruction=task.instruction)
        return memory.snapshot()


def compare(ways: Mapping[str, Solver], held: Sequence[Attempt], budget: int) -> dict[str, Any]:
    """Bits per operation of the answer, geometric mean of work against the guide's, and tasks solved, by way."""
    bits: dict[str, list[float]] = {way: [] for way in WAYS if way != "recall"}
    loss: dict[str, list[float]] = {way: [] for way in bits}
    work: dict[str, dict[str, int]] = {way: {} for way in WAYS}
    for attempt in held:
        answer = attempt.answer
        assert answer is not None
        needed = names_in(from_json(answer.private["tree"]))
        for way, solver in ways.items():
            if isinstance(solver.policy, SharePolicy):
                likely = solver.policy.probabilities(solver.policy._looks(attempt.view).problem)
                bits[way] += [-math.log2(max(likely.get(name, 0.0), FLOOR)) for name in needed]
                loss[way].append(sum(-math.log2(1.0 - likely[name]) for name in likely.keys() - needed))
            done = solver.attempt(attempt.task, budget)
            if done.verified:
                work[way][attempt.task.id] = sum(step.action.cost.work for step in done.steps)
    told: dict[str, Any] = {"bits": {way: round(statistics.fmean(all_), 2) for way, all_ in bits.items()}}
    told["loss"] = {way: round(statistics.fmean(loss[way]) + sum(bits[way]) / len(held), 2) for way in bits}
    told["solved"] = {way: len(work[way]) for way in WAYS}
    told["work"] = {}
    for way in WAYS:
        both = work[way].keys() & work["guide"].keys()
        ratios = [math.log(work[way][task] / work["guide"][task]) for task in both]
        told["work"][way] = round(math.exp(statistics.fmean(ratios)), 3) if ratios else None
    return told


def main() -> None:
    """Prints a row of figures per number of practised tasks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", default="strings")
    parser.add_argument("--held-out", type=int, default=30)
    parser.add_argument("--budget", type=int, default=10_000, help="candidates of one attempt")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="tasks practised on; 0 for all")
    options = parser.parse_args()
    sizes = [int(size) for size in options.sizes.split(",")]
    measure(options.suite, held_out=options.held_out, budget=options.budget, seed=options.seed, sizes=sizes)


if __name__ == "__main__":
    main()
