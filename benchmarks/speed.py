"""What does the machinery cost? CPU time on one core, so that neighbours do not count.

Measured are candidates a second on the ``lists`` suite, beside a plain Python loop in the same
process for comparison between machines; the start of ``evolve --help``; a whole small ``evolve run``
beside the import of langgraph, which is the largest part of it; what ``import evolve`` drags in; and
what an episode's graph costs beyond policy and sandbox, with and without a checkpoint file.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.record import ROOT, Outcome, Target, common_options, progress, publish

HEAVY = ("langgraph", "chromadb", "openai", "sentence_transformers", "networkx", "numpy")
MUST_STAY_OUT = ("langgraph", "chromadb")
LOOP = 2_000_000


def measure(*, repeats: int, tasks: int, budget: int) -> list[dict[str, Any]]:
    """Every measurement ``repeats`` times, a row each."""
    rows: list[dict[str, Any]] = []
    for repeat in range(repeats):
        progress(f"repeat {repeat + 1} of {repeats}")
        loop = _loop_rate()
        found = {
            "loop iterations a CPU second": loop,
            "candidates a CPU second": _search_rate(tasks, budget, seed=repeat),
            "evolve --help, CPU seconds": _child_cpu(["-m", "evolve", "--help"]),
            "python without evolve, CPU seconds": _child_cpu(["-c", "pass"]),
            "python that imports langgraph.graph, CPU seconds": _child_cpu(["-c", "import langgraph.graph"]),
            "evolve run in a new workspace, CPU seconds": _run_cpu(),
            "episode graph, CPU ms": _graph_ms(checkpoints=False),
            "episode graph with checkpoint file, CPU ms": _graph_ms(checkpoints=True),
        }
        alone = found["python that imports langgraph.graph, CPU seconds"]
        found["evolve run / import of langgraph.graph"] = found["evolve run in a new workspace, CPU seconds"] / alone
        found["loop iterations a candidate"] = loop / found["candidates a CPU second"]
        rows += [{"measure": name, "seed": repeat, "value": round(value, 5)} for name, value in found.items()]
    loaded = imported()
    rows += [{"measure": f"import evolve loads {name}", "seed": 0, "value": int(name in loaded)} for name in HEAVY]
    return rows


def targets_of(rows: Sequence[dict[str, Any]]) -> list[Target]:
    """Medians against what they should be."""
    limits: dict[str, tuple[Any, float]] = {
        "candidates a CPU second": (">=", 200_000),
        "evolve --help, CPU seconds": ("<=", 0.25),
        "evolve run in a new workspace, CPU seconds": ("<=", 1.3),
        "episode graph, CPU ms": ("<=", 20),
        "episode graph with checkpoint file, CPU ms": ("<=", 20),
        **{f"import evolve loads {name}": ("==", 0) for name in MUST_STAY_OUT},
    }
    targets = []
    for name, (op, target) in limits.items():
        values = [row["value"] for row in rows if row["measure"] == name]
        targets.append(
            Target(
                name=name,
                op=op,
                target=target,
                value=median(values) if values else None,
                low=min(values, default=None),
                high=max(values, default=None),
                n=len(values),
            )
        )
    return targets


def imported() -> set[str]:
    """Which heavy packages ``import evolve`` loads."""
    source = "import sys, evolve; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    found = subprocess.run([sys.executable, "-c", source], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(found.stdout.split()) & set(HEAVY)


def _loop_rate() -> float:
    started, total = time.process_time(), 0
    for number in range(LOOP):
        total += number & 7
    return LOOP / (time.process_time() - started)


def _search_rate(tasks: int, budget: int, *, seed: int) -> float:
    """The unlearned search over list tasks, answers and all."""
    from benchmarks.suites import draw_suite
    from evolve.core.episodes import Limits
    from evolve.policies.search import SearchPolicy

    policy = SearchPolicy()
    views = [task.view() for task in draw_suite("lists", seed=seed, n=tasks).tasks]
    spent, started = 0, time.process_time()
    for view in views:
        action = policy.act(view, policy.plan(view, ()), (), Limits(candidates=budget, seconds=None))
        spent += action.cost.candidates
    return spent / (time.process_time() - started)


def _child_cpu(arguments: Sequence[str]) -> float:
    """CPU seconds of a new interpreter, its own children included."""
    process = subprocess.Popen(
        [sys.executable, *arguments], cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"python {' '.join(arguments)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def _run_cpu() -> float:
    """CPU seconds of a whole ``evolve run`` on a few rows, sandbox included."""
    with tempfile.TemporaryDirectory() as folder:
        rows = Path(folder) / "names.csv"
        rows.write_text("name,short\nAda Lovelace,A. LOVELACE\nAlan Turing,A. TURING\nGrace Hopper,G. HOPPER\n")
        return _child_cpu(["-m", "evolve", "run", "--examples", str(rows), "-w", f"{folder}/ws"])


@dataclass
class _Clock:
    """CPU time spent inside what it wraps."""

    spent: float = 0.0

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.process_time()
            try:
                return function(*args, **kwargs)
            finally:
                self.spent += time.process_time() - started

        return timed


@dataclass
class _Timed:
    """An object whose methods run on a clock."""

    inner: Any
    clock: _Clock = field(default_factory=_Clock)

    def __getattr__(self, name: str) -> Any:
        value = getattr(self.inner, name)
        return self.clock.around(value) if callable(value) else value


def _graph_ms(*, checkpoints: bool, episodes: int = 30) -> float:
    """Median CPU milliseconds of an episode outside its policy and sandbox."""
    from benchmarks.doubles import small_suite
    from evolve.agent import Agent, AgentServices
    from evolve.testing import FixedPolicy, TrustingSandbox

    clock = _Clock()
    found = []
    with tempfile.TemporaryDirectory() as folder:
        around = AgentServices(
            policy=_Timed(FixedPolicy(), clock),
            sandbox=_Timed(TrustingSandbox(), clock),
            run="speed",
            checkpoints=Path(folder) if checkpoints else None,
        )
        agent = Agent(around)
        for task in small_suite(episodes).tasks:
            clock.spent, started = 0.0, time.process_time()
            agent.run_episode(task, variant="unlearned", split="train")
            found.append(time.process_time() - started - clock.spent)
    return 1000 * median(found)


def table(outcome: Outcome) -> str:
    """The figures for a terminal."""
    names = dict.fromkeys(row["measure"] for row in outcome.rows)
    met = {target.name: target for target in outcome.targets}
    lines = []
    for name in names:
        values = [row["value"] for row in outcome.rows if row["measure"] == name]
        line = f"{name}: {median(values):,.5g} ({min(values):,.5g} to {max(values):,.5g}, n {len(values)})"
        if name in met:
            line += f"; target {met[name].op} {met[name].target:g}: {'met' if met[name].met else 'MISSED'}"
        lines.append(line)
    return "\n".join(lines)


def main(argv: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=(__doc__ or "").split("\n")[0])
    common_options(parser, seeds=5)
    options = parser.parse_args(argv)
    repeats = min(options.seeds, 2) if options.quick else options.seeds
    rows = measure(repeats=repeats, tasks=15 if options.quick else 60, budget=50_000)
    outcome = Outcome(benchmark="speed", seeds=repeats, quick=options.quick, rows=rows, targets=targets_of(rows))
    publish(outcome, options, table(outcome))


if __name__ == "__main__":
    main()
