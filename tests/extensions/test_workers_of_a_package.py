"""The workers of docs/extending-loops.md keep what all workers promise, and run a loop."""

from __future__ import annotations

from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.errors import EnvironmentProblem, WorkspaceError
from evolve.tasks import render_jsonl
from tests.extensions.test_extending import toys
from tests.improve.test_worker_kinds import *  # noqa: F403
from tests.improve.test_worker_kinds import count, workers
from tests.offering import offer

__all__ = ["count", "toys", "workers"]


@pytest.fixture
def on(toys: None) -> str:
    return "threads"


def improved(root: Path, on: str) -> list[tuple[str, str, int]]:
    """What the episodes of a loop came to."""
    file = root.parent / "small.jsonl"
    file.write_text(render_jsonl(small_suite().tasks))
    evolve.init(root)
    (root / "evolve.toml").write_text(f"workers = 2\nworkers_on = '{on}'\n")
    with evolve.open(root) as workspace:
        workspace.improve(str(file), rounds=1)
        episodes = workspace.stores.runs.episodes()
        return [(one.task, one.status, one.cost.candidates) for one in episodes]


def test_a_loop_on_added_workers_comes_to_the_same_as_on_this_machine(toys: None, tmp_path: Path) -> None:
    assert improved(tmp_path / "here", "local") == improved(tmp_path / "there", "threads")


def test_workers_that_nobody_offers_or_that_are_none_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(WorkspaceError, match="workers_on: there is no 'odd'; there are local"):
        improved(tmp_path / "ws", "odd")
    offer(monkeypatch, tmp_path / "site", "workers", "odd", lambda setup, count: 42)
    with pytest.raises(EnvironmentProblem, match=r"odd \(workers\) of the package evolve-toy opens int"):
        improved(tmp_path / "more", "odd")
