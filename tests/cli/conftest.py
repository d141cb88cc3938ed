from __future__ import annotations

import io
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import typer

from evolve.cli import main, program
from evolve.testing import ScriptedEndpoint
from tests.doubles.conversing import ConversingDouble

ROOT = Path(__file__).resolve().parents[2]


class Done:
    def __init__(self, code, out, err, line=""):
        self.code, self.out, self.err, self.line = code, out, err, line


@pytest.fixture(scope="session")
def command_tree():
    """Every command, made once: typer reads all signatures to make it, and it keeps nothing of a call."""
    return typer.main.get_command(program.build_app())


@pytest.fixture
def cli(tmp_path, capfd, monkeypatch, private_home, command_tree):
    """Runs a command line in this process, in an empty folder with a workspace of its own."""
    monkeypatch.setattr(program, "build_app", lambda *_: command_tree)

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    monkeypatch.chdir(tmp_path)
    # What an endpoint can do is remembered by its address, and a port may be used by several tests.
    (private_home / ".cache" / "evolve" / "endpoints.json").unlink(missing_ok=True)
    monkeypatch.setenv("EVOLVE_WORKSPACE", str(tmp_path / "ws"))

    def run(*arguments):
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        for number, handler in before.items():
            signal.signal(number, handler)
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Done(ended.value.code or 0, out, err, shlex.join(map(str, arguments)))

    return run


@pytest.fixture(scope="session")
def empty_workspace(tmp_path_factory, private_home):
    import evolve

    folder = tmp_path_factory.mktemp("empty") / "ws"
    with evolve.open(folder):
        return folder


@pytest.fixture
def made(empty_workspace, tmp_path):
    """A workspace that is there before the first command, for commands that look."""
    import evolve

    return evolve.init(shutil.copytree(empty_workspace, tmp_path / "ws"), trust=True).paths.root


@pytest.fixture
def chat(cli, monkeypatch):
    """A session with these lines on its standard input."""

    def run(*lines, options=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return cli("chat", *options)

    return run


@pytest.fixture
def endpoint():
    """Serves a model for conversations."""
    with ScriptedEndpoint(double=ConversingDouble()) as serving:
        yield serving


@pytest.fixture
def failing_project(tmp_path):
    """A folder with a module and a test of it that fails."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "total.py").write_text("def total(xs):\n    return xs[0]\n")
    (folder / "test_total.py").write_text("from total import total\n\nassert total([1, 2]) == 3\n")
    return folder


@pytest.fixture
def project(tmp_path):
    """A folder to talk about."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "left.txt").write_text("red red\n")
    (folder / "right.txt").write_text("red blue\n")
    return folder


@pytest.fixture
def work(chat, endpoint, project):
    """A session about the project, with a model."""

    def run(*lines, options=()):
        return chat(*lines, options=("--dir", project, "--check", "true", "--model", endpoint.model, *options))

    return run


@pytest.fixture
def start_cli(tmp_path):
    """Starts a command line in a process of its own."""

    def start(*arguments, program=("-m", "evolve"), **more):
        env = {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKSPACE": str(tmp_path / "ws")}
        command = [sys.executable, *program, *map(str, arguments)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **more}
        return subprocess.Popen(command, cwd=tmp_path, env=env, text=True, **pipes)

    return start
