"""Whatever system call fails, in whichever of the sandbox's processes: the result is right, or it is a fault.

Never is it a failure of the code, never does it hang, and the next call on the same sandbox works.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping

import pytest

from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import ActionFile, Program, Sandbox, SandboxLimits
from evolve.runtime.sandbox.bubblewrap import Bubblewrap
from evolve.runtime.sandbox.isolated import IsolatedSandbox
from evolve.runtime.sandbox.landlock import Landlock
from evolve.runtime.sandbox.protocol import Backend
from tests.sandbox.breaking import IN_RUNNER, Breaking, broken_here

pytestmark = pytest.mark.slow

FAULT = "fault"
LIMITS = SandboxLimits(wall_s=20.0)
WRITES = Program(source="def f(x):\n    open('a', 'w').write(x)\n    return open('a').read() + x\n", entry="f")


def programs(sandbox: Sandbox) -> list[object]:
    result = sandbox.run_programs([WRITES, WRITES], [["a"], ["b"]], LIMITS)
    if result.fault:
        return [FAULT]
    return [[outcome.value for outcome in run.outputs] for run in result.programs] + [result.timed_out]


def action(sandbox: Sandbox) -> list[object]:
    code = "print('said')\nopen('d/out', 'w').write(open('d/in').read() + 'b')"
    result = sandbox.execute(code, LIMITS, files={"d/in": b"a", "other": b""}, collect=True)
    return (
        [FAULT] if result.state == FAULT else [result.state, result.value, result.stdout, sorted(names(result.files))]
    )


def starting_processes(sandbox: Sandbox) -> list[object]:
    code = "import os\npid = os.fork()\nif pid == 0:\n    os._exit(3)\nos.waitpid(pid, 0)[1] >> 8"
    result = sandbox.execute(code, SandboxLimits(wall_s=20.0, processes=2))
    return [FAULT] if result.state == FAULT else [result.state, result.value]


def session(sandbox: Sandbox) -> list[object]:
    found: list[object] = []
    with sandbox.session(LIMITS) as opened:
        for code in ("x = len(open('in').read())\nx", "open('in', 'a').write('c')\nx + 1"):
            result = opened.execute(code, files={} if found else {"in": b"ab"}, collect=bool(found))
            if result.state == FAULT:
                return [*found, FAULT] if result.ended else ["a fault that did not end the session"]
            found.append((result.state, result.value, sorted(names(result.files))))
    return found


def names(files: tuple[ActionFile, ...]) -> Iterator[tuple[str, bytes]]:
    return ((file.name, file.data) for file in files)


RIGHT: dict[Callable[[Sandbox], list[object]], list[object]] = {
    programs: [["aa", "bb"], ["aa", "bb"], False],
    action: ["ok", 2, "said\n", [("d/in", b"a"), ("d/out", b"ab"), ("other", b"")]],
    starting_processes: ["ok", 3],
    session: [("ok", 2, []), ("ok", 3, [("in", b"abc")])],
}


def holds(scenario: Callable[[Sandbox], list[object]], found: list[object]) -> bool:
    """Whether what was found is right as far as it goes, and then a fault or complete."""
    right = RIGHT[scenario]
    return found == right or (found[-1:] == [FAULT] and found[:-1] == right[: len(found) - 1])


def tried(scenario: Callable[[Sandbox], list[object]], sandbox: Sandbox) -> list[object]:
    try:
        return scenario(sandbox)
    except SandboxUnavailable:
        return [FAULT]


@pytest.fixture(params=[Bubblewrap, Landlock], ids=["bubblewrap", "landlock"])
def backend(request: pytest.FixtureRequest) -> Backend:
    found: Backend = request.param()
    if found.missing_parts():
        pytest.skip(found.missing_parts())
    return found


SOME = {"os": "open mkdir fork", "select": "select"}
"""Calls that are broken in the fast tests."""


def sweep(
    backend: Backend, scenario: Callable[[Sandbox], list[object]], side: str, starts: int, calls: Mapping[str, str]
) -> set[str]:
    """Breaks one call after the other, each at every place where it is made; the names of all that failed."""
    places: list[str] = []
    while True:
        breaking = Breaking(backend=backend, side=side, calls=calls, tried=places, starts=starts)
        with IsolatedSandbox(breaking) as sandbox:
            found = tried(scenario, sandbox)
            breaking.starts = 0
            assert tried(scenario, sandbox) == RIGHT[scenario]
        failed = breaking.collect()
        assert holds(scenario, found), f"{failed} gave {found}"
        if starts == 1 and scenario is not session:
            assert found == RIGHT[scenario], f"{failed} was not tried again"
        if not failed:
            return {place.partition(":")[0] for place in places}
        places += dict.fromkeys(failed)


@pytest.mark.parametrize("side", ["runner", "child"])
def test_some_failures_inside_are_faults_or_do_no_harm(backend, side):
    assert sweep(backend, action, side, 9, SOME) >= {"open"}


@pytest.mark.parametrize("side", ["runner", "child"])
@pytest.mark.parametrize("scenario", RIGHT, ids=lambda one: one.__name__)
def test_every_failure_inside_is_a_fault_or_does_no_harm(backend, scenario, side):
    failed = sweep(backend, scenario, side, 9, IN_RUNNER)
    opened = "socketpair" if scenario is session else "pipe"
    assert {"runner": {"open", "fork", opened, "write"}, "child": {"open", "dup2", "write"}}[side] <= failed


@pytest.mark.parametrize("scenario", [programs, action], ids=lambda one: one.__name__)
def test_what_fails_once_costs_nothing_but_time(backend, scenario):
    for side in ("runner", "child"):
        assert sweep(backend, scenario, side, 1, IN_RUNNER)


def supervised(backend: Backend, scenario: Callable[[Sandbox], list[object]], most: int) -> set[str]:
    places: list[str] = []
    while len(places) < most:
        with IsolatedSandbox(backend) as sandbox:
            with broken_here(places) as failed:
                found = tried(scenario, sandbox)
            assert holds(scenario, found), f"{failed} gave {found}"
            assert tried(scenario, sandbox) == RIGHT[scenario], f"after {failed}"
        if not failed:
            break
        places += failed
    return {place.partition(":")[0] for place in places}


def test_some_failures_of_the_supervisor_are_faults_or_do_no_harm(backend):
    assert "pipe" in supervised(backend, action, 8)


@pytest.mark.parametrize("scenario", RIGHT, ids=lambda one: one.__name__)
def test_every_failure_of_the_supervisor_is_a_fault_or_does_no_harm(backend, scenario):
    assert {"pipe", "Popen", "read", "write", "DefaultSelector"} <= supervised(backend, scenario, 1000)


_UNDER_A_LIMIT = """
import resource, sys
from pathlib import Path
from evolve.core.errors import SandboxUnavailable
from evolve.runtime.sandbox import Program, open_sandbox
sandbox = open_sandbox(sys.argv[1], warm=False)
number, most = getattr(resource, sys.argv[2]), int(sys.argv[3])
resource.setrlimit(number, (most, most))
source = "def f(x):\\n    open('a', 'w').write('q' * 200_000)\\n    return len(bytearray(x))\\n"
large = Program(source=source, entry="f")
for run in (lambda: sandbox.run_programs([large], [[200 << 20]]).programs, lambda: sandbox.execute("1").state):
    try:
        print(run())
    except SandboxUnavailable as error:
        print("refused:", error)
"""


@pytest.mark.parametrize(
    ("limit", "most", "told"),
    [
        ("RLIMIT_FSIZE", 100_000, "(ulimit -f)"),
        ("RLIMIT_DATA", 100 << 20, "(ulimit -d)"),
        ("RLIMIT_FSIZE", 1 << 40, ""),
        ("RLIMIT_DATA", 1 << 40, ""),
    ],
)
def test_a_limit_that_was_inherited_is_not_the_fault_of_the_code(backend, limit, most, told):
    command = [sys.executable, "-c", _UNDER_A_LIMIT, backend.name, limit, str(most)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert (line.startswith("refused:") and told in line) if told else not line.startswith("refused:")
    assert told or "value=209715200" in lines[0]
