"""Can you work while ``evolve improve`` runs, and is anything lost? ``python -m benchmarks.beside --json``.

While a loop practises, commands are typed one after the other. Then the loop and commands beside it are killed, at
points and at random, and typed again. What was acknowledged has to be on record once. A wait is what a command takes
longer than the median of its kind without a loop.
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
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

import evolve
from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish

COMMANDS, KILLS, ALONE = 100, 20, 5
KINDS = ("note", "preference", "fill", "note", "run")
SHORT, DONE = ("note", "preference"), (0, 1)
LOOP_POINTS = ("record.begin:40", "record.commit.before:60", "record.commit.after:50", "practice.kept:1")
POINTS = ("record.begin", "record.commit.before", "record.commit.after")
NAMES = ("ann", "bob", "cleo", "dora", "emil", "fay", "gus")


@dataclass
class Scene:
    """A workspace with a loop in it, and what was acknowledged there."""

    folder: Path
    loop: subprocess.Popen[bytes] | None = None
    loops: int = 0
    said: set[str] = field(default_factory=set)
    runs: set[str] = field(default_factory=set)

    def start(self, words: Sequence[str], fault: str, log: str) -> subprocess.Popen[bytes]:
        """Starts a command in a session of its own."""
        line = [sys.executable, "-c", "from evolve.cli import main; main()", "-w", str(self.folder / "ws"), *words]
        environ = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_FAULT": fault}
        with (self.folder / log).open("wb") as out, (self.folder / f"{log}.err").open("wb") as err:
            return subprocess.Popen(line, env=environ, stdout=out, stderr=err, start_new_session=True)

    def keep_loop(self, fault: str = "") -> None:
        """Begins the loop where none goes on, and waits until it practises."""
        if self.loop is not None and self.loop.poll() is None:
            return
        self.loops += self.loop is not None and self.loop.returncode in DONE  # another seed is another loop
        self.loop = self.start(["improve", "everyday", "--budget", "2h", "--set", f"seed={self.loops}"], fault, "loop")
        at, own = self.folder / "ws/memory_store/loop", f'"pid": {self.loop.pid},'
        while self.loop.poll() is None and not (at.exists() and own in at.read_text()):
            time.sleep(0.05)

    def stop(self, within_s: float = 0.0) -> None:
        """Kills the loop with its workers, where it has not ended by then."""
        if self.loop is not None:
            with suppress(subprocess.TimeoutExpired):
                self.loop.wait(within_s)
            with suppress(ProcessLookupError):
                os.killpg(self.loop.pid, signal.SIGKILL)
            self.loop.wait()

    def done(self, kind: str, number: int, fault: str = "", kill_s: float = 0.0) -> dict[str, Any]:
        """Types a command and waits for it; what it acknowledged has to be on record from then on."""
        table, text = self.folder / f"{kind}{number}.csv", f"{kind} {number} as a word"
        rows = [f"{name}{number},{name}{number}-x{number}" for name in NAMES] + [f"hal{number},"] * (kind == "fill")
        table.write_text("\n".join(["name,longer", *rows, ""]))
        typed = {"note": ["memory", "note", text], "preference": ["memory", "preferences", "add", text]}
        typed |= {"fill": ["fill", str(table)], "run": ["run", "--examples", str(table)]}
        began, process = time.monotonic(), self.start([*typed[kind], "--json"], fault, "out")
        try:
            process.wait(kill_s or 120)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        code, told = process.wait(), (self.folder / "out").read_text()
        if code in DONE and kind in SHORT:
            self.said.add(text)
        elif code in DONE and (result := json.loads(told).get("result", json.loads(told))) is not None:
            self.runs.add(result["run_id"])
        elif code > 0:
            progress((self.folder / "out.err").read_text()[-300:])
        seconds = time.monotonic() - began
        return {"kind": kind, "number": number, "fault": fault, "kill_s": kill_s, "code": code, "seconds": seconds}

    def lost(self) -> list[str]:
        """What was acknowledged and is not on record exactly once, and faults of the record."""
        with evolve.open(self.folder / "ws", read_only=True) as opened:
            texts = [note.text for note in opened.memory.notes()]
            said = Counter([*texts, *(one.description for one in opened.preferences.list())])
            ended = Counter(row.run.id for row in opened.runs.list() if row.run.state == "done" and row.episodes)
            wrong = [text for text in self.said if said[text] != 1] + [run for run in self.runs if ended[run] != 1]
            return [*wrong, *opened.stores.db.check()]


def measured(folder: Path, commands: int, kills: int) -> tuple[list[dict[str, Any]], dict[str, float | None]]:
    """Every command as a row, and the figures."""
    scene, chosen, waits = Scene(folder), random.Random(1), list[float]()
    rows = [scene.done(kind, 9_000 + number) for number in range(ALONE) for kind in dict.fromkeys(KINDS)]
    usual = {kind: median(row["seconds"] for row in rows if row["kind"] == kind) for kind in KINDS}
    for number in range(commands):
        scene.keep_loop()
        rows.append(scene.done(KINDS[number % len(KINDS)], number))
        if rows[-1]["kind"] in SHORT:
            waits.append(max(0.0, rows[-1]["seconds"] - usual[rows[-1]["kind"]]))
    for number in range(10_000, 10_000 + kills):
        kind, at_point = KINDS[number % len(KINDS)], chosen.random() < 0.7
        if number % 2:  # the command beside the loop
            scene.keep_loop()
            fault = f"{chosen.choice(POINTS)}:{1 if kind in SHORT else chosen.randint(1, 4)}:kill" if at_point else ""
            rows.append(scene.done(kind, number, fault, 0.0 if at_point else chosen.uniform(0.2, 1.5 * usual[kind])))
        else:  # the loop, while the command is typed
            scene.stop()
            scene.keep_loop(f"{chosen.choice(LOOP_POINTS)}:kill" if at_point else "")
            rows.append({**scene.done(kind, number), "fault": "loop"})
            scene.stop(20.0 if at_point else chosen.uniform(0.0, 5.0))
        rows.append(scene.done(kind, number))
        progress(f"kill {number - 9_999} of {kills}")
    scene.stop()
    refused = [row for row in rows if row["code"] not in (*DONE, -9)]
    p95 = sorted(waits)[int(0.95 * len(waits))] if waits else None
    return rows, {"refused": len(refused), "p95 wait of short writes, s": p95, "lost": len(scene.lost())}


def main() -> None:
    """Measures and publishes."""
    common_options(parser := argparse.ArgumentParser(description=__doc__), seeds=1)
    commands, kills = (10, 2) if (options := parser.parse_args()).quick else (COMMANDS, KILLS)
    with tempfile.TemporaryDirectory(prefix="beside-") as name:
        # So that nothing of it is trusted, or remembered, in the home of whoever measures.
        os.environ.update(dict.fromkeys(("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"), name))
        rows, found = measured(Path(name), commands, kills)
    bounds = zip(found.items(), (0.0, 2.0, 0.0), strict=True)
    targets = [Target(name=name, op="<=", target=most, value=value, n=len(rows)) for (name, value), most in bounds]
    outcome = Outcome(benchmark="beside", seeds=1, quick=options.quick, rows=rows, targets=targets)
    publish(outcome, options, "\n".join(f"{one.name}: {one.value}" for one in targets))


if __name__ == "__main__":
    main()
