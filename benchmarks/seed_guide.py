"""Would a guide fitted on the shipped suites serve a workspace that is new? ``python -m benchmarks.seed_guide --json``.

Every suite's ``train`` tasks are practised once by the plain search, and guides are fitted to what that taught. Of each
suite some problems are then searched for without a guide and with that of the *other* suites, and the open tables of
:mod:`benchmarks.everyday_use` are filled by the product without a guide and with the guide of all suites. Such a guide
would ship only if it solved more, or took less CPU over all tables.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.attempts import Solver, row_of
from benchmarks.everyday_use.__main__ import in_processes
from benchmarks.everyday_use.measure import measured
from benchmarks.everyday_use.tables import chosen
from benchmarks.judging import HostJudge
from benchmarks.record import Outcome, Target, common_options, publish
from evolve.core.episodes import Json
from evolve.core.schema import MEMORY
from evolve.core.store import Database
from evolve.memory import ExperienceRow, MemoryRepository
from evolve.memory.index import MemoryIndex
from evolve.policies.base import BasePolicy
from evolve.policies.search import Guide, SearchPolicy, fit_guide
from evolve.runtime.retrieval import HashingEmbedder
from evolve.skills import Skill
from evolve.tasks import BUILTIN, Task, load_suite
from evolve.trials.gate import one_per_group
from evolve.workspace.learners import SearchLearner

ARMS = ("no guide", "seed guide")
BUDGET = 50_000
SUITES = tuple(suite.name for suite in BUILTIN)
TABLES = "open tables"


@dataclass(frozen=True)
class Seeded(SearchLearner):
    """The product's learner, with a guide where the workspace has none."""

    guide: Json = None

    def policy(self, guide: Json, skills: Sequence[Skill], *, attended: bool = False) -> BasePolicy:
        """The policy of a workspace that began with the guide."""
        return super().policy(self.guide if guide is None else guide, skills, attended=attended)


def practised(suite: str, tasks: int | None) -> dict[str, Any]:
    """What one pass over a suite's ``train`` tasks teaches; answers are evaluated in this process."""
    train, solver = load_suite(suite).split("train")[:tasks], Solver(policy=SearchPolicy(), judge=HostJudge())
    with tempfile.TemporaryDirectory() as folder, Database(Path(folder) / "memory.db", MEMORY) as db:
        memory = MemoryRepository(db, MemoryIndex, HashingEmbedder(), clock=lambda: 0.0)
        for task in train:
            attempt = solver.attempt(task, BUDGET, submissions=3)
            claims, _ = solver.learned_groups(attempt)
            memory.commit(attempt.record(seed=0, claims=claims), instruction=task.instruction)
        return {"suite": suite, "tasks": train, "experience": memory.experience_rows()}


def fitted(found: Sequence[Mapping[str, Any]], without: str = "") -> Guide:
    """A guide from what all suites but one taught."""
    used = [one for one in found if one["suite"] != without]
    experience: list[ExperienceRow] = [row for one in used for row in one["experience"]]
    return fit_guide(experience, [task.view() for one in used for task in one["tasks"]], (), seed=0)


def searched(suite: str, found: Sequence[Mapping[str, Any]], number: int) -> dict[str, Any]:
    """Problems of a suite without a guide, and with that of the others."""
    tasks: list[Task] = sorted(one_per_group(load_suite(suite).tasks), key=lambda task: task.id)
    random.Random(suite).shuffle(tasks)
    policies = (SearchPolicy(), SearchPolicy(guide=fitted(found, suite)))
    solvers = {arm: Solver(policy=policy, judge=HostJudge()) for arm, policy in zip(ARMS, policies, strict=True)}
    rows = []
    for task in tasks[:number]:
        for arm, solver in solvers.items():
            where = {"suite": suite, "split": "any", "seed": 0, "budget": BUDGET}
            row = row_of(solver.attempt(task, BUDGET), solver, arm=arm, **where)
            rows.append({name: row[name] for name in ("suite", "task", "arm", "solved", "cost", "cpu_s")})
    return {"rows": rows}


def filled(name: str, guide: Json) -> dict[str, Any]:
    """One table filled by the product in both ways."""
    rows = []
    for arm, learner in zip(ARMS, (SearchLearner(), Seeded(guide=guide)), strict=True):
        before = time.process_time()
        row = measured(name, policy=learner)
        rows.append(
            {
                "suite": TABLES,
                "task": name,
                "arm": arm,
                "solved": row["all_right"],
                "verified": row["verified"],
                "cost": row["candidates"],
                "cpu_s": round(time.process_time() - before, 3),
            }
        )
    return {"rows": rows}


def told(rows: Sequence[Mapping[str, Any]], part: str) -> dict[str, Any]:
    """Sums of a part: each arm's over all tasks, and over those that both solve."""
    arms = {arm: {row["task"]: row for row in rows if (row["suite"], row["arm"]) == (part, arm)} for arm in ARMS}
    both = [task for task in arms[ARMS[0]] if all(arms[arm][task]["solved"] for arm in ARMS)]
    sums = {
        (arm, name): sum(row[name] for row in own.values()) for arm, own in arms.items() for name in ("solved", "cost")
    }
    seconds = {arm: sum(row["cpu_s"] for row in own.values()) for arm, own in arms.items()}
    shared = {arm: sum(arms[arm][task]["cost"] for task in both) for arm in ARMS}
    before, after = ARMS
    return {
        "part": part,
        "tasks": len(arms[before]),
        **{f"solved, {arm}": sums[arm, "solved"] for arm in ARMS},
        **{f"verified, {arm}": sum(row.get("verified", 0) for row in arms[arm].values()) for arm in ARMS},
        "candidates": sums[after, "cost"] / max(1, sums[before, "cost"]),
        "candidates, both": shared[after] / max(1, shared[before]),
        "CPU": seconds[after] / max(1e-9, seconds[before]),
    }


def run(options: argparse.Namespace) -> Outcome:
    """Practises, fits, and measures both arms."""
    jobs, train, number = options.jobs, 12 if options.quick else None, 4 if options.quick else options.n
    found = in_processes([partial(practised, suite, train) for suite in SUITES], jobs, lambda row: row["suite"])
    searches = [partial(searched, suite, found, number) for suite in SUITES]
    measured_rows = in_processes(searches, jobs, lambda row: row["rows"][0]["suite"])
    guide = fitted(found).to_json()
    tables = [table.name for table in chosen("open")][:: 30 if options.quick else 1]
    measured_rows += in_processes(
        [partial(filled, name, guide) for name in tables], jobs, lambda row: row["rows"][0]["task"]
    )
    rows = [row for one in measured_rows for row in one["rows"]]
    own = told(rows, TABLES)
    solved = [own[f"solved, {arm}"] for arm in ARMS]
    targets = [
        Target(name="more tables right", op=">=", target=1, value=solved[1] - solved[0], n=own["tasks"]),
        Target(name="CPU over all tables, seed / none", op="<=", target=0.9, value=own["CPU"], n=own["tasks"]),
    ]
    return Outcome(
        benchmark="seed_guide",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets,
        settings={"budget": BUDGET, "names": len(guide["names"]), "practised": guide["rows"]},
    )


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    parts = [told(outcome.rows, part) for part in (*SUITES, TABLES)]
    lines = [
        ", ".join(f"{name} {v:.2f}" if isinstance(v, float) else f"{name} {v}" for name, v in p.items()) for p in parts
    ]
    return "\n".join([*lines, *(f"{'met' if t.met else 'MISSED'}  {t.name}: {t.value:.3g}" for t in outcome.targets)])


def main(argv: Iterable[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.seed_guide", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--n", type=int, default=100, help="problems of each suite")
    parser.add_argument("--jobs", type=int, default=2, help="processes")
    common_options(parser, seeds=1)
    options = parser.parse_args(None if argv is None else list(argv))
    outcome = run(options)
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
