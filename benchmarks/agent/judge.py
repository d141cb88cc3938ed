"""Judges what was handed in, the same way for every arm; and runs code in folders for the arms that need it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.agent.task import AgentTask, Row, expected_of
from evolve.tasks import equal

if TYPE_CHECKING:
    from benchmarks.agent.measure import HandedIn

_LIMIT_S = 20.0
_CALLS = """
import json, sys
asked = json.load(sys.stdin)
space = {"__name__": "answer"}
told, sys.stdout = sys.stdout, sys.stderr
try:
    exec(asked["source"], space)
    function = space[asked["entry"]]
except BaseException as error:
    function, problem = None, error
for row in asked["rows"]:
    try:
        if function is None:
            raise problem
        said = {"value": function(*row)}
        line = json.dumps(said)
    except BaseException as error:
        line = json.dumps({"error": f"{type(error).__name__}: {error}"})
    print(line, file=told, flush=True)
"""


def ran_rows(source: str, entry: str, rows: Sequence[Row]) -> list[tuple[Row, str, bool]]:
    """Each row with what came out, as text, and whether it is what was wanted."""
    asked = json.dumps({"source": source, "entry": entry, "rows": [list(row.input) for row in rows]})
    _, output = _run([sys.executable, "-I", "-c", _CALLS], None, asked, errors=False)
    said: list[dict[str, Any]] = [json.loads(line) for line in output.splitlines()]
    said += [{"error": "it did not come to an end"}] * (len(rows) - len(said))
    return [
        (row, one.get("error") or repr(one["value"]), "value" in one and equal(one["value"], row.output))
        for row, one in zip(rows, said, strict=True)
    ]


def judged(task: AgentTask, handed: HandedIn) -> bool:
    """Whether what was handed in does what was asked: on all rows, by the hidden tests, or as an answer."""
    if task.shape == "rows":
        rows = (*task.shown, *task.hidden)
        return bool(handed.function) and all(right for _, _, right in ran_rows(handed.function, task.entry, rows))
    if task.shape == "words":
        return same_answer(expected_of(task), handed.answer)
    tests = {path: text for path, text in task.files.items() if path.startswith("tests/")}
    with unpacked({**_own(handed.files), **tests, **task.hidden_files}) as folder:
        return run_command(task.check, folder)[0] == 0 and run_command(task.hidden_check, folder)[0] == 0


def _own(files: Mapping[str, str]) -> dict[str, str]:
    """What was handed in without tests that it added, which would be run too."""
    return {path: text for path, text in files.items() if not path.startswith("tests/")}


def same_answer(wanted: str, said: str) -> bool:
    """Whether an answer in words holds every part of the one that is wanted: numbers by value, names as words."""
    numbers = [float(number.replace(",", "")) for number in re.findall(r"-?\d[\d,]*(?:\.\d+)?", said)]
    words = re.findall(r"\w+", said.lower())
    for part in wanted.split():
        try:
            value = float(part)
        except ValueError:
            if part.lower() not in words:
                return False
        else:
            if not any(abs(value - number) < 1e-6 * max(1.0, abs(value)) for number in numbers):
                return False
    return bool(wanted)


@contextmanager
def unpacked(files: Mapping[str, str]) -> Iterator[Path]:
    """A folder of its own with these files, gone in the end."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "work"
        folder.mkdir()
        for path, text in files.items():
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        yield folder


def run_command(command: str, folder: Path) -> tuple[int, str]:
    """Exit code and all output of a shell command in a folder."""
    return _run(["sh", "-c", command], folder)


def run_program(source: str, folder: Path) -> tuple[int, str]:
    """Exit code and all output of a Python program in a folder."""
    return _run([sys.executable, "-c", source], folder)


def _run(command: Sequence[str], folder: Path | None, given: str = "", *, errors: bool = True) -> tuple[int, str]:
    path = os.pathsep.join([str(Path(sys.executable).parent), "/usr/local/bin", "/usr/bin", "/bin"])
    world = {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "LANG": "C.UTF-8"}
    with subprocess.Popen(
        command, cwd=folder, env=world, text=True, start_new_session=True, stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT if errors else subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            text = process.communicate(given, timeout=_LIMIT_S)[0]
            return process.returncode, text
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # a shell that is ended leaves what it started behind
            text = process.communicate()[0]
    return 124, text + f"(ended after {_LIMIT_S:g} s)" if errors else text
