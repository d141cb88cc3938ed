"""Starts one sandboxed interpreter and exchanges requests with it under a hard deadline."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox.process_limits import children_of, living_descendants, make_task_group, tree_usage
from evolve.runtime.sandbox.protocol import Backend, Launch, SandboxLimits
from evolve.runtime.sandbox.replies import ReplyReader, escape_control
from evolve.runtime.sandbox.streams import CapturedStream, UnsentBytes, drain_pipe, receive_data, send, send_more

# bytes a second at which files arrive at least; a machine that is not stuck takes a fiftieth of the time
_SLOWEST = 10 << 20
# only a machine that is stuck takes as long; a cold start takes about a tenth of a second
_START_S = 30.0
# the runner ends the code first and replies; with this an execution still ends within a second
_GRACE_S = 0.6
_MEASURE_EVERY_S = 0.05
# times the limit of one process: the kernel bounds each, and knows no bound for a tree
_TREE_MEMORY = 1.5
_MOST_THREADS = 80  # 64 of the code, some of ours
_NOTICED = 8  # tasks over the bound, so that the supervisor sees that it was passed
_END_S = 1.0
_FAULT_TEXT = 300

BY_PERSON = "person"
"""Why an exchange ended that a person stopped."""


@dataclass(frozen=True, kw_only=True)
class RunnerRequest:
    """One request and what to expect of its answer.

    Attributes:
        request: JSON for the runner.
        files: Bytes of each file that it names, which are sent without being put together.
        blocks: How many blocks the reply has.
        largest: Most bytes of one block.
        stop_at_output: End the execution when it prints more than is kept, instead of dropping the rest.
        answer: Answers a call that the code makes to the outside, frame by frame, in the thread of the exchange; what
            it raises ends the exchange. None where code may call nothing.
    """

    request: bytes
    files: Sequence[bytes] = ()
    blocks: int
    largest: int
    stop_at_output: bool = False
    answer: Callable[[bytes], bytes] | None = None


@dataclass(frozen=True, kw_only=True)
class RunnerExchange:
    """What one request brought: the reply as far as it came and how it ended.

    Attributes:
        killed: Why the supervisor ended it: wall, output, memory, disk, processes, start (it was never ready),
            person; or "". Not told where every answer had come before.
        trouble: What kept the supervisor from its work, or "".
        calls: How many calls were answered.
        outside_s: Seconds that they took outside.
    """

    reply: ReplyReader
    stdout: CapturedStream
    stderr: CapturedStream
    killed: str = ""
    trouble: str = ""
    calls: int = 0
    outside_s: float = 0.0

    @property
    def is_reusable(self) -> bool:
        """Whether the interpreter is as it was before."""
        return self.reply.ended and not self.reply.dirty and not self.trouble

    def fault_text(self) -> str:
        """What went wrong with the sandbox itself, or ""."""
        if self.killed == "start":
            return f"the sandbox was not ready after {_START_S:g} s"
        reason = self.trouble or next((block.fault for block in self.reply.blocks if block.fault), "")
        if reason or self.killed or self.reply.complete:
            return reason
        output = escape_control(bytes(self.stderr.data).decode("utf-8", "replace")).strip()[-_FAULT_TEXT:]
        return f"the sandbox ended early{': ' if output else ''}{output}"


class RunnerProcess:
    """One running sandboxed interpreter. Not safe for threads; never shared across a fork.

    Raises:
        SandboxUnavailable: When the interpreter cannot be started.
    """

    def __init__(self, backend: Backend, limits: SandboxLimits) -> None:
        self.owner = os.getpid()
        self.uses = 0
        self._closed = False
        self._ready = False
        try:
            with contextlib.ExitStack() as undo:
                self._start(backend, limits, undo)
                undo.pop_all()
        except OSError as error:
            raise SandboxUnavailable(
                f"{backend.name}: cannot start: {error.strerror or error}", hint="run `evolve status`"
            ) from error

    def _start(self, backend: Backend, limits: SandboxLimits, undo: contextlib.ExitStack) -> None:
        """Starts it, and notes in ``undo`` what has to be done where a later part fails."""
        self._result, writing = os.pipe()
        undo.callback(os.close, self._result)
        # our copies are closed in any case: the end of the reply shows only when no writer is left
        with contextlib.ExitStack() as to_close:
            to_close.callback(os.close, writing)
            launch = backend.launch(writing, limits)
            for descriptor in launch.pass_fds:
                to_close.callback(os.close, descriptor)
            self._scratch, self._ending = launch.scratch, launch.ending
            if launch.scratch is not None:
                undo.callback(launch.scratch.remove)
            most = limits.processes + _MOST_THREADS + _NOTICED
            self._group = make_task_group(most) if launch.grouped else None
            if self._group is not None:
                undo.callback(self._group.end)
            self._process = self._spawned(launch, (writing, *launch.pass_fds))
        undo.callback(self._end)
        self._streams = [self._process.stdout, self._process.stderr, self._process.stdin]
        for stream in self._streams:
            assert stream is not None
            undo.callback(stream.close)
        for descriptor in (self._result, *(stream.fileno() for stream in self._streams if stream is not None)):
            os.set_blocking(descriptor, False)

    def _spawned(self, launch: Launch, descriptors: tuple[int, ...]) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            # through a shell, as only the command itself can enter before it starts anything
            self._group.entered_by(launch.argv) if self._group else list(launch.argv),
            env=dict(launch.env),
            cwd=launch.folder,
            pass_fds=descriptors,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            bufsize=0,
        )

    @property
    def is_usable(self) -> bool:
        """Whether it still runs and belongs to this process."""
        return self.owner == os.getpid() and self._process.poll() is None

    def exchange(
        self, order: RunnerRequest, limits: SandboxLimits, stopped: Callable[[], bool] | None = None
    ) -> RunnerExchange:
        """Sends one request and reads until its reply is complete, the process is gone or time is up.

        Starting counts against an allowance of its own, so a slow machine does not use up the time of the code.

        Args:
            stopped: Looked at many times a second; once it is true the exchange is over and has to be closed.
        """
        self.uses += 1
        reply = ReplyReader(jobs=order.blocks, largest=order.largest, ready=self._ready, calls=order.answer is not None)
        out = CapturedStream(limit=limits.output_kb * 1024, data=bytearray())
        err = CapturedStream(limit=limits.output_kb * 1024, data=bytearray())
        watch = _Watch(self._process.pid, limits, self._ready, sum(map(len, order.files)))
        trouble = ""
        try:
            self._transfer(order, reply, (out, err), watch, stopped)
        except OSError as error:
            trouble = f"the sandbox could not be asked: {error.strerror or error}"
        self._ready = reply.ready
        if self._scratch is not None and self._scratch.is_lost:
            trouble = "the scratch folder was removed from outside"
        late = watch.killed == "wall" and reply.complete  # what came was in time; the runner was slow to clear up
        return RunnerExchange(
            reply=reply,
            stdout=out,
            stderr=err,
            killed="" if late else watch.killed,
            trouble=trouble,
            calls=watch.pauses,
            outside_s=watch.paused_s,
        )

    def _transfer(
        self,
        order: RunnerRequest,
        reply: ReplyReader,
        captures: tuple[CapturedStream, CapturedStream],
        watch: _Watch,
        stopped: Callable[[], bool] | None,
    ) -> None:
        out, err = captures
        stdout, stderr, stdin = (stream.fileno() for stream in self._streams if stream is not None)
        unsent = UnsentBytes((b"%d\n%b" % (len(order.request), order.request), *order.files))
        with selectors.DefaultSelector() as selector:
            for descriptor, target in ((stdout, out.add), (stderr, err.add), (self._result, reply.add_bytes)):
                selector.register(descriptor, selectors.EVENT_READ, target)
            selector.register(stdin, selectors.EVENT_WRITE)
            while not reply.ended and not reply.damaged and self._result in selector.get_map():
                if watch.over(reply.ready):
                    break
                if stopped is not None and stopped():
                    watch.killed = BY_PERSON
                    break
                if order.stop_at_output and max(out.total - out.limit, err.total - err.limit) > 0:
                    watch.killed = "output"
                    break
                for key, _ in selector.select(watch.pause()):
                    if key.fd == stdin:
                        send(selector, stdin, unsent)
                    else:
                        receive_data(selector, key)
                if reply.call is not None and not reply.damaged and order.answer is not None:
                    with watch.paused():
                        answer = order.answer(reply.take_call())
                    unsent.add(b"%d\n%b" % (len(answer), answer))
                    send_more(selector, stdin)
                    reply.add_bytes(b"")
        for descriptor, capture in ((stdout, out), (stderr, err)):
            # output that came before the reply may still lie in the pipe
            drain_pipe(descriptor, capture)

    def close(self) -> None:
        """Ends the interpreter and everything it started, and removes its scratch folder. Safe to repeat."""
        if self._closed:
            return
        self._closed = True
        if self.owner == os.getpid():
            self._end()
            if self._scratch is not None:
                self._scratch.remove()
        elif self._scratch is not None:
            self._scratch.let_go()
        os.close(self._result)
        for stream in self._streams:
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()

    def _end(self) -> None:
        """Ends all processes, from the inside out, so that each is still there to reap what it started."""
        if self._ending == "inside":
            # the first process of a namespace takes all others with it, at once and however many
            self._kill(children_of(self._process.pid))
            self._wait()
        elif self._ending == "ask":
            self._process.terminate()
            self._wait()
        self._kill(living_descendants(self._process.pid))
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.kill()
        self._process.wait()
        if self._group is not None:
            self._group.end()

    @staticmethod
    def _kill(processes: list[int]) -> None:
        for process in processes:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)

    def _wait(self) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_S)


class _Watch:
    """Keeps one exchange to its time, and to limits that the kernel lacks: memory of all processes, tasks of root."""

    def __init__(self, process: int, limits: SandboxLimits, ready: bool, sent: int) -> None:
        self.killed = ""
        self.pauses, self.paused_s = 0, 0.0
        self._allowed = limits.wall_s + _GRACE_S + sent / _SLOWEST
        self._process = process
        self._limits = limits
        self._ready = ready
        self._deadline = time.monotonic() + (self._allowed if ready else _START_S)
        # what may multiply is looked at sooner and more often
        self._every = _MEASURE_EVERY_S / 2 if limits.processes else _MEASURE_EVERY_S
        self._measure = time.monotonic() + self._every

    def over(self, ready: bool) -> bool:
        """Whether the execution must end now; ``killed`` says why."""
        now = time.monotonic()
        if ready and not self._ready:
            self._ready, self._deadline = True, now + self._allowed
        if now >= self._deadline:
            self.killed = "wall" if self._ready else "start"
        elif now >= self._measure:
            self._measure = now + self._every
            most = self._limits.processes + _MOST_THREADS
            use = tree_usage(self._process, most + 1)
            if use.tasks > most:
                self.killed = "processes"
            elif use.resident > self._limits.memory_mb * _TREE_MEMORY * (1 << 20):
                self.killed = "memory"
            elif use.nameless > self._limits.file_mb << 20:
                self.killed = "disk"
        return bool(self.killed)

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Around what is done outside for the code: that time is not the code's."""
        began = time.monotonic()
        yield
        took = time.monotonic() - began
        self.pauses, self.paused_s, self._deadline = self.pauses + 1, self.paused_s + took, self._deadline + took

    def pause(self) -> float:
        """Seconds until it must look again."""
        return max(0.0, min(self._deadline - time.monotonic(), self._every))
