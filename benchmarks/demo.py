"""Does the README's main command do what it says? Runs it from nothing, once per seed.

Each seed has a fresh workspace in a temporary folder. The wall time includes starting the program
and the sandbox, but not the installation.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish

WALL_S = 180.0
PATIENCE_S = 900.0
ROUND = ("number", "episodes", "solved", "skills", "verdict", "pairs", "promoted", "reason")
"""What is kept of a round's line in the report."""


def run_once(suite: str, seed: int, *, rounds: int | None = None, budget: str | None = None) -> dict[str, Any]:
    """One run of ``evolve improve`` in a new workspace, as a row."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        command = [sys.executable, "-m", "evolve", "improve", suite, "--set", f"seed={seed}", "--json", "-w", folder]
        command += ["--rounds", str(rounds)] if rounds is not None else []
        command += ["--budget", budget] if budget is not None else []
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command, cwd=folder, env=_environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=False
            )
        except subprocess.TimeoutExpired:
            return _row(suite, seed, time.perf_counter() - started, {}, error=f"did not end within {PATIENCE_S:g} s")
        wall = time.perf_counter() - started
    if done.returncode not in (0, 1) or not done.stdout:  # 1: it kept nothing
        return _row(suite, seed, wall, {}, error=_complaint(done.stderr, folder) or f"exit code {done.returncode}")
    return _row(suite, seed, wall, json.loads(done.stdout))


def _environment() -> dict[str, str]:
    """The caller's, without its settings for evolve, and with this source tree on the path."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("EVOLVE_")}
    return {**kept, "PYTHONPATH": os.pathsep.join(filter(None, (_source(), os.environ.get("PYTHONPATH"))))}


def _source() -> str:
    import evolve

    return str(Path(evolve.__file__).resolve().parents[1])


def _complaint(text: str, folder: str) -> str:
    """What the command said went wrong, without the folders of this machine."""
    lines = text.strip().splitlines()
    said = [line for line in lines if line.startswith("evolve: ")] or lines
    return said[-1].replace(folder, ".").replace(str(ROOT), ".") if said else ""


def _row(suite: str, seed: int, wall: float, report: Mapping[str, Any], *, error: str = "") -> dict[str, Any]:
    arms = {arm["arm"]: arm for arm in report.get("arms", ())}
    ratio, gain = report.get("ratio", {}), report.get("gain", {})
    return {
        "suite": suite,
        "seed": seed,
        "wall_s": round(wall, 2),
        "promoted": bool(report.get("promoted")),
        "ratio": _bounds(ratio),
        "gain": _bounds(gain),
        "excludes_no_gain": excludes_no_gain(_bounds(ratio), _bounds(gain)),
        "solved": {name: arms[name]["solved"] for name in ("unlearned", "learned") if name in arms},
        "tasks": arms.get("learned", {}).get("tasks", 0),
        "rounds": [{name: one[name] for name in ROUND} for one in report.get("rounds", ())],
        "finish_reason": report.get("finish_reason", ""),
        "error": error,
    }


def _bounds(interval: Mapping[str, Any]) -> list[float | None]:
    return [interval.get("value"), interval.get("low"), interval.get("high")]


def excludes_no_gain(ratio: Sequence[float | None], gain: Sequence[float | None]) -> bool:
    """Whether the interval of the cost lies below 1, or that of the share solved above 0, and neither shows a loss."""
    _, ratio_low, ratio_high = ratio
    _, gain_low, gain_high = gain
    cheaper = ratio_high is not None and ratio_high < 1
    more = gain_low is not None and gain_low > 0
    worse = (ratio_low is not None and ratio_low > 1) or (gain_high is not None and gain_high < 0)
    return (cheaper or more) and not worse


def targets_of(rows: Sequence[Mapping[str, Any]]) -> list[Target]:
    """Every seed within the time, with a promoted variant and a gain."""
    runs = len(rows)
    walls = [row["wall_s"] for row in rows if not row["error"]]
    slowest = max(walls) if walls and len(walls) == runs else None
    return [
        Target(name="slowest run, wall seconds", op="<=", target=WALL_S, value=slowest, n=runs),
        Target(name="runs", op=">=", target=5, value=runs, n=runs),
        _all("runs with a promoted variant", [row["promoted"] for row in rows]),
        _all("runs whose test interval excludes no gain", [row["excludes_no_gain"] for row in rows]),
    ]


def _all(name: str, values: Sequence[bool]) -> Target:
    return Target(name=name, op="==", target=len(values), value=sum(values) if values else None, n=len(values))


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    lines = []
    for row in outcome.rows:
        ratio, gain = ([f"{one:.3g}" if one is not None else "-" for one in row[key]] for key in ("ratio", "gain"))
        lines.append(
            f"seed {row['seed']}: {row['wall_s']:.1f} s, {'promoted' if row['promoted'] else 'not promoted'},"
            f" candidates {ratio[0]} [{ratio[1]}, {ratio[2]}], solved {gain[0]} [{gain[1]}, {gain[2]}]"
            f"{', ' + row['error'] if row['error'] else ''}"
        )
        lines += [f"  round {one['number']}: {one['solved']} solved; {one['reason']}" for one in row["rounds"]]
    lines += [
        f"{'met   ' if one.met else 'MISSED'}  {one.name}: {one.value} (n {one.n}); target {one.op} {one.target:g}"
        for one in outcome.targets
    ]
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.demo", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--suite", default="everyday")
    common_options(parser, seeds=5)
    options = parser.parse_args(argv)
    seeds = 1 if options.quick else options.seeds
    limits: dict[str, Any] = {"rounds": 1, "budget": "25s"} if options.quick else {}
    rows = []
    for seed in range(seeds):
        rows.append(run_once(options.suite, seed, **limits))
        progress(f"seed {seed}: {rows[-1]['wall_s']} s {rows[-1]['error']}")
    outcome = Outcome(
        benchmark="demo",
        seeds=seeds,
        quick=options.quick,
        rows=rows,
        targets=targets_of(rows),
        settings={"suite": options.suite},
    )
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
