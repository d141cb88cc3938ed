"""Tasks that a package proposes: practised on, never judged on, and the same when a loop goes on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evolve
from benchmarks.doubles import slow_learner, small_suite
from evolve.core.episodes import EpisodeRecord, Row
from evolve.core.errors import SetupProblem, WorkspaceError
from evolve.tasks import Suite, Task, load_suite, render_jsonl
from evolve.testing import TrustingSandbox
from tests.extensions.test_extending import toys
from tests.offering import offer

__all__ = ["toys"]

pytestmark = pytest.mark.slow


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite(40).tasks))
    return load_suite(str(file))


def opened(root: Path, proposer: str, *, searches: bool = False) -> evolve.Workspace:
    if not root.exists():
        evolve.init(root)
        (root / "evolve.toml").write_text(f"workers = 1\nproposer = '{proposer}'\n")
    if searches:
        return evolve.open(root)
    return evolve.open(root, policy=slow_learner())


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: TrustingSandbox)
    yield


def improved(workspace: evolve.Workspace, suite: Suite, tmp_path: Path, **asked: Any) -> list[EpisodeRecord]:
    """The episodes of a loop, by their own ends."""
    workspace.improve(str(tmp_path / "small.jsonl"), **asked)
    return [one for one in workspace.stores.runs.episodes() if one.status != "interrupted"]


@pytest.mark.parametrize("searches", [False, True])  # by a split, and task by task
def test_what_is_proposed_is_practised_on_and_never_judged_on(
    toys: None, suite: Suite, tmp_path: Path, searches: bool
) -> None:
    with opened(tmp_path / "ws", "shorter", searches=searches) as workspace:
        episodes = improved(workspace, suite, tmp_path)
        proposed = [one for one in episodes if one.task.endswith("-shorter")]
        assert proposed and {one.split for one in proposed} == {"train"}
        assert {one.split for one in episodes} > {"train"}
        held = {one.group for one in episodes if one.split in ("gate", "test")}
        if not searches:  # else every task is practised on once it was judged
            assert not held & {one.group for one in proposed}
            assert not held & workspace.stores.learned_groups()
        known = {task.id for task in suite.tasks}
        assert {task.task for task in workspace.stores.decisions.regression_tasks()} <= known


def test_a_proposer_sees_only_what_is_practised_on_and_brings_in_nothing_that_is_held_back(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []

    def leaking(tasks: Sequence[Task], episodes: Sequence[EpisodeRecord], seed: int) -> list[Task]:
        seen.extend(task.id for task in tasks)
        again = [replace(task, id=f"again-{task.id}") for task in suite.split("gate")]
        other = [replace(task, id=f"other-{task.id}", group="other", instruction="x") for task in suite.split("test")]
        named = [replace(tasks[0], id=suite.split("gate")[0].id)]
        return [*again, *other, *named, replace(tasks[0], id="fine"), replace(tasks[0], id="fine")]

    offer(monkeypatch, tmp_path / "site", "proposers", "leaking", leaking)
    with opened(tmp_path / "ws", "leaking") as workspace:
        episodes = improved(workspace, suite, tmp_path, rounds=1)
    train = {task.id for task in suite.split("train")}
    assert set(seen) == train
    assert {one.task for one in episodes if one.split == "train"} == {*train, "fine"}


def long_task(name: str, *, many: int) -> Task:
    rows = [Row(input=(f"{name} {number}", number), output=f"{name}{number}") for number in range(many)]
    words = f"Say {name} of it."
    return Task(id=name, family="", group=name, instruction=words, examples=tuple(rows[:5]), hidden=tuple(rows[5:]))


@pytest.mark.parametrize(
    "change",
    [
        lambda task: {"examples": task.examples},
        lambda task: {"examples": [Row(input=row.input[::-1], output=row.output) for row in task.examples]},
        lambda task: {"examples": [Row(input=row.input, output=f"{row.output}.") for row in task.examples]},
        lambda task: {"instruction": task.instruction.replace(".", " !")},
    ],
    ids=["a few of many rows", "other order of arguments", "other outputs", "other signs"],
)
def test_what_is_held_back_is_known_again_however_it_is_written(
    change: Callable[[Task], Mapping[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tasks = [long_task(f"task{number}", many=600) for number in range(10)]
    (tmp_path / "small.jsonl").write_text(render_jsonl(tasks))
    suite = load_suite(str(tmp_path / "small.jsonl"))
    held = [task for split in ("gate", "test") for task in suite.split(split)]

    def again(task: Task) -> Task:
        other = long_task(f"again-{task.id}", many=8)
        given = change(task)
        return replace(other, **{**given, "examples": tuple(given.get("examples", other.examples))})

    offer(monkeypatch, tmp_path / "site", "proposers", "again", lambda *_: [again(task) for task in held])
    with opened(tmp_path / "ws", "again") as workspace:
        episodes = improved(workspace, suite, tmp_path, rounds=1)
    assert episodes and not [one.task for one in episodes if one.task.startswith("again-")]


def test_a_loop_that_goes_on_practises_on_the_tasks_that_were_proposed(
    suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []

    def drawn(tasks: Sequence[Task], episodes: Sequence[EpisodeRecord], seed: int) -> list[Task]:
        calls.append(seed)
        return [replace(task, id=f"drawn-{random.SystemRandom().random()}"[:20]) for task in tasks[:5]]

    def ended(*_: Any) -> None:
        raise KeyboardInterrupt

    offer(monkeypatch, tmp_path / "site", "proposers", "drawn", drawn)
    with opened(tmp_path / "ws", "drawn") as workspace:
        with monkeypatch.context() as patch:
            patch.setattr("evolve.improve.session.Session.attempt", ended)
            with pytest.raises(KeyboardInterrupt):
                improved(workspace, suite, tmp_path, rounds=1)
        (run,) = workspace.stores.runs.list_runs()
        kept = workspace.stores.runs.journal(run.id).done("proposed:1")
        assert kept is not None and len(kept["tasks"]) == 5
    with opened(tmp_path / "ws", "drawn") as workspace:
        episodes = improved(workspace, suite, tmp_path, rounds=1)
    practised = {one.task for one in episodes if one.task.startswith("drawn-")}
    assert practised == {task["id"] for task in kept["tasks"]} and len(calls) == 1


@pytest.mark.parametrize("given", [None, 3, ["task"], [Task(id="a b/c", family="", instruction="", examples=())]])
def test_a_proposer_that_gives_no_tasks_is_named(
    given: Any, suite: Suite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    offer(monkeypatch, tmp_path / "site", "proposers", "odd", lambda tasks, episodes, seed: given)
    with (
        opened(tmp_path / "ws", "odd") as workspace,
        pytest.raises(SetupProblem, match=r"odd \(proposers\) of the package evolve-toy gave"),
    ):
        improved(workspace, suite, tmp_path)


def test_a_proposer_that_nobody_offers_is_refused(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="proposer: there is no 'odd'; there are none"):
        opened(tmp_path / "ws", "odd")
