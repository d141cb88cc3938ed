"""The file every benchmark writes: rows, targets, and what they were measured on."""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Literal

from evolve.trials.gate import ConfidenceInterval

ROOT = Path(__file__).resolve().parents[1]
MEASURED_WITH = ("evolve-learn", "langgraph", "chromadb", "numpy")

UNSEEDED = {"seed_skills": "off"}
"""Settings of a workspace whose agent has what it learned alone, and not the skills that come with evolve."""

Op = Literal["<=", ">=", "==", "high <=", "low >", "low >="]
"""``high`` and ``low`` compare a bound of the interval; the others compare the value."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """One figure against what it should be. What was not measured is not met."""

    name: str
    op: Op
    target: float
    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0

    @property
    def met(self) -> bool:
        """Whether the figure is there and on the right side."""
        bound, _, sign = self.op.rpartition(" ")
        figure = {"": self.value, "low": self.low, "high": self.high}[bound]
        if figure is None:
            return False
        if sign == "<=":
            return figure <= self.target
        if sign == ">":
            return figure > self.target
        return figure == self.target if sign == "==" else figure >= self.target

    def to_json(self) -> dict[str, Any]:
        """As it stands in the file."""
        return {**asdict(self), "met": self.met}


def against(name: str, interval: ConfidenceInterval, op: Op, target: float) -> Target:
    """A target on an interval."""
    return Target(
        name=name, op=op, target=target, value=interval.value, low=interval.low, high=interval.high, n=interval.n
    )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one benchmark found.

    Attributes:
        settings: Choices behind the rows, such as suite and budget.
    """

    benchmark: str
    seeds: int
    quick: bool
    rows: Sequence[Mapping[str, Any]]
    targets: Sequence[Target]
    settings: Mapping[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """The whole file."""
        return {
            "benchmark": self.benchmark,
            "commit": commit(),
            "versions": versions(),
            "machine": machine(),
            "seeds": self.seeds,
            "quick": self.quick,
            "settings": dict(self.settings),
            "rows": [dict(row) for row in self.rows],
            "targets": [target.to_json() for target in self.targets],
        }


def commit() -> str:
    """The commit that was measured, marked ``+`` where files differ from it; "" outside a repository."""
    head = _git("rev-parse", "--short=12", "HEAD")
    changed = _git("status", "--porcelain", "--untracked-files=no")
    return head + "+" if head and changed else head


def _git(*words: str) -> str:
    try:
        found = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def versions() -> dict[str, str]:
    """Versions of the interpreter and of what the figures depend on."""
    found = {"python": platform.python_version()}
    for name in MEASURED_WITH:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """The kind of machine: nothing that identifies one."""
    import os

    return {"system": platform.system(), "arch": platform.machine(), "cpu": _cpu(), "cores": os.cpu_count()}


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")


def common_options(parser: argparse.ArgumentParser, *, seeds: int) -> None:
    """The options every benchmark has."""
    parser.add_argument("--quick", action="store_true", help="a small version that ends within a minute")
    parser.add_argument("--seeds", type=int, default=seeds, help="independent repetitions or splits")
    parser.add_argument("--json", action="store_true", help="print the whole file instead of a table")
    parser.add_argument("--out", type=Path, help="also write the file there")


def publish(outcome: Outcome, options: argparse.Namespace, table: str) -> None:
    """Prints the table or the file, and writes the file where one is wanted."""
    text = json.dumps(outcome.to_json(), ensure_ascii=False, allow_nan=False)
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(text + "\n", encoding="utf-8")
    print(text if options.json else table)


def progress(text: str) -> None:
    """One line for whoever waits."""
    print(text, file=sys.stderr, flush=True)
