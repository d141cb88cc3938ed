"""Scratch folders belong to whoever holds them, in whatever process namespace; a lost one is a fault."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import ActionFile, Program, Sandbox, SandboxLimits, open_sandbox
from evolve.runtime.sandbox.scratch import make_scratch, remove_abandoned

ELSEWHERE = ["unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc"]
REMOVE = "from evolve.runtime.sandbox.scratch import remove_abandoned; remove_abandoned(older_than_s=0)"
MAKE = """
import time
from evolve.runtime.sandbox.scratch import make_scratch
scratch = make_scratch()
print(scratch.path, flush=True)
time.sleep(60)
"""


@pytest.fixture(scope="module")
def on_disk(cache_dir) -> Iterator[Sandbox]:
    """A sandbox whose scratch folder lies where other processes can see it."""
    try:
        opened = open_sandbox("landlock", cache_dir=cache_dir)
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with opened:
        yield opened


def folders() -> set[Path]:
    places = {Path("/dev/shm"), Path(tempfile.gettempdir())}
    return {found for place in places for found in place.glob("evolve-scratch-*")}


def test_a_start_in_another_process_namespace_takes_no_living_folder(on_disk):
    with on_disk.session() as session:
        session.execute("open('kept', 'w').write('here')")
        subprocess.run([*ELSEWHERE, sys.executable, "-c", REMOVE], check=True, timeout=60)
        result = session.execute("import os\nopen('more', 'w').write('x')\nsorted(os.listdir())", collect=True)
    assert (result.state, result.value) == ("ok", ["kept", "more"])
    assert [file.name for file in result.files] == ["kept", "more"]


def test_what_a_killed_process_left_is_removed_once_it_is_old_enough():
    with subprocess.Popen([sys.executable, "-c", MAKE], stdout=subprocess.PIPE, text=True) as process:
        left = Path(process.stdout.readline().strip())
        left.joinpath("file").write_text("x")
        remove_abandoned(older_than_s=0)
        assert left.is_dir()
        process.send_signal(signal.SIGKILL)
    remove_abandoned()
    assert left.is_dir()
    remove_abandoned(older_than_s=0)
    assert not left.parent.exists()


def test_a_folder_that_a_forked_process_still_uses_stays():
    scratch = make_scratch()
    child = os.fork()
    if child == 0:
        time.sleep(60)
        os._exit(0)
    try:
        scratch.let_go()
        remove_abandoned(older_than_s=0)
        assert Path(scratch.path).is_dir()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    remove_abandoned(older_than_s=0)
    assert not Path(scratch.path).exists()


HELD = """
import os, stat
found = []
for number in range(64):
    try:
        found.append(stat.S_ISDIR(os.fstat(number).st_mode))
    except OSError:
        pass
any(found)
"""
REACH = """
import os
here = os.getcwd()
failed = 0
for do, path in ((os.rmdir, here), (os.listdir, os.path.dirname(here))):
    try:
        do(path)
    except PermissionError:
        failed += 1
failed
"""


def test_the_code_holds_nothing_of_the_folder_and_cannot_remove_it(on_disk):
    assert on_disk.execute(HELD).value is False
    assert on_disk.execute(REACH).value == 2


@contextlib.contextmanager
def removing(times: int) -> Iterator[None]:
    """Removes so many of the folders that appear, each once something was put into it."""
    before, over = folders(), threading.Event()

    def remove() -> None:
        left = times
        while left and not over.wait(0.005):
            for found in [one for one in folders() - before if any(one.glob("*/in"))]:
                shutil.rmtree(found, ignore_errors=True)
                left -= 1

    thread = threading.Thread(target=remove)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


SLOW = "import time\ntext = open('in').read()\ntime.sleep(0.4)\nopen('out', 'w').write(text)\nlen(text)"


@pytest.mark.slow
def test_a_folder_that_is_lost_once_costs_nothing_but_time(cache_dir, on_disk):
    with open_sandbox("landlock", cache_dir=cache_dir, warm=False) as sandbox, removing(1):
        result = sandbox.execute(SLOW, files={"in": b"abc"}, collect=True)
    assert (result.state, result.value) == ("ok", 3)
    assert result.files == (ActionFile(name="in", data=b"abc"), ActionFile(name="out", data=b"abc"))


@pytest.mark.slow
def test_a_folder_that_is_lost_again_is_a_fault_and_the_next_call_works(cache_dir, on_disk):
    with open_sandbox("landlock", cache_dir=cache_dir, warm=False) as sandbox:
        with removing(5):
            result = sandbox.execute(SLOW, files={"in": b"abc"}, collect=True)
        assert result.state == "fault" and "scratch folder" in result.error and result.files == ()
        assert sandbox.execute(SLOW, files={"in": b"abc"}).value == 3


def test_a_session_whose_folder_is_lost_ends_as_a_fault(on_disk):
    before = folders()
    with on_disk.session(SandboxLimits(file_mb=7)) as session:
        session.execute("x = 1", files={"in": b"abc"})
        for found in folders() - before:
            shutil.rmtree(found)
        result = session.execute("x", files={"other": b"abc"}, collect=True)
    assert (result.state, result.ended) == ("fault", True)


def test_programs_of_a_kept_interpreter_whose_folder_is_lost_are_run_elsewhere(cache_dir, on_disk):
    before = folders()
    reads = Program(source="def f(x):\n    open('a', 'w').write(x)\n    return open('a').read()\n", entry="f")
    with open_sandbox("landlock", cache_dir=cache_dir) as sandbox:
        assert sandbox.run_programs([reads], [["one"]]).programs[0].outputs[0].value == "one"
        for found in folders() - before:
            shutil.rmtree(found)
        result = sandbox.run_programs([reads], [["two"]])
    assert result.programs[0].outputs[0].value == "two" and not result.fault


ON_A_FULL_DISK = """
from pathlib import Path
from evolve.runtime.sandbox import open_sandbox
with open_sandbox("landlock", cache_dir=Path("/dev/shm/cache")) as sandbox:
    result = sandbox.execute("open('a').read()", files={"a": b"x" * (1 << 20)})
    print(result.state, result.error)
    print(sandbox.execute("1 + 1").value)
"""


@pytest.mark.slow
def test_a_machine_without_room_is_a_fault_and_not_one_of_the_code(on_disk):
    small = 'mount -t tmpfs -o size=400k tmpfs /dev/shm && TMPDIR=/dev/shm exec "$0" -c "$1"'
    command = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", small, sys.executable, ON_A_FULL_DISK]
    told = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False).stdout.splitlines()
    assert told == ["fault a file could not be put into the scratch folder: No space left on device", "2"]
