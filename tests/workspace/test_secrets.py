"""What a loop shows, keeps and sends holds no secret of the person, and does not depend on who has which."""

from __future__ import annotations

from dataclasses import replace

import pytest

import evolve
from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl
from evolve.testing import ScriptedWorker, TrustingSandbox

TELLS = (
    "import os\ndef solve(xs):\n    raise ValueError(' '.join(os.environ.get(n, '') for n in ('BUILD', 'MAIL_PASS')))\n"
)


@pytest.fixture
def practised(tmp_path, monkeypatch):
    """Observations of a loop whose actions show variables, on tasks with an instruction of one's own."""
    monkeypatch.setenv("EVOLVE_WORKERS", "1")
    monkeypatch.setattr("evolve.workspace.loops.improving.sandbox_opener", lambda *_: TrustingSandbox)

    def make(instruction="give it", **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        tasks = [replace(task, instruction=instruction) for task in small_suite(8).tasks]
        (tmp_path / "tasks.jsonl").write_text(render_jsonl(tasks))
        with evolve.open(tmp_path / "ws", policy=ScriptedWorker((TELLS,))) as workspace:
            workspace._sandbox = TrustingSandbox()
            workspace.improve(tmp_path / "tasks.jsonl", rounds=1)
            records = workspace.stores.runs.episodes(run="r1")
        return [
            step.observation.error for one in records for step in one.steps if step.observation and step.action.code
        ]

    return make


def test_no_secret_that_an_action_shows_in_a_loop_is_kept(practised, tmp_path):
    seen = practised(BUILD="q8Zr2Kd9Xw4Mv7Tb1Ny6", MAIL_PASS="hunter2x")
    assert seen and all("[secret] [secret]" in error for error in seen)
    kept = b"".join(path.read_bytes() for path in (tmp_path / "ws").rglob("*") if path.is_file())
    assert b"q8Zr2Kd9Xw4Mv7Tb1Ny6" not in kept and b"hunter2x" not in kept


def test_a_word_of_the_tasks_is_no_secret_there_though_it_is_somebodys_password(practised):
    seen = practised("sort the bananas", BUILD="bananas", MAIL_PASS="bananas")
    assert seen and all("bananas bananas" in error for error in seen)
