"""Wrong input gets one clear sentence, the right exit code and no traceback."""

from __future__ import annotations

import json

import pytest


def test_wrong_files_name_the_file_and_what_is_wrong(cli, tmp_path):
    (tmp_path / "empty.csv").write_bytes(b"")
    (tmp_path / "latin.csv").write_bytes("a,b\nä,1\n".encode("latin-1"))
    (tmp_path / "broken.json").write_text('{"id": ')
    (tmp_path / "ragged.csv").write_text("a,b\n1,2\n3\n")
    (tmp_path / "contradiction.csv").write_text("a,b\n1,2\n1,3\n")
    (tmp_path / "unknown.json").write_text('{"id": "x", "exmples": []}')
    for name in (
        "missing.csv",
        "empty.csv",
        "latin.csv",
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
        (["run", "everyday#nothing"], "nothing"),
        (["run", "x.csv", "--examples", "y.csv"], "either"),
        (["run", "--examples", "x.csv", "--budget", "lots"], "--budget lots"),
        (["improve", "nosuch"], "nosuch"),
        (["improve", "everyday", "--rounds", "0"], "rounds"),
        (["improve", "everyday", "--budget", "0s"], "more than nothing"),
        (["report"], "evolve improve"),
        (["report", "--fresh"], "evolve improve"),
        (["runs", "show", "r7"], "evolve runs list"),
        (["runs", "replay", "abc"], "no episode"),
        (["memory", "show", "abc"], "evolve memory list"),
        (["memory", "forget"], "--all"),
        (["skills", "show", "abc"], "abc"),
        (["skills", "export", "abc", "--out", "o"], "abc"),
        (["skills", "export", "abc", "--to", "pickle", "--out", "o"], "agent-skills"),
        (["tasks", "show", "nosuch"], "nosuch"),
        (["tasks", "generate", "nosuch"], "nosuch"),
        (["nosuch"], "nosuch"),
        (["run", "--nosuch"], "nosuch"),
    ],
)
def test_wrong_arguments_exit_2_and_name_what_helps(cli, arguments, says):
    done = cli(*arguments)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_a_folder_that_is_a_file_is_a_workspace_problem(cli, tmp_path):
    (tmp_path / "file").write_text("x")
    done = cli("memory", "list", "-w", "file")
    assert done.code == 3 and "not a folder" in done.err


def test_a_wrong_setting_names_file_and_key(cli, tmp_path):
    cli("init", "ws")
    (tmp_path / "ws" / "evolve.toml").write_text("candidatse = 3\n")
    done = cli("config")
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


def test_a_second_process_is_told_who_is_there(cli, tmp_path):
    import evolve

    with evolve.open(tmp_path / "ws"):
        done = cli("memory", "note", "x")
        assert done.code == 7
        assert "in use" in done.err or "already holds" in done.err
        assert cli("memory", "list").code == 0


def test_errors_leave_json_output_empty(cli):
    done = cli("runs", "show", "r7", "--json")
    assert (done.code, done.out) == (2, "")


def test_nothing_is_made_by_a_wrong_command(cli, tmp_path):
    cli("run", "--examples", "x.csv")
    cli("improve", "everyday", "--budget", "x")
    assert not (tmp_path / "ws").exists()


def test_json_of_an_empty_workspace_parses(cli):
    for arguments in (
        ["memory", "list"],
        ["memory", "recall", "sort"],
        ["memory", "why", "solved"],
        ["memory", "check"],
        ["memory", "reindex"],
        ["skills", "list"],
        ["skills", "find", "dates"],
        ["runs", "list"],
        ["config"],
        ["where"],
        ["models"],
        ["doctor"],
        ["tasks", "list"],
        ["tasks", "show", "lists"],
        ["tasks", "generate", "strings", "--n", "3"],
        ["init", "elsewhere"],
    ):
        done = cli(*arguments, "--json")
        assert done.code == 0, (arguments, done.err)
        json.loads(done.out)
