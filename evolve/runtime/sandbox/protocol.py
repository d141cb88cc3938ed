"""What a sandbox takes and gives: programs and limits in, data and the reasons for its absence out."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, runtime_checkable

from evolve.core.cancellation import Cancellation
from evolve.core.episodes import Json
from evolve.runtime.sandbox.actions import NO_FILES, ActionResult, CodeSession, FunctionCalls

if TYPE_CHECKING:
    from evolve.runtime.sandbox.scratch import ScratchFolder

NOT_RUN = "not run: the time limit of the whole execution was reached"
"""The error of an outcome whose turn never came."""

UNSANDBOXED = "unsandboxed"
"""The name of the backend that confines nothing, and the mark of what was learned with it."""


@dataclass(frozen=True, kw_only=True)
class SandboxLimits:
    """What one execution may use. Everything is enforced by the kernel or the supervisor, never by the code.

    Attributes:
        wall_s: Seconds for the whole execution; it ends within one second more, with its whole process tree.
        program_s: Wall seconds for one program; None shares ``wall_s`` fairly, at least a quarter each.
        cpu_s: CPU seconds for one program; None means as many as its wall seconds allow.
        memory_mb: Address space of one program, MiB.
        processes: Further processes a program may start; threads are always allowed.
        file_mb: Size of the writable scratch space, MiB.
        entries: Most files and folders in it, and most files handed in or out.
        output_kb: Kept length of stdout and of stderr each, KiB; the rest is dropped.
        result_kb: Largest result of one program, KiB of JSON.
        hash_seed: Seed of Python's string hashing. Runs are reproducible for one seed; code whose answer
            changes with the seed depends on the order of a set.
    """

    wall_s: float = 5.0
    program_s: float | None = None
    cpu_s: float | None = None
    memory_mb: int = 512
    processes: int = 0
    file_mb: int = 32
    entries: int = 2000
    output_kb: int = 64
    result_kb: int = 1024
    hash_seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Program:
    """Source text and the name of the function in it to call."""

    source: str
    entry: str


@dataclass(frozen=True, kw_only=True)
class TestModule:
    """Files (module path to text) and the one whose ``test_*`` functions are run, in order.

    The files can import each other; they live in memory and are not on disk inside the sandbox.
    """

    __test__ = False  # pytest would otherwise take the name for a test class

    files: Mapping[str, str]
    test_file: str


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What one call or one test gave: a JSON value, or why there is none.

    Attributes:
        value: The returned value (tuples become lists); None where ``error`` is set, and for tests.
        error: "" or one line such as ``ZeroDivisionError: division by zero (line 3)``.
        name: The test's name; "" for calls.
    """

    value: Json = None
    error: str = ""
    name: str = ""

    @property
    def ok(self) -> bool:
        return not self.error


@dataclass(frozen=True, kw_only=True)
class ProgramRun:
    """One program's part of an execution.

    Attributes:
        error: "" when the program loaded; else one line saying why it did not.
        outputs: One outcome per input, in order, also after a failure (each then carries the reason).
        denied: Refused operations as ``kind:target``, such as ``file:/etc/passwd``.
        timed_out: The program used up its time; outcomes it had not reached carry that as their error.
    """

    error: str = ""
    outputs: tuple[Outcome, ...] = ()
    denied: tuple[str, ...] = ()
    timed_out: bool = False


@dataclass(frozen=True, kw_only=True)
class SandboxResult:
    """What one execution left behind. All of it was said by the code under test, so it is data, not proof.

    Attributes:
        programs: One run per program, in order.
        denied: All refused operations, without repeats.
        timed_out: The execution or one of its programs reached a time limit.
        killed: Why the supervisor had to end the execution: ``wall``, ``memory``, ``disk``, ``processes`` or ``start``
            (it was never ready); else "".
        stdout: What was printed, cut at the limit, control characters escaped.
        stderr: The same for stderr.
        wall_s: Seconds from start to end.
        fault: "" or what went wrong with the sandbox itself; such a run says nothing about the programs.
    """

    programs: tuple[ProgramRun, ...]
    denied: tuple[str, ...] = ()
    timed_out: bool = False
    killed: str = ""
    stdout: str = ""
    stderr: str = ""
    wall_s: float = 0.0
    fault: str = ""


@dataclass(frozen=True, kw_only=True)
class SelfTestResult:
    """One question of the self-test and how the sandbox answered."""

    name: str
    passed: bool
    detail: str = ""


class Sandbox(Protocol):
    """Runs untrusted Python apart from everything that matters."""

    backend: str

    def run_programs(
        self,
        programs: Sequence[Program],
        inputs: Sequence[Sequence[Json]],
        limits: SandboxLimits | None = None,
        *,
        per_program: Sequence[Sequence[Sequence[Json]]] | None = None,
    ) -> SandboxResult:
        """Calls every program on every input in one execution.

        Args:
            programs: Each runs in a process of its own, and what one left in the scratch folder is removed
                before the next, so none sees or harms another.
            inputs: Lists of positional arguments; every call gets a fresh copy.
            limits: Defaults to :class:`SandboxLimits`.
            per_program: The inputs of each program, where they differ; ``inputs`` is then ignored.
        """
        ...

    def run_tests(self, modules: Sequence[TestModule], limits: SandboxLimits | None = None) -> SandboxResult:
        """Runs the ``test_*`` functions of every module in one execution; one outcome per test."""
        ...

    def execute(
        self,
        code: str,
        limits: SandboxLimits | None = None,
        *,
        files: Mapping[str, bytes] = NO_FILES,
        collect: bool = False,
    ) -> ActionResult:
        """Runs one action in a process and an empty scratch folder of its own; both are gone when it returns.

        Args:
            code: Python text. Its value is that of the last expression, else what it assigned to ``result``.
            limits: Defaults to :class:`SandboxLimits`.
            files: Put into the scratch folder first: relative names with plain components.
            collect: Give back the regular files of the scratch folder.

        Raises:
            UsageError: A file's name is not plain, or the files do not fit into the scratch folder.
            SandboxUnavailable: The backend cannot start, or cannot run code that starts processes.
        """
        ...

    def session(self, limits: SandboxLimits | None = None, *, calls: FunctionCalls | None = None) -> CodeSession:
        """A process in which actions run one after another and see each other's variables.

        It must be used and closed in the thread that opened it, and ends with that thread. With ``calls`` its code can
        import what is offered from the module ``functions``; the processes that it starts cannot.

        Raises:
            SandboxUnavailable: The backend cannot start, or cannot run code that starts processes.
        """
        ...

    def close(self) -> None:
        """Ends the warm processes, if there are any. The sandbox may be used again afterwards."""
        ...


def fingerprint_of(sandbox: Sandbox) -> str:
    """What code runs in, such as ``bubblewrap, Python 3.12``: where it differs, what did not work may work."""
    return f"{sandbox.backend}, Python {sys.version_info.major}.{sys.version_info.minor}"


@runtime_checkable
class Stoppable(Protocol):
    """What a sandbox has besides, if a person can stop what runs in it."""

    def until(self, cancellation: Cancellation) -> Sandbox:
        """The same sandbox, whose executions raise ``Cancelled`` once a person asks to stop."""
        ...


@dataclass(frozen=True, kw_only=True)
class Launch:
    """How to start one sandboxed interpreter.

    Attributes:
        argv: The command; it runs the runner on its stdin and on descriptor ``result_fd``.
        env: The whole environment of the command.
        pass_fds: Descriptors to keep open in the command; closed by the caller after the start.
        folder: Where the command starts.
        scratch: A folder on disk to remove at the end, or None.
        ending: How to end it: ``kill`` it; ``inside`` out, where it waits for the process it started and reaps it;
            ``ask`` first, where it takes what it started with it.
        grouped: Bound the number of its tasks by a control group as well, where one can be made.
    """

    argv: Sequence[str]
    env: Mapping[str, str] = field(default_factory=dict)
    pass_fds: Sequence[int] = ()
    folder: str = "/"
    ending: Literal["kill", "inside", "ask"] = "kill"
    scratch: ScratchFolder | None = None
    grouped: bool = False


class Backend(Protocol):
    """A way of confining a process on this kind of machine."""

    name: str

    def missing_parts(self) -> str:
        """What is missing and how to get it; "" when all parts are there."""
        ...

    def launch(self, result_fd: int, limits: SandboxLimits) -> Launch:
        """Prepares one start of the runner under confinement."""
        ...
