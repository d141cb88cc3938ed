"""A corpus of wrong input: one clear sentence each, the right exit code, nothing on stdout, and no fault of ours."""

from __future__ import annotations

import os
import resource
import subprocess
import sys

import pytest

from tests.cli.bad_inputs import CORPUS, HARD, make_files
from tests.cli.bad_inputs_aside import ASIDE, HARD_ASIDE
from tests.cli.conftest import ROOT


def wrong(code, out, err, wanted, says):
    """What is wrong with a refusal, or None."""
    if "fault of evolve" in err or "Traceback" in err:
        return f"a fault: {err}"
    if code != wanted or says not in err:
        return f"not {wanted} with {says!r}, but {code}: {err}"
    if len(err) > 2_000 or (out and wanted != 1):
        return f"too much is said: {out[:300]}{err[:300]}"
    return None


@pytest.fixture(scope="module")
def files(tmp_path_factory, private_home):
    """A folder with everything that the corpus names, for commands that change nothing in it."""
    folder = tmp_path_factory.mktemp("files")
    make_files(folder)
    return folder


@pytest.fixture
def refused(cli, made, files, monkeypatch):
    """Runs a command in that folder, with a workspace of its own."""
    monkeypatch.chdir(files)
    before = outside_of_stores(files)
    yield cli
    assert outside_of_stores(files) == before


def outside_of_stores(folder):
    return sorted(path for path in folder.rglob("*") if "memory_store" not in path.parts)


@pytest.mark.parametrize(("arguments", "code", "says"), CORPUS, ids=lambda value: repr(value)[:60])
def test_wrong_input_is_refused_in_one_sentence(refused, arguments, code, says):
    done = refused(*arguments)
    assert wrong(done.code, done.out, done.err, code, says) is None


@pytest.mark.parametrize(("arguments", "code", "says"), ASIDE, ids=lambda value: repr(value)[:60])
def test_wrong_input_that_was_set_aside_is_refused_too(refused, arguments, code, says):
    done = refused(*arguments)
    assert wrong(done.code, done.out, done.err, code, says) is None


@pytest.mark.slow
@pytest.mark.parametrize(("arguments", "code", "says"), [*HARD, *HARD_ASIDE], ids=lambda value: repr(value)[:60])
def test_what_never_ends_is_not_read(start_cli, tmp_path, arguments, code, says):
    make_files(tmp_path)
    process = start_cli(*arguments, preexec_fn=little_memory)
    out, err = process.communicate(timeout=60)
    assert wrong(process.returncode, out, err, code, says) is None


def little_memory():
    resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))


def shell(line, folder, **environment):
    env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(folder / "ws"), **environment}
    text = line.replace("evolve ", f"{sys.executable} -m evolve ")
    return subprocess.run(
        ["bash", "-c", text], cwd=folder, env=env, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("evolve run - <&-", 2, "stdin"),
        ("evolve run - </dev/null", 2, "empty"),
        ("evolve lab sandbox exec - <&-", 0, ""),
        ("evolve chat <&-", 0, ""),
        ("printf '\\xff\\xfe\\n\\0\\n' | evolve chat", 2, ""),
        ("evolve chat <deep.txt", 2, ""),
        ("evolve lab tasks list >&-", 0, ""),
        ("evolve lab tasks list --json >&-", 0, ""),
        ("evolve nosuch >&- ", 2, "nosuch"),
        ("evolve lab tasks list 2>&-", 0, ""),
        ("evolve nosuch 2>&-", 2, ""),
        ("evolve lab tasks show lists | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("evolve lab tasks generate lists | head -c 10; exit ${PIPESTATUS[0]}", 0, ""),
        ("evolve --help | head -1; exit ${PIPESTATUS[0]}", 0, ""),
        ("COLUMNS=1 evolve run --help >/dev/null", 0, ""),
        ("COLUMNS=1 evolve nosuch", 2, "nosuch"),
        ("LANG=C LC_ALL=C evolve memory note ä && LC_ALL=C PYTHONUTF8=0 evolve memory list >/dev/null", 0, ""),
        ("PYTHONIOENCODING=ascii evolve memory note ä && PYTHONIOENCODING=ascii evolve memory list --json", 0, ""),
        ("TZ=Nowhere/Nonsense evolve runs list", 0, ""),
        ("env -u HOME evolve status", 0, ""),
        ("env -u HOME -u EVOLVE_WORKSPACE -u XDG_DATA_HOME evolve status", 0, ""),
        ("HOME=/dev/null XDG_DATA_HOME= EVOLVE_WORKSPACE= evolve memory list", 3, "/dev/null"),
        ("TMPDIR=/nowhere evolve lab tasks list", 0, ""),
    ],
)
def test_a_strange_terminal_is_no_fault(made, tmp_path, line, code, says):
    make_files(tmp_path)
    done = shell(line, tmp_path)
    assert "fault of evolve" not in done.stderr and "Traceback" not in done.stderr, done.stderr
    assert "Exception ignored" not in done.stderr
    assert done.returncode == code, (done.stdout[:300], done.stderr)
    assert says in done.stderr
