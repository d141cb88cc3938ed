"""A task file may come from anybody: what it says of a folder outside of its own gets no leave beforehand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import evolve
from evolve.tasks import load_suite
from evolve.testing import ScriptedWorker
from evolve.workspace import Person

MEND = "open('total.py', 'w').write('def total(xs):\\n    return sum(xs)\\n')\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "own" / "project"
    folder.mkdir(parents=True)
    (folder / "total.py").write_text("def total(xs):\n    return xs[0]\n")
    (folder / "test_total.py").write_text("from total import total\n\nassert total([1, 2]) == 3\n")
    return folder


def task_file(folder: Path, named: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    work = {"folder": named, "check": "python3 test_total.py"}
    (folder / "tasks.jsonl").write_text(json.dumps({"id": "t", "instruction": "make it add up", "files": work}) + "\n")
    return folder / "tasks.jsonl"


@pytest.mark.parametrize(
    ("name", "elsewhere"),
    [
        ("beside", False),
        (".", False),
        ("../out", True),
        ("{root}/out", True),
        ("{root}/in/beside", False),
        ("link", True),
    ],
)
def test_a_folder_outside_of_the_file_s_own_is_told(tmp_path, name, elsewhere):
    for folder in ("in/beside", "out"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "in" / "link").symlink_to(tmp_path / "out")
    (task,) = load_suite(task_file(tmp_path / "in", name.format(root=tmp_path))).tasks
    assert task.work.elsewhere is elsewhere
    assert any(task.folder in warning for warning in task.warnings) is elsewhere


def test_no_leave_beforehand_changes_a_folder_that_a_file_elsewhere_names(tmp_path, project):
    before = (project / "total.py").read_bytes()
    file = task_file(tmp_path / "came" / "here", str(project))
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((MEND,))) as workspace:
        done = workspace.run(file, person=Person(approve="auto"))
        assert done.status == "waiting" and str(project) in done.question.text
        assert (project / "total.py").read_bytes() == before
        asked = []
        result = workspace.runs.answer(done.run_id, "yes", person=Person(respond=asked.append))
        assert result.patch.state == "applied" and not asked
    assert (project / "total.py").read_bytes() != before


def test_a_folder_below_the_file_s_own_is_changed_with_leave_given_beforehand(tmp_path, project):
    file = task_file(project.parent, project.name)
    with evolve.open(tmp_path / "ws", policy=ScriptedWorker((MEND,))) as workspace:
        assert workspace.run(file, person=Person(approve="auto")).patch.state == "applied"
