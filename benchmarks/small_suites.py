"""What do a person's few tasks prove, and what do the next ten cost? ``python -m benchmarks.small_suites --json``.

Of a shipped suite 12, 30 and 60 problems are drawn, and ten others that come later. ``evolve improve`` runs on the
first as it would for a person, and ``evolve report`` says what a person reads then. The ten are run once in that
workspace and once in an empty one; nothing is learned from them. Costs are work units and seconds.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import evolve
from benchmarks.record import UNSEEDED, Outcome, common_options, progress, publish
from evolve.core.events import Event
from evolve.tasks import Task, load_suite, render_jsonl
from evolve.trials.gate import one_per_group
from evolve.workspace import Person

SIZES = (12, 30, 60)
LATER = 10


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What came of one draw.

    Attributes:
        told: What was said before the loop began.
        report: What ``evolve report`` says after it.
        wins, losses, ties: Pairs of the verdict.
        solved_before, solved_after: Of the ten later tasks, verified in an empty workspace and in the learned one.
        work_before, work_after: Work units that these took; ``seconds_before`` and ``seconds_after`` wall time.
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
    work_before: int
    work_after: int
    seconds_before: float
    seconds_after: float
    seconds: float
    report: str


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
        with evolve.open(Path(folder) / "learned", events=told, settings=UNSEEDED) as workspace:
            report = workspace.improve(str(file))
            seconds = time.monotonic() - begun
            decisions = workspace.gate.list().decisions
            after = _run(workspace, later)
        read = _report(Path(folder) / "learned")
        with evolve.open(Path(folder) / "empty", settings=UNSEEDED) as workspace:
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
        work_before=before[1],
        work_after=after[1],
        seconds_before=before[2],
        seconds_after=after[2],
        seconds=round(seconds, 1),
        report=read,
    )


def _run(workspace: evolve.Workspace, tasks: Sequence[Task]) -> tuple[int, int, float]:
    begun = time.monotonic()
    results = [workspace.run(task, person=Person(learn="off"), budget="50k-candidates") for task in tasks]
    seconds = round(time.monotonic() - begun, 2)
    return sum(result.verified for result in results), sum(result.cost.work for result in results), seconds


def _report(folder: Path) -> str:
    """What a person reads, without the place of the workspace."""
    words = [sys.executable, "-m", "evolve", "report", "-w", str(folder)]
    told = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout
    return told.replace(str(folder), "WORKSPACE").rstrip()


def table(rows: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Any, ...]]:
    """A line per draw."""
    yield ("suite", "problems", "verdict", "won, lost, tied", "s", f"next {LATER} solved", "work units", "s")
    for row in rows:
        yield (
            row["suite"],
            row["size"],
            row["verdict"],
            f"{row['wins']}, {row['losses']}, {row['ties']}",
            row["seconds"],
            f"{row['solved_before']} -> {row['solved_after']}",
            f"{row['work_before']:,} -> {row['work_after']:,}",
            f"{row['seconds_before']} -> {row['seconds_after']}",
        )


def texts(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What a person is told before and after, for each draw, as lines of a page."""
    for row in rows:
        yield from (f"{row['size']} problems of {row['suite']}, before: {row['told'] or 'nothing is said'}", "")
        yield from ("```text", *row["report"].splitlines(), "```", "")


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.small_suites", description=(__doc__ or "").split("\n")[0]
    )
    common_options(parser, seeds=1)
    parser.add_argument("--suites", nargs="+", default=["everyday"])
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    options = parser.parse_args(argv)
    rows = []
    for suite in options.suites:
        for size in options.sizes[: 1 if options.quick else None]:
            for seed in range(options.seeds):
                progress(f"{size} problems of {suite}")
                rows.append(asdict(measure(suite, size, seed)))
    outcome = Outcome(benchmark="small_suites", seeds=options.seeds, quick=options.quick, rows=rows, targets=())
    told = ["  ".join(str(cell) for cell in line) for line in table(rows)]
    publish(outcome, options, "\n".join([*told, *texts(rows)]))


if __name__ == "__main__":
    main()
