"""Runs hidden tests in one sandboxed process and the answer in another; nothing but data crosses between them."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from evolve.core.failpoints import hit_failpoint
from evolve.runtime.sandbox.actions import ActionResult, CodeSession
from evolve.runtime.sandbox.interpreter import guest_source
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits

MOST_CALLS = 2000
"""Most calls of the answer in one run of the tests; those that make more run in one process with it."""

_UNCOUNTED_S = 0.02
"""Seconds of one exchange that are not counted: a busy machine may take as long to pass a value on."""

_LIMITS = SandboxLimits(wall_s=10.0)


@dataclass(frozen=True, kw_only=True)
class ApartRun:
    """What came of the tests.

    Attributes:
        outcomes: Per test that ran its name and why it failed, or "".
        calls: How often they called the answer.
        reached: How many assertions passed, one in a loop each time; 0 where the tests were to reach one and did not.
        error: Why there is nothing more, or "".
        untold: What of the answer could not be brought to the tests as it is, or "".
        whole: Why the tests cannot run apart after all, found when they ran, or "".
        fault: The sandbox failed.
    """

    outcomes: tuple[tuple[str, str], ...] = ()
    calls: int = 0
    reached: int = 0
    error: str = ""
    untold: str = ""
    whole: str = ""
    fault: bool = False


class _SessionEnded(Exception):
    """One of the two processes gave no value."""

    def __init__(self, result: ActionResult) -> None:
        super().__init__(result.error)
        self.result = result


def run_apart(tests: str, code: str, sandbox: Sandbox) -> ApartRun:
    """Runs the tests, and brings every call they make to the answer's process and back.

    Both processes live as long as the tests, so what the answer keeps from call to call it keeps here too. What crosses
    are builtin values, described as JSON; the process of the tests makes them anew. Each process may take ten seconds.

    Args:
        tests: Text for which :func:`~evolve.tasks.verification.separable.reason_not_separable` gives no reason.
        code: Text of the answer.
    """
    hit_failpoint("sandbox.before")
    try:
        with sandbox.session(_LIMITS) as answers, sandbox.session(_LIMITS) as asking:
            run = _relay_calls(_TimedSession(answers), _TimedSession(asking), tests, code)
    except _SessionEnded as ended:
        reason = ended.result.error or "it did what the sandbox refuses, or took too long"
        run = ApartRun(error=reason, fault=ended.result.state == "fault")
    hit_failpoint("sandbox.after")
    return run


def is_missing(denied: str) -> bool:
    """Whether what was refused, as ``kind:target``, is a file that is not there outside of the sandbox either."""
    kind, _, target = denied.partition(":")
    return kind == "file" and target.startswith("/") and not os.path.lexists(target)


class _TimedSession:
    """A session in the sandbox that counts the seconds it has left."""

    def __init__(self, session: CodeSession) -> None:
        self._session = session
        self._left = _LIMITS.wall_s
        for part in ("crossing.py", "relay.py"):
            self.run(f"{guest_source(part)}\nresult = True\n")

    def run(self, code: str) -> object:
        """The value of the code.

        Raises:
            _SessionEnded: There is none, something was refused, or the time is used up.
        """
        result = self._session.execute(code)
        self._left -= max(0.0, result.wall_s - _UNCOUNTED_S)
        denied = [access for access in result.denied if not is_missing(f"{access.kind}:{access.target}")]
        if result.state != "ok" or denied or result.ended or self._left < 0:
            raise _SessionEnded(result)
        return result.value


def _relay_calls(answers: _TimedSession, asking: _TimedSession, tests: str, code: str) -> ApartRun:
    answers.run(f"answer = Answer({code!r})")
    asking.run(f"tests = Tests({tests!r})")
    reply: object = None
    for number in range(MOST_CALLS + 1):
        request = asking.run(f"tests.next_request({reply!r})")
        if not isinstance(request, list) or not request:
            return ApartRun(error="the tests ended without a word")
        if request[0] == "done":
            moved = answers.run("answer.moved()")
            if moved:
                return ApartRun(whole=str(moved))
            outcomes = tuple((str(name), str(why)) for name, why in request[1])
            return ApartRun(outcomes=outcomes, calls=number, reached=request[2], untold=str(request[3])[:200])
        if request[0] == "whole":
            return ApartRun(whole=str(request[1]))
        if request[0] == "next":
            reply = answers.run(f"answer.next_item({int(request[1])})")
        else:
            reply = answers.run(f"answer.call({request[1]!r}, {request[2]!r})")
        if not isinstance(reply, str):
            return ApartRun(error=f"no reply but {json.dumps(reply)[:100]}")
    return ApartRun(whole=f"they call the answer more than {MOST_CALLS:,} times")
