"""Runs a check command on a tree, in the sandbox."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from evolve.core.episodes import Json
from evolve.core.failpoints import hit_failpoint
from evolve.core.files import clean_text, head_and_tail
from evolve.core.progress import report_activity
from evolve.runtime.sandbox.protocol import Sandbox, SandboxLimits

FOLDER_LIMITS = SandboxLimits(wall_s=60.0, memory_mb=2048, processes=64, file_mb=64)
"""What one action or check in a folder may use. A check has its own wall limit."""

LARGE_LIMITS = replace(FOLDER_LIMITS, file_mb=768, entries=25_000)
"""The same in a folder that is too large for those: room for the largest tree and half as much again."""

TAIL = 2_000
"""Characters of the end of what a check printed from which it is told what it says."""

SHOWN = 8_000
"""Characters of what a check printed that are shown: both ends."""

# Becomes a process of its own inside the sandbox; only the end of the output is kept, however much there is. The plugin
# lies where linters and test runners do not look. Where pytest cannot import it, the check runs without.
_RUN = """
import json, os, shutil, subprocess, sys
for name in FOLDERS:
    os.makedirs(name, exist_ok=True)
for name in EXECUTABLE:
    os.chmod(name, 0o755)
env = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
env["PATH"] += os.pathsep + os.path.dirname(sys.executable)
told = os.path.abspath(os.path.join(".tox", PLUGIN))
os.makedirs(told)
with open(os.path.join(told, PLUGIN + ".py"), "w") as file:
    file.write(TELLS)
env["TESTS_ENDED_FILE"] = os.path.join(told, "ended")
def lacking(program, module):
    path = shutil.which(program, path=env["PATH"])
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('pytest') is None)"
    quiet = {"stdin": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    # where the command runs, whose own modules come first for it too
    return path is None or (module and subprocess.run([path, "-c", look], **quiet).returncode != 0)
lacks = bool(RUNNERS) and all(lacking(program, module) for program, module in RUNNERS)
telling = {"PYTHONPATH": os.pathsep.join(filter(None, [told, env.get("PYTHONPATH")])), "PYTEST_ADDOPTS": "-p " + PLUGIN}
for more in (telling, {}):
    check = subprocess.Popen(
        ["/bin/sh", "-c", COMMAND],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**env, **more},
    )
    head, tail, total, report = b"", b"", 0, None
    while part := check.stdout.read1(65536):
        head, tail, total = head + part[: KEPT - len(head)], (tail + part)[-KEPT:], total + len(part)
    ended = check.wait()
    if ended == 0 or b"No module named '" + PLUGIN.encode() not in tail:
        break
try:
    with open(os.path.join(told, "report"), "rb") as file:
        report = json.loads(file.read(8 << 20))
except (OSError, ValueError):
    pass
try:
    with open(env["TESTS_ENDED_FILE"], "rb") as file:
        ends = file.read(8 << 20).decode("utf-8", "replace").splitlines()
except OSError:
    ends = []
result = [ended, tail.decode("utf-8", "replace"), report, ends, head.decode("utf-8", "replace"), total]
result.append(lacks and not os.path.exists(os.path.join(told, "began")))
"""

# A plugin of pytest: that it began, what it ended with, what came of each test by its id, and which files could not be
# read.
_TELLS = """
import json, os
OUTCOMES, HERE = {}, os.path.dirname(__file__)
open(os.path.join(HERE, "began"), "w").close()
def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        OUTCOMES[report.nodeid] = report.outcome
def pytest_collectreport(report):
    if report.failed:
        OUTCOMES[report.nodeid] = "error"
def pytest_sessionfinish(session, exitstatus):
    if not hasattr(session.config, "workerinput"):
        with open(os.path.join(HERE, "report"), "w") as file:
            json.dump({"exit": int(exitstatus), "tests": OUTCOMES}, file)
"""
_PLUGIN = "evolve_tells"

_LACKS = "pytest is missing in the sandbox"
_UNTOLD = "the check ended with 0, but pytest told of no passed test, so it is not believed"

_COUNT = re.compile(r"\b(\d+) (passed|failed|errors?)\b")
_PYTEST = re.compile(r"(?:^|[\s;&|/])(?:pytest|py\.test)(?:\s|$)")
_PROGRAM = re.compile(r"(?<![^\s;&|(])(?:[\w./-]*/)?(?:pytest|py\.test)(?=[\s;&|)]|$)")
_MODULE = re.compile(r"\s-m\s+(?:pytest|py\.test)(?=[\s;&|)]|$)")
_PYTHON = re.compile(r"(?<![^\s;&|(])[\w./-]*python[\d.]*(?=\s|$)")
_OTHERS_DECIDE = re.compile(r"[;|\n]")
"""What a command holds whose exit code may be another than that of a part that failed."""


@dataclass(frozen=True, kw_only=True)
class CheckResult:
    """What a check command said. All of it came from a process that ran the code under test.

    Attributes:
        ok: It ended with 0, and did what it promised where that can be told.
        tail: The end of what it printed.
        output: What it printed, both ends where that is long.
        exit: What the command ended with; None where it did not come to its end.
        seconds: Wall seconds that it took, with the time to make the copy.
        error: Why it gave no result, or "".
        score: From 0 to 1, the share of tests that passed, where it said so; else 1 or 0. Guides a search only.
        fault: The sandbox failed.
        tests: Where pytest ran and told of it, what came of each test by its id: ``passed``, ``failed``, ``skipped``;
            ``error`` for a file that could not be read.
        limit: The limit of the sandbox that ended it, or "".
        ended: Lines that the tests wrote to the file that ``TESTS_ENDED_FILE`` names.
        elsewhere: Why another part of the command than its run of pytest said how it ends, in one clause; else "".
    """

    ok: bool
    tail: str = ""
    output: str = ""
    exit: int | None = None
    seconds: float = 0.0
    error: str = ""
    score: float = 0.0
    fault: bool = False
    limit: str = ""
    tests: Mapping[str, str] = field(default_factory=dict)
    ended: Sequence[str] = ()
    elsewhere: str = ""

    @property
    def summary(self) -> str:
        """One line: the error, else the last line that was printed, with what has to be known besides."""
        lines = [line.strip() for line in self.tail.splitlines() if line.strip()]
        said = self.error or (lines[-1][:200] if lines else "it printed nothing")
        return f"{said} ({self.elsewhere})" if self.elsewhere else said


def run_check(
    sandbox: Sandbox,
    command: str,
    files: Mapping[str, bytes],
    executable: Collection[str],
    seconds: float,
    *,
    folders: Sequence[str] = (),
) -> CheckResult:
    """Runs the command in a fresh copy of the files.

    A run of pytest that never told of a passed test is not believed, whatever its exit code: code under test can end
    the process early. Where pytest is missing, or says itself that it failed, and the command ends with 0 all the same,
    another part of it decided, as its author wanted. What else such code could do to a check in its own process tree,
    this cannot tell;
    :mod:`evolve.tasks.verification.test_quality` asks.

    Args:
        executable: Names of files to make executable; others among them are ignored.
        seconds: Wall limit.
        folders: Names of empty folders to make.
    """
    head: dict[str, object] = {
        "EXECUTABLE": sorted(set(executable) & set(files)),
        "FOLDERS": list(folders),
        "COMMAND": command,
    }
    head |= {"KEPT": 4 * SHOWN, "PLUGIN": _PLUGIN, "TELLS": _TELLS, "RUNNERS": _runners(command)}
    code = "".join(f"{name} = {value!r}\n" for name, value in head.items()) + _RUN
    hit_failpoint("sandbox.before")
    with report_activity("check", command):
        result = sandbox.execute(code, replace(folder_limits(files), wall_s=seconds), files=files)
    hit_failpoint("sandbox.after")
    if result.state == "fault":
        return CheckResult(ok=False, error=result.error, fault=True)
    if result.state == "limit":
        unit = f" of {seconds:g} s" if result.limit == "wall" else ""
        error = f"the check reached its {result.limit} limit{unit}"
        return CheckResult(ok=False, error=error, limit=result.limit, seconds=result.wall_s)
    if not (isinstance(result.value, list) and len(result.value) == 7 and isinstance(result.value[1], str)):
        return CheckResult(ok=False, error=f"the check gave no result: {result.error or 'none'}", seconds=result.wall_s)
    checked = _checked(command, result.value)
    return replace(checked, output=_output(result.value), exit=_exit(result.value[0]), seconds=result.wall_s)


def folder_limits(files: Mapping[str, bytes], seconds: float = 0.0) -> SandboxLimits:
    """What an action or a check may use in a folder of these files, with at least so many wall seconds."""
    small = (
        len(files) <= FOLDER_LIMITS.entries * 3 // 4 and sum(map(len, files.values())) <= FOLDER_LIMITS.file_mb << 18
    )
    limits = FOLDER_LIMITS if small else LARGE_LIMITS
    return replace(limits, wall_s=max(limits.wall_s, seconds))


def _output(value: Sequence[Json]) -> str:
    tail, head, total = clean_text(value[1]), value[4], value[5]
    if not isinstance(head, str) or type(total) is not int or total <= 4 * SHOWN:
        return head_and_tail(tail, SHOWN)
    room = SHOWN // 2 - 30
    return f"{clean_text(head)[:room]}\n... {total - 2 * room:,} left out ...\n{tail[-room:]}"


def _exit(value: Json) -> int | None:
    return value if type(value) is int else None


def _checked(command: str, value: Sequence[Json]) -> CheckResult:
    """What the end of a check's output says, whatever the process that ran it made of that."""
    code_of, tail = value[0], clean_text(value[1])[-TAIL:]
    # What a POSIX shell ends with when it cannot find a command.
    if code_of == 127:
        return CheckResult(ok=False, tail=tail, error=f"a command was not found: {_last(tail)}")
    report = value[2] if isinstance(value[2], dict) else {}
    outcomes = report.get("tests")
    counts = _counts(tail)
    tests = {name: str(outcome) for name, outcome in outcomes.items()} if isinstance(outcomes, dict) else {}
    ended = [str(line) for line in value[3]] if isinstance(value[3], list) else []
    # False equals 0, and the value comes out of a process that ran the code under test.
    ok = code_of == 0 and type(code_of) is int
    elsewhere = _LACKS if value[6] is True else _failed_itself(command, report) if ok else ""
    passed = counts.get("passed") or "passed" in tests.values()
    if ok and is_pytest(command) and not (passed or elsewhere):
        return CheckResult(ok=False, tail=tail, error=_UNTOLD, tests=tests)
    return CheckResult(ok=ok, tail=tail, score=_score(ok, counts), tests=tests, ended=ended, elsewhere=elsewhere)


def _failed_itself(command: str, report: Mapping[str, Json]) -> str:
    """That pytest told of a failure in a command that ended with 0 and may do so."""
    status = report.get("exit")
    failed = type(status) is int and status != 0 and _OTHERS_DECIDE.search(command) is not None
    return f"pytest itself ended with {status}" if failed else ""


def is_pytest(command: str) -> bool:
    """Whether a shell command runs pytest, as far as its text tells."""
    return _PYTEST.search(command) is not None


def _runners(command: str) -> list[tuple[str, bool]]:
    """The programs that would run pytest, as far as the command's text tells, each with whether as its module."""
    programs = [(program, False) for program in _PROGRAM.findall(_MODULE.sub(" ", command))]
    pythons = _PYTHON.findall(command) if _MODULE.search(command) else ()
    return sorted({*programs, *((python, True) for python in pythons)})


def _counts(tail: str) -> dict[str, int]:
    last = tail.strip().rpartition("\n")[2]
    return {word.rstrip("s") if word.startswith("err") else word: int(number) for number, word in _COUNT.findall(last)}


def _score(ok: bool, counts: Mapping[str, int]) -> float:
    if ok:
        return 1.0
    total = sum(counts.values())
    # Below 1 even where every counted test passed: the check did not end with 0.
    return min(0.99, counts.get("passed", 0) / total) if total else 0.0


def _last(tail: str) -> str:
    return tail.strip().rpartition("\n")[2][:200] or "no output"
