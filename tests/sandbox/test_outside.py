"""Programs outside of the sandbox: a bounded time, and nothing that they started is left."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox.server_process import run_outside

PATH = {"PATH": os.environ["PATH"]}


def test_it_gets_its_input_and_environment_and_nothing_else(tmp_path):
    code = (
        "import os, sys; print(sorted(os.environ)); print(sys.stdin.read(), os.getcwd(), file=sys.stderr); sys.exit(3)"
    )
    ran = run_outside([sys.executable, "-c", code], tmp_path, variables={"A": "b"}, seconds=30, given=b"words")
    assert ran.status == 3 and b"'A'" in ran.output and b"HOME" not in ran.output
    assert ran.errors.decode().split() == ["words", str(tmp_path)]


@pytest.mark.parametrize("ends", [True, False])
def test_what_it_started_ends_with_it_in_sessions_of_its_own_too(tmp_path, ends):
    inner = "import os, sys, time; os.setsid(); open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(600)"
    outer = (
        "import os, subprocess, sys, time\n"
        f"subprocess.Popen([sys.executable, '-c', {inner!r}, sys.argv[1]])\n"
        "while not os.path.exists(sys.argv[1]) or not open(sys.argv[1]).read(): time.sleep(0.01)\n"
        f"time.sleep({0 if ends else 600})\n"
    )
    file = tmp_path / "pid"
    seconds = 60 if ends else 5
    ran = run_outside([sys.executable, "-c", outer, str(file)], tmp_path, variables=PATH, seconds=seconds)
    assert ran.status == (0 if ends else None)
    place = Path("/proc", file.read_text(), "cmdline")
    for _ in range(200):  # killed, and then taken from the table by whoever inherited it
        if not place.exists() or not place.read_bytes():
            return
        time.sleep(0.01)
    raise AssertionError("it still runs")


def test_a_program_that_is_not_there_is_named(tmp_path):
    with pytest.raises(SandboxUnavailable, match="no-such-program"):
        run_outside(["no-such-program"], tmp_path, variables=PATH, seconds=5)
