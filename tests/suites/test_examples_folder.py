"""The hand-written jobs under ``examples/`` load, can be verified, and are all listed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evolve.tasks import load_examples, load_suite, resolve_task

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
FILES = sorted(path for path in EXAMPLES.iterdir() if path.name != "README.md")
TOPICS = (
    "names", "phones", "addresses", "durations and times", "log lines", "units", "money and number formats", "dates",
    "identifiers", "column clean-up",
)  # fmt: skip


@pytest.mark.slow
def test_the_folder_is_a_suite_of_at_least_44_tasks() -> None:
    suite = load_suite(EXAMPLES)
    assert len(suite.tasks) == len(FILES) >= 44
    assert suite.warnings == ()
    assert {task.id for task in suite.tasks} == {path.stem for path in FILES}
    assert len({task.group for task in suite.tasks}) == len(FILES)


def test_every_file_is_one_task_that_can_be_verified(subtests: pytest.Subtests) -> None:
    for path in FILES:
        with subtests.test(path.name):
            task = load_examples(path)
            rows = len(task.examples) + len(task.verify)
            assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", path.stem)
            assert 8 <= rows <= 14
            assert len(task.examples) >= 5
            assert task.verifiable
            assert task.warnings == ()
            assert task.instruction
            assert resolve_task(str(path)).group == task.group


def test_the_readme_lists_every_file_once_under_a_topic() -> None:
    table = [line.split(" | ") for line in (EXAMPLES / "README.md").read_text("utf-8").splitlines() if "](" in line]
    listed = [re.search(r"\[([^\]]+)\]", cells[1]) for cells in table]
    assert sorted(found[1] for found in listed if found) == [path.name for path in FILES]
    assert {cells[0].strip("| ") for cells in table} == set(TOPICS)
    rows = {path.name: load_examples(path) for path in FILES}
    for cells, found in zip(table, listed, strict=True):
        assert found is not None
        task = rows[found[1]]
        assert int(cells[3]) == len(task.examples) + len(task.verify)


def test_formats_are_mixed() -> None:
    assert {path.suffix for path in FILES} == {".csv", ".json", ".py"}
