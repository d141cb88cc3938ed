"""What do a person's few tasks prove, and what do the next ten cost? ``python -m benchmarks.small_suites --json``.

Of a shipped suite 12, 30 and 60 problems are drawn, and ten others that come later. ``evolve improve`` runs on the
first as it would for a person. The ten are then run once in its workspace and once in an empty one; nothing is learned
from them. Costs are candidates.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import evolve
from evolve.events import Event
from evolve.gate import one_per_group
from evolve.tasks import Task, load_suite, render_jsonl
from evolve.workspace import Person

SIZES = (12, 30, 60)
LATER = 10


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What came of one draw.

    Attributes:
        told: What was said before the loop began.
        wins, losses, ties: Pairs of the verdict.
        solved_before, solved_after: Of the ten later tasks, verified in an empty workspace and in the learned one.
        cost_before, cost_after: Candidates that these took.
        seconds: Wall time of the loop.
    """

    suite: str
    size: int
    seed: int
    told: str
    verdict: str
    promoted: bool
    wins: int
    losses: int
    ties: int
    solved_before: int
    solved_after: int
    cost_before: int
    cost_after: int
    seconds: float


class _Told:
    """Hears what is said when a loop begins."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def emit(self, event: Event) -> None:
        """Keeps what a person reads first."""
        if event.kind == "begun":
            self.texts.append(str(event.data["text"]))


def drawn(suite: str, size: int, seed: int) -> tuple[list[Task], list[Task]]:
    """So many problems of a suite, and the later ones."""
    tasks = sorted(one_per_group(load_suite(suite).tasks), key=lambda task: task.id)
    random.Random(f"{suite} {seed}").shuffle(tasks)
    return tasks[LATER : LATER + size], tasks[:LATER]


def measure(suite: str, size: int, seed: int) -> Learned:
    """One draw: the loop, then the later tasks with and without it."""
    tasks, later = drawn(suite, size, seed)
    told = _Told()
    with TemporaryDirectory() as folder:
        file = Path(folder) / "own.jsonl"
        file.write_text(render_jsonl(tasks))
        begun = time.monotonic()
        with evolve.open(Path(folder) / "learned", events=told) as workspace:
            report = workspace.improve(str(file))
            seconds = time.monotonic() - begun
            decisions = workspace.gate.list().decisions
            after = _run(workspace, later)
        with evolve.open(Path(folder) / "empty") as workspace:
            before = _run(workspace, later)
    last = decisions[-1] if decisions else None
    return Learned(
        suite=suite,
        size=size,
        seed=seed,
        told=" ".join(told.texts),
        verdict=last.verdict if last else "none",
        promoted=bool(report.promoted),
        wins=last.tally.wins if last else 0,
        losses=last.tally.losses if last else 0,
        ties=last.tally.ties if last else 0,
        solved_before=before[0],
        solved_after=after[0],
        cost_before=before[1],
        cost_after=after[1],
        seconds=round(seconds, 1),
    )


def _run(workspace: evolve.Workspace, tasks: Sequence[Task]) -> tuple[int, int]:
    results = [workspace.run(task, person=Person(learn="off"), budget="50k-candidates") for task in tasks]
    return sum(result.verified for result in results), sum(result.cost.candidates for result in results)


def main() -> None:
    """Prints a line per draw, or everything as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--suites", nargs="+", default=["everyday"])
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--seeds", type=int, default=1, help="draws of each size")
    chosen = parser.parse_args()
    found: list[dict[str, Any]] = []
    for suite in chosen.suites:
        for size in chosen.sizes:
            for seed in range(chosen.seeds):
                row = measure(suite, size, seed)
                found.append(asdict(row))
                if not chosen.json:
                    print(
                        f"{suite} {size}: {row.verdict} ({row.wins} wins, {row.losses} losses, {row.ties} ties) in"
                        f" {row.seconds} s; next {LATER}: {row.solved_before} solved for {row.cost_before:,},"
                        f" learned {row.solved_after} for {row.cost_after:,}; told: {row.told}",
                        flush=True,
                    )
    if chosen.json:
        print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
