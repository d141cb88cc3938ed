"""What a forked process does inside the sandbox: takes on its limits, then runs a program or tests.

Sent as text and run next to the runner; never imported by evolve. Here, around the code under test, everything is
caught: whatever the code raises is its result.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys

TYPE_CHECKING = False  # the module of that name takes longer to import than the rest of this file to run
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Job = Mapping[str, Any]
    Rlimit = tuple[int, int, int]

MEBIBYTE = 1 << 20
DENIED = (1, 13, 30)  # EPERM, EACCES, EROFS
DEEPEST = 100
BEGUN = b"\x06"  # what a child writes just before it runs the code: without it nothing was run
OTHERS_MAY_GROW = 1000  # tasks of the same user, counted when the runner started; the supervisor counts ours


class ProgramFilter:
    """A seccomp filter, given as bytes of ``struct sock_filter``, ready to be added after a fork."""

    def __init__(self, program: bytes) -> None:
        import ctypes

        class Description(ctypes.Structure):
            _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_char_p)]

        self.description = Description(len(program) // 8, program)
        self.address = ctypes.addressof(self.description)
        self.prctl = ctypes.CDLL(None, use_errno=True).prctl
        self.prctl.argtypes = [ctypes.c_int, *[ctypes.c_void_p] * 4]
        self.parent = os.getpid()

    def die_with_parent(self) -> None:
        """Ends this process when the runner ends, also where no process namespace would do it.

        Lets the supervisor look at its open files too; other code in here can look at nothing.
        """
        # PR_SET_DUMPABLE, then PR_SET_PDEATHSIG
        self.prctl(4, 1, 0, 0, 0)
        if self.prctl(1, signal.SIGKILL, 0, 0, 0) or os.getppid() != self.parent:
            raise OSError("the runner is gone")

    def install(self) -> None:
        """Adds the filter to this process for good; raises OSError when the kernel refuses."""
        # PR_SET_NO_NEW_PRIVS, which filters require, then PR_SET_SECCOMP with SECCOMP_MODE_FILTER
        if self.prctl(38, 1, 0, 0, 0) or self.prctl(22, 2, self.address, 0, 0):
            raise OSError("the program filter was refused")


def kernel_limits(limits: Mapping[str, int], others: int, session: bool) -> list[Rlimit]:
    """Kernel limits of the process that runs one program, ready to be set after a fork.

    Args:
        limits: From the host.
        others: How many of the user's tasks the kernel counts besides those in here.
        session: Whether the process lives for several actions, so that only an asked-for CPU limit holds.
    """
    memory, size = limits["memory_mb"] * MEBIBYTE, limits["file_mb"] * MEBIBYTE
    # 64 threads are always allowed; the kernel counts them as it counts processes
    cpu, tasks = limits["cpu_s"], 64 + limits["processes"]
    # without a namespace the kernel counts all tasks of the user, also those outside
    if others:
        tasks += others + OTHERS_MAY_GROW
    if session and not limits["cpu_given"]:
        cpu = 1 << 30
    prepared = []
    for kind, soft, hard in (
        ("RLIMIT_AS", memory, memory),
        ("RLIMIT_FSIZE", size, size),
        # the soft limit sends SIGXCPU, which says what was reached; the hard one kills what ignores it
        ("RLIMIT_CPU", cpu, cpu + 1),
        ("RLIMIT_NPROC", tasks, tasks),
        ("RLIMIT_NOFILE", 64, 64),
        ("RLIMIT_CORE", 0, 0),
    ):
        if sys.platform == "darwin" and kind in ("RLIMIT_AS", "RLIMIT_NPROC"):
            continue  # the first is not effective there, the second counts the whole user
        number = getattr(resource, kind)
        ceiling = resource.getrlimit(number)[1]
        if ceiling != resource.RLIM_INFINITY:
            soft, hard = min(soft, ceiling), min(hard, ceiling)
        prepared.append((number, soft, hard))
    return prepared


def caught(function: Callable[..., None], *arguments: Any) -> BaseException | None:
    """Calls the function; gives back whatever it raised."""
    try:
        function(*arguments)
    except BaseException as error:
        return error
    return None


def plain(value: Any, depth: int = 0) -> Any:
    """The value as JSON types; raises TypeError or ValueError for what JSON does not have."""
    kind = type(value)
    if value is None or kind is bool or kind is int:
        return value
    if kind is str or kind is float:
        return checked(value)
    if depth >= DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} levels")
    if isinstance(value, (list, tuple)):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, dict):
        if not all(type(key) is str for key in value):
            raise TypeError("not a JSON value: dict with keys that are not text")
        return {checked(key): plain(item, depth + 1) for key, item in value.items()}
    # subclasses become their plain kind: what they add does not cross
    for base in (str, int, float):
        if isinstance(value, base):
            return plain(base(value), depth + 1)
    hint = "; return it as a list" if hasattr(kind, "__iter__") else ""
    raise TypeError("not a JSON value: " + kind.__name__ + hint)


def checked(value: Any) -> Any:
    """Text without lone surrogates, or a finite number; raises ValueError otherwise."""
    if isinstance(value, str):
        if not value.isascii():
            value.encode("utf-8")
    # value != value: NaN alone
    elif value != value or value in (float("inf"), float("-inf")):
        raise ValueError("not a JSON value: " + repr(value))
    return value


def explain(error: BaseException, names: Sequence[str] = ("<program>",)) -> str:
    """One line: the exception, its message and the last line of the untrusted code it passed."""
    line = None
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_code.co_filename in names:
            line = step.tb_lineno
        step = step.tb_next
    if isinstance(error, SyntaxError) and error.filename in names:
        line = error.lineno
    try:
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        message = str(message).split("\n")[0][:300]
    except BaseException:  # a hostile __str__ must not end the report
        message = "(no readable message)"
    place = "" if line is None else f" (line {line})"
    return type(error).__name__ + (": " + message if message else "") + place


def denial(error: BaseException) -> str:
    """``kind:target`` of an operation the sandbox refused, or ""."""
    if not isinstance(error, OSError) or error.errno not in DENIED:
        return ""
    if isinstance(error.filename, (str, bytes)):
        return "file:" + str(error.filename)[:200]
    return "operation:" + (str(error.strerror) or "refused")[:100]


class Reporter:
    """Writes one JSON line per outcome to the pipe of this process."""

    def __init__(self, pipe: int) -> None:
        self.pipe = pipe
        self.encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode

    def begun(self) -> None:
        os.write(self.pipe, BEGUN)

    def send(self, line: Mapping[str, Any]) -> None:
        data = self.encode(line).encode("ascii") + b"\n"
        while data:
            data = data[os.write(self.pipe, data) :]

    def failure(self, error: BaseException, key: str, names: Sequence[str] = ("<program>",)) -> dict[str, Any]:
        line = {key: explain(error, names)}
        refused = denial(error)
        if refused:
            line["denied"] = refused
        return line


def call_program(job: Job, rows: Sequence[Sequence[str]], report: Reporter) -> None:
    """Loads the source and calls its entry on every row."""
    module = type(sys)("program")
    sys.modules["program"] = module
    report.begun()
    try:
        exec(compile(job["source"], "<program>", "exec", dont_inherit=True), module.__dict__)
        function = module.__dict__.get(job["entry"])
        if not callable(function):
            raise NameError("no function named " + job["entry"])
    except BaseException as error:
        report.send(report.failure(error, "load"))
        return
    report.send({"load": ""})
    for row in rows[job["rows"]]:
        try:
            line = {"value": plain(function(*json.loads(row)))}
        except BaseException as error:
            line = report.failure(error, "error")
        report.send(line)


class TextImporter:
    """Imports modules from the job's texts, before anything on disk."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = files

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        stem = name.replace(".", "/")
        for place, package in ((stem + ".py", False), (stem + "/__init__.py", True)):
            if place in self.files:
                loader: Any = TextLoader(self.files[place], place)
                return type(sys.__spec__)(name, loader, is_package=package)
        return None


class TextLoader:
    def __init__(self, text: str, place: str) -> None:
        self.text, self.place = text, place

    def create_module(self, spec: Any) -> None:
        return None

    def exec_module(self, module: Any) -> None:
        exec(compile(self.text, self.place, "exec", dont_inherit=True), module.__dict__)


def call_tests(job: Job, rows: Sequence[Sequence[str]], report: Reporter) -> None:
    """Imports the test file and calls its ``test_*`` functions in the order of their definition."""
    names = tuple(job["files"])
    sys.meta_path.insert(0, TextImporter(job["files"]))
    module = type(sys)("tests_under_sandbox")
    sys.modules[module.__name__] = module
    report.begun()
    try:
        exec(compile(job["files"][job["test"]], job["test"], "exec", dont_inherit=True), module.__dict__)
    except BaseException as error:
        report.send(report.failure(error, "load", names))
        return
    report.send({"load": ""})
    for name, function in list(module.__dict__.items()):
        # an answer with a function test_* would otherwise add tests of its own
        own = function is not getattr(sys.modules.get("solution"), name, None)
        if name.startswith("test_") and callable(function) and own:
            line: dict[str, Any] = {"value": None}
            try:
                function()
            except BaseException as error:
                line = report.failure(error, "error", names)
            line["name"] = name[:200]
            report.send(line)
