"""The supervisor: one call, one bounded execution, whatever the code does."""

from __future__ import annotations

import json
import math
import os
import threading
import time
import weakref
from collections.abc import Mapping, Sequence
from types import TracebackType

from evolve.episodes import Json
from evolve.sandbox.protocol import (
    Backend,
    Program,
    SandboxLimits,
    SandboxResult,
    TestModule,
)
from evolve.sandbox.replies import Block, read_block
from evolve.sandbox.session import Exchange, Session
from evolve.sandbox.text import decode_output, visible

_USES_OF_A_SESSION = 200
_KEPT_SESSIONS = 2
_FAULT_TEXT = 300


class _Shelf:
    """Holds interpreters kept for later calls: one for each of the settings it was started with."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[tuple[int, int], Session] = {}

    def take(self, limits: SandboxLimits) -> Session | None:
        """A kept interpreter that suits the limits; the caller owns it then."""
        with self._lock:
            session = self._sessions.pop(_settings(limits), None)
        if session is not None and session.owner != os.getpid():
            session.close()  # inherited through a fork: it belongs to the parent
            return None
        return session

    def put(self, session: Session, limits: SandboxLimits) -> None:
        """Keeps an interpreter, in place of an equal or the oldest one."""
        with self._lock:
            old = self._sessions.pop(_settings(limits), None)
            if old is None and len(self._sessions) >= _KEPT_SESSIONS:
                old = self._sessions.pop(next(iter(self._sessions)))
            self._sessions[_settings(limits)] = session
        if old is not None:
            old.close()

    def close(self) -> None:
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            session.close()


def _settings(limits: SandboxLimits) -> tuple[int, int]:
    """The limits that are fixed when an interpreter starts; the others are set for every program."""
    return limits.file_mb, limits.hash_seed


class IsolatedSandbox:
    """Runs programs under a backend; implements :class:`~evolve.sandbox.protocol.Sandbox`.

    A started interpreter is kept for the next call as long as nothing about it can have changed: every program
    ran in its own forked process that is gone, no limit was hit, and nothing was written to the scratch space.

    Args:
        backend: The confinement; it must have passed its self-test.
        warm: False starts a fresh interpreter for every call.
    """

    def __init__(self, backend: Backend, *, warm: bool = True) -> None:
        self.backend = backend.name
        self._confinement = backend
        self._warm = warm
        self._shelf = _Shelf()
        # also at the end of the program, when nobody called close
        self._finalizer = weakref.finalize(self, self._shelf.close)

    def __enter__(self) -> IsolatedSandbox:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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

    def close(self) -> None:
        """Ends the kept interpreter, if there is one."""
        self._shelf.close()

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
        request = json.dumps({"limits": _kernel_limits(limits), "jobs": jobs, "rows": rows}).encode("ascii")
        session = self._shelf.take(limits) or Session(self._confinement, limits)
        keep = False
        try:
            exchange = session.exchange(request, len(jobs), limits)
            if _never_answered(exchange) and session.uses > 1:
                # a kept interpreter may have been ended from outside since its last use
                session.close()
                session = Session(self._confinement, limits)
                exchange = session.exchange(request, len(jobs), limits)
            keep = self._warm and not limits.processes and session.uses < _USES_OF_A_SESSION and _spotless(exchange)
        finally:
            if not keep:
                session.close()
        if keep:
            self._shelf.put(session, limits)
        return _result(exchange, expected, limits, time.monotonic() - started)


def _kernel_limits(limits: SandboxLimits) -> dict[str, Json]:
    # the default leaves a second more than the wall limit, so that the latter decides
    cpu = limits.cpu_s or min(limits.program_s or limits.wall_s, limits.wall_s) + 1
    return {
        "wall_s": limits.wall_s,
        "program_s": limits.program_s,
        "cpu_s": math.ceil(cpu),
        "memory_mb": limits.memory_mb,
        "processes": limits.processes,
        "file_mb": max(1, limits.file_mb),
        "result_kb": limits.result_kb,
    }


def _spotless(exchange: Exchange) -> bool:
    """Whether nothing about the interpreter can have changed."""
    reply = exchange.reply
    return reply.ended and not reply.dirty and all(block.state == "ok" for block in reply.blocks)


def _never_answered(exchange: Exchange) -> bool:
    return not exchange.reply.blocks and not exchange.reply.ended and not exchange.killed


def _result(exchange: Exchange, expected: Sequence[int | None], limits: SandboxLimits, seconds: float) -> SandboxResult:
    blocks = list(exchange.reply.blocks)
    missing = "late" if exchange.killed == "wall" else exchange.killed or "fault"
    blocks += [Block(state=missing, data=b"")] * (len(expected) - len(blocks))
    programs = tuple(read_block(block, count) for block, count in zip(blocks, expected, strict=True))
    fault = ""
    if not exchange.reply.ended and not exchange.killed:
        said = visible(bytes(exchange.stderr.data).decode("utf-8", "replace")).strip()[-_FAULT_TEXT:]
        fault = f"the sandbox ended early{': ' if said else ''}{said}"
    return SandboxResult(
        programs=programs,
        denied=tuple(dict.fromkeys(kind for program in programs for kind in program.denied)),
        timed_out=exchange.killed == "wall" or any(program.timed_out for program in programs),
        killed=exchange.killed,
        stdout=decode_output(bytes(exchange.stdout.data), exchange.stdout.limit, exchange.stdout.total),
        stderr=decode_output(bytes(exchange.stderr.data), exchange.stderr.limit, exchange.stderr.total),
        wall_s=seconds,
        fault=fault,
    )
