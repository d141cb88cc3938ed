"""Hostile programs against every backend, judged by oracles outside the sandbox."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import secrets
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evolve.runtime.sandbox import Program, SandboxLimits
from tests.sandbox.hostile import EXHAUSTING, PRELUDE, SHARED

WALL_S = 0.3


class Oracles:
    """Things outside the sandbox that show when they were reached or changed."""

    def __init__(self, folder: Path, stack: contextlib.ExitStack) -> None:
        self.secret = secrets.token_hex(16)
        self.home = folder / "home"
        self.home.mkdir()
        self.canary = self.home / "canary"
        self.canary.write_text(self.secret)
        self.victim = stack.enter_context(subprocess.Popen(["sleep", "600"], start_new_session=True))
        stack.callback(self.victim.kill)
        self.unix = f"/tmp/evolve-test-{secrets.token_hex(4)}"
        self.abstract = "evolve-test-" + secrets.token_hex(4)
        self.traps = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "unix": (socket.AF_UNIX, socket.SOCK_STREAM, self.unix),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, "\0" + self.abstract),
        }
        self.sockets = {}
        for name, (family, kind, address) in self.traps.items():
            trap = self.sockets[name] = stack.enter_context(socket.socket(family, kind))
            trap.bind(address)
            trap.setblocking(False)
            if kind == socket.SOCK_STREAM:
                trap.listen()
        stack.callback(os.unlink, self.unix)
        self.before = self.state()

    def constants(self) -> str:
        values = {
            "CANARY": str(self.canary),
            "FOLDER": str(self.home),
            "TCP": self.sockets["tcp"].getsockname()[1],
            "UDP": self.sockets["udp"].getsockname()[1],
            "UNIX": self.unix,
            "ABSTRACT": self.abstract,
            "VICTIM": self.victim.pid,
            "SUPERVISOR": os.getpid(),
        }
        return "\n".join(f"{name} = {value!r}" for name, value in values.items())

    def state(self) -> object:
        """What the outside world looks like."""
        tree = [
            (path, path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_uid, path.lstat().st_nlink)
            for path in (self.home, *sorted(self.home.iterdir()))
        ]
        places = ["/usr/evolve-was-here", "/etc/evolve-was-here", "/var/tmp/evolve-was-here"]
        return (
            tree,
            self.canary.read_text() if self.canary.exists() else None,
            os.listxattr(self.canary) if self.canary.exists() else None,
            [os.path.exists(place) for place in places],
            self.victim.poll(),
            resource.prlimit(self.victim.pid, resource.RLIMIT_NOFILE),
            os.getpriority(os.PRIO_PROCESS, self.victim.pid),
            resource.getrlimit(resource.RLIMIT_NOFILE),
        )

    def hits(self) -> list[str]:
        """Names of the sockets that something arrived at."""
        found = []
        for name, trap in self.sockets.items():
            with contextlib.suppress(BlockingIOError):
                if trap.type == socket.SOCK_DGRAM:
                    trap.recv(1)
                else:
                    trap.accept()[0].close()
                found.append(name)
        return found


@pytest.fixture
def oracles(tmp_path: Path):
    with contextlib.ExitStack() as stack:
        yield Oracles(tmp_path, stack)


def survivors(mark: int) -> list[str]:
    """Processes that were started under one hash seed and still exist."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and b"PYTHONHASHSEED=%d\0" % mark in (entry / "environ").read_bytes():
                found.append(entry.name)
    return found


def check_harmless(sandbox, oracles: Oracles, source: str, wall_s: float = WALL_S):
    mark = random.SystemRandom().randrange(1, 2**32)
    limits = SandboxLimits(wall_s=wall_s, hash_seed=mark, memory_mb=256, file_mb=4)
    text = PRELUDE + oracles.constants() + "\n" + source
    result = sandbox.run_programs([Program(source=text, entry="attack")], [[]], limits)
    sandbox.close()
    deadline = time.monotonic() + 30
    while survivors(mark) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert survivors(mark) == []
    assert oracles.hits() == []
    assert oracles.state() == oracles.before
    assert oracles.secret not in repr(result)
    return result


@pytest.mark.parametrize("name", SHARED)
def test_reaching_out_is_refused(sandbox, oracles, name):
    result = check_harmless(sandbox, oracles, SHARED[name], wall_s=2.0)
    outcome = result.programs[0].outputs[0]
    assert outcome.error or not outcome.value, f"{name} worked: {outcome.value}"


@pytest.mark.parametrize("name", EXHAUSTING)
def test_exhausting_ends_by_a_limit(default_sandbox, oracles, name):
    result = check_harmless(default_sandbox, oracles, EXHAUSTING[name])
    assert result.programs[0].outputs[0].error
    assert len(result.stdout) < 100_000


@pytest.mark.parametrize("name", ["deep folders", "endless files", "flood stdout", "close everything"])
def test_exhausting_ends_by_a_limit_with_every_backend(sandbox, oracles, name):
    assert check_harmless(sandbox, oracles, EXHAUSTING[name]).programs[0].outputs[0].error


@pytest.mark.slow
def test_many_rounds_in_any_order(sandbox, oracles):
    actions = [*SHARED.values(), *EXHAUSTING.values()]
    for number in range(3):
        random.Random(number).shuffle(actions)
        for source in actions:
            check_harmless(sandbox, oracles, source)


@pytest.mark.parametrize(
    ("name", "seen"), [("tcp", "tcp"), ("udp", "udp"), ("unix socket", "unix"), ("abstract socket", "abstract")]
)
def test_the_oracles_notice_what_is_not_confined(oracles, name, seen):
    text = PRELUDE + oracles.constants() + "\n" + SHARED[name] + "\nattack()"
    subprocess.run([sys.executable, "-c", text], check=True)
    assert oracles.hits() == [seen]


def test_the_oracles_notice_damage(oracles):
    text = PRELUDE + oracles.constants() + "\n" + SHARED["change metadata outside"] + "\nattack()"
    subprocess.run([sys.executable, "-c", text], check=True)
    assert oracles.state() != oracles.before
