"""Folders that teach something for the next one, and a loop over folders."""

from __future__ import annotations

import json
import sys
import venv

import pytest

from benchmarks.doubles import quirk_tasks
from evolve.tasks import render_jsonl
from evolve.testing import ScriptedEndpoint
from tests.doubles.folders import FolderDouble, quirk_folder

DATES, *_, MORE_DATES = quirk_tasks(5)


@pytest.mark.slow
def test_what_two_folders_taught_helps_in_the_next(cli, tmp_path):
    tasks = [quirk_folder(job, tmp_path / name) for name, job in (("a", DATES), ("b", MORE_DATES), ("c", DATES))]
    with ScriptedEndpoint(double=FolderDouble()) as serving:
        steps = []
        for task in tasks:
            before = len(serving.requests)
            folder = ("--dir", task.work.folder, "--check", task.work.check)
            done = cli("run", task.instruction, *folder, "--model", serving.model, "--json")
            assert done.code == 6, done.err
            prompts = [json.dumps(body["messages"]) for body in serving.requests[before:]]
            steps.append([DATES.quirk.sentence in prompt for prompt in prompts])
    assert [prompts[0] for prompts in steps] == [False, False, True]
    assert (json.loads(done.out)["checked"], json.loads(done.out)["verified"]) == (True, False)


@pytest.mark.slow
def test_a_loop_over_folders_takes_an_environment_and_learns(cli, tmp_path):
    venv.create(tmp_path / "env", with_pip=False)
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (tmp_path / "env" / "lib" / version / "site-packages" / "house.py").write_text("RULE = 1\n")
    tasks = []
    for job in quirk_tasks(12):
        folder = tmp_path / "jobs" / job.task.id
        quirk_folder(job, folder)
        (folder / "test_answer.py").write_text("import house\n" + (folder / "test_answer.py").read_text())
        tasks.append({"id": job.task.id, "family": job.quirk.name, "instruction": job.task.instruction,
                      "files": {"folder": str(folder), "check": "python3 test_answer.py"}})  # fmt: skip
    (tmp_path / "jobs.jsonl").write_text("".join(json.dumps(task) + "\n" for task in tasks))
    with ScriptedEndpoint(double=FolderDouble()) as serving:
        command = ("improve", "jobs.jsonl", "--rounds", "1", "--model", serving.model, "--json")
        done = cli(*command, "--set", f"python={tmp_path / 'env'}")
        assert done.code == 1, "what can only be checked promotes nothing"
        without = cli(*command, "-w", "other")
    practised, bare = json.loads(done.out)["rounds"][0], json.loads(without.out)["rounds"][0]
    assert (practised["checked"], bare["checked"]) == (practised["episodes"], 0)
    assert (practised["solved"], practised["checkable"]) == (0, practised["episodes"]) != (0, 0)
    assert (practised["verdict"], json.loads(done.out)["promoted"]) == ("", "")
    assert "can only be checked, which proves nothing" in practised["reason"]
    shown = cli("report", "--details").out
    assert f"checked: {practised['checked']} of {practised['checkable']} tasks that can only be checked" in shown
    refused = cli("lab", "optimize", "jobs.jsonl", "--model", serving.model)
    assert refused.code == 2 and "proves nothing" in refused.err
    assert cli("improve", "jobs.jsonl").code == 2
    rows = tmp_path / "rows.jsonl"
    rows.write_text(render_jsonl([job.task for job in quirk_tasks(12)]))
    assert "--set python is about work in folders" in cli("improve", rows, "--set", f"python={tmp_path / 'env'}").err
