"""How fast are the worlds? Moves and steps by second of CPU, with what can be done asked for before each move.

Random moves are played once, where a world may have to work out what can be done anew, and then once more as a replay
does. CPU is that of this process and of those that it started, so neighbours move it less than the wall, which is told
beside it.
A world whose package is not installed is named and left out.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from benchmarks.record import Outcome, Target, common_options, progress, publish
from evolve.core.errors import SetupProblem
from evolve_worlds import Move, World, open_world

PLAYED = {
    "gymnasium": ("frozen-lake-8", "taxi"),
    "minigrid": ("GoToLocal", "GoTo", "PutNext"),
    "scienceworld": ("find-plant", "use-thermometer", "boil"),
    "textworld": ("quest-1", "quest-4"),
}
TICKS = os.sysconf("SC_CLK_TCK")


def cpu() -> float:
    """Seconds of CPU that this process and its children have taken."""
    mine, spent = os.getpid(), time.process_time()
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split() if entry.name.isdecimal() else []
        except OSError:  # it ended meanwhile
            continue
        if fields and int(fields[1]) == mine:
            spent += (int(fields[11]) + int(fields[12])) / TICKS
    return spent


def play(
    world: World, task: str, games: Sequence[tuple[int, Sequence[str]]], moves: int
) -> tuple[dict[str, Any], list]:
    """Plays games; where one has no moves, they are drawn and returned."""
    row = {"moves": 0, "steps": 0, "cpu": 0.0, "wall": 0.0}
    played = []
    for variation, given in games:
        trial, draw, done = world.start(task, variation), random.Random(variation), []
        before, begun = cpu(), time.perf_counter()
        for number in range(len(given) or moves):
            offered = trial.moves()
            if not offered:
                break
            done.append(given[number] if given else drawn(draw, offered))
            row["steps"] += trial.do(done[-1]).steps
        row["cpu"] += cpu() - before
        row["wall"] += time.perf_counter() - begun
        row["moves"] += len(done)
        played.append((variation, done))
    return row, played


def drawn(draw: random.Random, offered: Sequence[Move]) -> str:
    """A move that does not end the trial at once, as a wrong focus does."""
    return draw.choice([move for move in offered if not move.text.startswith("focus")] or offered).text


def rates(name: str, tasks: Sequence[str], games: int, moves: int) -> list[dict[str, Any]]:
    """A row for each task and way of playing."""
    rows = []
    with closing(open_world(name)) as world:
        for task in tasks:
            chosen = [(variation, []) for variation in world.variations(task, "train")[:games]]
            progress(f"{world.version}: {task}")
            fresh, played = play(world, task, chosen, moves)
            again, _ = play(world, task, played, moves)
            for way, row in (("fresh", fresh), ("replay", again)):
                rows.append({"world": name, "version": world.version, "task": task, "way": way, **row, **rate(row)})
    return rows


def rate(row: dict[str, Any]) -> dict[str, float]:
    """By second of CPU."""
    spent = max(row["cpu"], 1 / TICKS)
    return {"moves_per_s": row["moves"] / spent, "steps_per_s": row["steps"] / spent}


def table(rows: Sequence[dict[str, Any]]) -> str:
    """As people read it."""
    lines = [f"{'world':14}{'task':18}{'way':8}{'moves':>7}{'steps':>8}{'moves/s':>10}{'steps/s':>10}{'wall s':>8}"]
    for row in rows:
        figures = (
            f"{row['moves']:7}{row['steps']:8}{row['moves_per_s']:10.0f}{row['steps_per_s']:10.0f}{row['wall']:8.1f}"
        )
        lines.append(f"{row['world']:14}{row['task']:18}{row['way']:8}{figures}")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.world_rates", description=__doc__)
    common_options(parser, seeds=5)
    parser.add_argument("--worlds", nargs="+", default=list(PLAYED), choices=list(PLAYED))
    options = parser.parse_args()
    games, moves = (2, 20) if options.quick else (options.seeds, 60)
    rows: list[dict[str, Any]] = []
    for name in options.worlds:
        try:
            rows += rates(name, PLAYED[name][: 1 if options.quick else None], games, moves)
        except SetupProblem as problem:
            progress(f"{name} is left out: {problem}; {problem.hint}")
    replays = [row["moves_per_s"] for row in rows if (row["world"], row["way"]) == ("scienceworld", "replay")]
    slowest = min(replays) if replays else None
    target = Target(
        name="ScienceWorld, moves a CPU second in replays", op=">=", target=150, value=slowest, n=len(replays)
    )
    outcome = Outcome(benchmark="world_rates", seeds=games, quick=options.quick, rows=rows, targets=[target])
    publish(outcome, options, table(rows))


if __name__ == "__main__":
    main()
