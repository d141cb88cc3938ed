"""Runs code actions, alone or in a session, on interpreters that :mod:`evolve.runtime.sandbox.isolated` starts."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Json
from evolve.core.errors import Cancelled, UsageError
from evolve.runtime.sandbox.actions import NO_FILES, ActionResult, Collect, FunctionCalls, LimitKind, is_plain_name
from evolve.runtime.sandbox.protocol import SandboxLimits
from evolve.runtime.sandbox.replies import ActionReport, CollectedFiles, decode_output, read_files, read_report
from evolve.runtime.sandbox.session import BY_PERSON, RunnerExchange, RunnerRequest

# why the supervisor ended an execution, where that is a limit
_LIMIT_OF_KILL: dict[str, LimitKind] = {
    "wall": "wall",
    "output": "output",
    "memory": "memory",
    "disk": "disk",
    "processes": "processes",
}


@dataclass(frozen=True, kw_only=True)
class CodeAction:
    """One action as it is sent."""

    code: str
    files: Mapping[str, bytes]
    collect: Collect
    session: str = ""
    calls: FunctionCalls | None = None


def request_of(action: CodeAction, limits: SandboxLimits, kernel: Mapping[str, Json]) -> RunnerRequest:
    """The request for one action.

    Raises:
        UsageError: A file's name is not plain, or the files are more or larger than the scratch folder may be.
    """
    for name in action.files:
        if not is_plain_name(name):
            raise UsageError(f"{name!r} is not a plain relative file name", hint="no .., no leading slash")
    if len(action.files) > limits.entries or sum(map(len, action.files.values())) > limits.file_mb << 20:
        raise UsageError(f"the files exceed the scratch folder's {limits.file_mb} MiB or {limits.entries} files")
    request: dict[str, Json] = {
        "limits": dict(kernel),
        "jobs": [{"action": action.code, "functions": _offered(action.calls)}],
        "rows": [],
        "files": [[name, len(content)] for name, content in action.files.items()],
        "collect": action.collect,
        "session": action.session,
    }
    return RunnerRequest(
        request=json.dumps(request).encode("ascii"),
        files=tuple(action.files.values()),
        blocks=2 if action.collect else 1,
        # a mebibyte more for error, denials and names, which have bounds of their own
        largest=max(limits.result_kb << 10, limits.file_mb << 20 if action.collect else 0) + (1 << 20),
        stop_at_output=True,
        answer=None if action.calls is None else action.calls.answer_frame,
    )


def _offered(calls: FunctionCalls | None) -> list[Json]:
    return (
        []
        if calls is None
        else [[name, list(parameters), text] for name, parameters, text in calls.offered_functions()]
    )


def result_of(exchange: RunnerExchange, seconds: float, limits: SandboxLimits) -> ActionResult:
    """The result of an action, from the exchange that ran it."""
    out, err, reply = exchange.stdout, exchange.stderr, exchange.reply
    report = _report(exchange)
    has_files = len(reply.blocks) > 1 and report.state != "fault"
    collected = read_files(reply.blocks[1], limits.entries) if has_files else CollectedFiles()
    if collected is None:
        report, collected = ActionReport(state="fault", error="the list of files came damaged"), CollectedFiles()
    fault = report.state == "fault"
    return ActionResult(
        state=report.state,
        limit=report.limit,
        value=report.value,
        has_value=report.has_value,
        error=report.error,
        stdout=decode_output(bytes(out.data), out.limit, out.total),
        stderr="" if fault else decode_output(bytes(err.data), err.limit, err.total),
        denied=tuple(dict.fromkeys((*report.denied, *collected.refused))),
        files=collected.files,
        gone=collected.gone,
        wall_s=seconds,
        ended=not reply.alive or not report.orderly or report.state in ("limit", "fault"),
    )


def _report(exchange: RunnerExchange) -> ActionReport:
    fault = exchange.fault_text()
    if fault:
        return ActionReport(state="fault", error=fault)
    if exchange.killed in _LIMIT_OF_KILL:
        limit = _LIMIT_OF_KILL[exchange.killed]
        return ActionReport(state="limit", limit=limit, error=f"{limit} limit reached")
    report = read_report(exchange.reply.blocks[0])
    if any(stream.total > stream.limit for stream in (exchange.stdout, exchange.stderr)):
        return ActionReport(state="limit", limit="output", error="output limit reached", denied=report.denied)
    return report


class LeasedInterpreter(Protocol):
    """A started interpreter that a session has for itself."""

    def exchange(
        self, order: RunnerRequest, limits: SandboxLimits, stopped: Callable[[], bool] | None = None
    ) -> RunnerExchange: ...

    def release(self, keep: bool) -> None: ...


class LeasedSession:
    """One session; implements :class:`~evolve.runtime.sandbox.actions.CodeSession`.

    Args:
        line: The interpreter, used by nobody else until it is released, which is done once.
        limits: Of every action.
        kernel: The limits as the runner takes them.
        cancellation: Ends the session with the action going on; that action then raises ``Cancelled``.
        calls: What its code may call outside.
    """

    def __init__(
        self,
        line: LeasedInterpreter,
        limits: SandboxLimits,
        kernel: Mapping[str, Json],
        cancellation: Cancellation | None = None,
        calls: FunctionCalls | None = None,
    ) -> None:
        self._stopped = None if cancellation is None else lambda: cancellation.requested
        self._line, self._limits, self._kernel, self._calls = line, limits, kernel, calls
        self._open = True
        self._idle = True  # no exchange is under way, or was given up in the middle

    def execute(self, code: str, *, files: Mapping[str, bytes] = NO_FILES, collect: Collect = False) -> ActionResult:
        """Runs one action; see the protocol."""
        if not self._open:
            raise UsageError("the session is over", hint="open another one")
        started = time.monotonic()
        action = CodeAction(code=code, files=files, collect=collect, session="keep", calls=self._calls)
        exchange = self._exchange(request_of(action, self._limits, self._kernel), self._stopped)
        if exchange.killed == BY_PERSON:
            self._end(keep=False)
            raise Cancelled("the person stopped the action")
        result = result_of(exchange, time.monotonic() - started - exchange.outside_s, self._limits)
        if exchange.reply.alive and result.ended:
            self.close()
        elif result.ended:
            self._end(keep=exchange.is_reusable)
        return result

    def close(self) -> None:
        """Ends the process and empties the scratch folder; closing twice is no error."""
        # a reply may still be on its way, and the next request would be answered with it
        if self._open and not self._idle:
            self._end(keep=False)
        # asked, not killed, so that the warm interpreter can serve the next call
        elif self._open:
            ending: dict[str, Json] = {"jobs": [], "rows": [], "files": [], "collect": False, "session": "end"}
            request = json.dumps({**ending, "limits": dict(self._kernel)}).encode("ascii")
            exchange = self._exchange(RunnerRequest(request=request, blocks=0, largest=1))
            self._end(keep=exchange.is_reusable)

    def _exchange(self, order: RunnerRequest, stopped: Callable[[], bool] | None = None) -> RunnerExchange:
        self._idle = False
        exchange = self._line.exchange(order, self._limits, stopped)
        self._idle = True
        return exchange

    def _end(self, *, keep: bool) -> None:
        self._open = False
        self._line.release(keep)

    def __enter__(self) -> LeasedSession:
        return self

    def __exit__(self, *failure: object) -> None:
        self.close()
