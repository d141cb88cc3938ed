"""What does the vocabulary serve? Solves the examples and suites and counts which operations the answers use.

The unlearned search tries every task once. An operation *serves* a task when the verified answer
uses it; each should serve at least three tasks of two families. Rows of ``examples`` carry the
file's topic from the README there as their family.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from benchmarks.attempts import Solver
from benchmarks.judging import HostJudge
from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish
from benchmarks.suites import suite_of
from evolve.core.episodes import Action
from evolve.core.ledger import parse_budget
from evolve.policies.search import SearchPolicy
from evolve.policies.search.programs.operations import vocabulary
from evolve.policies.search.programs.terms import from_json, operations_in
from evolve.tasks import BUILTIN, Task, load_examples

LEAST_TASKS, LEAST_FAMILIES = 3, 2
EXAMPLES_SOLVED = 36
CHUNK = 40

_TOPIC = re.compile(r"^\| (?P<topic>[^|]+) \| \[(?P<file>[^\]]+)\]")


def example_tasks(folder: Path) -> list[tuple[str, str, Task]]:
    """``(name, family, task)`` of every file in the folder, in name order."""
    readme = folder / "README.md"
    lines = readme.read_text(encoding="utf-8").splitlines() if readme.exists() else []
    topics = {found["file"]: found["topic"].strip() for line in lines if (found := _TOPIC.match(line))}
    files = sorted(one for one in folder.iterdir() if one.suffix in (".csv", ".tsv", ".json", ".jsonl", ".py"))
    return [(one.name, topics.get(one.name, "examples"), load_examples(one)) for one in files]


def suite_tasks(name: str, n: int | None = None) -> list[tuple[str, str, Task]]:
    """``(id, family, task)`` of a suite."""
    return [(task.id, task.family, task) for task in suite_of(name, n=n).tasks]


def solve(suite: str, tasks: Sequence[tuple[str, str, Task]], budget: int) -> list[dict[str, Any]]:
    """A row per task: whether it was solved, verified, at what price and with which operations."""
    solver = Solver(policy=SearchPolicy(), judge=HostJudge())
    rows = []
    for name, family, task in tasks:
        attempt = solver.attempt(task, budget)
        answer = attempt.answer
        accepted = attempt.accepted and answer is not None
        rows.append(
            {
                "suite": suite,
                "task": name,
                "family": f"{suite}: {family}",
                "solved": accepted,
                "verified": attempt.verified,
                "candidates": attempt.candidates,
                "operations": _operations(answer) if accepted and answer is not None else [],
            }
        )
    return rows


def _operations(answer: Action) -> list[str]:
    return sorted(set(operations_in(from_json(answer.private["tree"]))))


def served(rows: Iterable[Mapping[str, Any]], names: Iterable[str]) -> dict[str, tuple[int, int]]:
    """Per operation, how many distinct solved tasks and families of tasks it serves."""
    tasks: dict[str, set[tuple[str, str]]] = defaultdict(set)
    families: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        for name in row["operations"] if row["solved"] else ():
            tasks[name].add((row["suite"], row["task"]))
            families[name].add(row["family"])
    return {name: (len(tasks[name]), len(families[name])) for name in sorted(names)}


def idle(counts: Mapping[str, tuple[int, int]]) -> list[str]:
    """Operations that serve too little."""
    return [name for name, (tasks, families) in counts.items() if tasks < LEAST_TASKS or families < LEAST_FAMILIES]


def share_solved(rows: Iterable[Mapping[str, Any]], suite: str) -> tuple[int, int]:
    """Verified and tried tasks of a suite."""
    mine = [row for row in rows if row["suite"] == suite]
    return sum(row["verified"] for row in mine), len(mine)


def targets_of(rows: Sequence[Mapping[str, Any]], names: Iterable[str]) -> list[Target]:
    """Operations that earn their place, and enough of the examples."""
    counts = served(rows, names)
    solved, tried = share_solved(rows, "examples")
    return [
        Target(name="operations", op=">=", target=120, value=len(counts), n=len(counts)),
        Target(name="operations that serve too few tasks", op="==", target=0, value=len(idle(counts)), n=len(counts)),
        Target(name="examples solved and verified", op=">=", target=EXAMPLES_SOLVED, value=solved, n=tried),
    ]


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    counts = served(outcome.rows, outcome.settings["operations"])
    lines = []
    for suite in dict.fromkeys(row["suite"] for row in outcome.rows):
        solved, tried = share_solved(outcome.rows, suite)
        lines.append(f"{suite}: {solved} of {tried} verified")
    lines.append(f"operations that serve fewer than {LEAST_TASKS} tasks of {LEAST_FAMILIES} families:")
    lines += [f"  {name}: {counts[name][0]} tasks, {counts[name][1]} families" for name in idle(counts)]
    lines.append("examples not solved:")
    lines += [
        f"  {row['task']}{' (fits, but is wrong on other rows or cannot be verified)' if row['operations'] else ''}"
        for row in outcome.rows
        if row["suite"] == "examples" and not row["verified"]
    ]
    lines += [
        f"{'met   ' if one.met else 'MISSED'}  {one.name}: {one.value:g} (n {one.n}); target {one.op} {one.target:g}"
        for one in outcome.targets
        if one.value is not None
    ]
    return "\n".join(lines)


def run(suites: Mapping[str, Sequence[tuple[str, str, Task]]], budget: int, workers: int) -> list[dict[str, Any]]:
    """Rows of all tasks, in their order."""
    jobs = [
        (suite, tasks[start : start + CHUNK], budget)
        for suite, tasks in suites.items()
        for start in range(0, len(tasks), CHUNK)
    ]
    rows: list[dict[str, Any]] = []
    with ProcessPoolExecutor(max(1, workers), mp_context=get_context("spawn")) as executor:
        for number, future in enumerate([executor.submit(solve, *job) for job in jobs], start=1):
            rows += future.result()
            progress(f"{number} of {len(jobs)} parts done")
    return rows


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", action="append", help="suites to try besides the examples; by default all built-in")
    parser.add_argument("--examples", type=Path, default=ROOT / "examples", help="folder of example files")
    parser.add_argument("--budget", default="50k-candidates", help="of one attempt")
    parser.add_argument("--workers", type=int, default=2, help="processes")
    common_options(parser, seeds=1)
    options = parser.parse_args(argv)
    names = options.suite or [one.name for one in BUILTIN]
    chosen = {"examples": example_tasks(options.examples)}
    chosen |= {Path(name).stem: suite_tasks(name, 40 if options.quick else None) for name in names}
    budget = parse_budget([options.budget]).candidates or 50_000
    rows = run(chosen, min(budget, 10_000) if options.quick else budget, options.workers)
    operations = [one.name for one in vocabulary()]
    outcome = Outcome(
        benchmark="coverage",
        seeds=1,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows, operations),
        settings={"budget": budget, "operations": operations},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
