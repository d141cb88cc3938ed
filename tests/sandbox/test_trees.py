"""Code that may start processes: they work, and all of them are gone when its execution is over."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import time

import pytest

from evolve.runtime.sandbox import SandboxLimits
from tests.sandbox.test_escapes import survivors


def limits(**more) -> SandboxLimits:
    return SandboxLimits(**{"processes": 6, "wall_s": 30.0, "hash_seed": secrets.randbelow(2**32), **more})


def test_commands_run_and_their_output_is_the_codes_own(sandbox):
    code = "import subprocess\nsubprocess.run(['/bin/echo', 'hi'], capture_output=True, text=True).stdout"
    assert sandbox.execute(code, limits()).value == "hi\n"


ORPHANS = {
    "double fork": "if os.fork() == 0:\n    os.setsid()\n    if os.fork():\n        os._exit(0)\n    time.sleep(30)",
    "keeps the pipes": "if os.fork() == 0:\n    time.sleep(30)",
    "closes everything": "if os.fork() == 0:\n    os.setsid()\n    os.closerange(0, 64)\n    time.sleep(30)",
    "ignores signals": "if os.fork() == 0:\n    for number in {*range(1, 32)} - {9, 19}:\n"
    "        signal.signal(number, signal.SIG_IGN)\n    time.sleep(30)",
    "stopped": "child = os.fork()\nif child == 0:\n    time.sleep(30)\nos.kill(child, signal.SIGSTOP)",
    "sibling": "import ctypes, platform\nclone = 56 if platform.machine() == 'x86_64' else 220\n"
    "if ctypes.CDLL(None).syscall(clone, 0x8000 | 17, 0, 0, 0, 0) == 0:\n    time.sleep(30)",
}


IN_SHORT = ("double fork", "sibling")


@pytest.mark.parametrize(
    "name", [name if name in IN_SHORT else pytest.param(name, marks=pytest.mark.slow) for name in ORPHANS]
)
def test_what_an_action_leaves_running_is_gone_when_it_returns(sandbox, name):
    bounds = limits()
    result = sandbox.execute("import os, signal, time\n" + ORPHANS[name] + "\n'done'", bounds)
    assert result.state in ("ok", "limit")
    assert result.wall_s < bounds.wall_s + 1
    assert len(survivors(bounds.hash_seed)) <= 2  # the kept interpreter, and what started it


def test_the_runner_cannot_be_reached_from_a_tree(sandbox):
    code = (
        "import os\nsaid = []\nfor number in (2, 15, 1, 19, 9):\n    for target in (os.getppid(), 1):\n        try:\n"
        "            os.kill(target, number)\n        except OSError:\n            said.append(number)\n'alive'"
    )
    assert sandbox.execute(code, limits()).value == "alive"


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [
        # bounded, so that a failure of this test harms nobody
        "import os, time\nfor depth in range(10):\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
        "time.sleep(600)",
        "import os, time\nfor n in range(5):\n    if os.fork() == 0:\n        kept = b'x' * (150 << 20)\n"
        "        time.sleep(600)\ntime.sleep(600)",
    ],
)
def test_a_tree_is_bounded_as_a_whole(sandbox, code):
    bounds = limits(memory_mb=256)
    result = sandbox.execute(code, bounds)
    assert result.state == "limit" and result.limit in ("memory", "processes")
    assert survivors(bounds.hash_seed) == []


SUPERVISOR = """
import sys
from pathlib import Path
from evolve.runtime.sandbox import SandboxLimits, open_sandbox
sandbox = open_sandbox(sys.argv[1], cache_dir=Path(sys.argv[2]))
code = '''
import os, signal, time
for depth in range(4):
    if os.fork() == 0:
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(600)
'''
sandbox.execute(code, SandboxLimits(wall_s=600, processes=20, hash_seed=int(sys.argv[3])))
"""


@pytest.mark.slow
def test_a_tree_does_not_outlive_a_killed_supervisor(sandbox, cache_dir):
    mark = secrets.randbelow(2**32)
    command = [sys.executable, "-c", SUPERVISOR, sandbox.backend, str(cache_dir), str(mark)]
    with subprocess.Popen(command, cwd=os.getcwd()) as supervisor:
        deadline = time.monotonic() + 90
        while len(survivors(mark)) < 15 and time.monotonic() < deadline:
            time.sleep(0.05)
        assert len(survivors(mark)) >= 15
        supervisor.kill()
    deadline = time.monotonic() + 30
    while survivors(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert survivors(mark) == []


def test_a_forked_process_that_runs_to_the_end_reports_nothing(sandbox):
    code = "import os, time\nchild = os.fork()\nif child:\n    os.waitpid(child, 0)\n'parent' if child else 'child'"
    assert sandbox.execute(code, limits()).value == "parent"
    with sandbox.session(limits()) as session:
        assert [session.execute(code).value for _ in range(2)] == ["parent", "parent"]
