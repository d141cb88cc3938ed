"""The suites that ship: what was recorded of workspaces, reports and sealed tests rests on every one of their tasks."""

from __future__ import annotations

import importlib.metadata
import sys

import pytest

from benchmarks.suites import draw_suite
from evolve.core.episodes import BUILT_IN
from evolve.core.errors import UsageError
from evolve.core.files import canonical_json, digest
from evolve.tasks import BUILTIN, load_suite, render_jsonl

# Name: tasks, digest of the suite, of its tasks as a file (order, rows and meta), and of the split of every group.
RECORDED: dict[str, tuple[int, str, str, str]] = {
    "composed": (
        360,
        "3b3199644b04da027507bb433f65771938e72467165bb10bcde939cd2abe6751",
        "b05fe5e62ac7795e40ec15d47a9316c4a03063f650d22444d33cfba93b005ddb",
        "d74ed53c5b3076679ea02c6556af1235150a491e6eb3254a1543d5ecee01f279",
    ),
    "everyday": (
        320,
        "79bc139e91fd189c9d24e8a8f7f91bb9bd736ee5b26a44550abd0b6e6eccab43",
        "bd1a70a37c41e4bb6c361c91d2575de60cffaef76322ec6556828f144c4d7cd0",
        "ae0d47a973d50c194bb8ad6d081e35632c60b00a080d3addbf08461605c7a243",
    ),
    "lists": (
        480,
        "7258289f11d5a09aaae8a5ee6e868d2f692670a19a107f7222164f267947122a",
        "766006ac89dd72907ae03d2a255ea7bf983d86d058da028e8cfbfe918a753198",
        "ded116d7758b458b5bdf1f4aa6613af74e5bef424bd7a7eb1513a05d446c9583",
    ),
    "strings": (
        480,
        "710f49b19e3894b7f26c4658ed60cdb29a1417ad885773eae17a9a7a3a140719",
        "2ddc1f7c9fffb2b144a53e79396265b79042f9b6d03b92915fd61385d86633c5",
        "cf64212b9036ce79d001b486aba3d1642cfd19710e6fd1ee85151c7bd1c37bf3",
    ),
    "tables": (
        480,
        "a90b7b5dd62f1444c7b0502fdf06b8bdb6351d293ea387518124461cc0b0db62",
        "524d4c3ef74f3efd5ddf4b9b2251dfb445a512103ff5794c11459d46e522c795",
        "9019df13cdef919f50b4cd15bcef1f53842fea20215d06a3e59390f86ae50b0a",
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_every_task_is_what_it_always_was(name: str) -> None:
    suite = load_suite(name)
    file = digest(render_jsonl(suite.tasks))
    splits = digest(canonical_json(dict(suite.splits)))
    assert (len(suite.tasks), suite.digest, file, splits) == RECORDED[name]
    assert suite.name == name
    assert {task.source for task in suite.tasks} == {BUILT_IN}
    assert suite.warnings == ()
    assert not any(task.warnings for task in suite.tasks)


def test_these_are_all_suites_that_ship() -> None:
    assert {suite.name: suite.size for suite in BUILTIN} == {name: one[0] for name, one in RECORDED.items()}


@pytest.mark.slow
def test_another_number_of_tasks_or_seed_is_drawn_anew(generators: None) -> None:
    found = load_suite("lists", n=12, seed=5)
    assert found == draw_suite("lists", n=12, seed=5)
    assert {task.source for task in found.tasks} == {BUILT_IN}
    assert load_suite("lists", n=480) == load_suite("lists")


@pytest.mark.parametrize(("n", "seed"), [(12, 0), (None, 5)])
def test_where_nothing_draws_tasks_the_refusal_names_the_command(
    monkeypatch: pytest.MonkeyPatch, n: int | None, seed: int
) -> None:
    assert importlib.metadata.entry_points(group="console_scripts")
    monkeypatch.setattr(sys, "path", [])  # so no package is installed
    with pytest.raises(UsageError, match="nothing is installed that draws others") as raised:
        load_suite("lists", n=n, seed=seed)
    assert f"python -m benchmarks.suites draw lists --n {n or 480} --seed {seed}" in str(raised.value.hint)


def test_a_suite_needs_a_task() -> None:
    with pytest.raises(UsageError, match="at least one task"):
        load_suite("lists", n=0)
