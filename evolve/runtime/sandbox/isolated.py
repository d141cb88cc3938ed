"""The sandbox as its callers see it: one call is one bounded execution, whatever the code does."""

from __future__ import annotations

import copy
import json
import math
import threading
import time
import weakref
from collections.abc import Callable, Mapping, Sequence

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Json
from evolve.core.errors import Cancelled, SandboxUnavailable
from evolve.runtime.sandbox.actions import NO_FILES, ActionResult, FunctionCalls
from evolve.runtime.sandbox.coding import CodeAction, LeasedSession, request_of, result_of
from evolve.runtime.sandbox.protocol import Backend, Program, SandboxLimits, SandboxResult, TestModule
from evolve.runtime.sandbox.replies import JobReply, decode_output, read_block
from evolve.runtime.sandbox.session import BY_PERSON, RunnerExchange, RunnerProcess, RunnerRequest

_MOST_USES = 200
_MOST_WARM = 4


class _WarmRunners:
    """Holds interpreters kept for later calls, the most recently used last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: list[tuple[_StartLimits, RunnerProcess]] = []

    def take(self, limits: SandboxLimits) -> RunnerProcess | None:
        """A kept interpreter that suits the limits; the caller owns it then."""
        with self._lock:
            place = next(
                (n for n in reversed(range(len(self._entries))) if self._entries[n][0] == _start_limits(limits)), None
            )
            runner = None if place is None else self._entries.pop(place)[1]
        if runner is not None and not runner.is_usable:
            runner.close()  # ended from outside since its last use, or inherited through a fork
            return None
        return runner

    def put(self, runner: RunnerProcess, limits: SandboxLimits) -> None:
        """Keeps an interpreter, if need be in place of the one that was used longest ago."""
        with self._lock:
            self._entries.append((_start_limits(limits), runner))
            old = self._entries.pop(0)[1] if len(self._entries) > _MOST_WARM else None
        if old is not None:
            old.close()

    def close(self) -> None:
        with self._lock:
            entries, self._entries = self._entries, []
        for _, runner in entries:
            runner.close()


_StartLimits = tuple[int, int, int, int]


def _start_limits(limits: SandboxLimits) -> _StartLimits:
    """The limits that are fixed when an interpreter starts; the others are set for every program."""
    return limits.file_mb, limits.entries, limits.hash_seed, limits.processes


class _Lease:
    """The sole use of one interpreter, warm or new, until it is released."""

    def __init__(self, backend: Backend, warm_runners: _WarmRunners, limits: SandboxLimits, *, warm: bool) -> None:
        self._backend, self._warm_runners, self._limits, self._warm = backend, warm_runners, limits, warm
        self._runner = warm_runners.take(limits) or RunnerProcess(backend, limits)
        self._asked = False

    def exchange(
        self, order: RunnerRequest, limits: SandboxLimits, stopped: Callable[[], bool] | None = None
    ) -> RunnerExchange:
        """Sends a request; where the sandbox fails at the very first, a new interpreter is asked once more.

        A kept interpreter may have been ended since its last use, its scratch folder removed, the machine out of
        something for a moment. Nothing of the first try is left that the second could see.
        """
        exchange = self._runner.exchange(order, limits, stopped)
        # not after "start": that took 30 s already, and a second try would take as long
        if (
            not self._asked
            and not exchange.calls
            and exchange.fault_text()
            and exchange.killed not in ("start", BY_PERSON)
        ):
            self._runner.close()
            self._runner = RunnerProcess(self._backend, self._limits)
            exchange = self._runner.exchange(order, limits, stopped)
        self._asked = True
        return exchange

    def release(self, keep: bool) -> None:
        """Keeps it for a later call, or ends it."""
        if keep and self._warm and self._runner.uses < _MOST_USES:
            self._warm_runners.put(self._runner, self._limits)
        else:
            self._runner.close()


class IsolatedSandbox:
    """Runs programs under a backend; implements :class:`~evolve.runtime.sandbox.protocol.Sandbox`.

    A started interpreter is kept for the next call as long as nothing about it can have changed: every program
    ran in its own forked process that is gone with all it started, and the scratch space is empty again.

    Args:
        backend: The confinement; it must have passed its self-test.
        warm: False starts a fresh interpreter for every call.
    """

    def __init__(self, backend: Backend, *, warm: bool = True) -> None:
        self.backend = backend.name
        self._confinement = backend
        self._warm = warm
        self._warm_runners = _WarmRunners()
        self._cancellation: Cancellation | None = None
        # also at the end of the program, when nobody called close
        self._finalizer = weakref.finalize(self, self._warm_runners.close)

    def __enter__(self) -> IsolatedSandbox:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()

    def run_programs(
        self,
        programs: Sequence[Program],
        inputs: Sequence[Sequence[Json]],
        limits: SandboxLimits | None = None,
        *,
        per_program: Sequence[Sequence[Sequence[Json]]] | None = None,
    ) -> SandboxResult:
        """Calls every program on every input in one execution; see the protocol.

        Raises:
            ValueError: When an input is not JSON, or ``per_program`` has another length than ``programs``.
            SandboxUnavailable: When the backend cannot start any more.
        """
        sets = [inputs] if per_program is None else per_program
        if per_program is not None and len(per_program) != len(programs):
            raise ValueError("per_program must have one list of inputs for each program")
        jobs: list[Mapping[str, Json]] = [
            {"source": program.source, "entry": program.entry, "rows": 0 if per_program is None else number}
            for number, program in enumerate(programs)
        ]
        # each row as its own text, so that every call gets a fresh copy by parsing it
        rows = [[json.dumps(list(row), allow_nan=False) for row in group] for group in sets]
        return self._run(jobs, rows, [len(rows[job["rows"]]) for job in jobs], limits or SandboxLimits())

    def run_tests(self, modules: Sequence[TestModule], limits: SandboxLimits | None = None) -> SandboxResult:
        """Runs the ``test_*`` functions of every module in one execution; see the protocol.

        Raises:
            ValueError: When a module's test file is not among its files.
            SandboxUnavailable: When the backend cannot start any more.
        """
        for module in modules:
            if module.test_file not in module.files:
                raise ValueError(f"no file {module.test_file!r} among the files of the test module")
        jobs: list[Mapping[str, Json]] = [{"files": dict(m.files), "test": m.test_file} for m in modules]
        return self._run(jobs, [], [None] * len(jobs), limits or SandboxLimits())

    def until(self, cancellation: Cancellation) -> IsolatedSandbox:
        """The same sandbox, whose executions raise ``Cancelled`` once a person asks to stop.

        The execution going on then ends within a second, with its whole process tree. What it keeps started is
        shared with this one, which is the one to close.
        """
        # a shallow copy shares the warm interpreters
        stoppable = copy.copy(self)
        stoppable._cancellation = cancellation
        return stoppable

    def close(self) -> None:
        """Ends the interpreters that are kept for later calls."""
        self._warm_runners.close()

    def execute(
        self,
        code: str,
        limits: SandboxLimits | None = None,
        *,
        files: Mapping[str, bytes] = NO_FILES,
        collect: bool = False,
    ) -> ActionResult:
        """Runs one action in a process and a scratch folder of its own; see the protocol.

        Raises:
            UsageError: A file's name is not plain, or the files do not fit into the scratch folder.
            SandboxUnavailable: The backend cannot start, or cannot run code that starts processes.
        """
        limits = limits or SandboxLimits()
        started = time.monotonic()
        action = CodeAction(code=code, files=files, collect=collect)
        exchange = self._exchange(request_of(action, limits, _kernel_limits(limits)), limits)
        return result_of(exchange, time.monotonic() - started, limits)

    def session(self, limits: SandboxLimits | None = None, *, calls: FunctionCalls | None = None) -> LeasedSession:
        """A process in which actions run one after another; see the protocol.

        Raises:
            SandboxUnavailable: The backend cannot start, or cannot run code that starts processes.
        """
        limits = limits or SandboxLimits()
        return LeasedSession(self._lease(limits), limits, _kernel_limits(limits), self._cancellation, calls)

    def _exchange(self, request: RunnerRequest, limits: SandboxLimits) -> RunnerExchange:
        """One request on a kept or new interpreter, which is kept again only if nothing about it can have changed."""
        lease = self._lease(limits)
        keep = False
        try:
            exchange = lease.exchange(request, limits, self._stopped)
            if exchange.killed == BY_PERSON:
                raise Cancelled("the person stopped the action")
            keep = exchange.is_reusable
        finally:
            lease.release(keep)
        return exchange

    def _stopped(self) -> bool:
        return self._cancellation is not None and self._cancellation.requested

    def _lease(self, limits: SandboxLimits) -> _Lease:
        _check_inherited(limits)
        return _Lease(self._confinement, self._warm_runners, limits, warm=self._warm)

    def _run(
        self,
        jobs: Sequence[Mapping[str, Json]],
        rows: Sequence[Sequence[str]],
        expected: Sequence[int | None],
        limits: SandboxLimits,
    ) -> SandboxResult:
        if not jobs:
            return SandboxResult(programs=())
        started = time.monotonic()
        body = {"limits": _kernel_limits(limits), "jobs": jobs, "rows": rows, "files": [], "collect": False}
        request = RunnerRequest(
            request=json.dumps({**body, "session": ""}).encode("ascii"),
            blocks=len(jobs),
            largest=(limits.result_kb << 10) + (1 << 20),
        )
        exchange = self._exchange(request, limits)
        return _result(exchange, expected, limits, time.monotonic() - started)


def _check_inherited(limits: SandboxLimits) -> None:
    """Refuses where this process is itself held below what code is promised: it would fail by no fault of its own.

    Raises:
        SandboxUnavailable: A limit of the process is lower.
    """
    import resource  # there is none on Windows

    inherited = (
        ("-f", resource.getrlimit(resource.RLIMIT_FSIZE)[1], max(1, limits.file_mb), "files"),
        ("-d", resource.getrlimit(resource.RLIMIT_DATA)[0], limits.memory_mb, "memory"),
    )
    for option, most, promised, what in inherited:
        if most != resource.RLIM_INFINITY and most < promised << 20:
            raise SandboxUnavailable(
                f"this process may have {most >> 10:,} KiB of {what} (ulimit {option}), and code in the sandbox is "
                f"promised {promised} MiB",
                hint=f"begin in a shell without that limit; `ulimit {option}` shows it",
            )


def _kernel_limits(limits: SandboxLimits) -> dict[str, Json]:
    # the default leaves a second more than the wall limit, so that the latter decides
    cpu = limits.cpu_s or min(limits.program_s or limits.wall_s, limits.wall_s) + 1
    return {
        "wall_s": limits.wall_s,
        "program_s": limits.program_s,
        "cpu_s": math.ceil(cpu),
        "cpu_given": limits.cpu_s is not None,
        "memory_mb": limits.memory_mb,
        "processes": limits.processes,
        "file_mb": max(1, limits.file_mb),
        "result_kb": limits.result_kb,
    }


def _result(
    exchange: RunnerExchange, expected: Sequence[int | None], limits: SandboxLimits, seconds: float
) -> SandboxResult:
    blocks = list(exchange.reply.blocks)
    missing = "late" if exchange.killed == "wall" else exchange.killed or "fault"
    blocks += [JobReply(state=missing, data=b"")] * (len(expected) - len(blocks))
    programs = tuple(read_block(block, count) for block, count in zip(blocks, expected, strict=True))
    return SandboxResult(
        programs=programs,
        denied=tuple(dict.fromkeys(kind for program in programs for kind in program.denied)),
        timed_out=exchange.killed == "wall" or any(program.timed_out for program in programs),
        killed=exchange.killed,
        stdout=decode_output(bytes(exchange.stdout.data), exchange.stdout.limit, exchange.stdout.total),
        stderr=decode_output(bytes(exchange.stderr.data), exchange.stderr.limit, exchange.stderr.total),
        wall_s=seconds,
        fault=exchange.fault_text(),
    )
