"""What ``evolve run`` learns, told after the result; and ``evolve learn`` after a crash."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys

import pytest

from evolve.core.failpoints import VARIABLE
from evolve.tasks import task_json
from evolve.testing import ScriptedEndpoint
from tests.workspace.test_found_while_learning import RIGHT, SIX, TASK, Adder, Served, coder, mending

pytestmark = pytest.mark.usefixtures("few_rivals")

FAULT = "lessons.before:1:"
NAMES = """name,short
Ada Lovelace,A. LOVELACE
Alan Turing,A. TURING
Grace Hopper,G. HOPPER
Barbara Liskov,B. LISKOV
Donald Knuth,D. KNUTH
Edsger Dijkstra,E. DIJKSTRA
John Backus,J. BACKUS
"""


@pytest.fixture
def names(tmp_path):
    file = tmp_path / "names.csv"
    file.write_text(NAMES)
    return file


@pytest.fixture
def ends(tmp_path):
    """A task whose first answer is refused, and whose row wants what no short program gives."""
    rows = [{"input": [xs], "output": xs[0]} for xs in ([5], [2, 2], [7, 7, 7])]
    verify = [{"input": [[n, n + 1]], "output": 1_000_003 * n} for n in range(1, 6)]
    file = tmp_path / "ends.json"
    task = {"id": "ends", "family": "f", "instruction": "give it", "examples": rows, "verify": verify, "hidden": []}
    file.write_text(json.dumps(task))
    return file


@pytest.mark.slow
def test_the_result_comes_first_and_then_one_line_about_learning(cli, names):
    done = cli("run", names)
    lines = done.out.splitlines()
    (told,) = [place for place, line in enumerate(lines) if line.startswith("learning: ")]
    assert any(line.startswith("verified: ") for line in lines[:told])
    assert "kept which steps the answer needed" in lines[told] and "1 new skill" in lines[told]
    assert lines[told + 1].startswith("new skill: ") and len(lines) == told + 2
    assert cli("learn").out == "everything is learned from\n"


@pytest.mark.slow
def test_what_one_task_showed_is_not_called_supported(cli, names):
    cli("run", names)
    assert "seen once" not in cli("memory", "list").out
    listed = cli("memory", "list", "--all").out
    assert "seen once" in listed and "1 of 1 task" in listed and "supported" not in listed


@pytest.mark.slow
def test_in_json_one_object_has_both(cli, names):
    told = json.loads(cli("run", names, "--json").out)
    assert told["learned"] and told["skills"] and told["learning"]["limits"]["candidates"] == 1_000_000
    off = json.loads(cli("run", names, "--set", "learn=off", "--json").out)
    assert off["status"] == "solved" and not off["learned"] and off["learning"] is None
    refused = cli("run", names, "--set", "learn=never")
    assert refused.code == 2 and "none of off, after, full" in refused.err


@pytest.mark.slow
def test_killed_while_learning_the_result_was_there_and_the_next_command_learns(cli, names):
    command, environ = [sys.executable, "-m", "evolve", "run", str(names)], {**os.environ, VARIABLE: FAULT + "kill"}
    killed = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)
    assert killed.returncode == -9 and "\nverified: " in killed.stdout and "learning" not in killed.stdout
    assert json.loads(cli("memory", "list", "--json").out)["insights"] == []
    learned = json.loads(cli("learn", "--json").out)
    assert [(one["run"], bool(one["learned"]), len(one["skills"])) for one in learned] == [("r1", True, 1)]
    assert json.loads(cli("memory", "list", "--json").out)["insights"]
    assert [run["state"] for run in json.loads(cli("runs", "list", "--json").out)] == ["done"]


@pytest.mark.slow
def test_stopped_while_learning_it_says_how_to_go_on(cli, names, monkeypatch):
    monkeypatch.setenv(VARIABLE, FAULT + "int")
    stopped = cli("run", names)
    assert stopped.code == 130 and "continue with: evolve learn" in stopped.err and "\nverified: " in stopped.out
    assert "kept which steps the answer needed" in cli("learn", "r1").out


@pytest.mark.slow
def test_the_command_that_goes_on_with_learning_names_the_workspace_that_was_named(cli, names, monkeypatch, tmp_path):
    monkeypatch.setenv(VARIABLE, FAULT + "int")
    place = tmp_path / "my work"
    stopped = cli("run", names, "-w", place)
    (line,) = (line for line in stopped.err.splitlines() if "continue with: " in line)
    command = shlex.split(line.partition("continue with: ")[2])
    assert command == ["evolve", "learn", "-w", str(place)]
    assert "kept which steps the answer needed" in cli(*command[1:]).out


@pytest.mark.slow
def test_a_refused_row_is_named_in_text_and_in_json(cli, ends):
    budget = ("--budget", "2k-candidates")
    text = cli("run", ends, *budget)
    assert text.code == 5
    assert "1000003" in text.out
    told = json.loads(cli("run", ends, *budget, "--json").out)
    assert [(one["input"], one["given"], one["expected"]) for one in told["misfits"]] == [([[1, 2]], 1_000_003, 1)]


@pytest.mark.slow
def test_a_right_answer_that_was_found_while_learning_is_printed_and_in_the_record(cli, tmp_path):
    file = tmp_path / "codes.jsonl"
    file.write_text(json.dumps(task_json(TASK)) + "\n")
    with ScriptedEndpoint(double=Served(coder())) as serving:
        text = cli("run", file, "--model", serving.model)
    assert text.code == 1 and text.out.index("not solved: ") < text.out.index("learning: ")
    told = text.out.partition("a right answer was found while learning, verified:\n")[2]
    assert told.startswith(SIX)
    assert "found while learning, verified" in cli("runs", "show", "r1").out
    (shown,) = json.loads(cli("runs", "show", "r1", "--json").out)
    assert (shown["status"], shown["found"]) == ("refused", {"answer": SIX, "kind": "verified"})
    assert "found while learning, verified:\n    def shorten" in cli("why", shown["episode"], "--steps").out


def test_in_json_the_one_object_has_the_answer_that_was_found(cli, tmp_path):
    file = tmp_path / "codes.jsonl"
    file.write_text(json.dumps(task_json(TASK)) + "\n")
    with ScriptedEndpoint(double=Served(coder())) as serving:
        done = cli("run", file, "--json", "--model", serving.model)
    told = json.loads(done.out)
    assert (done.code, told["status"], told["found"]) == (1, "refused", {"answer": SIX, "kind": "verified"})


@pytest.mark.slow
def test_a_change_that_was_found_while_learning_is_offered(cli, tmp_path):
    project = mending(tmp_path)
    with ScriptedEndpoint(double=Served(Adder())) as serving:
        command = ("run", "make total add up", "--dir", project, "--check", "python3 test_total.py", "--yes")
        done = cli(*command, "--model", serving.model)
    assert "act " in done.err and "plan " not in done.err  # no plan was asked for, and none was made
    assert done.code == 1 and "evolve apply r1" in done.out
    assert cli("apply", "r1").code == 0 and (project / "total.py").read_text() == RIGHT
