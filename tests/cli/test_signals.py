"""Ctrl-C and SIGTERM in the middle of a loop, and kill -9."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl
from tests.cli.conftest import ROOT

# A stand-in learner keeps the loop short; everything else is the program as it ships.
PROGRAM = """
import sys
import evolve.workspace.facade as facade
from evolve.cli import main
from benchmarks.doubles import slow_learner
facade.choose_learner = lambda *given: slow_learner()
if __name__ == "__main__":
    main(sys.argv[1:])
"""


@pytest.fixture
def start(tmp_path):
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))
    env = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "EVOLVE_WORKSPACE": str(tmp_path / "ws"),
        "EVOLVE_WORKERS": "1",
    }

    def run():
        return subprocess.Popen(
            [sys.executable, "-c", PROGRAM, "improve", "small.jsonl", "--rounds", "1", "--json"],
            cwd=tmp_path, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip

    return run


def stop_after_first_batch(process, number):
    for line in process.stderr:
        if "practice" in line:
            break
    process.send_signal(number)
    out, err = process.communicate(timeout=300)
    return out, err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code", "word"),
    [
        (signal.SIGINT, 130, "interrupted"),
        pytest.param(signal.SIGTERM, 143, "terminated", marks=pytest.mark.slow),
    ],
)
def test_a_signal_saves_says_how_to_go_on_and_the_command_continues(start, number, code, word):
    stopped = start()
    out, err = stop_after_first_batch(stopped, number)
    assert (stopped.returncode, out) == (code, "")
    assert f"evolve: {word}" in err
    assert "continue with: evolve improve small.jsonl --rounds 1 --json" in err
    assert "Traceback" not in err
    resumed = start()
    out, err = resumed.communicate(timeout=300)
    assert resumed.returncode == 0, err
    report = json.loads(out)
    assert report["run"] == "r1"
    assert len(report["curve"]) == 24


@pytest.mark.slow
def test_kill_9_loses_nothing_that_was_saved(start, tmp_path):
    import evolve

    killed = start()
    stop_after_first_batch(killed, signal.SIGKILL)
    assert killed.returncode == -signal.SIGKILL
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        saved = {record.episode for record in workspace.stores.runs.episodes()}
    assert len(saved) >= 16
    resumed = start()
    out, err = resumed.communicate(timeout=300)
    assert resumed.returncode == 0, err
    with evolve.open(tmp_path / "ws", read_only=True) as workspace:
        records = [record.episode for record in workspace.stores.runs.episodes()]
    assert saved <= set(records) and len(set(records)) == len(records)
    assert len(json.loads(out)["curve"]) == 24


# Ctrl-C while modules are still being loaded, at a point that does not depend on the machine's speed.
INTERRUPTED_LOADING = """
import sys

class CtrlC:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise KeyboardInterrupt

from evolve.cli import main
sys.meta_path.insert(0, CtrlC())
main(sys.argv[2:])
"""


@pytest.mark.parametrize("module", ["evolve.cli.tree", "evolve.cli.run"], ids=["program", "command"])
def test_ctrl_c_while_the_program_is_loaded_is_told(start_cli, module):
    process = start_cli("run", "--examples", "my rows.csv", program=["-c", INTERRUPTED_LOADING, module])
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "continue with: evolve run --examples 'my rows.csv'" in err


# Ctrl-C at a point that does not depend on the machine's speed: the n-th call since the program's main began, or the
# first of some code. Uninterrupted the program waits for rows from stdin.
INTERRUPTED_CALL = """
import signal, sys
wanted = sys.argv[1]
left = int(wanted) if wanted.isdigit() else 1

def count(frame, event, argument):
    global left
    code = frame.f_code
    if event == "call" and (wanted.isdigit() or wanted in (code.co_qualname, code.co_filename)):
        left -= 1
        if left == 0:
            sys.setprofile(None)
            signal.raise_signal(signal.SIGINT)

from evolve.cli import main
sys.setprofile(count)
main(sys.argv[2:])
"""
IN_AN_EXEC = "<string>"
IN_THE_MAKING_OF_A_CLASS = "cached_property.__set_name__"
BETWEEN_READING_AND_RUNNING = "CommandTree.invoke"


@pytest.mark.parametrize(
    "call",
    [*(8**power for power in range(1, 6)), IN_AN_EXEC, IN_THE_MAKING_OF_A_CLASS, BETWEEN_READING_AND_RUNNING],
)
def test_ctrl_c_is_told_however_early_it_comes(start_cli, call):
    process = start_cli(call, "run", "--examples", "-", program=["-c", INTERRUPTED_CALL], stdin=subprocess.PIPE)
    assert process.wait(timeout=300) == 130
    out, err = process.communicate()
    assert (out, "Traceback" in err) == ("", False)
    assert err.startswith("evolve: interrupted")
    assert err.endswith("  continue with: evolve run --examples -\n")


def test_nothing_is_loaded_before_ctrl_c_is_in_hand(start_cli):
    loaded = "import os, sys; before = set(sys.modules); import evolve.cli; print(*sorted(set(sys.modules) - before))"
    out, _ = start_cli(program=["-S", "-c", loaded]).communicate(timeout=300)
    assert out.split() == ["__future__", "evolve", "evolve.cli", "evolve.core", "evolve.core.lazy"]


# Says when the program's main has begun.
BEGUN = """
import sys

class Begun:
    def find_spec(self, name, path=None, target=None):
        if name == "evolve.cli.program":
            sys.stderr.write("begun\\n")
            sys.stderr.flush()

from evolve.cli import main
sys.meta_path.insert(0, Begun())
main(sys.argv[1:])
"""


@pytest.mark.parametrize("later_s", [0.0, 0.01, 0.03, 0.1, 0.3])
def test_ctrl_c_is_told_at_any_early_time(start_cli, later_s):
    process = start_cli("run", "--examples", "-", program=["-c", BEGUN], stdin=subprocess.PIPE)
    assert process.stderr.readline() == "begun\n"
    time.sleep(later_s)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 130
    out, err = process.communicate()
    assert (out, "Traceback" in err) == ("", False)
    assert "continue with: evolve run --examples -" in err


@pytest.mark.parametrize("later_s", [0.0, *(pytest.param(later, marks=pytest.mark.slow) for later in (0.3, 0.6))])
def test_ctrl_c_from_a_terminal_reaches_every_process_and_none_complains(start_cli, tmp_path, monkeypatch, later_s):
    """A terminal sends Ctrl-C to workers and sandboxes too, some of which are just being started."""
    (tmp_path / "small.jsonl").write_text(render_jsonl(small_suite(40).tasks))
    monkeypatch.setenv("EVOLVE_WORKERS", "2")
    process = start_cli("improve", "small.jsonl", start_new_session=True)
    assert "made the workspace" in process.stderr.readline()
    time.sleep(later_s)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    assert "continue with: evolve improve small.jsonl" in err
