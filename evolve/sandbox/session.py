"""Starts one sandboxed interpreter and exchanges requests with it under a hard deadline."""

from __future__ import annotations

import contextlib
import os
import selectors
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass

from evolve.errors import SandboxUnavailable
from evolve.sandbox.protocol import Backend, Launch, SandboxLimits
from evolve.sandbox.replies import ReplyReader

_CHUNK = 1 << 16
_START_ALLOWANCE_S = 0.6
_SCRATCH_FILES = 2000
_MEASURE_EVERY_S = 0.05


@dataclass(kw_only=True)
class Capture:
    """A stream's first bytes and its whole length."""

    limit: int
    data: bytearray
    total: int = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        self.data += data[: max(0, self.limit - len(self.data))]


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What one request brought: the reply as far as it came and how it ended."""

    reply: ReplyReader
    stdout: Capture
    stderr: Capture
    killed: str = ""


class Session:
    """One running sandboxed interpreter. Not safe for threads; never shared across a fork.

    Raises:
        SandboxUnavailable: When the interpreter cannot be started.
    """

    def __init__(self, backend: Backend, limits: SandboxLimits) -> None:
        self.owner = os.getpid()
        self.uses = 0
        self._closed = False
        self._result, writing = os.pipe()
        launch: Launch | None = None
        try:
            launch = backend.launch(writing, limits)
            self._process = subprocess.Popen(
                list(launch.argv),
                env=dict(launch.env),
                cwd="/",
                pass_fds=(writing, *launch.pass_fds),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            os.close(self._result)
            if launch is not None:
                self._remove(launch.scratch)
            raise SandboxUnavailable(
                f"{backend.name}: cannot start: {error.strerror or error}", hint="run `evolve doctor`"
            ) from error
        finally:
            for descriptor in (writing, *(launch.pass_fds if launch else ())):
                os.close(descriptor)
        self._launch = launch
        self._streams = [self._process.stdout, self._process.stderr, self._process.stdin]
        for stream in self._streams:
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        os.set_blocking(self._result, False)

    def exchange(self, request: bytes, jobs: int, limits: SandboxLimits) -> Exchange:
        """Sends one request and reads until its reply is complete, the process is gone or time is up."""
        self.uses += 1
        reply = ReplyReader(jobs=jobs, largest=limits.result_kb * 1024)
        out = Capture(limit=limits.output_kb * 1024, data=bytearray())
        err = Capture(limit=limits.output_kb * 1024, data=bytearray())
        deadline = time.monotonic() + limits.wall_s + _START_ALLOWANCE_S
        stdout, stderr, stdin = (stream.fileno() for stream in self._streams if stream is not None)
        unsent = memoryview(b"%d\n%b" % (len(request), request))
        killed, measure = "", 0.0
        with selectors.DefaultSelector() as selector:
            for descriptor, target in ((stdout, out.add), (stderr, err.add), (self._result, reply.feed)):
                selector.register(descriptor, selectors.EVENT_READ, target)
            selector.register(stdin, selectors.EVENT_WRITE)
            while not reply.ended and not reply.damaged and self._result in selector.get_map():
                now = time.monotonic()
                left = deadline - now
                if left <= 0:
                    killed = "wall"
                    break
                if now >= measure:
                    measure = now + _MEASURE_EVERY_S
                    if self._scratch_too_big(limits):
                        killed = "disk"
                        break
                for key, _ in selector.select(min(left, 0.1)):
                    if key.fd == stdin:
                        unsent = _send(selector, stdin, unsent)
                    else:
                        _receive(selector, key)
        for descriptor, capture in ((stdout, out), (stderr, err)):
            _drain(descriptor, capture)
        return Exchange(reply=reply, stdout=out, stderr=err, killed=killed)

    def _scratch_too_big(self, limits: SandboxLimits) -> bool:
        if not self._launch.watch_scratch:
            return False
        return _larger_than(self._launch.scratch, limits.file_mb << 20)

    def close(self) -> None:
        """Ends the interpreter and everything it started, and removes its scratch folder. Safe to repeat."""
        if self._closed:
            return
        self._closed = True
        if self.owner == os.getpid():
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.kill()
            self._process.wait()
            self._remove(self._launch.scratch)
        os.close(self._result)
        for stream in self._streams:
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    @staticmethod
    def _remove(scratch: str) -> None:
        if scratch:
            shutil.rmtree(scratch, ignore_errors=True)


def _send(selector: selectors.BaseSelector, descriptor: int, unsent: memoryview) -> memoryview:
    try:
        unsent = unsent[os.write(descriptor, unsent[:_CHUNK]) :]
    except BlockingIOError:
        return unsent
    except BrokenPipeError:
        unsent = unsent[:0]
    if not unsent:
        selector.unregister(descriptor)
    return unsent


def _receive(selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
    try:
        data = os.read(key.fd, _CHUNK)
    except BlockingIOError:
        return
    if data:
        key.data(data)
    else:
        selector.unregister(key.fd)


def _drain(descriptor: int, capture: Capture) -> None:
    """Takes what is already there; bounded, because a process may go on writing."""
    for _ in range(64):
        try:
            data = os.read(descriptor, _CHUNK)
        except BlockingIOError:
            return
        if not data:
            return
        capture.add(data)


def _larger_than(folder: str, size: int) -> bool:
    """Whether a tree holds more bytes or files than allowed; without recursion and without following links."""
    pending, files = [folder], 0
    while pending:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    files += 1
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(entry.path)
                    else:
                        size -= entry.stat(follow_symlinks=False).st_size
                    if size < 0 or files > _SCRATCH_FILES:
                        return True
        except OSError:
            continue  # gone again while we looked
    return False
