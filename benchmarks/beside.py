"""Can you work while ``evolve improve`` runs, and is anything lost? ``python -m benchmarks.beside --json``.

While a loop practises on ``everyday``, notes, preferences, fills and runs are typed one after the other, each as a
command of its own. Then processes are killed (SIGKILL) at fault points and at random moments: the loop, which is begun
again, and commands beside it, which are typed again. What a command had acknowledged has to be on record once, and so
has what was killed and typed again. A wait is what a command takes longer than the median of its kind without a loop.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import evolve
from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish

COMMANDS, KILLS, ALONE = 100, 20, 5
KINDS = ("note", "preference", "fill", "note", "run")
SHORT = ("note", "preference")
DONE = (0, 1)
LOOP_POINTS = (
    "record.begin:40",
    "record.commit.before:60",
    "record.commit.after:50",
    "attempt.kept:9",
    "practice.kept:1",
)
POINTS = ("record.begin", "record.commit.before", "record.commit.after")


@dataclass
class Scene:
    """A workspace with a loop in it, and what was acknowledged there."""

    folder: Path
    loop: subprocess.Popen[bytes] | None = None
    loops: int = 0
    texts: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)

    def start(self, words: Sequence[str], fault: str = "", log: str = "out") -> subprocess.Popen[bytes]:
        """Starts a command in a session of its own."""
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_FAULT": fault}
        with (self.folder / log).open("wb") as out, (self.folder / f"{log}.err").open("wb") as err:
            line = [sys.executable, "-c", "from evolve.cli import main; main()", "-w", str(self.folder / "ws"), *words]
            return subprocess.Popen(line, env=environ, stdout=out, stderr=err, start_new_session=True)

    def keep_loop(self, fault: str = "") -> None:
        """Begins the loop where none goes on, and waits until it practises."""
        if self.loop is not None and self.loop.poll() is None:
            return
        # Another seed is another loop: one that is over would only show its report again.
        if self.loop is not None and self.loop.returncode in DONE:
            self.loops += 1
        words = ["improve", "everyday", "--budget", "2h", "--set", f"seed={self.loops}"]
        self.loop = self.start(words, fault, "loop")
        while not fault and self.loop.poll() is None and not (self.folder / "ws/memory_store/loop").exists():
            time.sleep(0.1)

    def stop(self) -> None:
        """Kills the loop with its workers."""
        if self.loop is not None and self.loop.poll() is None:
            os.killpg(self.loop.pid, signal.SIGKILL)
            self.loop.wait()

    def words(self, kind: str, number: int) -> list[str]:
        """A command of a kind; what it is about is told apart by its number."""
        table = self.folder / f"{kind}{number}.csv"
        rows = "".join(
            f"{name}{number},{name}{number}-x{number}\n"
            for name in ("ann", "bob", "cleo", "dora", "emil", "fay", "gus")
        )
        table.write_text(f"name,longer\n{rows}" + (f"hal{number},\n" if kind == "fill" else ""))
        return {
            "note": ["memory", "note", f"note {number}", "--json"],
            "preference": ["memory", "preferences", "add", f"write {number} as a word", "--json"],
            "fill": ["fill", str(table), "--out", str(table.with_suffix(".out.csv")), "--json"],
            "run": ["run", "--examples", str(table), "--json"],
        }[kind]

    def done(self, kind: str, number: int, fault: str = "", kill_s: float = 0.0) -> dict[str, Any]:
        """Types a command and waits for it; what it acknowledged has to be on record from then on."""
        began = time.monotonic()
        process = self.start(self.words(kind, number), fault)
        try:
            process.wait(kill_s or 120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        code, seconds = process.wait(), time.monotonic() - began
        if code in DONE and kind in SHORT:
            self.texts.append(f"note {number}" if kind == "note" else f"write {number} as a word")
        elif code in DONE:
            told = json.loads((self.folder / "out").read_text())
            self.runs += [one["run_id"] for one in (told.get("result", told),) if one is not None]
        elif code > 0:
            progress((self.folder / "out.err").read_text()[-300:])
        return {
            "kind": kind,
            "number": number,
            "fault": fault or ("random" if kill_s else ""),
            "code": code,
            "seconds": seconds,
        }

    def lost(self) -> list[str]:
        """What was acknowledged and is not on record exactly once, and faults of the record."""
        with evolve.open(self.folder / "ws", read_only=True) as opened:
            texts = [note.text for note in opened.memory.notes()]
            said = Counter(texts + [one.description for one in opened.preferences.list()])
            ended = Counter(row.run.id for row in opened.runs.list() if row.run.state == "done" and row.episodes)
            faults = opened.stores.db.check()
        wrong = [text for text in set(self.texts) if said[text] != 1]
        return [*wrong, *(run for run in set(self.runs) if ended[run] != 1), *faults]


def measured(
    folder: Path, commands: int, kills: int, seed: int
) -> tuple[list[dict[str, Any]], Mapping[str, float | None]]:
    """Every command as a row, and the figures."""
    scene, chosen = Scene(folder), random.Random(seed)
    alone = [scene.done(kind, 9_000 + number) for number in range(ALONE) for kind in dict.fromkeys(KINDS)]
    usual = {kind: median(row["seconds"] for row in alone if row["kind"] == kind) for kind in KINDS}
    rows = []
    for number in range(commands):
        scene.keep_loop()
        row = scene.done(KINDS[number % len(KINDS)], number)
        rows.append({**row, "wait": max(0.0, row["seconds"] - usual[row["kind"]])})
    killed = []
    for number in range(10_000, 10_000 + kills):
        kind, at_point = KINDS[number % len(KINDS)], chosen.random() < 0.7
        if number % 2:  # the command beside the loop
            scene.keep_loop()
            nth = 1 if kind in SHORT else chosen.randint(1, 4)
            fault = f"{chosen.choice(POINTS)}:{nth}:kill" if at_point else ""
            killed.append(scene.done(kind, number, fault, 0.0 if at_point else chosen.uniform(0.2, 1.5 * usual[kind])))
        else:  # the loop, while commands are typed
            scene.stop()
            scene.keep_loop(f"{chosen.choice(LOOP_POINTS)}:kill" if at_point else "")
            killed.append({**scene.done(kind, number), "fault": "loop"})
            scene.stop()
        killed.append(scene.done(kind, number))
        progress(f"kill {number - 9_999} of {kills}: {killed[-2]['fault']}, {killed[-2]['code']}")
    scene.stop()
    waits = sorted(row["wait"] for row in rows if row["kind"] in SHORT)
    return [*alone, *rows, *killed], {
        "refused": sum(row["code"] not in (*DONE, -signal.SIGKILL) for row in (*rows, *killed)),
        "p95 wait of short writes, s": waits[int(0.95 * len(waits))] if waits else None,
        "lost": len(scene.lost()),
    }


def main() -> None:
    """Measures and publishes."""
    parser = argparse.ArgumentParser(description=__doc__)
    common_options(parser, seeds=1)
    chosen = parser.parse_args()
    commands, kills = (10, 2) if chosen.quick else (COMMANDS, KILLS)
    with tempfile.TemporaryDirectory(prefix="beside-") as name:
        # So that nothing of it is trusted, or remembered, in the home of whoever measures.
        os.environ.update(HOME=name, XDG_DATA_HOME=name, XDG_CONFIG_HOME=name, XDG_CACHE_HOME=name, XDG_STATE_HOME=name)
        rows, found = measured(Path(name), commands, kills, seed=1)
    bounds = {"refused": 0.0, "p95 wait of short writes, s": 2.0, "lost": 0.0}
    targets = [Target(name=name, op="<=", target=bounds[name], value=found[name], n=len(rows)) for name in found]
    settings = {"commands": commands, "kills": kills, "suite": "everyday"}
    outcome = Outcome(benchmark="beside", seeds=1, quick=chosen.quick, rows=rows, targets=targets, settings=settings)
    publish(outcome, chosen, "\n".join(f"{one.name}: {one.value}" for one in targets))


if __name__ == "__main__":
    main()
