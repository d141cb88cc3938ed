"""``evolve run --dir``: a copy is worked on, the difference shown, and applied when approved."""

from __future__ import annotations

import functools
import json
import os
import signal

import pytest

import evolve
from evolve.cli import main
from evolve.runtime.folder_tree import read_tree
from evolve.tasks.reading.folder import folder_task
from evolve.testing import ScriptedWorker
from evolve.workspace import Person
from tests.cli.screens import check_screen
from tests.reliability.workspaces import stopped

MEND = "open('total.py', 'w').write('def total(xs):\\n    return sum(xs)\\n')\n"
MENDED = "def total(xs):\n    return sum(xs)\n"
MORE = "import os; os.mkdir('docs'); open('docs/notes.md', 'w').write('sums\\n'); os.remove('old.txt')\n"
CHEAT = "open('test_total.py', 'a').write('# easier\\n')\n"


@pytest.fixture
def project(failing_project):
    (failing_project / "total.py").chmod(0o750)
    (failing_project / "old.txt").write_text("old\n")
    return failing_project


@pytest.fixture
def run(cli, project, monkeypatch):
    """The command with a policy that follows a script in place of a model."""
    opened = evolve.open

    def call(*more, actions=(MORE, CHEAT, MEND), command=("run", "make total add up", "--dir")):
        with monkeypatch.context() as patch:
            patch.setenv("EVOLVE_MODEL", "scripted")
            patch.setattr(evolve, "open", functools.partial(opened, policy=ScriptedWorker(actions)))
            return cli(*command, project, "--check", "python3 test_total.py", *more)

    return call


def contents(folder):
    return {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*") if one.is_file()}


@pytest.mark.slow
def test_nothing_changes_until_somebody_approves(run, cli, project):
    before = contents(project)
    done = run()
    assert done.code == 6, done.err
    check_screen("run-folder-waits", done, folder=project)
    assert contents(project) == before
    assert cli("runs", "diff", "r1").out in done.out


def test_approved_changes_are_applied_and_undone(run, cli, project):
    before = contents(project)
    done = run("--yes", "--json")
    assert done.code == 0
    assert json.loads(done.out)["patch"]["state"] == "applied"
    after = contents(project)
    assert after["total.py"].endswith("sum(xs)\n") and after["docs/notes.md"] == "sums\n"
    assert "old.txt" not in after
    assert after["test_total.py"] == before["test_total.py"]
    assert (project / "total.py").stat().st_mode & 0o777 == 0o750
    assert cli("apply", "r1").code == 2
    assert cli("undo").code == 0
    assert contents(project) == before and not (project / "docs").exists()
    assert cli("apply", "r1").code == 0
    assert contents(project) == after


def test_the_difference_that_is_shown_is_what_is_applied(run, cli, project):
    assert run(actions=(CHEAT, MEND)).code == 6
    told = json.loads(cli("runs", "diff", "r1", "--json").out)
    assert (told["files"], told["protected"]) == (["total.py"], ["test_total.py"])
    assert "test_total" not in told["diff"] and "test_total" in cli("runs", "diff", "r1").out
    assert cli("apply", "r1").code == 0
    assert contents(project)["total.py"] == MENDED


def test_tests_that_the_task_names_change_by_a_yes_alone(run, cli, project):
    command = ("run", "make total add up, and test_total.py say so", "--dir")
    assert run("--yes", actions=(CHEAT, MEND), command=command).code == 6  # given beforehand, it was for no tests
    assert cli("runs", "answer", "r1", "yes").code == 0
    assert contents(project)["test_total.py"].endswith("# easier\n")


def test_a_change_of_protected_files_alone_cannot_be_applied(run, cli, project):
    before = contents(project)
    assert run(actions=(CHEAT,)).code == 1
    assert cli("apply", "r1").code == 2
    assert contents(project) == before


def test_whoever_is_asked_about_a_change_has_its_verdict(project, tmp_path):
    told = []
    person = Person(
        before_approval=lambda result: told.append((result.checked, result.patch.diff, result.closing)),
        respond=lambda question: told.append(question.detail),
    )
    with evolve.open(tmp_path / "own", policy=ScriptedWorker((MEND,))) as opened:
        result = opened.run(folder_task("make total add up", project, "python3 test_total.py"), person=person)
    assert told[0][0] and "b/total.py" in told[0][1]
    assert told[1:] == [""] and result.question.detail == told[0][1]


@pytest.mark.parametrize("answer", ["no", "keep the old file"])
def test_a_change_that_the_person_refused_is_not_called_solved(run, cli, project, answer):
    assert "tests pass (" in run(actions=(MORE, MEND)).out
    done = cli("runs", "answer", "r1", answer)
    assert "not applied: " in done.out
    assert (project / "old.txt").exists()
    for words in (("runs", "list"), ("runs", "show", "r1"), ("why", "r1"), ("why", "r1", "--steps"), ("status",)):
        told = cli(*words)
        assert told.code == 0 and "solved" not in told.out, words
    assert [episode["refused"] for episode in json.loads(cli("runs", "show", "r1", "--json").out)] == [True]


def test_a_kill_while_files_are_changed_leaves_each_old_or_new_and_the_same_command_ends_it(run, cli, project):
    before = contents(project)
    assert run().code == 6
    for fault in ("work.written:1", "work.written:2", "work.renamed:1", "work.renamed:2"):
        assert stopped(f"{fault}:kill", lambda: main(["apply", "r1"])) == -signal.SIGKILL
        assert contents(project)["total.py"] in (before["total.py"], MENDED)

        assert cli("apply", "r1").code == 0

        whole = contents(project)
        assert (whole["total.py"], whole["docs/notes.md"]) == (MENDED, "sums\n")
        assert set(whole) == {"total.py", "test_total.py", "docs/notes.md"}
        assert cli("undo").code == 0 and contents(project) == before


@pytest.mark.slow
def test_a_file_that_changed_meanwhile_stops_everything(run, cli, project):
    assert run().code == 6
    (project / "old.txt").write_text("newer\n")
    before = contents(project)
    done = cli("apply", "r1")
    assert (done.code, contents(project)) == (2, before)
    assert "old.txt" in done.err


@pytest.mark.slow
def test_a_link_put_in_the_way_is_not_followed(run, cli, project, tmp_path):
    assert run().code == 6
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project / "docs").symlink_to(elsewhere)
    assert cli("apply", "r1").code == 2
    assert list(elsewhere.iterdir()) == []
    (project / "docs").unlink()
    os.link(project / "total.py", tmp_path / "second")
    assert cli("apply", "r1").code == 0
    assert (tmp_path / "second").read_text().endswith("xs[0]\n")


def test_work_that_fails_its_check_changes_nothing(run, project):
    before = contents(project)
    done = run("--yes", actions=(CHEAT,))
    assert done.code == 1
    check_screen("run-folder-fails", done, folder=project)
    assert contents(project) == before


@pytest.mark.slow
def test_wrong_wishes_are_told(run, cli, project):
    assert "needs a model" in cli("run", "make it work", "--dir", project).err  # a check is no must
    assert "--dir" in cli("run", "make it work", "--check", "true").err
    (project.parent / "rows.csv").write_text("n,m\n1,2\n2,3\n")
    assert "--yes" in cli("run", project.parent / "rows.csv", "--yes").err
    done = cli("run", "make it work", "--dir", project, "--check", "true", "-w", project)
    assert not (project / "evolve.toml").exists() and not (project / "memory_store").exists()
    assert done.code == 2 and "needs a model" in done.err
    assert cli("runs", "list").code == 3  # nothing was made
    assert run("--set", f"python={project}").code == 2
    assert cli("undo").code == 2 and cli("undo", "r9").code == 2
    for number in range(10_001):
        (project / f"{number}.txt").touch()
    assert "10,000 files" in run().err


@pytest.mark.slow
def test_the_folder_may_be_the_workspace_that_is_made_now(run, cli, project):
    done = run("-w", project)
    assert done.code == 6, done.err
    assert (project / "evolve.toml").is_file()
    assert "evolve.toml" not in done.out
    assert "sum(xs)" in cli("runs", "diff", "r1", "-w", project).out


@pytest.mark.slow
def test_a_task_outlives_that_its_folder_becomes_a_workspace(project):
    task = folder_task("make total add up", project, "python3 test_total.py")
    with evolve.open(project, policy=ScriptedWorker((MEND,))) as workspace:
        assert workspace.run(task).checked
    (project / "evolve.toml").write_text("seed = 3\n")
    assert read_tree(project).digest == task.work.base


@pytest.mark.slow
def test_an_action_cannot_change_the_settings_of_the_workspace(run, project):
    (project / "evolve.toml").write_text("day_limit = '$1'\n")
    done = run("--yes", actions=("open('evolve.toml', 'w').write('')", MEND))
    assert done.code == 0
    assert (project / "evolve.toml").read_text() == "day_limit = '$1'\n"


@pytest.mark.slow
def test_no_secret_of_the_folder_or_the_environment_is_kept_of_what_an_action_shows(run, cli, project, monkeypatch):
    secrets = {"environment": "Zk3xPq9L-named-77", "file": "/Wm3kPz8sQn5vJx2b"}
    monkeypatch.setenv("DB_PASS", secrets["environment"])
    (project / ".env.local").write_text(f"API_SECRET={secrets['file']}\n")
    (project / "prod.env").write_text("MODE=production\n")
    (project / ".env.example").write_text("API_SECRET=\n")
    (project / "conf.ini").write_text("".join(f"{name} = {value}\n" for name, value in secrets.items()))
    look = "import os; print(sorted(os.listdir('.'))); print(open('conf.ini').read()); result = open('conf.ini').read()"
    done = run("--json", actions=(look, "raise ValueError(open('conf.ini').read())", MEND))
    kept = b"".join(path.read_bytes() for path in (project.parent / "ws").rglob("*") if path.is_file())
    assert done.code == 6, done.err
    assert b"[secret]" in kept and b".env.example" in kept
    assert b".env.local" not in kept and b"prod.env" not in kept
    for value in secrets.values():
        assert value.encode() not in kept and value not in done.out + done.err + cli("runs", "show", "r1").out


@pytest.mark.slow
def test_a_value_that_was_not_shown_is_not_lost_where_its_file_is_written_anew(run, cli, project, monkeypatch):
    monkeypatch.setenv("DB_PASSWORD", "Wm3kPz8sQn5vJx2b")
    (project / "conf.py").write_text('PASSWORD = "Wm3kPz8sQn5vJx2b"\nPORT = 1\n')
    (project / "test_total.py").write_text("from conf import PORT\n\nassert PORT == 5432\n")
    before = contents(project)
    anew = "open('conf.py', 'w').write('PASSWORD = \"[secret]\"\\nPORT = 5432\\n')"
    done = run("--yes", actions=(anew,))
    assert done.code == 1 and contents(project) == before
    assert "conf.py has [secret]" in done.out
    assert "change the other lines in place" in done.err
    assert cli("apply", "r1").code == 2
    in_place = "t = open('conf.py').read(); open('conf.py', 'w').write(t.replace('PORT = 1', 'PORT = 5432'))"
    assert run("--yes", actions=(anew, in_place)).code == 0
    assert (project / "conf.py").read_text() == before["conf.py"].replace("PORT = 1", "PORT = 5432")


@pytest.mark.slow
def test_a_file_that_tells_of_the_mark_of_secrets_can_be_changed_and_moved(run, project):
    (project / "notes.txt").write_text("[secret] stands for a secret\n")
    move = "import os; os.rename('notes.txt', 'told.txt')\n"
    edit = "open('told.txt', 'a').write('more\\n')\n"
    assert run("--yes", actions=(move, edit + MEND)).code == 0
    assert (project / "told.txt").read_text() == "[secret] stands for a secret\nmore\n"
