"""Commands to be killed, and the workspaces they begin with."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.record import ROOT

Prepared = Callable[[Path], None]


@dataclass(frozen=True, kw_only=True)
class Scenario:
    """One command.

    Attributes:
        arguments: Of ``evolve``; () for work on the record without a command line.
        template: Name of the folder it begins with.
        workers: Processes of a loop.
        timed: Whether it is killed at random times too, besides at fault points.
        quick: Whether it is part of the small version.
    """

    name: str
    arguments: tuple[str, ...] = ()
    template: str = "empty"
    workers: int = 1
    timed: bool = False
    quick: bool = True

    @property
    def makes_a_run(self) -> bool:
        """Whether the command, given once more after its end, is another run."""
        return self.arguments[:1] in (("run",), ("improve",), ("report",))


IMPROVE = ("improve", "small.jsonl", "--rounds", "2", "--json")
EXPORT = ("skills", "export", "total", "--to", "out", "--json")
ONE_ROUND = ("improve", "small.jsonl", "--rounds", "1", "--json")
SCENARIOS = (
    Scenario(name="migration", arguments=("memory", "note", "kept", "--json"), template="schema 0", timed=True),
    Scenario(name="reindex", arguments=("lab", "memory", "reindex", "--json"), template="practised", timed=True),
    Scenario(name="repair", arguments=("status", "--repair", "--json"), template="damaged", timed=True, quick=False),
    Scenario(name="export", arguments=EXPORT, template="practised"),
    Scenario(name="record"),
    Scenario(name="run", arguments=("run", "small.jsonl#small-000", "--json"), timed=True),
    Scenario(name="improve", arguments=IMPROVE, timed=True),
    Scenario(name="run again", arguments=("run", "small.jsonl#small-001", "--json"), template="practised", quick=False),
    Scenario(name="fresh look", arguments=("report", "--fresh", "--json"), template="practised", quick=False),
    Scenario(name="improve, two workers", arguments=ONE_ROUND, workers=2, timed=True, quick=False),
)


def work_of(scenario: Scenario) -> Callable[[], int]:
    """What the child does; gives its exit code."""
    if not scenario.arguments:
        return _record_work
    return lambda: _command(scenario.arguments)


def environ_of(scenario: Scenario, folder: Path, fault: str) -> Mapping[str, str]:
    """The whole environment of the child: nothing of the caller's but where programs and the cache lie."""
    kept = {name: os.environ[name] for name in ("PATH", "XDG_CACHE_HOME", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(folder),
        "XDG_CACHE_HOME": str(folder.parent / "cache"),
        "PYTHONPATH": str(ROOT),
        "OMP_NUM_THREADS": "1",
        "EVOLVE_WORKSPACE": str(folder / "ws"),
        "EVOLVE_WORKERS": str(scenario.workers),
        **({"EVOLVE_FAULT": fault} if fault else {}),
    }


def preload() -> None:
    """Loads what the commands need, so that children begin with it. None of it starts a thread."""
    import chromadb
    import chromadb.api.rust  # noqa: F401
    import typer  # noqa: F401

    import evolve.agent.checkpoints
    import evolve.agent.graph
    import evolve.cli.program
    import evolve.memory.index
    import evolve.workspace.facade  # noqa: F401


def _command(arguments: tuple[str, ...]) -> int:
    """The program as it ships, but for a learner that needs no search."""
    from benchmarks.doubles import slow_learner
    from evolve.cli import program
    from evolve.workspace import facade

    facade.choose_learner = lambda *given: slow_learner(distils=True)
    sys.argv = ["evolve", *arguments]
    try:
        program.main(list(arguments))
    except SystemExit as leave:
        return leave.code if isinstance(leave.code, int) else 0
    return 0


def fill_template(name: str, folder: Path) -> int:
    """Fills the current folder with what scenarios of that template begin with; gives an exit code.

    Run in a process of its own: it opens the index, which starts threads.
    """
    from benchmarks.doubles import small_suite
    from evolve.tasks import render_jsonl

    (folder / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))
    if name in ("practised", "damaged"):
        practised = _command(IMPROVE)  # 1: it kept nothing
        code = practised if practised > 1 else _command(("lab", "memory", "reindex")) or _command(EXPORT)
        if name == "damaged":
            _damage(folder / "ws")
        return code
    if name == "schema 0":
        _older_record(folder / "ws")
    return 0


def _damage(root: Path) -> None:
    """Spoils a page in the middle of the record."""
    from evolve.core.paths import WorkspacePaths

    file = WorkspacePaths(root).db
    with file.open("r+b") as stream:
        stream.seek(file.stat().st_size // 2 // 4096 * 4096)
        stream.write(b"spoiled " * 512)


def _older_record(root: Path) -> None:
    """A workspace whose record has seen the first package's changes only, with something in it."""
    from evolve.agent import RunRepository
    from evolve.core.paths import WorkspacePaths
    from evolve.core.schema import AGENT
    from evolve.core.store import Database
    from evolve.workspace.locating import ensure_workspace
    from evolve.workspace.opening import NAMED, workspace_identity

    ensure_workspace(root)
    paths = WorkspacePaths(root)
    with Database(paths.db, AGENT, born={NAMED: workspace_identity(paths)}) as db:
        records = RunRepository(db)
        for number in range(20):
            run = records.begin("run", f"key {number}", {"task": f"t{number}"}, started="2026-01-01T00:00:00+00:00")
            records.end(run.id, "done")


def fresh_copy(template: Path, target: Path) -> None:
    """A folder of its own for one trial, which is the home of its user."""
    from benchmarks.copied_workspaces import enter
    from evolve.core.paths import APPROVALS

    shutil.copytree(template, target, symlinks=True)
    enter(target / "ws", target / ".local" / "state" / APPROVALS)


def _record_work() -> int:
    """Everything that writes to the record, called directly; done again it changes nothing."""
    from benchmarks.crash_work import work

    root = Path(os.environ["EVOLVE_WORKSPACE"])
    print(json.dumps(work(root)))
    return 0
