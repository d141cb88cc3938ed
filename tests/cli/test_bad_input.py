"""Wrong input gets one clear sentence, the right exit code and no traceback."""

from __future__ import annotations

import json
import resource
import subprocess

import pytest

from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl


def test_wrong_files_name_the_file_and_what_is_wrong(cli, tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "latin.json").write_bytes('["ä"]'.encode("latin-1"))
    (tmp_path / "broken.json").write_text('{"id": ')
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (tmp_path / "contradiction.csv").write_text("a,b\n1,2\n1,3\n")
    (tmp_path / "unknown.json").write_text('{"id": "x", "exmples": []}')
    for name in (
        "missing.csv",
        "empty.csv",
        "latin.json",
        "broken.json",
        "ragged.csv",
        "contradiction.csv",
        "unknown.json",
    ):
        for arguments in (["run", "--examples", name], ["run", name]):
            done = cli(*arguments)
            assert done.code == 2
            assert done.out == ""
            assert done.err.startswith(f"evolve: {name}"), done.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run"], "--examples"),
        (["run", "sort my list"], "evolve models"),
        (["run", "sort my list", "--model", "http://"], "--model"),
        (["run", "--examples", "good.csv", "--model", "two words"], "--model"),
        (["improve", "everyday", "--model", "http://"], "--model"),
        (["run", "--examples", "good.csv", "--name", "../x"], "'../x'"),
        (["run", "everyday#../x"], "'../x'"),
        (["skills", "export", "../x", "--to", "o"], "'../x'"),
        (["run", "everyday#nothing"], "nothing"),
        (["run", "x.csv", "--examples", "y.csv"], "either"),
        (["run", "--examples", "x.csv", "--budget", "lots"], "--budget lots"),
        (["improve", "nosuch"], "nosuch"),
        (["improve", "everyday", "--rounds", "0"], "rounds"),
        (["improve", "everyday", "--budget", "0s"], "more than nothing"),
        (["report"], "evolve improve"),
        (["report", "--fresh"], "evolve improve"),
        (["runs", "show", "r7"], "evolve runs list"),
        (["why", "abc"], "evolve status"),
        (["forget"], "--all"),
        (["skills", "show", "abc"], "abc"),
        (["skills", "export", "abc", "--to", "o"], "abc"),
        (["skills", "export", "abc", "--format", "pickle", "--to", "o"], "bundle"),
        (["lab", "tasks", "show", "nosuch"], "nosuch"),
        (["lab", "tasks", "generate", "nosuch"], "nosuch"),
        (["nosuch"], "nosuch"),
        (["run", "--nosuch"], "nosuch"),
    ],
)
def test_wrong_arguments_exit_2_and_name_what_helps(cli, made, tmp_path, arguments, says):
    (tmp_path / "good.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"id": "x", "exmples": []}', "'exmples': unknown key; did you mean 'examples'"),
        ('[{"inptu": [1], "output": 2}]', "'[0].inptu': unknown key; did you mean 'input'"),
        ('[\n{"input": ["NaN"], "output": 1},\n{"input": [NaN], "output": 1}]', "file.json:3: NaN is not JSON"),
        ('[\n{"input": [' + "7" * 5000 + '], "output": 1}]', "file.json:2: an integer with more than 300 digits"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"input": ["\\ud800"], "output": 1}]', "half of a surrogate pair"),
        ('{"id": "../x", "examples": [{"input": [1], "output": 1}]}', "'id': id '../x' looks like a path"),
    ],
)
def test_wrong_json_names_the_place(cli, tmp_path, text, says):
    (tmp_path / "file.json").write_text(text)
    done = cli("run", "--examples", "file.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("evolve: file.json") and says in done.err


@pytest.mark.slow
def test_wrong_rows_on_stdin_are_named_so(start_cli):
    process = start_cli("run", "-", stdin=subprocess.PIPE)
    out, err = process.communicate("a,b\n1,2\n1\n", timeout=300)
    assert (process.returncode, out) == (2, "")
    assert err.startswith("evolve: stdin:3: ") and "\n  try: " in err


@pytest.mark.slow
def test_one_example_is_warned_about_and_many_are_sampled(cli, tmp_path):
    (tmp_path / "one.csv").write_text("a,b\n1,2\n")
    done = cli("run", "--examples", "one.csv")
    assert done.code == 0 and "warning: " in done.err and "unchecked" in done.out
    (tmp_path / "many.csv").write_text("n,out\n" + "".join(f"{n},{2 * n}\n" for n in range(100_000)))
    done = cli("run", "--examples", "many.csv")
    assert done.code == 0 and "of 100,000 rows" in done.err and "\nverified: " in done.out


def test_a_folder_that_is_a_file_is_a_workspace_problem(cli, tmp_path):
    (tmp_path / "file").write_text("x")
    done = cli("memory", "list", "-w", "file")
    assert done.code == 3 and "not a folder" in done.err


def test_a_wrong_setting_names_file_and_key(cli, tmp_path):
    cli("init", "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("candidatse = 3\n")
    done = cli("status", "--settings")
    assert done.code == 3
    assert "evolve.toml" in done.err and "candidatse" in done.err


def test_a_wrong_workflow_names_file_and_key(cli, tmp_path):
    cli("init", "ws")
    (tmp_path / "ws" / "prompts" / "workflow.toml").write_text('stages = ["act"]\n')
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    done = cli("run", "--examples", "rows.csv")
    assert done.code == 3
    assert "workflow.toml" in done.err


def test_a_damaged_record_is_named_and_never_replaced(cli, tmp_path):
    cli("memory", "note", "keep me")
    record = tmp_path / "ws" / "memory_store" / "memory.db"
    record.write_bytes(b"")
    for name in ("memory.db-wal", "memory.db-shm"):
        (record.parent / name).unlink(missing_ok=True)
    done = cli("memory", "list")
    assert done.code == 3
    assert "memory.db" in done.err
    assert record.read_bytes() == b""


def test_an_unwritable_workspace_is_named(cli, tmp_path):
    (tmp_path / "file").write_text("x")
    done = cli("memory", "note", "x", "-w", "file/inner")
    assert done.code == 3
    assert "inner" in done.err


def test_the_workspace_may_be_named_before_the_command(cli, tmp_path):
    assert cli("-w", "other", "memory", "note", "x").code == 0
    assert "x" in cli("memory", "list", "-w", "other").out
    assert cli("-w", "third", "init").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["other", "third"]
    assert json.loads(cli("-w", "other", "status", "-w", "third", "--json").out)["workspace"].endswith("third")


@pytest.mark.slow
def test_a_full_disk_is_told_and_the_same_command_continues(start_cli, tmp_path):
    (tmp_path / "rows.csv").write_text("a,b\n" + "".join(f"{name},{name.upper()}\n" for name in "pqrstuvw"))
    for limit in (100_000, 225_000, 230_000):
        process = start_cli("run", "--examples", "rows.csv", preexec_fn=_at_most(limit))
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (3, "")
        assert "Traceback" not in err
        assert "free some space" in err
    process = start_cli("run", "--examples", "rows.csv")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err


def _at_most(size):
    """Files of this process may not grow beyond so many bytes, which the disk then cannot take."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@pytest.mark.slow
def test_output_that_cannot_be_written_is_told(start_cli, made):
    for arguments in (["skills", "list"], ["skills", "list", "--json"], ["lab", "tasks", "show", "lists"]):
        with open("/dev/full", "w") as full:
            process = start_cli(*arguments, stdout=full)
            _, err = process.communicate(timeout=300)
        assert process.returncode == 3 and err.startswith("evolve: cannot write") and err.count("\n") == 1


def test_a_folder_that_was_deleted_meanwhile_is_told(cli, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    monkeypatch.delenv("EVOLVE_WORKSPACE")
    (tmp_path / "gone").rmdir()
    done = cli("memory", "list")
    assert done.code == 3
    assert done.err.startswith("evolve: the current folder")


# A policy with a fault of its own stands for a fault of evolve.
FAULTY = """
import sys
from dataclasses import dataclass
import evolve.workspace.facade as facade
from evolve.cli import main
from evolve.testing import FixedLearner, FixedPolicy

@dataclass(frozen=True)
class Faulty(FixedPolicy):
    def plan(self, view, recalled):
        raise KeyError("nobody thought of this")

class FaultyLearner(FixedLearner):
    def policy(self, guide, skills, *, attended=False):
        return Faulty()

facade.choose_learner = lambda policy, model, place: FaultyLearner()
if __name__ == "__main__":
    main(sys.argv[1:])
"""


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.slow
def test_a_fault_of_evolve_is_one_line_and_its_traceback_is_kept(start_cli, tmp_path, monkeypatch, workers):
    (tmp_path / "faulty.py").write_text(FAULTY)
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))
    (tmp_path / "rows.csv").write_text("a,b\n1,2\n2,3\n3,4\n")
    monkeypatch.setenv("EVOLVE_WORKERS", workers)
    for run, arguments in (("r1", ["improve", "small.jsonl"]), ("r2", ["run", "--examples", "rows.csv"])):
        process = start_cli(*arguments, program=["faulty.py"])
        out, err = process.communicate(timeout=300)
        assert (process.returncode, out) == (3, "")
        kept = tmp_path / "ws" / "memory_store" / "runs" / run / "fault.txt"
        assert str(kept) in err and "\n  try: " in err
        assert "Traceback" not in err
        assert "Traceback" in kept.read_text() and "nobody thought of this" in kept.read_text()


def test_a_second_loop_is_told_who_is_there(cli, tmp_path):
    from evolve.core.store import WriterLock

    assert cli("memory", "note", "y").code == 0
    with WriterLock(tmp_path / "ws" / "memory_store" / "lock").hold("improve"):
        done = cli("improve", "everyday")
        assert done.code == 7
        assert "in use" in done.err and "improve" in done.err
        assert cli("memory", "note", "x").code == 0


def test_an_error_is_one_json_object_where_json_is_asked_for(cli, made):
    done = cli("runs", "show", "r7", "--json")
    assert done.code == 2
    assert json.loads(done.out) == {
        "error": "there is no run 'r7'",
        "hint": "evolve runs list shows them",
        "exit_code": 2,
    }
    mistyped = cli("memory", "list", "--json", "--bogus")
    assert mistyped.code == 2 and "--bogus" in json.loads(mistyped.out)["error"]
    assert cli("runs", "show", "r7").out == ""


def test_nothing_is_made_by_a_wrong_command(cli, tmp_path):
    cli("run", "--examples", "x.csv")
    cli("improve", "everyday", "--budget", "x")
    assert not (tmp_path / "ws").exists()


@pytest.mark.slow
def test_json_of_an_empty_workspace_parses(cli, made):
    for arguments in (
        ["memory", "list"],
        ["memory", "recall", "sort"],
        ["lab", "memory", "check"],
        ["lab", "memory", "reindex"],
        ["skills", "list"],
        ["skills", "find", "dates"],
        ["runs", "list"],
        ["status", "--settings"],
        ["models"],
        ["status"],
        ["lab", "tasks", "list"],
        ["lab", "tasks", "show", "lists"],
        ["lab", "tasks", "generate", "strings"],
        ["init", "elsewhere"],
    ):
        done = cli(*arguments, "--json")
        assert done.code == 0, (arguments, done.err)
        json.loads(done.out)
