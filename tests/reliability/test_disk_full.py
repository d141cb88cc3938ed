"""A full disk, at every write of a command and for real; and other things that a machine may refuse."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from benchmarks.doubles import small_suite
from evolve.tasks import render_jsonl
from tests.architecture.source import ROOT
from tests.reliability.test_crash import bad, crashed
from tests.reliability.test_signals import PROGRAM


@pytest.mark.slow
def test_a_full_disk_at_any_point_pauses_and_the_command_goes_on():
    chosen = ("--scenario", "run", "--scenario", "migration", "--scenario", "export", "--trials", "0")
    found = crashed("--action", "full", "--times", "1", "--sample", "8", "--seed", "3", *chosen)
    assert bad(found["rows"]) == []
    assert all(row["killed"] for row in found["rows"])


# Runs inside a mount of its own, where a small file system is: solves a task where one is named, leaves so many bytes
# free, runs the command, makes room and runs it again.
IN_A_SMALL_PLACE = """
import os, subprocess, sys
place, left, before, *command = sys.argv[1:]
for room in left.split(","):
    folder = os.path.join(place, room)
    os.mkdir(folder)
    env = {**os.environ, "EVOLVE_WORKSPACE": os.path.join(folder, "ws")}
    if before:
        subprocess.run([*command[:-3], "run", before], env=env, capture_output=True, check=True)
        with open(os.path.join(folder, "ws", "evolve.toml"), "a") as stream:
            stream.write("vectors = 'chroma'\\n")  # an exact index of one episode would fit
    free = os.statvfs(place)
    with open(os.path.join(place, "ballast"), "wb") as stream:
        stream.write(bytes(max(0, free.f_bavail * free.f_frsize - int(room))))
    full = subprocess.run(command, env=env, capture_output=True, text=True)
    os.unlink(os.path.join(place, "ballast"))
    again = subprocess.run(command, env=env, capture_output=True, text=True)
    print(room, full.returncode, again.returncode, repr(full.stderr[-300:]), repr(again.stderr[-300:]), sep="\\t")
"""


@pytest.fixture
def environ():
    return {**os.environ, "PYTHONPATH": str(ROOT), "EVOLVE_WORKERS": "1", "OMP_NUM_THREADS": "1"}


@pytest.fixture
def tasks(tmp_path):
    file = tmp_path / "small.jsonl"
    file.write_text(render_jsonl(small_suite(40).tasks))
    return file


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rooms", "before", "words"),
    [("120000,550000", "", ("run", "{}#small-000")), ("60000", "{}#small-000", ("lab", "memory", "reindex"))],
)
def test_a_disk_that_is_really_full_is_told_and_space_lets_the_command_go_on(
    tmp_path, tasks, environ, rooms, before, words
):
    place = tmp_path / "small"
    place.mkdir()
    confined = ["bwrap", "--dev-bind", "/", "/", "--size", str(64 << 20), "--tmpfs", str(place)]
    inside = [sys.executable, "-c", IN_A_SMALL_PLACE, str(place), rooms, before.format(tasks)]
    command = [sys.executable, "-c", PROGRAM, *(word.format(tasks) for word in words)]
    done = subprocess.run([*confined, *inside, *command], env=environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert len(rows) == len(rooms.split(","))
    for room, code, again, said, said_again in rows:
        assert code == "3" and "disk full" in said, (room, said)
        assert "Traceback" not in said and "fault of evolve" not in said
        assert again == "0", (room, said_again)


@pytest.mark.slow
@pytest.mark.parametrize(("most", "code"), [(12, 3), (64, 0)])
def test_too_few_open_files_are_told(tmp_path, tasks, environ, most, code):
    command = [sys.executable, "-c", PROGRAM, "improve", str(tasks), "--rounds", "1", "--json"]
    limited = ["sh", "-c", f'ulimit -n {most}; exec "$@"', "sh", *command]
    env = {**environ, "EVOLVE_WORKSPACE": str(tmp_path / "ws")}
    done = subprocess.run(limited, env=env, capture_output=True, text=True)
    assert "Traceback" not in done.stderr and "fault of evolve" not in done.stderr, done.stderr
    assert done.returncode == code, done.stderr


@pytest.mark.slow
def test_a_machine_without_shared_memory_will_do(tmp_path, tmp_path_factory, tasks, environ):
    own = ["--bind", *[str(tmp_path_factory.getbasetemp())] * 2]  # the folders of tests may be in it
    confined = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", "/dev/shm", *own, "--remount-ro", "/dev/shm"]
    command = [sys.executable, "-c", PROGRAM, "improve", str(tasks), "--rounds", "1", "--json"]
    env = {**environ, "EVOLVE_WORKSPACE": str(tmp_path / "ws"), "EVOLVE_WORKERS": "2", "TMPDIR": str(tmp_path)}
    done = subprocess.run([*confined, *command], env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
