"""A server that a person approved ends with what started it, and its processes and memory are bounded."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import ServerNeeds, ServerProcess

PYTHON = os.path.realpath(sys.executable)
FAMILY = """
import os, subprocess, sys, time
for _ in range(3):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", MARK], start_new_session=True)
print("ready", flush=True)
time.sleep(600)
"""


def program(code: str, mark: str = "", **more) -> ServerNeeds:
    return ServerNeeds(argv=(PYTHON, "-I", "-c", code.replace("MARK", repr(mark))), **more)


def line(process: ServerProcess, seconds: float = 20.0) -> str:
    deadline, text = time.monotonic() + seconds, b""
    while b"\n" not in text and time.monotonic() < deadline:
        try:
            text += os.read(process.stdout, 4096)
        except BlockingIOError:
            time.sleep(0.01)
    return text.decode().strip()


def alive(mark: str) -> int:
    """How many processes have the mark among their arguments."""
    found = 0
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += mark.encode() in entry.read_bytes().split(b"\0")
        except OSError:
            continue
    return found


def reaches(mark: str, count: int, seconds: float = 20.0) -> bool:
    """Whether that many processes have the mark, now or soon: one that was just started shows no arguments yet."""
    deadline = time.monotonic() + seconds
    while alive(mark) != count and time.monotonic() < deadline:
        time.sleep(0.05)
    return alive(mark) == count


@pytest.mark.slow
def test_close_ends_it_with_all_it_started(tmp_path):
    mark = f"mark-{tmp_path.name}-{os.getpid()}"
    process = ServerProcess(program(FAMILY, mark))
    assert line(process) == "ready" and reaches(mark, 3)
    process.close()
    process.close()
    assert reaches(mark, 0)


@pytest.mark.slow
def test_it_ends_with_the_process_that_started_it(tmp_path):
    mark = f"mark-{tmp_path.name}-{os.getpid()}"
    code = textwrap.dedent(f"""
        import time
        from tests.sandbox.test_serving import FAMILY, ServerProcess, line, program
        process = ServerProcess(program(FAMILY, {mark!r}))
        print(line(process), flush=True)
        time.sleep(600)
    """)
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen([sys.executable, "-c", code], cwd=root, stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout.readline().strip() == "ready" and reaches(mark, 3)
        os.kill(starter.pid, signal.SIGKILL)
    assert reaches(mark, 0)


@pytest.mark.slow
def test_memory_and_files_in_memory_are_bounded():
    code = """
try:
    bytearray(6 << 30)
    print("had it", flush=True)
except MemoryError:
    print("refused", flush=True)
"""
    process = ServerProcess(program(code))
    assert line(process) == "refused"
    process.close()
    fill = """
try:
    with open("full", "wb") as stream:
        for _ in range(600):
            stream.write(bytes(1 << 20))
    print("had it", flush=True)
except OSError as error:
    print(error.strerror, flush=True)
"""
    process = ServerProcess(program(fill))
    assert line(process, 60) == "No space left on device"
    process.close()


def test_local_sockets_and_terminals_are_out_of_reach_with_the_network_too():
    code = """
import fcntl, socket
told = []
for made in (lambda: socket.socket(socket.AF_UNIX), lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)):
    try:
        made()
        told.append("had it")
    except OSError:
        told.append("refused")
left, right = socket.socketpair()
left.send(b"x")
told.append(right.recv(1).decode())
print(*told, flush=True)
"""
    for network in (False, True):
        process = ServerProcess(program(code, network=network))
        assert line(process) == "refused refused x"
        process.close()


def test_what_cannot_be_shown_is_refused_before_anything_starts(tmp_path):
    (tmp_path / "link").symlink_to("/etc")
    for path in (tmp_path / "none", tmp_path / "link"):
        with pytest.raises(SandboxUnavailable, match="is not there any more, or is a link now"):
            ServerProcess(program("", readable=(str(path),)))
