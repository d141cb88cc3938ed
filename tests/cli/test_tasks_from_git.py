"""Tasks from a git history: kept only where tests fail before and pass after, and blind to the rest."""

from __future__ import annotations

import json
import sys

import pytest

from benchmarks.doubles.repositories import commit, git, make_repository
from evolve.tasks import load_suite

PYTHON = ("--set", f"python={sys.prefix}")


@pytest.fixture(scope="module")
def history(tmp_path_factory):
    folder = tmp_path_factory.mktemp("history") / "repo"
    return folder, make_repository(folder, 9, seed=1)


@pytest.mark.slow
def test_commits_with_tests_become_tasks_that_hold_nothing_of_the_future(cli, history, tmp_path):
    repo, kinds = history
    done = cli("tasks", "from-git", str(repo), "--out", "tasks.jsonl", *PYTHON, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    kept = {task["id"] for task in told["tasks"]}
    assert kept == {commit_id[:12] for commit_id, kind in kinds.items() if kind in ("feature", "fix")}
    assert told["commits"] == 9
    assert told["left_out"] == {
        "no tests changed": 2, "only tests changed": 1, "its tests pass before it": 1, "its tests fail after it": 1,
        "the message has fewer than 3 words": 1,
    }  # fmt: skip
    suite = load_suite("tasks.jsonl")
    for task in suite.tasks:
        number = task.instruction.partition("part_")[2].partition(".")[0]
        folder = tmp_path / "tasks-folders" / task.id
        names = {str(path.relative_to(folder)) for path in folder.rglob("*")}
        assert not any(part in names for part in (".git", f"tool/part_{number}.py", f"tests/test_part_{number}.py"))
        assert (task.view().check, list(task.work.hidden_files)) == ("", [f"tests/test_part_{number}.py"])
        assert "Reviewed-by" not in task.instruction and task.work.elsewhere is False
    again = cli("tasks", "from-git", str(repo), "--out", "tasks.jsonl", "--last", "1", *PYTHON, "--json")
    assert (again.code, len(json.loads(again.out)["tasks"])) == (0, 1)


def test_nothing_of_the_repository_is_run_and_links_are_not_followed(cli, tmp_path):
    repo, marker = tmp_path / "repo", tmp_path / "ran"
    make_repository(repo, 0)
    (repo / "secret").symlink_to("/etc/hostname")
    source, test = (
        "def two():\n    return 2\n",
        "from tool.two import two\n\n\ndef test_two():\n    assert two() == 2\n",
    )
    files = {"tool/two.py": source, "tests/test_two.py": test, ".gitattributes": "* filter=evil diff=evil\n"}
    commit(repo, "Add the function two\u200b in \x1b[8mtool/two.py", files)
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {marker}\n")
    hook.chmod(0o755)
    runs = ("core.fsmonitor", "core.pager", "filter.evil.smudge", "diff.evil.textconv", "core.sshCommand")
    for key in (*runs, "alias.rev-list", "alias.cat-file", "diff.external"):
        git(repo, "config", key, f"!touch {marker}" if key.startswith("alias") else f"touch {marker}")
    done = cli("tasks", "from-git", str(repo), "--out", "out/tasks.jsonl", *PYTHON)
    assert done.code == 0, done.err
    assert not marker.exists()
    (task,) = load_suite("out/tasks.jsonl").tasks
    assert task.instruction == "Add the function two in [8mtool/two.py"  # a reader sees all that a model reads
    assert not (tmp_path / "out" / "tasks-folders" / task.id / "secret").exists()


def test_what_is_no_repository_is_refused(cli, tmp_path):
    (tmp_path / "plain").mkdir()
    done = cli("tasks", "from-git", "plain", "--out", "tasks.jsonl")
    assert done.code == 2 and "git repository" in done.err
    assert not (tmp_path / "tasks.jsonl").exists()
