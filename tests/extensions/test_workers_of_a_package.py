"""The workers of docs/extending-loops.md keep what all workers promise, and run a loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.core.errors import SetupProblem, WorkspaceError
from evolve.tasks import render_jsonl
from evolve.trials import Attempt, EpisodeJob, LocalWorkers, ignore_attempt
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
    with pytest.raises(SetupProblem, match=r"odd \(workers\) of the package evolve-toy opens int"):
        improved(tmp_path / "more", "odd")


def renamed(attempt: Attempt) -> Attempt:
    return replace(attempt, record=replace(attempt.record, run="r99", episode="other"))


def unearned(attempt: Attempt) -> Attempt:
    return replace(attempt, record=replace(attempt.record, status="solved", verified=True, steps=()))


@pytest.mark.parametrize(
    "change",
    [
        lambda attempts: attempts[::-1],
        lambda attempts: attempts[:-1],
        lambda attempts: [attempts[0], *attempts[:-1]],
        lambda attempts: [renamed(one) for one in attempts],
        lambda attempts: [unearned(one) for one in attempts],
        lambda attempts: None,
        lambda attempts: [one.record for one in attempts],
    ],
    ids=["turned", "too few", "one twice", "of another run", "solved without a step", "none", "records"],
)
@pytest.mark.parametrize("is_told", [True, False])
def test_workers_that_give_what_was_not_asked_for_are_named_and_nothing_of_it_is_kept(
    change: Callable[[Sequence[Attempt]], list[Attempt]],
    is_told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Odd(LocalWorkers):
        at_once = 4

        def run(self, jobs: Sequence[EpisodeJob], told: Callable[[Attempt], None] = ignore_attempt) -> list[Attempt]:
            given = change(super().run(jobs))
            for attempt in given if is_told and given else ():
                told(attempt)
            return given

    offer(monkeypatch, tmp_path / "site", "workers", "odd", lambda setup, count: Odd(setup))
    with pytest.raises(SetupProblem, match=r"odd \(workers\) of the package evolve-toy gave"):
        improved(tmp_path / "ws", "odd")
    with evolve.open(tmp_path / "ws") as workspace:
        (run,) = workspace.stores.runs.list_runs()
        kept = [*workspace.stores.runs.episodes(), *workspace.stores.runs.pending_episodes(run.id)]
        assert all(one.run == run.id and one.steps for one in kept)


def test_attempts_that_workers_tell_nobody_of_are_kept_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Silent(LocalWorkers):
        def run(self, jobs: Sequence[EpisodeJob], told: Callable[[Attempt], None] = ignore_attempt) -> list[Attempt]:
            return super().run(jobs)

    offer(monkeypatch, tmp_path / "site", "workers", "silent", lambda setup, count: Silent(setup))
    assert improved(tmp_path / "here", "local") == improved(tmp_path / "there", "silent")
